// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts and measures rounds and requests (Documentation/Traces.md lists the metrics).
import CoreDataSync
import CoreDataSyncServer
import Metrics

struct SyncMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func record(
        _ operation: SyncOperation, at side: SyncSide, _ duration: Duration, failedAs type: String? = nil
    ) {
        let dimensions = [("operation", operation.rawValue), ("side", side.rawValue)]
        let (seconds, attoseconds) = duration.components
        Metrics.Timer(label: "coredata.sync.duration", dimensions: dimensions, factory: factory)
            .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        if let type { count("coredata.sync.errors", 1, dimensions + [("error.type", type)]) }
    }

    func count(_ report: SyncReport) {
        count(answered: report.sent, report.refused, report.superseded, report.merged, at: .client)
        let objects = ["inserted": report.inserted, "updated": report.updated, "deleted": report.deleted]
        for (change, number) in objects { count("coredata.sync.objects", number, [("change", change)]) }
    }

    func count(_ push: PushNumbers) {
        count(answered: push.changes, push.refused, push.superseded, push.merged, at: .server)
    }

    private func count(answered: Int, _ refused: Int, _ superseded: Int, _ merged: Int, at side: SyncSide) {
        let outcomes = ["answered": answered, "refused": refused, "superseded": superseded, "merged": merged]
        for (outcome, number) in outcomes {
            count("coredata.sync.changes", number, [("outcome", outcome), ("side", side.rawValue)])
        }
    }

    func count(records: Int, at side: SyncSide) { count("coredata.sync.records", records, [("side", side.rawValue)]) }

    func count(bytes: Int, of operation: SyncOperation, at side: SyncSide) {
        count("coredata.sync.bytes", bytes, [("operation", operation.rawValue), ("side", side.rawValue)])
    }

    private func count(_ label: String, _ number: Int, _ dimensions: [(String, String)]) {
        if number > 0 { Counter(label: label, dimensions: dimensions, factory: factory).increment(by: number) }
    }

    // MARK: Servers

    func record(_ health: SyncHealth) {
        func set(_ label: String, _ value: Int64, _ dimensions: [(String, String)] = []) {
            Meter(label: label, dimensions: dimensions, factory: factory).set(value)
        }
        set("coredata.sync.revision", health.revision)
        let names = ["present": health.present, "deleted": health.deleted, "merged": health.merged]
        for (state, number) in names { set("coredata.sync.names", Int64(number), [("state", state)]) }
        set("coredata.sync.replicas", Int64(health.replicas.count))
        set("coredata.sync.replicas.refused", Int64(health.replicas.count { !$0.refusals.isEmpty }))
        set("coredata.sync.lag.max", health.replicas.compactMap { health.lag(of: $0) }.max() ?? 0)
    }
}
