// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value for a placeholder of a statement, before a driver gives it the form of its database.

import Foundation

/// A value as the model means it. Each kind of database has its own form for it: SQLite keeps a date as a number.
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
    /// Values of one kind, for databases that take a whole list in one placeholder.
    case list([ColumnValue])

    package var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }
}
