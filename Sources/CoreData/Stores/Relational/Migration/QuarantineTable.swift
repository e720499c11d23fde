// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The temporary table with the rows of a migration that cannot come along.

import Foundation

/// A row is named by the number of its table and its key. Only the connection of a migration has the table.
struct QuarantineTable {
    static let name = "ZMIGRATIONQUARANTINE"
    static let creation =
        "CREATE TEMP TABLE \(name) (T INTEGER, K INTEGER, E INTEGER, R INTEGER, PRIMARY KEY (T, K)) WITHOUT ROWID"

    private let numbers: [String: Int]

    init(_ source: Schema) {
        numbers = Dictionary(
            source.tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func number(of table: String) -> Int { numbers[table] ?? -1 }

    /// A condition for rows in the quarantine.
    ///
    /// - Parameters:
    ///   - key: an expression.
    ///   - table: the name of a table of the source.
    func has(_ key: String, of table: String) -> String {
        "(\(key) IN (SELECT K FROM temp.\(Self.name) WHERE T = \(number(of: table))))"
    }
}
