// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The form of column values in SQLite's storage classes.

import Foundation
import SQLiteDriver

extension ColumnValue {
    /// The value in one of SQLite's storage classes. A list has none, because statements for SQLite list single values.
    var sqlite: SQLiteValue {
        switch self {
        case .null, .list: .null
        case .integer(let number): .integer(number)
        case .boolean(let value): .integer(value ? 1 : 0)
        case .double(let number): .real(number)
        case .decimal(let number): .real(ColumnArgument.double(number))
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .text(let text): .text(text)
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .bytes(let data): .blob(data)
        }
    }
}
