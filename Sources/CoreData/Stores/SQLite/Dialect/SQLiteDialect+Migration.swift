// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The syntax of migrations in SQLite.

import Foundation
import SQLiteDriver

extension SQLiteDialect {
    func entityColumn(of root: EntityLayout) -> String? { SchemaNaming.entity }
    func literal(_ entity: StoredEntity) -> String { String(entity.number) }

    func literal(_ value: ColumnValue, _ coding: ColumnCoding) -> String? {
        switch value.sqlite {
        case .integer(let number): String(number)
        case .real(let number): Self.real(number)
        case .text(let text): Self.text(text)
        case .blob(let data):
            if case .externalBinary = coding { Self.blob(ExternalColumn.inline(data)) } else { Self.blob(data) }
        case .null: nil
        }
    }

    /// Numbers need no cast: the affinity of the new column converts them, and the checks have found those out of
    /// range.
    func converted(_ old: AttributeColumn, type oldType: String, to coding: ColumnCoding, type: String)
        -> RowExpression
    {
        switch (old.coding, coding) {
        case (.binary, .externalBinary):
            RowExpression(.sql("\(MigrationFunctions.inline)("), .column(old.name), .sql(")"))
        case (.externalBinary, .binary):
            RowExpression(.sql("\(MigrationFunctions.contents)("), .column(old.name), .sql(")"))
        default: .column(old.name)
        }
    }

    func isWhole(_ column: String) -> String { "\(column) = CAST(\(column) AS INTEGER)" }
    var noKey: String { "NULL" }
    func temporary(_ table: String) -> String { "temp.\(table)" }
    func temporaryIndex(_ name: String, on table: String, _ column: String) -> String {
        "CREATE INDEX temp.\(name) ON \(table) (\(column))"
    }
    var rowPlace: String { "rowid" }
    var insertionOfNew: (head: String, tail: String) { ("INSERT OR IGNORE INTO", "") }

    func nextOrder(_ key: String) -> RowExpression? {
        RowExpression(.sql("\(MigrationFunctions.nextOrder)("), .column(key), .sql(")"))
    }

    // MARK: Literals

    private static func blob(_ data: Data) -> String {
        "X'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    private static func real(_ number: Double) -> String {
        number.isFinite ? String(number) : number.isNaN ? "NULL" : number > 0 ? "9e999" : "-9e999"
    }

    /// SQLite ends a text literal at a NUL character.
    private static func text(_ text: String) -> String {
        text.contains("\0") ? "CAST(\(blob(Data(text.utf8))) AS TEXT)" : SchemaNaming.literal(text)
    }
}

/// The names of the functions that scripts call. Only the connection of a migration registers them.
enum MigrationFunctions {
    /// Takes an owner's key: the next free order key among the owner's members.
    static let nextOrder = "OCD_NEXTORDER"
    /// Takes data: the same data in the form of a column with external storage.
    static let inline = "OCD_INLINE"
    /// Takes a column with external storage: its data, read from the file if there is one.
    static let contents = "OCD_CONTENTS"
    /// Takes the old number of an entity and the changed columns of a history's row: the columns of the new version.
    static let historyColumns = "OCD_HISTORYCOLUMNS"
}
