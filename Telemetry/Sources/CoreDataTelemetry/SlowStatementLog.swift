// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Logs statements that take long, with their query plan.

import CoreData
import Dispatch
import Logging
import Synchronization

/// The plan is asked for on a separate queue, because an observer must not use the store. While many plans wait,
/// statements are logged without one (Telemetry-T5).
final class SlowStatementLog: Sendable {
    private struct Weak: Sendable {
        weak var coordinator: NSPersistentStoreCoordinator?
    }

    private static let mostWaiting = 16
    private static let mostKept = 200
    private static let longestKept = Duration.seconds(60)

    private struct Plan: Sendable {
        let lines: [String]?
        let asked: ContinuousClock.Instant
    }

    private let threshold: Duration
    private let logger: Logger
    private let coordinators = Mutex<[Weak]>([])
    private let waiting = Atomic<Int>(0)
    /// The plans of texts that were slow lately.
    private let plans = Mutex<[String: Plan]>([:])
    private let queue = DispatchQueue(label: "CoreData slow statements", qos: .utility)

    init(_ threshold: Duration, _ logger: Logger) { (self.threshold, self.logger) = (threshold, logger) }

    func add(_ coordinator: NSPersistentStoreCoordinator) {
        coordinators.withLock { $0.append(Weak(coordinator: coordinator)) }
    }

    func note(_ report: StoreOperationReport, of operation: StoreOperation) {
        guard let statement = operation.statement, report.duration >= threshold else { return }
        let (rows, duration) = (report.rows, report.duration)
        guard waiting.load(ordering: .relaxed) < Self.mostWaiting else { return write(statement, duration, rows, nil) }
        waiting.add(1, ordering: .relaxed)
        queue.async { [self] in
            defer { waiting.subtract(1, ordering: .relaxed) }
            write(statement, duration, rows, plan(statement))
        }
    }

    /// A database that is slow is not asked for the same plan again and again.
    private func plan(_ statement: String) -> [String]? {
        if let known = plans.withLock({ $0[statement] }), .now - known.asked < Self.longestKept { return known.lines }
        let lines = ask(statement)
        plans.withLock { plans in
            if plans.count >= Self.mostKept { plans = [:] }
            plans[statement] = Plan(lines: lines, asked: .now)
        }
        return lines
    }

    /// nil if no store knows the tables of the statement.
    private func ask(_ statement: String) -> [String]? {
        let stores = coordinators.withLock { $0.compactMap(\.coordinator) }.flatMap(\.persistentStores)
        return stores.lazy.compactMap { try? $0.queryPlan(ofStatement: statement) }.first
    }

    private func write(_ statement: String, _ duration: Duration, _ rows: Int, _ plan: [String]?) {
        var metadata: Logger.Metadata = [
            "db.query.text": "\(statement)", "duration": "\(duration)", "db.response.returned_rows": "\(rows)",
        ]
        if let plan { metadata["plan"] = .array(plan.map { "\($0)" }) }
        logger.warning("A statement was slow.", metadata: metadata)
    }
}
