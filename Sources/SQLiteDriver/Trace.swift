// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells a hook which statements ran and how long they took, for logging.

import CSQLite

/// One statement that has ended or was reset.
package struct StatementTrace: Sendable {
    package var sql: String
    /// From its first step to its end; time the caller spent between rows is part of it.
    package var nanoseconds: Int64
}

extension Connection {
    /// Calls the hook after each run of a statement; nil turns it off.
    ///
    /// - Parameter expandsValues: puts the bound values into the text. They may be private: only when the user asks.
    package func setTrace(expandsValues: Bool = false, _ hook: (@Sendable (StatementTrace) -> Void)?) {
        guard let hook else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            tracer = nil
            return
        }
        let tracer = Tracer(expandsValues: expandsValues, hook: hook)
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, context, statement, _ in
                guard let context, let statement else { return 0 }
                Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
                    .record(event: Int32(bitPattern: event), statement: OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
        // The connection keeps the object that SQLite has a bare pointer to; the old one may go only now.
        self.tracer = tracer
    }
}

/// Measures by itself: SQLite's own profile counts whole milliseconds.
final class Tracer {
    private let expandsValues: Bool
    private let hook: @Sendable (StatementTrace) -> Void
    private var starts: [OpaquePointer: ContinuousClock.Instant] = [:]

    init(expandsValues: Bool, hook: @escaping @Sendable (StatementTrace) -> Void) {
        self.expandsValues = expandsValues
        self.hook = hook
    }

    func record(event: Int32, statement: OpaquePointer) {
        guard event == SQLITE_TRACE_PROFILE else {
            // Triggers announce themselves under their statement, whose time runs already.
            if starts[statement] == nil { starts[statement] = .now }
            return
        }
        guard let start = starts.removeValue(forKey: statement) else { return }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let trace = StatementTrace(
            sql: text(of: statement), nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        hook(trace)
    }

    private func text(of statement: OpaquePointer) -> String {
        if expandsValues, let expanded = sqlite3_expanded_sql(statement) {
            defer { sqlite3_free(expanded) }
            return String(cString: expanded)
        }
        return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
}
