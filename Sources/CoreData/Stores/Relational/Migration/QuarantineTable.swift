// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The temporary table of the rows that cannot be migrated.

import Foundation

/// Identifies a row by the number of its table and its key. Only the migrating connection sees the table.
package struct QuarantineTable {
    private static let name = "ZMIGRATIONQUARANTINE"

    private let source: Schema
    private let numbers: [String: Int]

    package init(_ source: Schema) {
        self.source = source
        numbers = Dictionary(
            source.tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private var sql: String { source.dialect.temporary(Self.name) }

    package var creation: String {
        "CREATE TEMP TABLE \(Self.name) (T INTEGER, K \(source.dialect.keyType), E INTEGER, R INTEGER, "
            + "PRIMARY KEY (T, K))"
    }
    package var removal: String { "DROP TABLE \(sql)" }
    package var number: String { "SELECT COUNT(*) FROM \(sql)" }
    /// Table, key, entity and reason of each row.
    var contents: String { "SELECT T, K, E, R FROM \(sql) ORDER BY T, K" }

    /// Adds rows of a table of the source; rows that it has stay as they are.
    ///
    /// - Parameters:
    ///   - keys: a query for keys.
    ///   - condition: a further condition of the rows.
    package func insertion(from table: EntityTable, _ keys: String, and condition: String = "", reason: Int = 0)
        -> String
    {
        let (dialect, key) = (source.dialect, source.dialect.names.key)
        return "\(dialect.insertionOfNew.head) \(sql) (T, K, E, R) SELECT \(number(of: table.name)), \(key), "
            + "\(source.entityNumber(in: table)), \(reason) FROM \(table.sql) WHERE \(key) IN (\(keys))\(condition)"
            + dialect.insertionOfNew.tail
    }

    private func number(of table: String) -> Int { numbers[table] ?? -1 }

    /// A condition that a row is in the quarantine.
    ///
    /// - Parameters:
    ///   - key: an expression.
    ///   - table: the name of a table of the source.
    package func has(_ key: String, of table: String) -> String {
        "(\(key) IN (SELECT K FROM \(sql) WHERE T = \(number(of: table))))"
    }
}
