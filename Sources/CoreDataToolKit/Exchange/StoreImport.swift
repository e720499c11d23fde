// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes a store of an export: every object with its key, in one transaction.

import CoreData
import CoreDataExchange
import CoreDataModelFiles
package import Foundation
import SQLiteDriver

/// The files of an export, and its model.
package struct ExchangeSource {
    /// The folder for the relative names of data files.
    let folder: URL
    /// The files, each with records of any entities.
    let files: [URL]
    /// nil for a single file.
    package let model: URL?
    let metadata: [String: Any]

    /// - Parameter url: a folder with a manifest, or a file of JSON Lines or CSV.
    /// - Throws: `ToolError` for any other file.
    package init(_ url: URL) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw ToolError("There is no file \(url.path).")
        }
        guard isFolder.boolValue else {
            (folder, files, model, metadata) = (url.deletingLastPathComponent(), [url], nil, [:])
            return
        }
        folder = url
        let manifest = url.appendingPathComponent(StoreExport.manifestName)
        guard let data = try? Data(contentsOf: manifest),
            let content = try? ExactJSON.value([UInt8](data)) as? [String: Any],
            content["format"] as? String == "OpenCoreData export",
            let entities = content["entities"] as? [[String: Any]]
        else { throw ToolError("\(url.path) is no export: it has no \(StoreExport.manifestName).") }
        guard (content["version"] as? NSNumber)?.intValue == 1 else {
            throw ToolError("\(url.path) was written by a newer tool.")
        }
        files = try entities.map { entity in
            guard let name = entity["file"] as? String, !name.contains("/"), name != ".." else {
                throw ToolError("\(manifest.path) names a file outside of its folder.")
            }
            return url.appendingPathComponent(name)
        }
        model = (content["model"] as? String).flatMap { $0.contains("/") ? nil : url.appendingPathComponent($0) }
        metadata = content["metadata"] as? [String: Any] ?? [:]
    }

    /// The data of an object with the key "file" or "base64"; nil for missing data.
    func data(_ object: [String: Any]) throws -> Data? { try RecordValue.data(object, in: folder) }
}

/// An import into a new store. Keys stay, so that the store is equal to the exported one.
///
/// The store is made under another name and renamed when it is complete.
package struct StoreImport {
    package struct Summary: Sendable, Equatable {
        package var inserted = 0
        package var updated = 0
        package var links = 0
        /// The number of references to objects without a record in the source. Those relationships stay as they are.
        package var unknownReferences = 0
    }

    private let source: ExchangeSource
    private let connection: Connection
    private let tables: StoreTables
    private let largeData: URL
    private var summary = Summary()

    /// - Throws: `ToolError` with file and line for a record that does not fit the model.
    package static func make(
        _ url: URL, from source: ExchangeSource, model modelURL: URL?, version: String? = nil,
        step: (String) -> Void = { _ in }
    ) throws -> Summary {
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError("\(url.path) is there already: --upsert imports into a store that has data.")
        }
        guard let file = modelURL ?? source.model else {
            throw ToolError("A single file has no model: give one with --model.")
        }
        var document = try ModelBundle.load(contentsOf: file, version: version)
        // Large data is next to the final name from the start, so no row ever names a file in another place.
        let folder = try UnfinishedFolders.make(beside: url)
        defer { UnfinishedFolders.discard(folder) }
        let half = folder.appendingPathComponent(url.lastPathComponent)
        try makeEmpty(half, document, metadata: source.metadata)
        for position in document.entities.indices { document.entities[position].className = nil }
        let connection = try Connection(url: half, options: .init(access: .readWrite))
        defer { try? connection.close() }
        try StoreTables.prepare(connection)
        let model = NSManagedObjectModel(document: document)
        let tables = try StoreTables(connection, model: model)
        try connection.execute(
            "CREATE TEMP TABLE Later (Place TEXT, Owning TEXT, Ordering TEXT, Owner INTEGER, Member INTEGER, "
                + "Position INTEGER)")
        var work = StoreImport(
            source: source, connection: connection, tables: tables, largeData: StoreTables.largeDataFolder(of: url))
        var written: [URL] = []
        let support = work.largeData.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: support.path) { UnfinishedFolders.add(support) }
        defer { UnfinishedFolders.remove(support) }
        do {
            try connection.write {
                written = try work.fill(step)
                // Exports have no derived values.
                try StoreTables.computeDerived(connection, model: model)
            }
            _ = try connection.checkpoint(.truncate)
            try connection.close()
            // From now on the files belong to a store.
            UnfinishedFolders.remove(support)
            guard rename(half.path, url.path) == 0 else {
                throw ToolError("\(url.path) cannot be written: \(String(cString: strerror(errno))).")
            }
            return work.summary
        } catch {
            for file in work.written + written { try? FileManager.default.removeItem(at: file) }
            rmdir(work.largeData.path)
            rmdir(work.largeData.deletingLastPathComponent().path)
            throw error
        }
    }

    private static func makeEmpty(_ url: URL, _ document: ModelDocument, metadata: [String: Any]) throws {
        let model = NSManagedObjectModel(document: document)
        try model.check()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        if !metadata.isEmpty {
            var all = coordinator.metadata(for: store)
            for (key, value) in metadata where all[key] == nil && !(value is NSNull) { all[key] = value }
            try? NSPersistentStoreCoordinator.setMetadata(all, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
        }
        try coordinator.remove(store)
    }

    private var written: [URL] = []

    private init(source: ExchangeSource, connection: Connection, tables: StoreTables, largeData: URL) {
        self.source = source
        self.connection = connection
        self.tables = tables
        self.largeData = largeData
    }

    // MARK: Rows

    private mutating func fill(_ step: (String) -> Void) throws -> [URL] {
        for file in source.files {
            step(file.lastPathComponent)
            let reader = try ToolError.sentence { try RecordReader(file) }
            while let record = try ToolError.sentence({ try reader.next() }) {
                do {
                    try insert(record)
                } catch let error where ToolError.isSentence(error) {
                    throw ToolError("\(record.entity)/\(record.key): \(ToolError.text(of: error))")
                }
            }
        }
        try setMembers()
        for entity in tables.entities where entity.isRoot {
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT IFNULL(MAX(Z_PK), 0) FROM \(entity.tableSQL)) "
                    + "WHERE Z_ENT = \(entity.number)")
        }
        return written
    }

    private func entity(_ name: String) throws -> StoreTables.Entity {
        guard let entity = tables.entity(name) else {
            throw ToolError("The model has no entity '\(name)'; it has: \(tables.entities.map(\.name).list).")
        }
        return entity
    }

    /// The columns of an entity with the labels of their values in a record.
    private struct Shape {
        let entity: StoreTables.Entity
        let columns: [(label: String, sql: String, kind: StoredValue.Kind)]
        /// Composite attributes, which have columns only for their elements.
        let composites: [String]
        /// The statements, by the columns for which a record has values.
        var insertions: [[String]: String] = [:]

        init(_ entity: StoreTables.Entity) {
            self.entity = entity
            columns = entity.attributes.flatMap { attribute in
                attribute.columns.map { (([attribute.name] + $0.path).joined(separator: "."), $0.sql, $0.kind) }
            }
            composites = entity.attributes.filter { $0.columns.allSatisfy { !$0.path.isEmpty } }.map(\.name)
        }

        mutating func insertion(_ columns: [String]) -> String {
            if let known = insertions[columns] { return known }
            let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
            let text = "INSERT INTO \(entity.tableSQL) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
            insertions[columns] = text
            return text
        }
    }

    private var shapes: [String: Shape] = [:]

    private mutating func insert(_ record: ExchangeRecord) throws {
        var shape = try shapes[record.entity] ?? Shape(entity(record.entity))
        let entity = shape.entity
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values: [SQLiteValue] = [.integer(record.key), .integer(entity.number), .integer(1)]
        var left = Set(record.values.keys)
        for column in shape.columns {
            guard let json = record.values[column.label] else { continue }
            left.remove(column.label)
            let value: SQLiteValue
            do {
                value = try RecordValue.column(json, column.kind, data: source.data)
            } catch let error where ToolError.isSentence(error) {
                throw ToolError("\(column.label): \(ToolError.text(of: error))")
            }
            columns.append(column.sql)
            values.append(try column.kind == .externalBinary ? external(value) : value)
        }
        for name in shape.composites { left.remove(name) }
        for property in entity.toOnes {
            guard left.remove(property.name) != nil, let text = record.values[property.name] as? String else {
                continue
            }
            let reference = try ExchangeRecord.reference(text)
            columns.append(property.keySQL)
            values.append(.integer(reference.key))
            if let column = property.entitySQL {
                columns.append(column)
                values.append(.integer(try self.entity(reference.entity).number))
            }
        }
        let statement = shape.insertion(columns)
        shapes[record.entity] = shape
        do {
            try connection.run(statement, values)
        } catch let error as SQLiteError where error.isConstraint {
            throw ToolError("The object is there already, or has a unique value of another one: \(error.message)")
        }
        summary.inserted += 1
        for property in entity.toManys {
            guard left.remove(property.name) != nil, let json = record.values[property.name] else { continue }
            guard let members = json as? [String] else { throw ToolError("'\(property.name)' is no list of objects.") }
            try link(record.key, property, members)
        }
        if let unknown = left.min(), !(record.values[unknown] is NSNull) {
            throw ToolError("\(record.entity) has no property '\(unknown)'.")
        }
    }

    /// Writes large data to a file, as a save does.
    private mutating func external(_ value: SQLiteValue) throws -> SQLiteValue {
        guard let data = value.blobValue else { return value }
        guard data.count > 100_000 else { return .blob(Data([1]) + data) }
        let name = UUID().uuidString
        try FileManager.default.createDirectory(at: largeData, withIntermediateDirectories: true)
        let url = largeData.appendingPathComponent(name)
        try data.write(to: url)
        written.append(url)
        return .blob(Data([2]) + Data(name.utf8) + Data([0]))
    }

    // MARK: Links

    private mutating func link(_ key: Int64, _ property: StoreTables.ToMany, _ members: [String]) throws {
        let keys = try members.map { try ExchangeRecord.reference($0).key }
        if let join = property.join.flatMap({ name in tables.joins.first { $0.name == name } }) {
            let (own, other) =
                property.isOwner ? (join.ownerSQL, join.memberSQL) : (join.memberSQL, join.ownerSQL)
            for (position, member) in keys.enumerated() {
                let order = property.orderSQL.map { (column: $0, value: Int64(2048 + 1024 * position)) }
                // The record of the other end may have made the link already.
                let sql =
                    "INSERT INTO \(join.sql) (\(own), \(other)\(order.map { ", \($0.column)" } ?? "")) VALUES "
                    + "(?, ?\(order == nil ? "" : ", ?")) ON CONFLICT DO "
                    + (order.map { "UPDATE SET \($0.column) = excluded.\($0.column)" } ?? "NOTHING")
                try connection.run(
                    sql, [.integer(key), .integer(member)] + (order.map { [.integer($0.value)] } ?? []))
                summary.links += 1
            }
        } else if let column = property.memberKeySQL, let destination = tables.entity(property.destination) {
            // Members may be imported later: owner and order are set when all rows exist.
            for (position, member) in keys.enumerated() {
                try connection.run(
                    "INSERT INTO temp.Later VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        .text(destination.tableSQL), property.inverse == nil ? .text(column) : .text(""),
                        .text(property.orderSQL ?? ""), .integer(key), .integer(member),
                        .integer(Int64(2048 + 1024 * position)),
                    ])
            }
        }
    }

    private func setMembers() throws {
        for row in try connection.rows("SELECT DISTINCT Place, Owning, Ordering FROM temp.Later") {
            let (table, column, order) = (row[0].textValue ?? "", row[1].textValue ?? "", row[2].textValue ?? "")
            let changes =
                (column.isEmpty ? [] : ["\(column) = L.Owner"]) + (order.isEmpty ? [] : ["\(order) = L.Position"])
            guard !changes.isEmpty else { continue }
            try connection.run(
                "UPDATE \(table) SET \(changes.joined(separator: ", ")) FROM temp.Later AS L "
                    + "WHERE L.Place = ? AND L.Owning = ? AND L.Ordering = ? AND L.Member = \(table).Z_PK",
                [row[0], row[1], row[2]])
        }
    }
}
