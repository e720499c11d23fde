// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports statements and their durations to a hook, for logging.

import CSQLite
import Dispatch
import Foundation

/// One run of a statement, after its end or reset.
package struct StatementTrace: Sendable {
    package var sql: String
    /// The text with its values; nil unless requested, and for texts beyond the length limit.
    package var expandedSQL: String?
    /// The number of rows; 0 unless they are counted.
    package var rows: Int
    /// The time from its first step to its end, including the caller's time between rows.
    package var duration: Duration
}

/// A statement that runs, as the hook for its beginning has made it.
package protocol StatementRun: AnyObject {
    func ends(rows: Int)
}

extension Connection {
    /// Sets the hooks to call at the beginning and after each run of a statement; without hooks nothing is traced.
    ///
    /// - Parameters:
    ///   - expandsValues: includes the bound values. They may be private, so only on the user's request.
    ///   - countsRows: includes the number of rows.
    ///   - begin: called with the text of a statement at its first step. Its result receives the end of the run.
    ///   - hook: called after the run.
    package func setTrace(
        expandsValues: Bool = false, countsRows: Bool = false,
        begin: (@Sendable (String) -> (any StatementRun)?)? = nil, _ hook: (@Sendable (StatementTrace) -> Void)?
    ) {
        guard begin != nil || hook != nil else {
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
    private let begin: (@Sendable (String) -> (any StatementRun)?)?
    private let hook: (@Sendable (StatementTrace) -> Void)?
    /// The statement that runs; the latest if there are several.
    @exclusivity(unchecked) private var latest = Run()
    /// The statements that were running when the latest began, in their order: mostly none.
    @exclusivity(unchecked) private var earlier: [Run] = []
    /// The text of the statement that began last: loops run one again and again.
    @exclusivity(unchecked) private var lastText = ""

    private struct Run {
        var statement: OpaquePointer?
        var rows = 0
        var run: (any StatementRun)?
        /// For the hook: nanoseconds of a clock that only increases.
        var start: UInt64 = 0
    }

    init(
        expandsValues: Bool, begin: (@Sendable (String) -> (any StatementRun)?)?,
        hook: (@Sendable (StatementTrace) -> Void)?
    ) {
        self.expandsValues = expandsValues
        self.begin = begin
        self.hook = hook
    }

    func record(event: Int32, statement: OpaquePointer) {
        switch event {
        case SQLITE_TRACE_PROFILE: take(statement).map(end)
        case SQLITE_TRACE_ROW:
            if latest.statement == statement {
                latest.rows += 1
            } else if let index = earlier.lastIndex(where: { $0.statement == statement }) {
                earlier[index].rows += 1
            }
        default:
            // Triggers are reported under their statement, after the start of its time.
            if latest.statement == statement || earlier.contains(where: { $0.statement == statement }) { return }
            if latest.statement != nil { earlier.append(latest) }
            latest = Run(statement: statement)
            if let begin { latest.run = begin(text(of: statement)) }
            if hook != nil { latest.start = DispatchTime.now().uptimeNanoseconds }
        }
    }

    /// Removes the run of a statement; nil if it began before the trace.
    private func take(_ statement: OpaquePointer) -> Run? {
        if latest.statement == statement {
            let run = latest
            latest = earlier.popLast() ?? Run()
            return run
        }
        return earlier.lastIndex { $0.statement == statement }.map { earlier.remove(at: $0) }
    }

    private func end(_ ended: Run) {
        ended.run?.ends(rows: ended.rows)
        guard let hook, let statement = ended.statement else { return }
        let duration = Duration.nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds &- ended.start))
        hook(
            StatementTrace(
                sql: text(of: statement), expandedSQL: expanded(statement), rows: ended.rows, duration: duration))
    }

    private func text(of statement: OpaquePointer) -> String {
        guard let text = sqlite3_sql(statement) else { return "" }
        if lastText.withCString({ strcmp($0, text) }) != 0 { lastText = String(cString: text) }
        return lastText
    }

    private func expanded(_ statement: OpaquePointer) -> String? {
        guard expandsValues, let expanded = sqlite3_expanded_sql(statement) else { return nil }
        defer { sqlite3_free(expanded) }
        return String(cString: expanded)
    }
}
