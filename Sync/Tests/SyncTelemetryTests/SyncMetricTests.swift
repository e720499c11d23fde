// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the metrics of rounds, requests and servers (Documentation/Traces.md, W5, W6).
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncTelemetry
import Foundation
import Metrics
import MetricsTestKit
import Testing

@Suite("Metrics of sync") struct SyncMetricTests {
    private func dimensions(_ operation: String, _ side: String) -> [(String, String)] {
        [("operation", operation), ("side", side)]
    }

    @Test("rounds and requests are timed, and changes, objects, records and bytes counted; W5") func counters()
        async throws
    {
        let fixture = try TelemetryFixture()
        let metrics = fixture.metrics
        let (container, client) = try fixture.device()
        let (_, other) = try fixture.device()
        try await fixture.insert("Milk", picture: Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0) }), container)
        try await fixture.insert("Bread", container)
        #expect(try await client.syncNow().sent == 2)
        #expect(try await other.syncNow().inserted == 2)
        for operation in ["push", "pull", "put", "get"] {
            for side in ["client", "server"] {
                let timer = try metrics.expectTimer("coredata.sync.duration", dimensions(operation, side))
                #expect(timer.values.allSatisfy { $0 > 0 }, "\(operation)")
            }
        }
        #expect(try metrics.expectTimer("coredata.sync.duration", dimensions("round", "client")).values.count == 2)
        for side in ["client", "server"] {
            let answered = [("outcome", "answered"), ("side", side)]
            #expect(metrics.counterTotal(label: "coredata.sync.changes", dimensions: answered) == 2)
            let records = metrics.counterTotal(label: "coredata.sync.records", dimensions: [("side", side)])
            #expect(records >= 2)
            for operation in ["put", "get"] {
                let bytes = metrics.counterTotal(
                    label: "coredata.sync.bytes", dimensions: dimensions(operation, side))
                #expect(bytes >= 400_000, "\(operation)")
            }
        }
        #expect(metrics.counterTotal(label: "coredata.sync.objects", dimensions: [("change", "inserted")]) == 2)
    }

    @Test("a sample records the server's revision, names, replicas and the largest lag; W6") func sample() async throws
    {
        let fixture = try TelemetryFixture()
        let (container, client) = try fixture.device()
        let (other, late) = try fixture.device()
        try await fixture.insert("Eggs", other)
        _ = try await late.syncNow()
        for title in ["Milk", "Bread"] {
            try await fixture.insert(title, container)
            _ = try await client.syncNow()
        }
        let health = try #require(try await fixture.server.performBackgroundTask { try SyncHealth(reading: $0) })
        fixture.telemetry.sample(health)
        func value(_ label: String, _ dimensions: [(String, String)] = []) throws -> Double? {
            try fixture.metrics.expectMeter(label, dimensions).lastValue
        }
        #expect(try value("coredata.sync.revision") == Double(health.revision))
        #expect(try value("coredata.sync.names", [("state", "present")]) == 3)
        #expect(try value("coredata.sync.replicas") == 2)
        let lags = health.replicas.compactMap { health.lag(of: $0) }
        #expect(try value("coredata.sync.lag.max") == lags.max().map(Double.init) && lags.max() ?? 0 > 0)
    }

    @Test("a client that another function runs has the report of that function") func frame() async throws {
        let fixture = try TelemetryFixture()
        let (container, client) = try fixture.device()
        try await fixture.insert("Milk", container)
        client.runRounds { round in
            var report = try await round()
            report.merged = 7
            return report
        }
        #expect(try await client.syncNow().merged == 7)
        client.runRounds(nil)
        #expect(try await client.syncNow() == SyncReport())
        #expect(fixture.spans("sync round").isEmpty)
    }
}
