// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A prepared fetch in SQL, which can be run with the values of any request of its shape.

import CoreDataFoundation
import SQLiteDriver

/// The statement of a fetch and the meaning of its columns.
final class PreparedSelect: Sendable {
    let key: SelectKey
    let sql: String
    let plan: RowPlan
    /// Whether the statement serves all fetches of the shape: their values are in the order of the placeholders.
    let isShared: Bool
    /// Retained, so that the identifier in the key is not reused for another fetch.
    private let fetch: PreparedFetch

    init(_ fetch: BoundFetch, _ sql: SQLText, _ plan: RowPlan) {
        key = SelectKey(fetch)
        self.sql = sql.text
        self.plan = plan
        self.fetch = fetch.prepared
        isShared = fetch.prepared.hasShape && fetch.arguments == sql.values
    }
}

extension BoundFetch {
    /// The values of the placeholders; nil if a value cannot be stored in a column.
    fileprivate var arguments: [ColumnValue]? {
        var result: [ColumnValue] = []
        for comparison in comparisons {
            guard let value = try? ExpressionTranslator.argument(comparison.value) else { return nil }
            result.append(value)
        }
        if limit != 0 || offset != 0 { result.append(.integer(limit == 0 ? -1 : Int64(limit))) }
        if offset != 0 { result.append(.integer(Int64(offset))) }
        return result
    }

    /// Binds the same values without allocating a list.
    func bind(to statement: Statement) throws {
        for index in comparisons.indices {
            switch comparisons[index].value {
            case .integer(let number): try statement.bind(number, at: index + 1)
            case .double(let number): try statement.bind(number, at: index + 1)
            case .string(let text): try statement.bind(text, at: index + 1)
            case let value: try statement.bind((ExpressionTranslator.argument(value) ?? .null).sqlite, at: index + 1)
            }
        }
        let next = comparisons.count + 1
        if limit != 0 || offset != 0 { try statement.bind(limit == 0 ? -1 : Int64(limit), at: next) }
        if offset != 0 { try statement.bind(Int64(offset), at: next + 1) }
    }
}
