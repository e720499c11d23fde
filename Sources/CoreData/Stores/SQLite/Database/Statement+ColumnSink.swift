// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Binds the values of rows to a statement, in SQLite's storage classes.

import Foundation
import SQLiteDriver

extension Statement: ColumnSink {
    @inline(__always) package func bind(_ value: Bool, at index: Int) throws {
        try bind(value ? 1 : 0 as Int64, at: index)
    }

    @inline(__always) package func bind(date: Double, at index: Int) throws { try bind(date, at: index) }

    @inline(__always) package func bind(entity: EntityMapping, at index: Int) throws {
        try bind(entity.number, at: index)
    }

    package func bind(largeData: Data, at index: Int) throws { try bind(ExternalColumn.inline(largeData), at: index) }

    package func bind(_ value: ColumnValue, at index: Int) throws {
        // Apple's framework writes a decimal without a value as text; SQLite would store the number as null.
        if case .decimal(let number) = value, number.isNaN { return try bind(ExactDecimal.notANumber, at: index) }
        try bind(value.sqlite, at: index)
    }
}
