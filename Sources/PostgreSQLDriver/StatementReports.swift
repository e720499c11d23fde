// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports the beginnings and ends of the statements of one round trip.

/// Called when the answer of a statement was read: with the number of its rows, and the error if it failed.
package typealias StatementEnd = (_ rows: Int, _ failure: PostgreSQLError?) -> Void

/// Statements of a round trip begin together, and end in their order.
struct StatementReports: ~Copyable {
    private let onStatement: ((String) -> StatementEnd?)?
    private var ends: [StatementEnd?] = []
    private var next = 0
    /// The rows of a streamed statement until now.
    var rows = 0

    init(_ onStatement: ((String) -> StatementEnd?)?) { self.onStatement = onStatement }

    mutating func begin(_ text: String) {
        guard let onStatement else { return }
        ends.append(onStatement(text))
    }

    mutating func endNext(rows: Int, _ failure: PostgreSQLError?) {
        guard next < ends.count else { return }
        ends[next]?(rows, failure)
        next += 1
    }

    /// Ends the statements without an answer.
    mutating func endRest() {
        while next < ends.count { endNext(rows: rows, PostgreSQLError(.connection, "The answer is missing.")) }
    }
}
