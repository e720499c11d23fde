// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The temporary table of the rows that cannot be migrated.

import Foundation

/// Identifies a row by the number of its table and its key. Only the migrating connection sees the table.
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

    /// A condition that a row is in the quarantine.
    ///
    /// - Parameters:
    ///   - key: an expression.
    ///   - table: the name of a table of the source.
    func has(_ key: String, of table: String) -> String {
        "(\(key) IN (SELECT K FROM temp.\(Self.name) WHERE T = \(number(of: table))))"
    }
}
