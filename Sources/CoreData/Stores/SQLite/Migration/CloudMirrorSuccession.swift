// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies the tables of CloudKit's mirror into a new file of the same store, in which all objects have new keys.

import Foundation
import SQLiteDriver

/// Migration-M59.
struct CloudMirrorSuccession {
    private let url: URL
    private let source: NSManagedObjectModel
    private let schema: Schema
    private let outline: DatabaseOutline
    /// The objects that the mirror's rows name.
    let keys: Set<MigratedKey>

    /// nil for a store that is not mirrored.
    ///
    /// - Parameter model: the version of the store, limited to its entities.
    /// - Throws: SQLite's errors.
    init?(of url: URL, _ model: NSManagedObjectModel) throws {
        guard let model = model.copy() as? NSManagedObjectModel else { return nil }
        model.freeze()
        let inspector = try SQLiteStoreFile(url: url).inspector()
        defer { try? inspector.close() }
        let found = try inspector.read { () -> (DatabaseOutline, Schema, Set<MigratedKey>)? in
            let outline = try DatabaseOutline(inspector)
            let tables = MirrorTables.tables(with: MirrorTables.entity, outline)
            if tables.isEmpty { return nil }
            let schema = try Schema(model: ModelLayout(entities: model.entities), in: outline.inventory)
            var keys: Set<MigratedKey> = []
            for table in tables {
                let objects = "SELECT DISTINCT \(MirrorTables.entity), \(MirrorTables.key) FROM \(table)"
                try inspector.withStatement(objects) { row in
                    while try row.step() {
                        guard let layout = schema.layout(number: row.int64(at: 0)) else { continue }
                        keys.insert(MigratedKey(root: Self.root(layout, schema), key: row.int64(at: 1)))
                    }
                }
            }
            return (outline, schema, keys)
        }
        guard let found else { return nil }
        self.url = url
        source = model
        (outline, schema, keys) = found
    }

    private static func root(_ layout: EntityLayout, _ schema: Schema) -> String {
        schema.model.layouts[layout.rootIndex].name
    }

    // MARK: Writing

    /// Writes the tables into a file that no other connection has open.
    ///
    /// - Parameters:
    ///   - model: the new version, limited to the entities of the store.
    ///   - partners: the new identity of each object; deleted objects have no entry.
    /// - Throws: SQLite's errors.
    func write(to new: URL, _ model: NSManagedObjectModel, _ partners: [MigratedKey: MigratedKey]) throws {
        guard let model = model.copy() as? NSManagedObjectModel else { return }
        model.freeze()
        let inspector = try SQLiteStoreFile(url: url).inspector()
        defer { try? inspector.close() }
        let connection = try Connection(url: new, options: .init(access: .readWrite))
        defer { try? connection.close() }
        let new = try Schema(model: ModelLayout(entities: model.entities), in: StoreInventory(connection))
        var places = MirrorPlaces(
            old: schema, new: new, partners: partners, pairing: ModelPairing(source: source, destination: model),
            connection: connection)
        try inspector.read {
            try connection.write {
                let isComplete = try copyTables(from: inspector, to: connection, &places)
                for entry in outline.entries where MirrorTables.isTable(entry.tableName) && entry.type == "index" {
                    if let sql = entry.sql { try connection.execute(sql) }
                }
                try copyKeyRows(from: inspector, to: connection)
                if !isComplete { try removeParts(connection) }
            }
        }
    }

    /// - Returns: false if rows were left out.
    private func copyTables(from inspector: Connection, to connection: Connection, _ places: inout MirrorPlaces) throws
        -> Bool
    {
        var isComplete = true
        for table in outline.entries where MirrorTables.isTable(table.name) && table.type == "table" {
            guard let sql = table.sql, let columns = outline.columns[table.name]?.map(\.name) else { continue }
            try connection.execute(sql)
            let name = SchemaNaming.quoted(table.name)
            let list = columns.map(SchemaNaming.quoted).joined(separator: ", ")
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            let (entity, key) = (columns.firstIndex(of: MirrorTables.entity), columns.firstIndex(of: MirrorTables.key))
            let statement = try inspector.prepare("SELECT \(list) FROM \(name) ORDER BY rowid")
            while try statement.step() {
                var values = columns.indices.map { statement.value(at: $0) }
                if let entity, let key, let number = values[entity].integerValue {
                    guard let place = try places.place(number, values[key].integerValue) else {
                        isComplete = false
                        continue
                    }
                    (values[entity], values[key]) = (.integer(place.number), .integer(place.key))
                }
                try connection.run("INSERT INTO \(name) (\(list)) VALUES (\(marks))", values)
            }
        }
        return isComplete
    }

    private func copyKeyRows(from inspector: Connection, to connection: Connection) throws {
        let (first, last) = (MirrorTables.numbers.lowerBound, MirrorTables.numbers.upperBound)
        for row in try inspector.rows(
            "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(first) AND \(last)")
        {
            try connection.run("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)", row)
        }
    }

    /// Removes rows of records that were left out.
    private func removeParts(_ connection: Connection) throws {
        guard outline.hasTable(MirrorTables.records) else { return }
        for table in MirrorTables.tables(with: MirrorTables.record, outline) {
            try connection.execute(
                "DELETE FROM \(table) WHERE \(MirrorTables.record) NOT IN (SELECT Z_PK FROM \(MirrorTables.records))")
        }
    }
}

/// Maps the entity numbers and keys of an old file to those of a new one.
private struct MirrorPlaces {
    struct Place: Hashable {
        let number: Int64
        let key: Int64
    }

    let old: Schema
    let new: Schema
    let partners: [MigratedKey: MigratedKey]
    let pairing: ModelPairing
    let connection: Connection
    /// The places of deleted objects with records that are kept until the deletion is synchronized.
    private var gone: [MigratedKey: Place] = [:]

    init(
        old: Schema, new: Schema, partners: [MigratedKey: MigratedKey], pairing: ModelPairing, connection: Connection
    ) {
        (self.old, self.new, self.partners) = (old, new, partners)
        (self.pairing, self.connection) = (pairing, connection)
    }

    /// nil for a row of an entity that is removed, or that the old version lacks.
    mutating func place(_ number: Int64, _ key: Int64?) throws -> Place? {
        guard let key, let layout = old.layout(number: number) else { return nil }
        let name = MigratedKey(root: old.model.layouts[layout.rootIndex].name, key: key)
        if let partner = partners[name] { return try place(of: partner) }
        guard let destination = pairing.entities.first(where: { $0.source?.name == layout.name })?.destination?.name,
            let mapping = new.entities.first(where: { $0.layout.name == destination })
        else { return nil }
        if let place = gone[name] { return place }
        let place = Place(number: mapping.number, key: try unusedKey(mapping))
        gone[name] = place
        return place
    }

    private func place(of partner: MigratedKey) throws -> Place? {
        guard let table = new.tables.first(where: { $0.root.name == partner.root }) else { return nil }
        let number = try connection.value("SELECT Z_ENT FROM \(table.sql) WHERE Z_PK = ?", [.integer(partner.key)])
        return number?.integerValue.map { Place(number: $0, key: partner.key) }
    }

    /// A key that no object will get.
    private func unusedKey(_ mapping: EntityMapping) throws -> Int64 {
        let number = SQLiteValue.integer(new.mapping(mapping.table.root)?.number ?? mapping.number)
        try connection.run("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = ?", [number])
        return try connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [number])?.integerValue ?? 0
    }
}
