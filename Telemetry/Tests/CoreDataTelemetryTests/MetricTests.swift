// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the metrics of operations and connections, and the log of slow statements. Telemetry-T4, T5.

import CoreData
import Foundation
import Logging
import Metrics
import MetricsTestKit
import Synchronization
import Testing

@testable import CoreDataTelemetry

@Suite("Metrics of stores") struct MetricTests {
    private let metrics = TestMetrics()

    private func opened(_ notebook: Notebook, _ telemetry: StoreTelemetry) async throws -> NSPersistentContainer {
        let container = notebook.container()
        telemetry.observe(container.persistentStoreCoordinator)
        try await container.loadPersistentStores()
        return container
    }

    @Test("statements, rows, durations and conflicts are counted") func counters() async throws {
        let notebook = try Notebook()
        let container = try await opened(notebook, StoreTelemetry(tracer: nil, metricsFactory: metrics))
        let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try await first.perform {
            Notebook.insert("one", "two", into: first)
            try first.save()
        }
        try await second.perform { try second.fetch(Notebook.request).first?.setValue("x", forKey: "title") }
        try await first.perform {
            for memo in try first.fetch(Notebook.request) { memo.setValue("y", forKey: "title") }
            try first.save()
        }
        try await second.perform { try second.save() }
        func dimensions(_ name: String) -> [(String, String)] {
            [("db.system.name", "sqlite"), ("db.operation.name", name)]
        }
        #expect(metrics.counterTotal(label: "coredata.rows", dimensions: dimensions("save")) == 5)
        #expect(metrics.counterTotal(label: "coredata.rows", dimensions: dimensions("fetch")) == 4)
        let policy = [("policy", "mergeByPropertyObjectTrump")]
        #expect(metrics.counterTotal(label: "coredata.conflicts", dimensions: policy) == 1)
        #expect(metrics.counterTotal(label: "coredata.retries") == 1)
        let saves = try metrics.expectTimer("coredata.operation.duration", dimensions("save"))
        #expect(saves.values.count == 3 && saves.values.allSatisfy { $0 > 0 })
        let statements = try metrics.expectTimer("db.client.operation.duration", dimensions("statement"))
        #expect(statements.values.count > 5)
    }

    @Test("a sample records connections, log and oldest reader") func sample() async throws {
        let notebook = try Notebook()
        let telemetry = StoreTelemetry(tracer: nil, metricsFactory: metrics)
        let container = try await opened(notebook, telemetry)
        let context = container.newBackgroundContext()
        try await context.perform {
            Notebook.insert("one", into: context)
            try context.save()
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: Notebook.request)
        }
        try await Task.sleep(for: .milliseconds(30))
        telemetry.sample(container.persistentStoreCoordinator)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first?.identifier)
        let pool = [("db.client.connection.pool.name", store)]
        let used = try metrics.expectMeter(
            "db.client.connection.count", pool + [("db.client.connection.state", "used")])
        #expect(used.lastValue == 1)
        #expect(try metrics.expectMeter("db.client.connection.max", pool).lastValue == 256)
        #expect(try metrics.expectMeter("db.client.connection.pending_requests", pool).lastValue == 0)
        #expect(try metrics.expectMeter("coredata.wal.size", pool).lastValue ?? 0 > 0)
        #expect(try metrics.expectMeter("coredata.reader.age", pool).lastValue ?? 0 >= 0.03)
    }

    @Test("a slow statement is logged once, with its plan and without values") func slow() async throws {
        let notebook = try Notebook()
        let lines = LogLines()
        let telemetry = StoreTelemetry(
            tracer: nil, metricsFactory: nil, slowStatements: .zero, logger: Logger(label: "slow") { _ in lines })
        let container = try await opened(notebook, telemetry)
        let context = container.newBackgroundContext()
        try await context.perform {
            let request = Notebook.request
            request.predicate = NSPredicate(format: "title BEGINSWITH 'secret'")
            _ = try context.fetch(request)
        }
        var found: [Logger.Metadata] = []
        for _ in 0..<200 where found.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
            found = lines.all.filter { "\($0["db.query.text"] ?? "")".contains("FROM ZMEMO") }
        }
        #expect(found.count == 1)
        #expect("\(found.first?["plan"] ?? "")".contains("ZMEMO") || "\(found.first?["plan"] ?? "")".contains("SCAN"))
        #expect(!lines.all.contains { "\($0)".contains("secret") })
    }

    @Test("a text that is slow again has the plan that is known, without another question") func repeated() async throws
    {
        let notebook = try Notebook()
        defer { withExtendedLifetime(notebook) {} }
        let container = notebook.container()
        let statements = SeenStatements()
        let coordinator = container.persistentStoreCoordinator
        coordinator.storeObservers = [statements]
        try await container.loadPersistentStores()
        let context = container.newBackgroundContext()
        try await context.perform {
            _ = try context.fetch(Notebook.request)
            _ = try context.count(for: Notebook.request)
        }
        let operations = statements.all.filter { $0.statement?.contains("FROM ZMEMO") == true }
        let (fetch, count) = (try #require(operations.first), try #require(operations.last))
        #expect(fetch.statement != count.statement)
        let lines = LogLines()
        let log = SlowStatementLog(.zero, Logger(label: "slow") { _ in lines })
        log.add(coordinator)
        func logged(_ operation: StoreOperation) async throws -> Logger.Metadata.Value? {
            let before = lines.all.count
            log.note(StoreOperationReport(), of: operation)
            for _ in 0..<200 where lines.all.count == before { try await Task.sleep(for: .milliseconds(20)) }
            return lines.all.last?["plan"]
        }
        let plan = try await logged(fetch)
        #expect(plan != nil)
        // Now no store can be asked.
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try await logged(fetch) == plan)
        #expect(try await logged(count) == nil)
        #expect(lines.all.count == 3)
    }
}

/// Keeps the statements.
final class SeenStatements: StoreObserver {
    private let list = Mutex<[StoreOperation]>([])

    var all: [StoreOperation] { list.withLock { $0 } }

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        if operation.kind == .statement { list.withLock { $0.append(operation) } }
        return nil
    }
}

/// Keeps the metadata of all lines.
final class LogLines: LogHandler {
    private let list = Mutex<[Logger.Metadata]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    var all: [Logger.Metadata] { list.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { list.withLock { $0.append(event.metadata ?? [:]) } }
}
