// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of entities' tables, removed for a large write and made again for all rows at once.

import SQLiteDriver

/// Indexes that are not unique: their absence changes no result.
struct TableIndexes {
    private var found: [(name: String, sql: String)] = []

    /// The statements that make them, in their order.
    var statements: [String] { found.map(\.sql) }

    /// - Parameter table: nil for the tables of all entities. Names of their indexes begin with Z, others with `Z_` or
    ///   A.
    init(of table: String? = nil, on connection: Connection) throws {
        try connection.withStatement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' "
                + "AND tbl_name LIKE 'Z%' AND tbl_name NOT LIKE 'Z\\_%' ESCAPE '\\' AND ifnull(tbl_name = ?, TRUE) "
                + "ORDER BY rowid"
        ) { statement in
            try statement.bind([table.map { .text($0) } ?? .null])
            while try statement.step() {
                found.append((name: statement.string(at: 0) ?? "", sql: statement.string(at: 1) ?? ""))
            }
        }
    }

    func drop(on connection: Connection) throws {
        for index in found { try connection.execute("DROP INDEX \(SchemaNaming.quoted(index.name))") }
    }

    func make(on connection: Connection) throws { for statement in statements { try connection.execute(statement) } }
}

extension TableIndexes {
    /// A save with fewer insertions keeps the indexes.
    static let leastInsertions = 10_000

    /// Removes the indexes of a table that the insertions of a save fill; the caller makes them after the rows. Sorting
    /// all keys once takes half as long as finding the place of each. Saving-I1, I2, I4.
    ///
    /// - Parameters:
    ///   - count: the number of insertions.
    ///   - highest: the highest key of an insertion. The table has no more rows than this, since each key is given out
    ///     once, in ascending order. Found only for many insertions.
    /// - Returns: nil where the indexes stay.
    static func removed(
        from table: String, inserting count: Int, upTo highest: @autoclosure () -> Int64, on connection: Connection
    ) throws -> TableIndexes? {
        guard count >= leastInsertions, highest() - Int64(count) <= count / 4 else { return nil }
        if try hasTriggers(table, connection) { return nil }
        let indexes = try TableIndexes(of: table, on: connection)
        try indexes.drop(on: connection)
        return indexes
    }

    /// A trigger may search the table for each insertion.
    private static func hasTriggers(_ table: String, _ connection: Connection) throws -> Bool {
        try connection.value(
            "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? LIMIT 1", [.text(table)]) != nil
    }
}
