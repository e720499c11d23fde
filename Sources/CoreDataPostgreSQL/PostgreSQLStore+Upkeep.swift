// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Operations on whole stores: destroys them, and puts the store from before a migration back in its place.

package import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLStore {
    /// Drops the tables of the store, and its schema if it is then empty. For a tenant, deletes only the tenant's rows.
    package static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
        try translating(url) {
            let settings = try StoreSettings(url, options)
            let sessions = Sessions(settings)
            defer { sessions.close() }
            let dialect = PostgreSQLDialect(settings)
            try sessions.with(repeats: false) { connection in
                // Also of a store without metadata, which cannot be opened.
                guard try ServerMetadata.isThere(connection, dialect, sessions.deadline) else { return }
                try drop(connection, dialect, sessions.deadline)
            }
        }
    }

    /// A schema may contain tables of other programs: only the store's are dropped, and the schema if it is then empty.
    private static func drop(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws {
        let relations = try ServerRelations(of: dialect.schema, all: true, connection, deadline)
        let statements =
            dialect.hasTenants
            ? relations.tables.map { "DELETE FROM \(dialect.qualified($0))" }
            : relations.drops(dialect, cascades: true) + ["DROP FUNCTION IF EXISTS \(SearchTable.function(dialect))()"]
        _ = try connection.run((["BEGIN"] + statements + ["COMMIT"]).map { Statement($0, isReused: false) }, deadline)
        if dialect.hasTenants { return }
        let left = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1",
                [.text(dialect.schema)], isReused: false), deadline)
        if left.first(\.integer) == 0, dialect.schema != "public" {
            try connection.run(Statement("DROP SCHEMA \(dialect.quoted(dialect.schema))", isReused: false), deadline)
        }
    }

    package static func unusedState(of url: URL, options: [AnyHashable: Any]?) throws -> StoreState {
        throw unsupported("replacing a store in PostgreSQL")
    }

    package static func replace(
        at url: URL, options: [AnyHashable: Any]?, from source: URL, ifStill state: StoreState?
    ) throws {
        try translating(url) { try ServerRestoration(url, options, from: source).run() }
    }

    package static func discard(at url: URL) {}

    package static func move(_ url: URL, to destination: URL) throws {
        throw unsupported("moving a store in PostgreSQL")
    }

    package func copy(to url: URL) throws { throw Self.unsupported("copying a store in PostgreSQL") }

    package func relocate(to url: URL) throws { throw Self.unsupported("changing the URL of an open PostgreSQL store") }

    private static func unsupported(_ request: String) -> any Error {
        CoreDataError.unsupportedRequest(
            request, store: nil, advice: " Use the database's own tools, such as pg_dump and pg_restore.")
    }

    /// The greatest key in the table.
    package func lastKey(below root: EntityLayout) throws -> Int64 {
        let opened = try opened()
        guard let table = opened.schema.mapping(root.rootIndex)?.table ?? opened.schema.mapping(root)?.table else {
            return 0
        }
        do {
            return try opened.readPrimary {
                try $0.run(Statement("SELECT max(id) FROM \(table.sql) AS t"), opened.sessions.deadline).first(
                    \.integer)
                    ?? 0
            }
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }
}
