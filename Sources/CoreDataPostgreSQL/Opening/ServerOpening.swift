// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a store: connects, checks the server, and creates the tables or compares them with the model.

import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import Foundation
import PostgreSQLDriver

struct ServerOpening {
    let url: URL
    let sessions: Sessions
    let model: ModelLayout
    let entities: [NSEntityDescription]
    private var settings: StoreSettings { sessions.settings }

    struct Result {
        let opened: OpenServer
        let metadata: [String: Any]
    }

    static let format = 1
    static let storeType = "PostgreSQL"

    /// The metadata of a store of another version; nil for one of this version, and if there is no store.
    ///
    /// - Throws: as `run`.
    func otherVersion() throws -> [String: Any]? {
        do {
            return try sessions.with(repeats: true) { connection in
                let (mapped, _, stored) = try examine(connection)
                return stored.flatMap { isOfOtherVersion($0, mapped.dialect) ? $0 : nil }
            }
        } catch {
            sessions.close()
            throw error
        }
    }

    /// Checks the server, the mapping and the user, and reads the metadata; nil where there is no store.
    private func examine(_ connection: Connection) throws
        -> (mapped: MappedSchema, tenants: TenantCheck, metadata: [String: Any]?)
    {
        try check(connection)
        let mapped = try MappedSchema(
            model, Set(entities.compactMap(\.name)), settings, TableMapping(entities, file: settings.mapping),
            connection, sessions.deadline)
        let tenants = TenantCheck(
            dialect: mapped.dialect, settings: settings, connection: connection, deadline: sessions.deadline)
        try tenants.checkUser()
        return (mapped, tenants, try ServerMetadata.read(connection, mapped.dialect, sessions.deadline))
    }

    /// - Throws: `PostgreSQLError`, or a Cocoa error.
    func run(identifier: String, metadata: [String: Any]) throws -> Result {
        do {
            return try sessions.with(repeats: true) { connection in
                let (mapped, tenants, found) = try examine(connection)
                let (schema, dialect) = (mapped.schema, mapped.dialect)
                var stored = found
                if stored == nil {
                    guard !settings.isReadOnly else {
                        throw CoreDataError.cannotOpenStore(
                            url: settings.connection.publicURL, .noSuchFile, reason: "There is no store in the schema.")
                    }
                    stored = try create(connection, schema, dialect, identifier, metadata, sessions)
                }
                guard let stored else { throw ServerMetadata.NoRow(schema: settings.schema) }
                if isOfOtherVersion(stored, dialect) { throw incompatible(stored) }
                try checkTables(connection, schema, tenants, sessions.deadline)
                let keys = KeyBlocks(
                    try increments(connection, schema, dialect, sessions.deadline)
                        .merging(mapped.sequences) { own, _ in own }, without: mapped.tablesWithoutSequence)
                let tables = ServerHistoryTables(dialect: dialect)
                let hasHistory = try tables.prepare(
                    connection, wish: settings.history, isReadOnly: settings.isReadOnly, schema: settings.schema,
                    sessions)
                let history = hasHistory ? ServerHistory(tables, schema, retention: settings.retention) : nil
                let searches = try SearchSettlement(
                    schema: schema, dialect: dialect, connection: connection, sessions: sessions
                ).run(wish: settings.fullText, isReadOnly: settings.isReadOnly)
                let place = stored[NSStoreUUIDKey] as? String ?? identifier
                return Result(
                    opened: OpenServer(
                        schema: schema, dialect: dialect, sessions: sessions, isReadOnly: settings.isReadOnly,
                        keys: keys, derived: try DerivedValues(schema: schema, entities: entities),
                        history: history,
                        news: CommitNotices(sessions, identifier: place),
                        tellsOthers: settings.followsOthers, version: ServerMetadata.versionMark(stored),
                        standbys: try standbys(connection, sessions, ReadPosition.of(place)),
                        server: connection.server, searches: searches),
                    metadata: stored)
            }
        } catch {
            sessions.close()
            throw error
        }
    }

    private func check(_ connection: Connection) throws {
        guard connection.serverVersion >= 130_000 else {
            throw CoreDataError.cannotOpenStore(
                url: settings.connection.publicURL, reason: "PostgreSQL 13 or later is needed, the server is older.")
        }
        guard connection.parameter("server_encoding") == "UTF8" else {
            throw CoreDataError.cannotOpenStore(
                url: settings.connection.publicURL,
                reason:
                    "The database's encoding is \(connection.parameter("server_encoding") ?? "unknown"): a database "
                    + "in UTF8 is needed.")
        }
    }

    // MARK: Standbys

    /// nil if no standbys are given. One that cannot be reached is tried later (PostgreSQL-R7).
    private func standbys(_ connection: Connection, _ sessions: Sessions, _ position: ReadPosition) throws -> Standbys?
    {
        if settings.readPlaces.isEmpty { return nil }
        guard let mark = connection.server else {
            throw PostgreSQLError(
                .unusable, "Standbys need pg_control_system and pg_current_wal_insert_lsn, which the user may not call."
            )
        }
        let standbys = try settings.readPlaces.map { place in
            let standby = Standby(try settings.at(place), system: mark.system)
            try check(standby, mark)
            return standby
        }
        let result = Standbys(standbys, primary: sessions, position: position)
        try result.note(connection)
        return result
    }

    private func check(_ standby: Standby, _ mark: ServerMark) throws {
        do {
            try standby.sessions.with(repeats: false) { _ in }
        } catch let error as Standby.Foreign {
            standby.sessions.close()
            throw CoreDataError.cannotOpenStore(
                url: settings.connection.publicURL,
                reason: "\(standby.sessions.settings.connection.publicURL) leads to another cluster (system "
                    + "\(error.system)) than the store's server (\(mark.system)), and so to no standby of it.")
        } catch {
            standby.leaveOut()
        }
    }

    // MARK: A new store

    /// Creates everything in one transaction. If two programs try at once, one creates the store; the other waits and
    /// finds it.
    private func create(
        _ connection: Connection, _ schema: Schema, _ dialect: PostgreSQLDialect, _ identifier: String,
        _ metadata: [String: Any], _ sessions: Sessions
    ) throws -> [String: Any]? {
        var values = ServerMetadata.version(metadata, entities, entities.first?.managedObjectModel)
        values[NSStoreTypeKey] = Self.storeType
        values[NSStoreUUIDKey] = identifier
        let tables = ServerTables(schema: schema, dialect: dialect, hasForeignKeys: settings.hasForeignKeys)
        var statements = try tables.statements
        do {
            _ = try connection.run(
                [
                    Statement("BEGIN", isReused: false),
                    Statement(
                        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text("ocd:" + settings.schema)],
                        isReused: false),
                ], sessions.deadline)
            if let made = try ServerMetadata.read(connection, dialect, sessions.deadline) {
                try connection.run(Statement("ROLLBACK", isReused: false), sessions.deadline)
                return made
            }
            // The privilege to create schemas is needed only if the schema does not exist.
            let isThere = try connection.run(
                Statement(
                    "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL", [.text(settings.schema)], isReused: false),
                sessions.deadline)
            var head = isThere.first(\.integer) == 1 ? [] : ["CREATE SCHEMA \(dialect.quoted(dialect.schema))"]
            let tenants = TenantCheck(
                dialect: dialect, settings: settings, connection: connection, deadline: sessions.deadline)
            if let columns = try tenants.ownColumns() {
                try tenants.checkKind(columns)
                // The tables of other tenants exist: this tenant only gets its rows.
                try tenants.checkVersion(ServerMetadata.versionMark(values))
                head = []
                statements = [ServerHistoryTables(dialect: dialect).firstRow]
            } else if dialect.hasTenants {
                statements.append(TenantCheck.versionComment(ServerMetadata.versionMark(values), dialect))
            }
            _ = try connection.run(
                (head + statements).map { Statement($0, isReused: false) }
                    + [
                        ServerHistoryTables(dialect: dialect).name(connection.server),
                        try ServerMetadata.insertion(values, dialect, entities.first?.managedObjectModel),
                        Statement("COMMIT", isReused: false),
                    ],
                sessions.deadline)
        } catch {
            connection.rollBack(sessions.deadline)
            throw error
        }
        return values
    }

    // MARK: An existing store

    private var hashes: [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    private func isOfOtherVersion(_ metadata: [String: Any], _ dialect: PostgreSQLDialect) -> Bool {
        guard !dialect.isWhole, !settings.ignoresVersion,
            let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return false }
        return stored != hashes
    }

    private func incompatible(_ metadata: [String: Any]) -> NSError {
        CoreDataError.incompatibleModel(
            storeHashes: metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:], modelHashes: hashes,
            url: settings.connection.publicURL, metadata: metadata)
    }

    private func checkTables(
        _ connection: Connection, _ schema: Schema, _ tenants: TenantCheck, _ deadline: Deadline
    ) throws {
        let answer = try connection.run(
            Statement(
                "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = $1",
                [.text(settings.schema)], isReused: false), deadline)
        var columns: [String: Set<String>] = [:]
        answer.forEachRow { row in
            if let table = row[0].text, let column = row[1].text { columns[table, default: []].insert(column) }
        }
        try tenants.checkKind(columns["ocd_store"])
        try tenants.checkTables()
        var missing: [String] = []
        for table in schema.tables where (schema.dialect as? PostgreSQLDialect)?.mapped[table.name] == nil {
            guard let known = columns[table.name] else {
                missing.append("table \(table.name)")
                continue
            }
            missing += table.columns.filter { !known.contains($0.name) }.map { "\(table.name).\($0.name)" }
        }
        missing += schema.joinTables
            .filter { (schema.dialect as? PostgreSQLDialect)?.mapped[$0.name] == nil && columns[$0.name] == nil }
            .map { "table \($0.name)" }
        if missing.isEmpty { return }
        throw CoreDataError.cannotOpenStore(
            url: settings.connection.publicURL, .schema,
            reason: "The model needs what the database does not have: "
                + "\(missing.prefix(20).joined(separator: ", ")).")
    }

    /// The increment of each table's sequence, by the root entity.
    private func increments(
        _ connection: Connection, _ schema: Schema, _ dialect: PostgreSQLDialect, _ deadline: Deadline
    ) throws -> [Int: KeyBlocks.Sequence] {
        let answer = try connection.run(
            Statement(
                "SELECT sequencename::text, increment_by FROM pg_sequences WHERE schemaname = $1",
                [.text(settings.schema)], isReused: false), deadline)
        var known: [String: Int64] = [:]
        answer.forEachRow { row in if let name = row[0].text { known[name] = row[1].integer } }
        var result: [Int: KeyBlocks.Sequence] = [:]
        for table in schema.tables where dialect.mapped[table.name] == nil {
            let name = ServerTables.sequenceName(table)
            guard let increment = known[name], increment > 0 else {
                throw CoreDataError.cannotOpenStore(
                    url: settings.connection.publicURL, .schema, reason: "The sequence \(name) is missing.")
            }
            result[table.root.rootIndex] = KeyBlocks.Sequence(name: dialect.qualified(name), increment: increment)
        }
        return result
    }
}

/// The metadata in the store's metadata table.
enum ServerMetadata {
    /// The table of the metadata is there, and its row, or the value in it, is not.
    struct NoRow: Error {
        let schema: String

        var reason: String {
            "Its table ocd_store in the schema \(schema) has no row with the metadata: which store and which version of "
                + "the model the other tables are of is not known. Restore the row from a backup "
                + "(pg_restore --data-only --table=ocd_store), or, if the data is not needed any more, destroy the store "
                + "with destroyPersistentStore, and add it again."
        }
    }

    /// nil if there is no store. A tenant whose row is missing has none, either.
    ///
    /// - Throws: `NoRow` for the tables of a store without metadata.
    static func read(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws
        -> [String: Any]?
    {
        guard try isThere(connection, dialect, deadline) else { return nil }
        let answer = try connection.run(
            Statement("SELECT metadata, format FROM \(dialect.qualified("ocd_store")) LIMIT 1", isReused: false),
            deadline)
        guard answer.rowCount > 0, let data = answer.first(\.data) else {
            // The rows of tenants are seen only by the tenants.
            if try dialect.hasTenants || hasTenants(connection, dialect, deadline) { return nil }
            throw NoRow(schema: dialect.schema)
        }
        return try PropertyListBounds.values(of: data) as? [String: Any]
    }

    /// Whether there is a table for the metadata.
    static func isThere(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws -> Bool {
        let place = dialect.qualified("ocd_store")
        let answer = try connection.run(
            Statement("SELECT to_regclass($1) IS NOT NULL", [.text(place)], isReused: false), deadline)
        return answer.first(\.integer) == 1
    }

    private static func hasTenants(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws
        -> Bool
    {
        let answer = try connection.run(
            Statement(
                "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 "
                    + "AND NOT attisdropped",
                [.text(dialect.qualified("ocd_store")), .text(PostgreSQLDialect.tenantColumn)], isReused: false),
            deadline)
        return answer.first(\.integer) != 0
    }

    static func insertion(
        _ values: [String: Any], _ dialect: PostgreSQLDialect, _ model: NSManagedObjectModel?
    ) throws -> Statement {
        let identifier = (values[NSStoreUUIDKey] as? String).flatMap { UUID(uuidString: $0) } ?? UUID()
        return Statement(
            "INSERT INTO \(dialect.qualified("ocd_store")) (store_id, format, metadata, model_hashes, model) "
                + "VALUES ($1, $2, $3, $4, $5)",
            [
                .uuid(identifier), .int64(Int64(ServerOpening.format)), .bytes(try data(values)),
                .bytes(versionMark(values)), .bytes(try model.map(CachedModel.content) ?? Data()),
            ], isReused: false)
    }

    /// The metadata of a store after a change of its version.
    static func version(
        _ metadata: [String: Any], _ entities: [NSEntityDescription], _ model: NSManagedObjectModel?
    ) -> [String: Any] {
        var values = metadata
        var hashes: [String: Data] = [:]
        for entity in entities { if let name = entity.name { hashes[name] = entity.versionHash } }
        values[NSStoreModelVersionHashesKey] = hashes
        values[NSStoreModelVersionIdentifiersKey] =
            model?.versionIdentifiers.compactMap { $0.base as? String }.sorted() ?? []
        values["NSStoreModelVersionHashesVersion"] = 3
        return values
    }

    /// The version of a store as one value; each save compares it.
    static func versionMark(_ values: [String: Any]) -> Data {
        let hashes = values[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        return hashes.sorted { $0.key < $1.key }.reduce(into: Data()) { result, hash in
            result += Data(hash.key.utf8) + [0] + hash.value
        }
    }

    /// The copy of the model; nil in a store that was created before stores had a copy.
    static func model(_ connection: Connection, _ dialect: PostgreSQLDialect, _ deadline: Deadline) throws
        -> NSManagedObjectModel?
    {
        do {
            let answer = try connection.run(
                Statement("SELECT model FROM \(dialect.qualified("ocd_store"))", isReused: false), deadline)
            return answer.first(\.data).flatMap(CachedModel.model)
        } catch let error as PostgreSQLError where error.code == "42703" {
            return nil
        }
    }

    /// The statements that change the version.
    static func change(to values: [String: Any], _ model: NSManagedObjectModel?, _ dialect: PostgreSQLDialect) throws
        -> [Statement]
    {
        let place = dialect.qualified("ocd_store")
        return [
            Statement("ALTER TABLE \(place) ADD COLUMN IF NOT EXISTS model bytea", isReused: false),
            Statement(
                "UPDATE \(place) SET metadata = $1, model_hashes = $2, model = $3",
                [
                    .bytes(try data(values)), .bytes(versionMark(values)),
                    .bytes(try model.map(CachedModel.content) ?? Data()),
                ], isReused: false),
        ]
    }

    static func update(_ values: [String: Any], _ dialect: PostgreSQLDialect) throws -> Statement {
        Statement(
            "UPDATE \(dialect.qualified("ocd_store")) SET metadata = $1", [.bytes(try data(values))], isReused: false)
    }

    private static func data(_ values: [String: Any]) throws -> Data {
        do {
            return try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        } catch {
            throw CoreDataError.storeOperation(
                "The metadata have a value that no property list holds.", underlying: error)
        }
    }
}
