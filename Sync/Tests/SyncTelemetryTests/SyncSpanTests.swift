// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the spans of rounds and requests (Documentation/Traces.md, W1 to W5).
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncTelemetry
import Foundation
import InMemoryTracing
import MetricsTestKit
import ServiceContextModule
import Testing
import Tracing

@Suite("Spans of sync") struct SyncSpanTests {
    @Test("a round contains its requests, and each of them the server's; W1, W3") func tree() async throws {
        let fixture = try TelemetryFixture()
        let (container, client) = try fixture.device()
        try await fixture.insert("Milk", container)
        try await fixture.insert("Bread", container)
        let caller = fixture.tracer.startSpan("app", context: .topLevel)
        _ = try await ServiceContext.withValue(caller.context) { try await client.syncNow() }
        caller.end()
        let round = try #require(fixture.spans("sync round").first)
        #expect(fixture.spans("sync round").count == 1 && round.parentSpanID == caller.spanID)
        #expect(round.kind == .internal && fixture.number(round, "changes") == 2)
        #expect(fixture.number(round, "refused") == 0 && fixture.number(round, "inserted") == 0)
        for name in ["sync push", "sync pull"] {
            let spans = fixture.spans(name)
            let sent = try #require(spans.first { $0.kind == .client }, "\(name)")
            let answered = try #require(spans.first { $0.kind == .server }, "\(name)")
            #expect(sent.parentSpanID == round.spanID && answered.parentSpanID == sent.spanID)
            #expect(spans.allSatisfy { $0.traceID == round.traceID })
            #expect(fixture.text(sent, "coredata.sync.replica") == fixture.text(answered, "coredata.sync.replica"))
            #expect(UUID(uuidString: fixture.text(sent, "coredata.sync.replica") ?? "") != nil)
        }
        let push = try #require(fixture.spans("sync push").first)
        #expect(fixture.number(push, "changes") == 2 && fixture.number(push, "batch") == 1)
        let pull = try #require(fixture.spans("sync pull").first)
        #expect(
            fixture.text(pull, "coredata.sync.whole") == "true" && fixture.text(pull, "coredata.sync.last") == "true")
        #expect(fixture.number(pull, "revision") ?? 0 > 0)
        #expect(fixture.tracer.activeSpans.isEmpty)
    }

    @Test("operations of the device's store belong to the round, those of the server's store to its request; W2")
    func operations() async throws {
        let fixture = try TelemetryFixture()
        let (container, client) = try fixture.device()
        let (_, other) = try fixture.device()
        try await fixture.insert("Milk", container)
        _ = fixture.operations.take()
        _ = try await client.syncNow()
        _ = try await other.syncNow()
        let operations = fixture.operations.take()
        let rounds = Set(fixture.spans("sync round").map(\.spanID))
        let requests = Set(fixture.tracer.finishedSpans.filter { $0.kind == .server }.map(\.spanID))
        let known = rounds.union(requests)
        #expect(operations.count > 10 && operations.allSatisfy { known.contains($0.spanID ?? "") })
        #expect(operations.contains { $0.kind == .save && rounds.contains($0.spanID ?? "") })
        #expect(operations.contains { $0.kind == .save && requests.contains($0.spanID ?? "") })
    }

    @Test("rounds that start() begins are no part of the caller's trace; W1") func loop() async throws {
        let fixture = try TelemetryFixture()
        let (_, client) = try fixture.device()
        let caller = fixture.tracer.startSpan("app", context: .topLevel)
        ServiceContext.$current.withValue(caller.context) { client.start() }
        caller.end()
        for _ in 0..<500 where fixture.spans("sync round").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        client.stop()
        let round = try #require(fixture.spans("sync round").first)
        #expect(round.parentSpanID == nil && round.traceID != caller.traceID)
    }

    @Test("a refused change is a number of the push and of the round, and no error; W3") func refusal() async throws {
        let fixture = try TelemetryFixture()
        let (first, client) = try fixture.device()
        try await fixture.insert("Milk", first)
        try await fixture.insert("Bread", first)
        _ = try await client.syncNow()
        fixture.tracer.clearFinishedSpans()
        // Two records with one title: the server keeps the rule, which a device without the constraint does not have.
        let (second, other) = try fixture.device()
        _ = try await other.syncNow()
        try await first.performBackgroundTask { context in
            try Self.rename("Bread", "Butter", context)
            try context.save()
        }
        try await second.performBackgroundTask { context in
            try Self.rename("Milk", "Butter", context)
            try context.save()
        }
        _ = try await client.syncNow()
        fixture.tracer.clearFinishedSpans()
        let report = try await other.syncNow()
        #expect(report.refused == 1)
        let pushes = fixture.spans("sync push")
        #expect(pushes.count == 2 && pushes.allSatisfy { fixture.number($0, "refused") == 1 && $0.status == nil })
        #expect(fixture.spans("sync round").compactMap { fixture.number($0, "refused") } == [1])
        let all = fixture.tracer.finishedSpans.map { "\($0.attributes)" }.joined()
        #expect(!all.contains("Butter") && !all.contains("ann"))
    }

    private static func rename(_ old: String, _ new: String, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "title == %@", old)
        for note in try context.fetch(request) { note.setValue(new, forKey: "title") }
    }

    @Test("an error has its code without its text, in the request and in the round; W4") func failure() async throws {
        let fixture = try TelemetryFixture()
        let container = try TelemetryFixture.container(TelemetryFixture.model())
        let client = try SyncClient(container: container, transport: fixture.telemetry.observing(FailingTransport()))
        fixture.telemetry.observe(client)
        await #expect(throws: SyncError.self) { try await client.syncNow() }
        let spans = fixture.tracer.finishedSpans
        #expect(spans.map(\.operationName).sorted() == ["sync pull", "sync round"])
        #expect(spans.allSatisfy { fixture.text($0, "error.type") == "unavailable" && $0.status?.code == .error })
        #expect(spans.allSatisfy { $0.errors.isEmpty && !"\($0)".contains("secret") })
        let failed = [("operation", "round"), ("side", "client"), ("error.type", "unavailable")]
        #expect(fixture.metrics.counterTotal(label: "coredata.sync.errors", dimensions: failed) == 1)
    }
}

/// A server that does not answer now.
struct FailingTransport: SyncTransport {
    private var error: SyncError { SyncError(.unavailable, "secret") }

    func push(_ request: SyncPush) async throws -> SyncPushAnswer { throw error }
    func pull(_ request: SyncPull) async throws -> SyncPage { throw error }
    func put(_ part: SyncPart) async throws -> SyncPartAnswer { throw error }
    func get(_ request: SyncPartRequest) async throws -> Data { throw error }
}
