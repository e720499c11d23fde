// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of Documentation/Traces.md.
import CoreData
import CoreDataSync
import CoreDataSyncHTTP
import CoreDataSyncHTTPClient
import CoreDataSyncProtocol
import CoreDataSyncTelemetry
import Foundation
import Hummingbird
import Testing

@Suite("Guide: traces of sync") struct TraceGuide {
    private let token = "a-token-of-ann-0001"

    @Test("a client is observed, and a server that cannot be reached is an error of its round") func client()
        async throws
    {
        let container = try TelemetryFixture.container(TelemetryFixture.model())
        let address = try #require(URL(string: "http://127.0.0.1:1"))
        // snippet: client
        let telemetry = SyncTelemetry()
        var settings = HTTPTransport.Settings()
        settings.headers = { telemetry.headers() }
        let http = HTTPTransport(server: address, settings: settings) { token }
        let client = try SyncClient(container: container, transport: telemetry.observing(http))
        telemetry.observe(client)
        client.start()
        // end
        client.stop()
        await #expect(throws: HTTPTransportError.self) { try await client.syncNow() }
        http.close()
    }

    @Test("the routes of a server take the observed service") func server() async throws {
        let fixture = try TelemetryFixture()
        let (telemetry, service) = (fixture.telemetry, fixture.service)
        let tokens = try TokenTable(text: token + " ann\n")
        // snippet: server
        let router = Router()
        router.add(middleware: TracingMiddleware())  // continues the traces of devices
        SyncRoutes(service: telemetry.observing(service), authentication: tokens).add(to: router)
        // end
        _ = router.buildResponder()
        let pull = SyncPull(replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 1)
        _ = try await telemetry.observing(service).pull(pull, user: SyncUser(id: "ann"))
        #expect(fixture.spans("sync pull").count == 1)
    }
}
