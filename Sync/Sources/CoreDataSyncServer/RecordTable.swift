// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The records that one save concerns, by name and by object.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// A record while a save is prepared. `metadata` is written to the row at the end.
final class TableEntry {
    let row: RecordRow
    let name: UUID
    let entity: String
    /// nil if the record is deleted or merged.
    var object: NSManagedObject?
    var metadata: RecordMetadata
    /// Whether the record gets the new revision.
    var isTouched = false

    init(_ row: RecordRow, object: NSManagedObject?) {
        self.row = row
        name = row.name
        entity = row.entityName
        metadata = row.metadata
        self.object = object
    }
}

/// Finds the records of names and objects, and creates new ones. Belongs to one context.
final class RecordTable {
    private let context: NSManagedObjectContext
    private var entries: [UUID: TableEntry] = [:]
    private var byObject: [NSManagedObjectID: TableEntry] = [:]

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// All entries so far, in the order of names, so that a save does not depend on the order of a dictionary.
    var all: [TableEntry] { entries.values.sorted { $0.name.uuidString < $1.name.uuidString } }

    /// Reads the records of names, and those that they were merged into.
    func load(_ names: Set<UUID>) throws {
        var missing = names.subtracting(entries.keys)
        while !missing.isEmpty {
            let texts = missing.map(\.uuidString).sorted()
            var found: [RecordRow] = []
            for start in stride(from: 0, to: texts.count, by: 500) {
                let part = Array(texts[start..<min(start + 500, texts.count)])
                found += try RecordRow.fetch(NSPredicate(format: "name IN %@", part), in: context)
            }
            for row in found { try add(row) }
            missing = Set(found.compactMap(\.into)).subtracting(entries.keys)
        }
    }

    /// The record of a name; that of the older name if it was merged. nil for a name that the server never had.
    func resolve(_ name: UUID) -> TableEntry? {
        var entry = entries[name]
        while let current = entry, current.row.state == .merged, let into = current.row.into { entry = entries[into] }
        return entry
    }

    /// The record of a name itself, also if it was merged.
    func entry(ofName name: UUID) -> TableEntry? { entries[name] }

    /// The record of an object; nil for an object that has none.
    func entry(of object: NSManagedObject) throws -> TableEntry? {
        guard !object.objectID.isTemporaryID else { return byObject[object.objectID] }
        return try entry(ofDeleted: object.objectID)
    }

    /// The record of a permanent id, whose object need not exist any more.
    func entry(ofDeleted id: NSManagedObjectID) throws -> TableEntry? {
        if let entry = byObject[id] { return entry }
        let uri = id.uriRepresentation().absoluteString
        guard let row = try RecordRow.fetch(NSPredicate(format: "object == %@", uri), in: context).first else {
            return nil
        }
        return try add(row)
    }

    /// Reads the records of objects in few statements.
    func load(objects: [NSManagedObject]) throws {
        let uris = objects.filter { byObject[$0.objectID] == nil && !$0.objectID.isTemporaryID }
            .map { $0.objectID.uriRepresentation().absoluteString }.sorted()
        for start in stride(from: 0, to: uris.count, by: 500) {
            let part = Array(uris[start..<min(start + 500, uris.count)])
            for row in try RecordRow.fetch(NSPredicate(format: "object IN %@", part), in: context) { try add(row) }
        }
    }

    /// Creates the record of a new name.
    func insert(_ name: UUID, _ entity: String, object: NSManagedObject?) -> TableEntry {
        let entry = TableEntry(RecordRow.insert(name, entity, in: context), object: object)
        entries[name] = entry
        if let object { byObject[object.objectID] = entry }
        return entry
    }

    /// Gives a record an object.
    func connect(_ entry: TableEntry, _ object: NSManagedObject) {
        entry.object = object
        byObject[object.objectID] = entry
    }

    /// Looks records up by permanent ids after `obtainPermanentIDs(for:)`.
    func registerPermanentIDs() {
        for entry in entries.values { if let object = entry.object { byObject[object.objectID] = entry } }
    }

    @discardableResult
    private func add(_ row: RecordRow) throws -> TableEntry {
        let name = row.name
        if let entry = entries[name] { return entry }
        var object: NSManagedObject?
        if row.state == .present, let text = row.uri, let uri = URL(string: text),
            let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
        {
            object = try? context.existingObject(with: id)
        }
        let entry = TableEntry(row, object: object)
        entries[name] = entry
        if let object { byObject[object.objectID] = entry }
        return entry
    }
}
