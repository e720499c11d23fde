// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of CloudKit's mirror in a file, with their columns.

import SQLiteDriver

/// Apple's framework makes these tables in a store that it mirrors. Frameworks differ in the tables and columns.
struct CloudTables {
    static let records = "ANSCKRECORDMETADATA"

    private let columns: [String: Set<String>]

    init(_ connection: Connection) throws {
        let tables = try connection.schema().filter { $0.type == "table" && $0.name.hasPrefix("ANSCK") }
        columns = Dictionary(
            try tables.map { ($0.name, Set(try connection.columns(of: $0.name).map(\.name))) },
            uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { columns.isEmpty }
    var names: [String] { columns.keys.sorted() }

    func has(_ table: String) -> Bool { columns[table] != nil }
    func has(_ column: String, in table: String) -> Bool { columns[table]?.contains(column) ?? false }
    func tables(with column: String) -> [String] { names.filter { has(column, in: $0) } }
}
