// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the rows of an SQL query to types, one value after the other.

import Foundation

/// A position in a result. NamedSQL-10.
final class SQLRowReading {
    private let context: NSManagedObjectContext
    private let store: StoreIdentity
    private let layouts: [EntityLayout]
    private let result: SQLQueryResult
    private var row = -1
    private var column = 0

    init(
        _ context: NSManagedObjectContext,
        _ answer: (store: StoreIdentity, layouts: [EntityLayout], result: SQLQueryResult)
    ) {
        self.context = context
        (store, layouts, result) = answer
    }

    var count: Int { result.rows.count }

    /// Moves to the next row; false after the last one.
    func nextRow() -> Bool {
        row += 1
        column = 0
        return row < result.rows.count
    }

    /// The next value of the row.
    ///
    /// - Throws: a `SQLQueryError` for a value that does not fit.
    func next<Value: SQLConvertible>(_ type: Value.Type) throws -> Value {
        let stored = result.rows[row][column]
        column += 1
        let content = content(stored)
        let context = context
        if let value = Value.fromSQL(SQLCell(content, object: { context.object(with: $0) })) { return value }
        let name = result.columnNames[column - 1]
        throw SQLQueryError(
            .unfitValue, name: name, row: row + 1,
            "in row \(row + 1), column \(column) ('\(name)') has \(Self.words(content)), which is no \(type).")
    }

    private func content(_ stored: SQLQueryResult.Value) -> SQLCell.Content {
        switch stored {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .bytes(let value): .bytes(value)
        case .object(let key):
            .object(NSManagedObjectID(layout: layouts[Int(key.entityIndex)], key: key.key, home: store))
        }
    }

    /// The kind of value, without the value, which may be private.
    private static func words(_ content: SQLCell.Content) -> String {
        switch content {
        case .null: "NULL"
        case .integer: "a whole number"
        case .real: "a real number"
        case .text: "a text"
        case .bytes: "bytes"
        case .object(let id): "an object of '\(id.layout.name)'"
        }
    }
}
