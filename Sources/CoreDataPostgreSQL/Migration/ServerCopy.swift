// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes rows of a store into another schema of the database: the store before a migration, or the rows left behind.

import CoreData
import CoreDataModelFiles
import Foundation
import PostgreSQLDriver

/// The tables are those of a new store of the same version. Works within a transaction that has locked the rows.
/// PostgreSQL-M7.
struct ServerCopy {
    /// The stores that migrations make. A comment on their schema names the store that they come from.
    enum Kind: String {
        case original = "before"
        case quarantine

        func mark(of schema: String) -> String { "OpenCoreData \(rawValue): \(schema)" }
    }

    private let source: Schema
    private let dialect: PostgreSQLDialect
    private let copy: Schema
    private let place: PostgreSQLDialect
    private let transaction: ServerTransaction

    init(_ source: Schema, in dialect: PostgreSQLDialect, to schema: String, _ transaction: ServerTransaction) {
        (self.source, self.dialect, self.transaction) = (source, dialect, transaction)
        place = PostgreSQLDialect(schema: schema)
        copy = Schema(model: source.model, entities: Set(source.entities.map(\.layout.name)), dialect: place)
    }

    /// Writes a store into a new schema, whose name no schema has.
    ///
    /// - Parameter rows: the rows to write; nil for all of them.
    /// - Returns: the URL of the store, without a password.
    static func keep(
        _ kind: Kind, of source: Schema, _ store: (metadata: [String: Any], model: NSManagedObjectModel),
        rows: QuarantineTable? = nil, hasForeignKeys: Bool = false, _ settings: StoreSettings,
        _ transaction: ServerTransaction
    ) throws -> URL {
        let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        var name = settings.schema
        var number = 1
        repeat {
            name = SnakeNames().limited(
                StoreFiles.earlierName(
                    of: settings.schema, kind.rawValue, checksum: VersionDigest.checksum(hashes), number: number))
            number += 1
        } while try transaction.isThere("to_regnamespace(\(PostgreSQLDialect.literal(PostgreSQLDialect.quoted(name))))")
        let schema = PostgreSQLDialect.quoted(name)
        let mark = PostgreSQLDialect.literal(kind.mark(of: settings.schema))
        try transaction.execute(["CREATE SCHEMA \(schema)", "COMMENT ON SCHEMA \(schema) IS \(mark)"])
        try ServerCopy(source, in: PostgreSQLDialect(settings), to: name, transaction)
            .write(store.metadata, store.model, rows: rows, hasForeignKeys: hasForeignKeys)
        return settings.connection.publicURL.inSchema(name)
    }

    /// Makes the tables, and fills them.
    ///
    /// - Parameter rows: the rows to write; nil for all of them, and the history.
    /// - Throws: 134110 if a row did not arrive.
    func write(
        _ metadata: [String: Any], _ model: NSManagedObjectModel, rows: QuarantineTable? = nil, hasForeignKeys: Bool
    ) throws {
        let tables = ServerTables(schema: copy, dialect: place, hasForeignKeys: hasForeignKeys)
        let rules = try tables.rules.map(\.statement)
        // Indexes and constraints are made when the rows are there.
        let known = Set(rules)
        try transaction.execute(tables.statements.filter { !known.contains($0) })
        for (old, new) in zip(source.tables, copy.tables) { try transaction.execute(fill(new, old, rows)) }
        for (old, new) in zip(source.joinTables, copy.joinTables) {
            try transaction.execute(insertion(new.sql, columns(old), old.sql, rows.map { isLeft(old, $0) }))
        }
        if rows == nil { try copyHistory() }
        let wanted = try rows.map { try transaction.integers($0.number)[0][0] } ?? count(source)
        let found = try count(copy)
        guard wanted == found else {
            throw CoreDataError.migration(
                .migration, "Of \(wanted) rows \(found) arrived in the schema \(place.schema).",
                url: transaction.sessions.settings.connection.publicURL)
        }
        try transaction.execute(rules)
        try transaction.connection.run(
            try ServerMetadata.insertion(metadata, place, model), transaction.sessions.deadline)
    }

    private func count(_ schema: Schema) throws -> Int64 {
        try transaction.rows(of: schema.tables, in: schema).values.reduce(0, +)
    }

    // MARK: Statements

    private func insertion(_ table: String, _ columns: [String], _ source: String, _ condition: String?) -> String {
        let list = columns.joined(separator: ", ")
        return "INSERT INTO \(table) (\(list)) SELECT \(list) FROM \(source)" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// The keys of new rows go on where those of the store end, so that no key names two objects.
    private func fill(_ new: EntityTable, _ old: EntityTable, _ rows: QuarantineTable?) -> [String] {
        let columns =
            ["id", "version"] + [dialect.entityColumn(of: old.root)].compactMap { $0 }
            + old.columns.map { dialect.quoted($0.name) }
        let sequence = PostgreSQLDialect.literal(place.qualified(ServerTables.sequenceName(new)))
        return [
            insertion(new.sql, columns, old.sql, rows.map { $0.has("id", of: old.name) }),
            "SELECT setval(\(sequence), (SELECT last_value FROM "
                + "\(dialect.qualified(ServerTables.sequenceName(old)))))",
        ]
    }

    private func columns(_ join: JoinTable) -> [String] {
        [join.column(of: true), join.column(of: false)]
            + [join.ownerOrder, join.memberOrder].compactMap { $0 }.map(dialect.quoted)
    }

    /// The condition that one of the rows is at an end of a link.
    private func isLeft(_ join: JoinTable, _ rows: QuarantineTable) -> String {
        [(join.column(of: true), join.owner), (join.column(of: false), join.member)].compactMap { column, layout in
            source.mapping(layout).map { rows.has(column, of: $0.table.name) }
        }.joined(separator: " OR ")
    }

    private func copyHistory() throws {
        let (old, new) = (ServerHistoryTables(dialect: dialect), ServerHistoryTables(dialect: place))
        // A store that was made before there were histories may have no tables for one.
        guard try transaction.isThere("to_regclass(\(PostgreSQLDialect.literal(old.head)))") else { return }
        try transaction.execute("DELETE FROM \(new.head)")
        for name in ServerHistoryTables.names {
            try transaction.execute(
                "INSERT INTO \(place.qualified(name)) SELECT * FROM \(dialect.qualified(name))")
        }
    }
}

extension ServerTransaction {
    /// Whether a query for one value gives one.
    func isThere(_ value: String) throws -> Bool {
        try integers("SELECT CASE WHEN \(value) IS NULL THEN 0 ELSE 1 END")[0][0] == 1
    }
}

extension URL {
    /// The URL of a database with another schema.
    func inSchema(_ schema: String) -> URL {
        let parts = absoluteString.split(separator: "?", maxSplits: 1)
        let items = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { !$0.hasPrefix("schema=") }
        let name = schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? schema
        let text = "\(parts[0])?" + (items.map(String.init) + ["schema=\(name)"]).joined(separator: "&")
        return URL(string: text) ?? self
    }
}
