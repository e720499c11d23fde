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
    /// Read from the row when it is needed: a pull needs that of few records. It changes in place, because an observer
    /// would copy the dictionaries for each stamp.
    var metadata: RecordMetadata {
        _read {
            readMetadata()
            yield value
        }
        _modify {
            readMetadata()
            isMetadataChanged = true
            yield &value
        }
    }
    private var value = RecordMetadata()
    private var isMetadataRead = false
    private(set) var isMetadataChanged = false
    /// Whether the record gets the new revision.
    var isTouched = false
    /// Whether the record's new state is just as the replica sent it, so that the replica need not pull it.
    var isEcho = false

    private func readMetadata() {
        if isMetadataRead { return }
        isMetadataRead = true
        value = row.metadata
    }

    /// - Parameter isNew: whether the row has no metadata yet.
    init(_ row: RecordRow, _ name: UUID, _ entity: String, isNew: Bool = false) {
        isMetadataRead = isNew
        self.row = row
        self.name = name
        self.entity = entity
    }
}

/// Finds the records of names and objects, and creates new ones. Belongs to one context.
final class RecordTable {
    private let context: NSManagedObjectContext
    private var entries: [UUID: TableEntry] = [:]
    private var byObject: [ObjectIdentifier: TableEntry] = [:]
    /// The objects of `byObject`: as long as they exist, no other one has their identifiers.
    private var kept: [NSManagedObject] = []
    /// The names of records that were found by the ids of objects, which may not exist any more.
    private var buried: [NSManagedObjectID: UUID] = [:]
    /// Permanent ids that were looked up: those without an entry have no record.
    private var asked: Set<NSManagedObjectID> = []
    /// The greatest number of values in one statement.
    private static let part = 500

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// All entries so far, in the order of names, so that a save does not depend on the order of a dictionary.
    var all: [TableEntry] { entries.values.sorted { $0.name.precedes($1.name) } }

    /// Reads the records of names, and those that they were merged into.
    func load(_ names: Set<UUID>) throws {
        var missing = names.subtracting(entries.keys)
        while !missing.isEmpty {
            var found: [RecordRow] = []
            for part in missing.map(\.text).sorted().parts(of: Self.part) {
                found += try RecordRow.fetch(NSPredicate(format: "name IN %@", part), in: context)
            }
            try add(found, prefetching: nil)
            missing = Set(found.compactMap(\.into)).subtracting(entries.keys)
        }
    }

    /// Takes rows that were read, and reads those that they were merged into.
    ///
    /// - Parameter model: reads also the destinations of the relationships that travel.
    func load(_ rows: [RecordRow], prefetching model: SyncModel) throws {
        try add(rows, prefetching: model)
        try load(Set(rows.compactMap(\.into)))
    }

    /// The record of a name; that of the older name if it was merged. nil for a name that the server never had.
    func resolve(_ name: UUID) -> TableEntry? {
        var entry = entries[name]
        while let current = entry, current.row.state == .merged, let into = current.row.into { entry = entries[into] }
        return entry
    }

    /// The record of a name itself, also if it was merged.
    func entry(ofName name: UUID) -> TableEntry? { entries[name] }

    /// The record of an object, if it was loaded.
    func loadedEntry(of object: NSManagedObject) -> TableEntry? { byObject[ObjectIdentifier(object)] }

    /// The record of an object; nil for an object that has none.
    func entry(of object: NSManagedObject) throws -> TableEntry? {
        if let entry = byObject[ObjectIdentifier(object)] { return entry }
        return object.objectID.isTemporaryID ? nil : try entry(ofDeleted: object.objectID)
    }

    /// The record of a permanent id, whose object need not exist any more.
    func entry(ofDeleted id: NSManagedObjectID) throws -> TableEntry? {
        if let object = context.registeredObject(for: id), let entry = byObject[ObjectIdentifier(object)] {
            return entry
        }
        if let name = buried[id] { return entries[name] }
        guard asked.insert(id).inserted else { return nil }
        let uri = id.uriRepresentation().absoluteString
        guard let row = try RecordRow.fetch(NSPredicate(format: "object == %@", uri), in: context).first else {
            return nil
        }
        try add([row], prefetching: nil)
        buried[id] = row.name
        return entries[row.name]
    }

    /// Reads the records of objects in few statements.
    func load(objects: some Sequence<NSManagedObject>) throws {
        var wanted: [String: NSManagedObject] = [:]
        for object in objects where byObject[ObjectIdentifier(object)] == nil && !object.objectID.isTemporaryID {
            guard asked.insert(object.objectID).inserted else { continue }
            wanted[object.objectID.uriRepresentation().absoluteString] = object
        }
        for part in wanted.keys.sorted().parts(of: Self.part) {
            for row in try RecordRow.fetch(NSPredicate(format: "object IN %@", part), in: context) {
                let object = row.state == .present ? row.uri.flatMap { wanted[$0] } : nil
                add(row, object)
            }
        }
    }

    /// Reads objects by id in few statements. Ids of objects that do not exist are absent from the result.
    func objects(
        _ ids: [NSManagedObjectID], prefetching model: SyncModel? = nil
    ) throws -> [NSManagedObjectID: NSManagedObject] {
        Dictionary(try fetch(ids, prefetching: model).map { ($0.objectID, $0) }) { first, _ in first }
    }

    private func fetch(_ ids: [NSManagedObjectID], prefetching model: SyncModel?) throws -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        found.reserveCapacity(ids.count)
        let byEntity = Dictionary(grouping: ids) { ObjectIdentifier($0.entity) }.values
            .map { (name: $0[0].entity.name ?? "", ids: $0) }
        for (name, ids) in byEntity.sorted(by: { $0.name < $1.name }) {
            for part in ids.parts(of: Self.part) {
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.predicate = NSPredicate(format: "self IN %@", part)
                request.includesSubentities = false
                request.returnsObjectsAsFaults = false
                if let entity = model?.entities[name] {
                    request.relationshipKeyPathsForPrefetching = entity.relationshipKeys
                }
                found += try context.fetch(request)
            }
        }
        return found
    }

    /// Creates the record of a new name.
    func insert(_ name: UUID, _ entity: String, object: NSManagedObject?) -> TableEntry {
        let entry = TableEntry(RecordRow.insert(name, entity, in: context), name, entity, isNew: true)
        entries[name] = entry
        if let object { connect(entry, object) }
        return entry
    }

    /// Gives a record an object.
    func connect(_ entry: TableEntry, _ object: NSManagedObject) {
        entry.object = object
        byObject[ObjectIdentifier(object)] = entry
        kept.append(object)
    }

    private func add(_ rows: [RecordRow], prefetching model: SyncModel?) throws {
        let coordinator = context.persistentStoreCoordinator
        let new = rows.map { (row: $0, name: $0.name) }.filter { entries[$0.name] == nil }
        let ids = new.map { row, _ in
            row.state == .present ? row.uri.flatMap { coordinator?.managedObjectID(for: $0) } : nil
        }
        // Held until all of them have entries.
        let found = try fetch(ids.compactMap { $0 }, prefetching: model)
        for ((row, name), id) in zip(new, ids) {
            let object = id.flatMap { id in
                let known = context.registeredObject(for: id)
                return known?.isFault == false ? known : try? context.existingObject(with: id)
            }
            add(row, name, object)
        }
        withExtendedLifetime(found) {}
    }

    private func add(_ row: RecordRow, _ object: NSManagedObject?) { add(row, row.name, object) }

    private func add(_ row: RecordRow, _ name: UUID, _ object: NSManagedObject?) {
        guard entries[name] == nil else { return }
        let entry = TableEntry(row, name, row.entityName)
        entries[name] = entry
        if let object { connect(entry, object) }
    }
}

extension Array {
    /// Parts that fit into one statement.
    func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
