// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Logs the statements of one store. Fetching-22.

import Foundation
import SQLiteDriver
import Synchronization

/// Created when a store is opened while `SQLDebug` is on, or its coordinator has observers. Other stores have no log
/// and pay nothing.
final class SQLLog: @unchecked Sendable {  // `makeExplainer` is called under the lock of `explainer`
    /// The maximum length of a logged statement with its values, in characters.
    static let longest = 4000

    private let level: Int
    /// Whether it writes anything: statements that are observed only are not logged.
    var isWritten: Bool { level > 0 }
    private let write: @Sendable (String) -> Void
    private let makeExplainer: (() throws -> Connection)?
    /// nil if the coordinator has no observers.
    private let observation: StoreObservation?
    private let database: ObservedDatabase
    private let explainer = Mutex<Connection?>(nil)

    /// - Parameters:
    ///   - level: 0 to 4, see `SQLDebug`. 0 writes nothing.
    ///   - makeExplainer: opens a connection for query plans, because the connection that runs a statement is busy
    ///     while it is logged. nil for a database that only one connection sees.
    ///   - database: the name of the file; nil for a database in memory.
    init(
        level: Int, makeExplainer: (() throws -> Connection)?, observation: StoreObservation? = nil,
        database: String? = nil, write: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.database = ObservedDatabase("sqlite", namespace: database)
        self.observation = observation
        self.write = write
        self.makeExplainer = makeExplainer
    }

    func attach(to connection: Connection) {
        var begin: (@Sendable (String) -> (any StatementRun)?)?
        if let observation {
            begin = { [database] in observation.beginStatement($0, database) }
            // Telemetry-O6
            connection.onLockWait { RunningOperation.current?.report.lockWait += $0 }
        }
        var log: (@Sendable (StatementTrace) -> Void)?
        if isWritten { log = { [weak self] in self?.record($0) } }
        connection.setTrace(
            expandsValues: level >= 3, countsRows: level >= 2 || observation != nil, begin: begin, log)
    }

    func close() {
        explainer.withLock { connection in
            try? connection?.close()
            connection = nil
        }
    }

    // MARK: Statements

    private func record(_ trace: StatementTrace) {
        write("sql: \(trace.sql)")
        if let text = trace.expandedSQL, text != trace.sql { write("details: \(Self.clipped(text))") }
        write("annotation: sql execution time: \(Self.seconds(trace.duration))" + rows(trace.rows))
        if level >= 4 { for line in plan(trace.sql) { write("plan: \(line)") } }
    }

    private func plan(_ sql: String) -> [String] {
        let plans = ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"]
        guard let makeExplainer, plans.contains(where: sql.hasPrefix) else { return [] }
        return explainer.withLock { connection in
            do {
                let open = try connection ?? makeExplainer()
                connection = open
                return try open.queryPlan(sql)
            } catch {
                // The tables may not exist yet, or the database may be locked.
                return ["cannot be told now"]
            }
        }
    }

    // MARK: Fetches

    /// Logs the duration of a whole fetch: statements, creation of rows, and work in memory.
    func timed(_ fetch: () throws -> FetchOutcome) rethrows -> FetchOutcome {
        let start = ContinuousClock.now
        let outcome = try fetch()
        let time = Self.seconds(.now - start)
        write("annotation: total fetch execution time: \(time)" + rows(outcome.count))
        return outcome
    }

    func remark(_ parts: [FetchExplanation.InMemoryPart], entity: String) {
        for part in parts { write("annotation: fetch of \(entity), done in memory because SQL cannot: \(part)") }
    }

    private func rows(_ count: Int) -> String { level >= 2 ? " for \(count) \(count == 1 ? "row" : "rows")" : "" }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "%.4fs", duration / .seconds(1))
    }

    private static func clipped(_ text: String) -> String {
        text.count > longest ? text.prefix(longest) + "… (\(text.count) characters)" : text
    }
}

extension FetchOutcome {
    /// The number of results; for a count request, the number itself.
    fileprivate var count: Int {
        switch self {
        case .rows(let rows): rows.count
        case .keys(let keys): keys.count
        case .count(let count): count
        case .dictionaries(let rows): rows.count
        }
    }
}

extension RunningOperation: StatementRun {
    package func ends(rows: Int) {
        report.rows = rows
        ends()
    }
}
