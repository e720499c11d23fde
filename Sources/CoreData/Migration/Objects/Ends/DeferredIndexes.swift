// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of a new database that a migration by objects fills: not made until a query needs them.

import SQLiteDriver

/// If keys come in no order, each save of a migration changes nearly every page of an index, so the time per row grows
/// with the number of rows. Making the index for all rows sorts them only once. MigrationByObjects-26.
///
/// # States
///     deferred ──the first query that is not by key, or the end──▶ made
final class DeferredIndexes {
    private let store: SQLiteStore
    private let scope: ReadScope
    private var statements: [String]

    /// Drops the indexes of a store without rows; nil for a store that is not a database, or whose saves run queries.
    ///
    /// - Parameter scope: the read scope of the context that runs the queries; it is renewed when an index is made.
    /// - Throws: the error of the database.
    init?(of store: NSPersistentStore, _ model: NSManagedObjectModel, _ scope: ReadScope) throws {
        // Each save computes derived attributes by queries.
        guard let store = store as? SQLiteStore,
            !model.entities.contains(where: { $0.properties.contains { $0 is NSDerivedAttributeDescription } })
        else { return nil }
        self.store = store
        self.scope = scope
        statements = try Self.change(store) { connection in
            let indexes = try Self.indexes(connection)
            for index in indexes { try connection.execute("DROP INDEX \(SchemaNaming.quoted(index.name))") }
            return indexes.map(\.sql)
        }
    }

    /// Makes the indexes that are not made yet.
    ///
    /// - Parameter check: called before each index; throws to end the migration.
    /// - Throws: the error of the database, or of `check`.
    func make(_ check: () throws -> Void = {}) throws {
        while let statement = statements.first {
            try check()
            scope.endReads()
            try Self.change(store) { try $0.execute(statement) }
            statements.removeFirst()
        }
    }

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

    private static func change<T>(_ store: SQLiteStore, _ body: (Connection) throws -> T) throws -> T {
        let pool = try store.opened().pool
        do {
            let result = try pool.write { connection in try connection.write { try body(connection) } }
            pool.didCommit()
            return result
        } catch {
            throw store.failure(error)
        }
    }
}
