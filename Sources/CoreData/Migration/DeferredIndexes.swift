// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of a new database that a migration by objects fills: put off until a question needs them.

import SQLiteDriver

/// Each save of a migration would change nearly every page of an index whose keys come in no order, so the time for a
/// row would grow with the number of rows. An index of all rows is made by sorting them once. MigrationByObjects-26.
///
/// # States
///     put off ──the first question that is not by key, or the end──▶ made
final class DeferredIndexes {
    private let store: SQLiteStore
    private let scope: ReadScope
    private var statements: [String]

    /// Takes the indexes out of a store without rows; nil for one that is no database, or whose saves ask questions.
    ///
    /// - Parameter scope: of the context that asks the questions; its reads begin anew when an index is made.
    /// - Throws: the error of the database.
    init?(of store: NSPersistentStore, _ model: NSManagedObjectModel, _ scope: ReadScope) throws {
        // Derived attributes are computed by questions, in each save.
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

    /// Makes the indexes, if that has not been done.
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

    /// Those of the tables of entities that need not be unique. Their names begin with Z, others with `Z_` or A.
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
