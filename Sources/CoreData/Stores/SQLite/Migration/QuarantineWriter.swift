// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies rows of a store into a new file of the same version, with their large data and the keys of their links.

import Foundation
import SQLiteDriver

/// The tables of the file are those of the store, with the same names. A foreign key keeps its value even if the row
/// that it refers to is not copied.
struct QuarantineWriter {
    /// A connection to the store, within a read transaction.
    let source: Connection
    let store: URL
    let outline: DatabaseOutline
    /// The schema as the file has it.
    let schema: Schema
    /// The keys of the rows by table.
    let keys: [String: Set<Int64>]

    /// Writes and syncs the file, its large data, and their entries in the folder.
    ///
    /// - Parameter url: a name that is not in use.
    /// - Returns: the names of the files of large data.
    /// - Throws: the error of the disk. The caller removes the incomplete files.
    func write(to url: URL) throws -> Set<String> {
        let access = FileAccess(of: store)
        do {
            try FileBytes.make(url, Data(), access)
            let connection = try Connection(url: url, options: .init(access: .readWrite))
            let names: Set<String>
            do {
                try connection.setPageSize(source.pageSize())
                try SQLiteFunctions.add(to: connection)
                try connection.write { try copy(to: connection) }
                try requireAll(connection)
                names = try ExternalReferences.names(in: connection)
                try connection.close()
            } catch {
                try? connection.close()
                throw error
            }
            try copyFiles(names, to: url, access)
            try FileBytes.sync(url)
            try FileBytes.sync(url.deletingLastPathComponent())
            return names
        } catch let failure as FileFailure {
            throw failure.writing(url, store: nil)
        }
    }

    /// Writes rows of a closed store.
    ///
    /// - Parameters:
    ///   - keys: by the name of their entity.
    ///   - model: the version of the store, limited to its entities.
    static func write(_ keys: [String: Set<Int64>], of store: URL, _ model: NSManagedObjectModel, to url: URL) throws {
        guard let model = model.copy() as? NSManagedObjectModel else { return }
        model.freeze()
        do {
            let inspector = try SQLiteStoreFile(url: store).inspector()
            defer { try? inspector.close() }
            try inspector.read {
                let outline = try DatabaseOutline(inspector)
                let schema = try Schema(model: ModelLayout(entities: model.entities), in: outline.inventory)
                var tables: [String: Set<Int64>] = [:]
                for mapping in schema.entities {
                    guard let own = keys[mapping.layout.name] else { continue }
                    tables[mapping.table.name, default: []].formUnion(own)
                }
                let writer = QuarantineWriter(
                    source: inspector, store: store, outline: outline, schema: schema, keys: tables)
                _ = try writer.write(to: url)
            }
        } catch {
            throw SQLiteStoreErrors.opening(error, url: store)
        }
    }

    // MARK: Tables

    private func entries(_ type: String) -> [SchemaEntry] {
        outline.entries.filter { $0.type == type && $0.tableName.hasPrefix("Z") && $0.sql != nil }
    }

    /// Indexes and triggers come last: triggers would recompute derived attributes.
    private func copy(to connection: Connection) throws {
        let tables = entries("table").filter { !$0.name.hasPrefix("Z_RT_") }
        // Each text must be a single statement: the texts come from a file.
        for table in tables { try connection.run(table.sql ?? "") }
        for table in tables.map(\.name) where !SchemaNaming.reservedTables.contains(table) {
            try copyRows(of: table, to: connection)
        }
        for join in schema.joinTables { try copyLinks(of: join, to: connection) }
        try copyOwnTables(to: connection)
        for index in entries("index") { try connection.run(index.sql ?? "") }
        for table in outline.spatialTables {
            try connection.run(table.sql ?? "")
            let fill = SchemaTriggers(schema: schema).spatialContents[table.name]
            if let fill { try connection.run(fill) }
        }
        for trigger in outline.triggers
        where trigger.tableName.hasPrefix("Z") && !SideIndexKinds.isOwn(trigger.name) {
            if let sql = trigger.sql { try connection.run(sql) }
        }
    }

    private func list(_ table: String) -> String {
        (outline.columns[table] ?? []).map { SchemaNaming.quoted($0.name) }.joined(separator: ", ")
    }

    private func insertion(_ table: String) -> String {
        let values = (outline.columns[table] ?? []).map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(SchemaNaming.quoted(table)) (\(list(table))) VALUES (\(values))"
    }

    private func copyRows(of table: String, to connection: Connection) throws {
        guard let keys = keys[table], !keys.isEmpty else { return }
        let query = "SELECT \(list(table)) FROM \(SchemaNaming.quoted(table)) WHERE Z_PK = ?"
        let insertion = insertion(table)
        for key in keys.sorted() {
            for row in try source.rows(query, [.integer(key)]) { try connection.run(insertion, row) }
        }
    }

    /// The links with a quarantined row at either end.
    private func copyLinks(of join: JoinTable, to connection: Connection) throws {
        let ends = [(join.ownerColumn, join.owner), (join.memberColumn, join.member)].map { column, layout in
            (
                place: outline.columns[join.name]?.firstIndex { $0.name == column },
                keys: schema.mapping(layout).flatMap { keys[$0.table.name] } ?? []
            )
        }
        guard ends.contains(where: { !$0.keys.isEmpty }) else { return }
        let insertion = insertion(join.name)
        try source.withStatement("SELECT \(list(join.name)) FROM \(join.sql)") { statement in
            while try statement.step() {
                let row = statement.row
                let isConcerned = ends.contains { place, keys in
                    place.flatMap { row[$0].integerValue }.map(keys.contains) ?? false
                }
                if isConcerned { try connection.run(insertion, row) }
            }
        }
    }

    /// The numbers of the entities, the model and the metadata. Both files have the same store identifier, so the URI
    /// of a row is valid in both.
    private func copyOwnTables(to connection: Connection) throws {
        for row in try source.rows("SELECT \(list(SchemaNaming.keyTable)) FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") {
            try connection.run(insertion(SchemaNaming.keyTable), row)
        }
        if outline.hasTable(SchemaNaming.modelTable) {
            for row in try source.rows("SELECT \(list(SchemaNaming.modelTable)) FROM Z_MODELCACHE") {
                try connection.run(insertion(SchemaNaming.modelTable), row)
            }
        }
        var metadata = try StoreMetadata.read(source, url: store)
        metadata[QuarantineFile.recordKey] = nil
        try StoreMetadata.write(metadata, to: connection)
    }

    /// - Throws: `ScriptFailure` if a row did not arrive.
    private func requireAll(_ connection: Connection) throws {
        for (table, keys) in keys where !keys.isEmpty {
            let found = try connection.value("SELECT COUNT(*) FROM \(SchemaNaming.quoted(table))")?.integerValue ?? 0
            guard found == keys.count else {
                throw ScriptFailure(
                    entity: nil, property: nil,
                    reason: "Of \(keys.count) rows of \(table) \(found) arrived in the quarantine")
            }
        }
    }

    // MARK: Large data

    private func copyFiles(_ names: Set<String>, to url: URL, _ access: FileAccess) throws {
        guard !names.isEmpty else { return }
        let (from, folder) = (ExternalFiles.folder(of: store), ExternalFiles.folder(of: url))
        try access.makeFolder(folder)
        for name in names.sorted() {
            let file = from.appendingPathComponent(name)
            // A file that is missing in the store is not copied.
            if StoreFiles.exists(file) { try StoreFiles.copy(file, to: folder.appendingPathComponent(name)) }
        }
        for entry in [folder, folder.deletingLastPathComponent()] { try FileBytes.sync(entry) }
    }

    // MARK: Room

    /// The bytes that the file will take, for rows of their tables' average size.
    func bytes(_ space: MigrationSpace) throws -> Int64 {
        var sum: Int64 = 0
        for (table, keys) in keys {
            let all = try source.value("SELECT COUNT(*) FROM \(SchemaNaming.quoted(table))")?.integerValue ?? 0
            if all > 0 { sum += try space.size(of: table, source) * Int64(keys.count) / all }
        }
        let folder = ExternalFiles.folder(of: store)
        for name in try releasedNames() { sum += Int64(StoreFiles.size(folder.appendingPathComponent(name))) }
        return sum
    }

    /// The files of large data of the rows.
    private func releasedNames() throws -> Set<String> {
        var names: Set<String> = []
        for mapping in schema.entities where !mapping.layout.isAbstract {
            for column in mapping.storage.flatMap(\.externalColumns) {
                guard let keys = keys[mapping.table.name] else { continue }
                let quoted = SchemaNaming.quoted(column)
                let query =
                    "SELECT Z_PK, \(quoted) FROM \(mapping.table.sql) WHERE Z_ENT = \(mapping.number) "
                    + "AND LENGTH(\(quoted)) = 38 AND SUBSTR(\(quoted), 1, 1) = X'02'"
                try source.withStatement(query) { statement in
                    while try statement.step() {
                        guard let key = statement.value(at: 0).integerValue, keys.contains(key) else { continue }
                        if let name = statement.value(at: 1).blobValue.flatMap(ExternalColumn.fileName) {
                            names.insert(name)
                        }
                    }
                }
            }
        }
        return names
    }
}
