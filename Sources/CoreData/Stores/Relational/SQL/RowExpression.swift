// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The value of a new column in terms of the columns of the old row.

import Foundation

/// SQL over one row of a source table. Columns are separate from the text, because a table that is altered in place has
/// renamed them by the time the expression is used.
package struct RowExpression: Equatable {
    package enum Part: Equatable {
        case sql(String)
        /// The name of a column in the source table, without quotes.
        case column(String)
    }

    let parts: [Part]

    package init(_ parts: Part...) { self.parts = parts }

    static let null = RowExpression(.sql("NULL"))
    package static func column(_ name: String) -> RowExpression { RowExpression(.column(name)) }

    var isNull: Bool { self == .null }

    /// Whether it counts rows, so that it must be evaluated for all rows in order.
    var countsRows: Bool {
        parts.contains { if case .sql(let text) = $0 { text.contains("OCD_NEXTORDER") } else { false } }
    }

    /// The column, if the expression is only a column.
    var plainColumn: String? {
        if parts.count == 1, case .column(let name) = parts[0] { name } else { nil }
    }

    /// - Parameter current: returns the current name of a column of the source table.
    func sql(_ dialect: any Dialect, _ current: (String) -> String = { $0 }) -> String {
        parts.map { part in
            switch part {
            case .sql(let text): text
            case .column(let name): dialect.quoted(current(name))
            }
        }.joined()
    }

    /// A list for IN.
    static func list(_ numbers: some Sequence<Int64>) -> String {
        "(" + numbers.sorted().map(String.init).joined(separator: ", ") + ")"
    }
}

/// The origin of a column in the rows of one source entity.
struct RowOrigin: Equatable {
    var value: RowExpression
    /// The rows with a value that differs from the base column; nil for all rows.
    var concerned: RowExpression?
    /// The column that has the value in all other rows; nil if no column has it.
    var base: String?

    init(_ value: RowExpression, base: String? = nil, where concerned: RowExpression? = nil) {
        self.value = value
        self.base = base ?? value.plainColumn
        self.concerned = concerned
    }

    static let null = RowOrigin(.null)
}
