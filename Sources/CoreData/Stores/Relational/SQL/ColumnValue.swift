// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value for a placeholder of a statement, independent of the database.

import Foundation

/// A value as the model defines it. A driver converts it to the form of its database: SQLite stores a date as a number.
package enum ColumnValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case boolean(Bool)
    case double(Double)
    case decimal(Decimal)
    case date(Date)
    case text(String)
    case uuid(UUID)
    case bytes(Data)
    /// Values of one type, for databases that take a whole list in one placeholder.
    case list([ColumnValue])

    /// The closest type that explanations have.
    package var explainedType: FetchExplanation.ValueType {
        switch self {
        case .null: .null
        case .integer, .boolean: .integer
        case .double, .decimal, .date: .real
        case .text: .text
        case .uuid, .bytes, .list: .blob
        }
    }
}
