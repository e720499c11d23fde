// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports statements and their durations to a hook, for logging.

import CSQLite

/// One run of a statement, after its end or reset.
package struct StatementTrace: Sendable {
    package var sql: String
    /// The text with its values; nil unless requested, and for texts beyond the length limit.
    package var expandedSQL: String?
    /// The number of rows; 0 unless they are counted.
    package var rows: Int
    /// The time from its first step to its end, including the caller's time between rows.
    package var nanoseconds: Int64
}

extension Connection {
    /// Sets the hooks to call at the beginning and after each run of a statement; nil removes both.
    ///
    /// - Parameters:
    ///   - expandsValues: includes the bound values. They may be private, so only on the user's request.
    ///   - countsRows: includes the number of rows.
    ///   - begin: called with the text of a statement at its first step. Its result is called after the run.
    ///   - hook: called after the run.
    package func setTrace(
        expandsValues: Bool = false, countsRows: Bool = false,
        begin: (@Sendable (String) -> (@Sendable (StatementTrace) -> Void)?)? = nil,
        _ hook: (@Sendable (StatementTrace) -> Void)?
    ) {
        guard let hook else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            tracer = nil
            return
        }
        let tracer = Tracer(expandsValues: expandsValues, begin: begin, hook: hook)
        let events = SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | (countsRows ? SQLITE_TRACE_ROW : 0)
        sqlite3_trace_v2(
            handle, UInt32(events),
            { event, context, statement, _ in
                guard let context, let statement else { return 0 }
                CallbackObject.object(at: context, as: Tracer.self)
                    .record(event: Int32(bitPattern: event), statement: OpaquePointer(statement))
                return 0
            }, CallbackObject.address(of: tracer))
        // The connection retains the object that SQLite has a raw pointer to; the previous one may be
        // released only now.
        self.tracer = tracer
    }
}

/// Measures the time itself: SQLite's profile has a resolution of milliseconds.
final class Tracer {
    private let expandsValues: Bool
    private let begin: (@Sendable (String) -> (@Sendable (StatementTrace) -> Void)?)?
    private let hook: @Sendable (StatementTrace) -> Void
    /// The running statements, the latest last: mostly one.
    private var runs: [Run] = []

    private struct Run {
        let statement: OpaquePointer
        let sql: String
        let start = ContinuousClock.now
        var rows = 0
        let end: (@Sendable (StatementTrace) -> Void)?
    }

    init(
        expandsValues: Bool, begin: (@Sendable (String) -> (@Sendable (StatementTrace) -> Void)?)?,
        hook: @escaping @Sendable (StatementTrace) -> Void
    ) {
        self.expandsValues = expandsValues
        self.begin = begin
        self.hook = hook
    }

    func record(event: Int32, statement: OpaquePointer) {
        let index = runs.lastIndex { $0.statement == statement }
        switch event {
        case SQLITE_TRACE_PROFILE:
            if let index { end(runs.remove(at: index)) }
        case SQLITE_TRACE_ROW:
            if let index { runs[index].rows += 1 }
        default:
            // Triggers are reported under their statement, after the start of its time.
            if index != nil { return }
            let sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
            runs.append(Run(statement: statement, sql: sql, end: begin?(sql)))
        }
    }

    private func end(_ run: Run) {
        let (seconds, attoseconds) = (ContinuousClock.now - run.start).components
        let trace = StatementTrace(
            sql: run.sql, expandedSQL: expanded(run.statement), rows: run.rows,
            nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        run.end?(trace)
        hook(trace)
    }

    private func expanded(_ statement: OpaquePointer) -> String? {
        guard expandsValues, let expanded = sqlite3_expanded_sql(statement) else { return nil }
        defer { sqlite3_free(expanded) }
        return String(cString: expanded)
    }
}
