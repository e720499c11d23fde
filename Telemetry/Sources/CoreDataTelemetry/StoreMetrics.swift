// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts and measures the operations of stores, and the condition of their connections.

import CoreData
import Foundation
import Metrics
import Synchronization

/// Telemetry-T4 lists the metrics. Those of frequent operations are made once and kept.
final class StoreMetrics: Sendable {
    private struct Kind: Hashable {
        let kind: StoreOperation.Kind
        let system: String?
    }

    private struct Instruments {
        let duration: Metrics.Timer
        let rows: Counter
        let returned: Recorder
    }

    private let factory: any MetricsFactory
    private let made = Mutex<[Kind: Instruments]>([:])
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
        let instruments = instruments(Kind(kind: operation.kind, system: operation.systemName))
        instruments.duration.recordNanoseconds(report.duration.nanoseconds)
        if report.rows > 0 { instruments.rows.increment(by: report.rows) }
        if operation.kind == .statement { return instruments.returned.record(report.rows) }
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

    private func instruments(_ kind: Kind) -> Instruments {
        made.withLock { made in
            if let known = made[kind] { return known }
            let dimensions = [("db.system.name", kind.system ?? "other"), ("db.operation.name", kind.kind.rawValue)]
            let duration = kind.kind == .statement ? "db.client.operation.duration" : "coredata.operation.duration"
            let new = Instruments(
                duration: Metrics.Timer(label: duration, dimensions: dimensions, factory: factory),
                rows: Counter(label: "coredata.rows", dimensions: dimensions, factory: factory),
                returned: Recorder(
                    label: "db.client.response.returned_rows", dimensions: dimensions, aggregate: true,
                    factory: factory))
            made[kind] = new
            return new
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
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
