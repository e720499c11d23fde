// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Operations on whole stores: destroys them; copies are made by the database's own tools.

package import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLStore {
    /// Drops the tables of the store, and its schema if it is then empty. For a tenant, deletes only the tenant's rows.
    package static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
        do {
            let settings = try StoreSettings(url, options)
            let sessions = Sessions(settings)
            defer { sessions.close() }
            let dialect = PostgreSQLDialect(settings)
            try sessions.with(repeats: false) { connection in
                guard try ServerMetadata.read(connection, dialect, sessions.deadline) != nil else { return }
                try drop(connection, dialect, sessions.deadline)
            }
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }

    /// A schema may contain tables of other programs: only the store's are dropped, and the schema if it is then empty.
    private static func drop(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws {
        let schema = Parameter.text(dialect.schema)
        let marked = try connection.run(
            Statement(
                "SELECT c.relname::text, c.relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND obj_description(c.oid, 'pg_class') = 'OpenCoreData' "
                    + "AND c.relkind IN ('r', 'S')",
                [schema], isReused: false), deadline)
        var tables: [String] = []
        var sequences: [String] = []
        marked.forEachRow { row in
            guard let name = row[0].text else { return }
            if row[1].text == "S" {
                sequences.append(dialect.qualified(name))
            } else {
                tables.append(dialect.qualified(name))
            }
        }
        var statements = [Statement("BEGIN", isReused: false)]
        if dialect.hasTenants {
            statements += tables.map { Statement("DELETE FROM \($0)", isReused: false) }
            _ = try connection.run(statements + [Statement("COMMIT", isReused: false)], deadline)
            return
        }
        if !tables.isEmpty {
            statements.append(Statement("DROP TABLE \(tables.joined(separator: ", ")) CASCADE", isReused: false))
        }
        if !sequences.isEmpty {
            statements.append(Statement("DROP SEQUENCE \(sequences.joined(separator: ", "))", isReused: false))
        }
        statements.append(Statement("COMMIT", isReused: false))
        _ = try connection.run(statements, deadline)
        let left = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1",
                [schema], isReused: false), deadline)
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
        throw unsupported("replacing a store in PostgreSQL")
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
