// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts a copy of a store of the same database in the place of another store, in one transaction.

import CoreData
import Foundation
import PostgreSQLDriver

/// PostgreSQL-M14.
struct ServerRestoration {
    private let settings: StoreSettings
    private let source: StoreSettings
    private let sessions: Sessions

    /// - Throws: 134091 for a source in another database or in the same schema, and for a store with tenants.
    init(_ place: URL, _ options: [AnyHashable: Any]?, from url: URL) throws {
        settings = try StoreSettings(place, options)
        source = try StoreSettings(url, nil)
        sessions = Sessions(settings)
        guard Self.database(settings) == Self.database(source), settings.schema != source.schema,
            settings.tenant == nil
        else {
            throw CoreDataError.unsupportedRequest(
                "replacing a store in PostgreSQL by itself, by one of another database, or of a tenant", store: nil,
                advice: " Use the database's own tools, such as pg_dump and pg_restore.")
        }
    }

    private static func database(_ settings: StoreSettings) -> [String: String] {
        Dictionary(
            settings.connection.settings.filter { ["host", "hostaddr", "port", "dbname", "service"].contains($0.name) }
                .map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func run() throws {
        defer { sessions.close() }
        try sessions.with(repeats: false) { connection in
            do {
                try replace(ServerTransaction(connection: connection, sessions: sessions))
            } catch {
                connection.rollBack(sessions.deadline)
                throw error
            }
        }
    }

    private func replace(_ transaction: ServerTransaction) throws {
        let (connection, deadline) = (transaction.connection, sessions.deadline)
        let (dialect, other) = (PostgreSQLDialect(settings), PostgreSQLDialect(source))
        try transaction.execute("BEGIN")
        try transaction.lock(settings.schema)
        guard let metadata = try ServerMetadata.read(connection, other, deadline),
            let model = try ServerMetadata.model(connection, other, deadline)
        else {
            throw CoreDataError.cannotOpenStore(
                url: source.connection.publicURL, .noSuchFile,
                reason: "There is no store in the schema, or none with a copy of its model.")
        }
        guard try TableMapping(model.entities, file: settings.mapping).isEmpty else {
            throw CoreDataError.cannotChangeStore(
                url: settings.connection.publicURL,
                reason: "Entities are mapped onto tables that are there, which no store replaces.")
        }
        let old = try ServerRelations(of: settings.schema, all: true, connection, deadline)
        let rights = try old.rights(connection, deadline)
        try lock(old, dialect, transaction)
        let copied = try ServerRelations(of: source.schema, connection, deadline)
        try transaction.execute(copied.lock("SHARE", other))
        // A program may still have blocks of keys that it took from the old sequences.
        let keys = try old.sequences.map { sequence in
            (sequence, try transaction.integers("SELECT last_value FROM \(dialect.qualified(sequence))")[0][0])
        }
        try transaction.execute(old.drops(dialect))
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        try ServerCopy(model.schema(of: hashes, other), in: other, to: settings.schema, transaction)
            .write(metadata, model, hasForeignKeys: copied.hasForeignKeys(connection, deadline))
        let new = try ServerRelations(of: settings.schema, all: true, connection, deadline)
        try transaction.execute(new.granting(rights, dialect))
        for (sequence, last) in keys where new.sequences.contains(sequence) {
            let name = dialect.qualified(sequence)
            try transaction.execute(
                "SELECT setval(\(PostgreSQLDialect.literal(name)), GREATEST(last_value, \(last))) FROM \(name)")
        }
        try transaction.commit()
    }

    /// Waits until no save and no generation uses the tables, the table of the tokens first, as in saves. A schema
    /// without a store gets one.
    private func lock(
        _ old: ServerRelations, _ dialect: PostgreSQLDialect, _ transaction: ServerTransaction
    ) throws {
        if old.tables.isEmpty {
            let name = PostgreSQLDialect.literal(dialect.quoted(settings.schema))
            if try transaction.isThere("to_regnamespace(\(name))") { return }
            return try transaction.execute("CREATE SCHEMA \(dialect.quoted(settings.schema))")
        }
        try transaction.execute([
            "LOCK TABLE \(dialect.qualified("ocd_transaction")) IN ACCESS EXCLUSIVE MODE",
            old.lock("ACCESS EXCLUSIVE", dialect),
        ])
    }
}
