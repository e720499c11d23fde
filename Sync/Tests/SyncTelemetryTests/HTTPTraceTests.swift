// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a trace goes from a device to its server over HTTP (Documentation/Traces.md, W7).
import CoreData
import CoreDataSync
import CoreDataSyncHTTP
import CoreDataSyncHTTPClient
import CoreDataSyncTelemetry
import Foundation
import Hummingbird
import InMemoryTracing
import Logging
import NIOCore
import ServiceLifecycle
import Testing
import Tracing

@Suite("Traces over HTTP") struct HTTPTraceTests {
    /// Hummingbird's middleware uses the tracer of the process, so this is another one.
    @Test("a server continues the trace of a device's round; W7") func headers() async {
        await #expect(processExitsWith: .success) { try await HTTPTraceTests.sync() }
    }

    /// Traps unless the spans of both sides are of one trace.
    private static func sync() async throws {
        let fixture = try TelemetryFixture()
        InstrumentationSystem.bootstrap(fixture.tracer)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let token = "a-token-of-ann-0001"
        let router = Router()
        router.add(middleware: TracingMiddleware())
        SyncRoutes(
            service: fixture.telemetry.observing(fixture.service),
            authentication: try TokenTable(text: token + " ann\n")
        ).add(to: router)
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("no address") }
        var settings = HTTPTransport.Settings()
        settings.headers = { fixture.telemetry.headers() }
        let transport = HTTPTransport(server: url, settings: settings) { token }
        let container = try TelemetryFixture.container(TelemetryFixture.model())
        let client = try SyncClient(container: container, transport: fixture.telemetry.observing(transport))
        fixture.telemetry.observe(client)
        try await fixture.insert("Milk", container)
        _ = try await client.syncNow()
        transport.close()
        await group.triggerGracefulShutdown()
        try await running.value
        let round = fixture.spans("sync round").first
        for name in ["sync push", "sync pull"] {
            let spans = fixture.spans(name)
            precondition(spans.count == 2, "\(name): \(spans.count) spans")
            precondition(spans.allSatisfy { $0.traceID == round?.traceID }, "\(name): \(spans)")
            let sent = spans.first { $0.kind == .client }
            let answered = spans.first { $0.kind == .server }
            // Between them is the span of the middleware.
            let between = fixture.tracer.finishedSpans.first { $0.spanID == answered?.parentSpanID }
            precondition(between?.parentSpanID == sent?.spanID, "\(name): \(spans)")
        }
    }
}
