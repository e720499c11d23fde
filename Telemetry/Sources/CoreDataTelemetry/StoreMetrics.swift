// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts and measures the operations of stores, and the condition of their connections.

import CoreData
import Foundation
import Metrics
import Synchronization

/// Telemetry-T4 lists the metrics. Those of frequent operations are made once and kept.
final class StoreMetrics: Sendable {
    /// The instruments of one kind of operation in one database.
    private final class Instruments: Sendable {
        let duration: Metrics.Timer
        let rows: Counter
        let returned: Recorder

        init(_ kind: StoreOperation.Kind, _ system: String, _ factory: any MetricsFactory) {
            let dimensions = [("db.system.name", system), ("db.operation.name", kind.rawValue)]
            let label = kind == .statement ? "db.client.operation.duration" : "coredata.operation.duration"
            duration = Metrics.Timer(label: label, dimensions: dimensions, factory: factory)
            rows = Counter(label: "coredata.rows", dimensions: dimensions, factory: factory)
            returned = Recorder(
                label: "db.client.response.returned_rows", dimensions: dimensions, aggregate: true, factory: factory)
        }
    }

    /// The instruments of a database by the kinds of operations, each made at its first operation.
    private final class Database: Sendable {
        private let name: String
        private let made = Mutex([Instruments?](repeating: nil, count: StoreOperation.Kind.allCases.count))

        init(_ name: String) { self.name = name }

        func instruments(_ kind: StoreOperation.Kind, _ factory: any MetricsFactory) -> Instruments {
            let index = Self.index(of: kind)
            return made.withLock { made in
                if let known = made[index] { return known }
                let new = Instruments(kind, name, factory)
                made[index] = new
                return new
            }
        }

        private static func index(of kind: StoreOperation.Kind) -> Int {
            switch kind {
            case .fetch: 0
            case .count: 1
            case .save: 2
            case .faults: 3
            case .batch: 4
            case .history: 5
            case .migration: 6
            case .statement: 7
            }
        }
    }

    private let factory: any MetricsFactory
    private let sqlite = Database("sqlite")
    private let postgresql = Database("postgresql")
    private let other = Database("other")
    private let loneFaults: Counter
    private let cacheHits: Counter
    private let retries: Counter
    private let unknownCommits: Counter
    private let lockWaits: Metrics.Timer
    private let connectionWaits: Metrics.Timer

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        loneFaults = Counter(label: "coredata.faults.single", factory: factory)
        cacheHits = Counter(label: "coredata.cache.hits", factory: factory)
        retries = Counter(label: "coredata.retries", factory: factory)
        unknownCommits = Counter(label: "coredata.commits.unknown", factory: factory)
        lockWaits = Metrics.Timer(label: "coredata.wait.lock", factory: factory)
        connectionWaits = Metrics.Timer(label: "db.client.connection.wait_time", factory: factory)
    }

    func record(_ report: StoreOperationReport, of operation: StoreOperation) {
        let database =
            switch operation.systemName {
            case "sqlite": sqlite
            case "postgresql": postgresql
            default: other
            }
        let kind = operation.kind
        let instruments = database.instruments(kind, factory)
        instruments.duration.recordNanoseconds(report.duration.nanoseconds)
        if report.rows > 0 { instruments.rows.increment(by: report.rows) }
        if kind == .statement { return instruments.returned.record(report.rows) }
        if operation.isLoneFault { loneFaults.increment() }
        if report.cacheHits > 0 { cacheHits.increment(by: report.cacheHits) }
        if report.retries > 0 { retries.increment(by: report.retries) }
        if report.isCommitUnknown { unknownCommits.increment() }
        if report.lockWait > .zero { lockWaits.recordNanoseconds(report.lockWait.nanoseconds) }
        if report.connectionWait > .zero { connectionWaits.recordNanoseconds(report.connectionWait.nanoseconds) }
        if report.conflicts > 0 {
            count("coredata.conflicts", [("policy", report.conflictPolicy ?? "custom")], report.conflicts)
        }
        if let error = report.error {
            let dimensions = [("operation", operation.kind.rawValue), ("error.type", StatementText.type(of: error))]
            count("coredata.errors", dimensions, 1)
        }
    }

    private func count(_ label: String, _ dimensions: [(String, String)], _ number: Int) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment(by: number)
    }

    // MARK: Condition

    func record(_ condition: StoreCondition, of store: NSPersistentStore) {
        let name = store.identifier ?? ""
        func set(_ label: String, _ value: Double, _ more: [(String, String)] = []) {
            let dimensions = [("db.client.connection.pool.name", name)] + more
            Meter(label: label, dimensions: dimensions, factory: factory).set(value)
        }
        set("db.client.connection.count", Double(condition.connectionsInUse), [("db.client.connection.state", "used")])
        set("db.client.connection.max", Double(condition.connectionLimit))
        set("db.client.connection.pending_requests", Double(condition.callsWaiting))
        if let length = condition.logLength { set("coredata.wal.size", Double(length)) }
        set("coredata.reader.age", (condition.oldestReaderAge ?? .zero) / .seconds(1))
    }
}

extension Duration {
    var nanoseconds: Int64 {
        // Divisions of 64 bits are much faster, and suffice for 18 seconds.
        if let short = UInt64(exactly: attoseconds) { return Int64(short / 1_000_000_000) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
