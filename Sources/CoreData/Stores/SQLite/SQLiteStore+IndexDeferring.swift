// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes and makes the indexes of a database that a migration by objects fills.

import SQLiteDriver

extension SQLiteStore: IndexDeferring {
    func removeIndexes() throws -> [String] {
        try change { connection in
            let indexes = try Self.indexes(connection)
            for index in indexes { try connection.execute("DROP INDEX \(SchemaNaming.quoted(index.name))") }
            return indexes.map(\.sql)
        }
    }

    func makeIndex(_ statement: String) throws { try change { try $0.execute(statement) } }

    /// The indexes of entities' tables that are not unique. Their names begin with Z, others with `Z_` or A.
    private static func indexes(_ connection: Connection) throws -> [(name: String, sql: String)] {
        var found: [(name: String, sql: String)] = []
        try connection.withStatement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE INDEX %' "
                + "AND tbl_name LIKE 'Z%' AND tbl_name NOT LIKE 'Z\\_%' ESCAPE '\\' ORDER BY rowid"
        ) { statement in
            while try statement.step() {
                found.append((name: statement.string(at: 0) ?? "", sql: statement.string(at: 1) ?? ""))
            }
        }
        return found
    }

    private func change<T>(_ body: (Connection) throws -> T) throws -> T {
        let pool = try opened().pool
        do {
            return try pool.write { connection in try connection.write { try body(connection) } }
        } catch {
            throw failure(error)
        }
    }
}
