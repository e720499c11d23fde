// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Serves coordinator and contexts from the rows in memory of an atomic store.

package import CoreDataFoundation
import Foundation

extension NSAtomicStore: RecordStore, MemoryContents.Persister, SearchCounting {
    /// The disk can still reject the rename of a file, and a custom store can fail to write.
    package var guaranteesCommit: Bool { false }

    /// A file store renames its file last, so it can roll back; a custom store writes immediately.
    package var canRollBack: Bool { !takesObjects }

    /// - Throws: 134070 when the store is not open.
    private func loaded() throws -> MemoryContents {
        guard let contents else { throw notOpen }
        return contents
    }

    // MARK: Opening

    package func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        opened = (model, entities, try DerivedRows(model, entities, url))
        do {
            try loadMetadata()
            try adoptMetadata()
            try load()
            try adoptMetadata()
            if takesObjects { contents = memory(try rows(model)) }
        } catch {
            forget()
            opened = nil
            throw AtomicErrors.opening(error, url ?? URL(filePath: "/dev/null"))
        }
    }

    /// Takes the UUID from the metadata, completes them, and checks that the model fits.
    package func adoptMetadata() throws {
        var values = metadataValues.current
        let uuid = values[NSStoreUUIDKey] as? String ?? identifier ?? identity.identifier
        identify(as: uuid)
        if !ignoresVersion { try AtomicMetadata.check(values, entities, url) }
        if takesObjects {
            values = AtomicMetadata.completed(values, entities, type: type, identifier: uuid)
            for node in nodes.all.values.flatMap(\.values) where node.objectID.home !== identity {
                node.objectID = NSManagedObjectID(layout: node.objectID.layout, key: node.objectID.key, home: identity)
            }
        }
        metadataValues.adoptSaved(values)
    }

    /// The keys of records survive a change of the store's UUID.
    private func identify(as uuid: String) {
        guard uuid != identity.identifier || takesObjects && identity.references == nil else { return }
        let references = takesObjects ? identity.references ?? ReferenceTable() : nil
        identity = StoreIdentity(identifier: uuid, store: self, references: references)
    }

    var ignoresVersion: Bool {
        options?[NSIgnorePersistentStoreVersioningOption].flatMap(AttributeValues.number)?.boolValue ?? false
    }

    func memory(_ tables: MemoryTables) -> MemoryContents {
        MemoryContents(tables, model, derived: opened?.derived)
    }

    private func rows(_ model: ModelLayout) throws -> MemoryTables {
        var rows = NodeRows(model, KeyCounter())
        return try rows.read(nodes.all.values.flatMap(\.values))
    }

    /// Waits for a running save; a later one finds no contents to write.
    package func close() throws {
        guard let contents else { return forget() }
        contents.blockingSaves { _ in forget() }
    }

    // MARK: Reading

    package func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow]
    {
        try loaded().reader.rows(keys, root: root)
    }

    package func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?)
        throws -> [Int64:
        [Reference]]
    {
        try loaded().reader.occupied(slot, layout: layout, owners: owners)
    }

    package func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome {
        try loaded().fetch(fetch)
    }

    package func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store {
        FetchExplanation.Store(
            identifier: identity.identifier, type: type, sql: nil, valueTypes: [], queryPlan: [],
            inMemory: fetch.doneOnRows)
    }

    package func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics? {
        try loaded().statistics(of: search, layout)
    }

    package func generation() throws -> (any RecordSource)? {
        MemoryView(try loaded().reader, identifier: identity.identifier, type: type)
    }

    // MARK: Writing

    /// File stores number all objects together; custom stores use reference objects.
    package var takesKeys: Bool { false }

    package func lastKey(below root: EntityLayout) throws -> Int64 {
        try loaded().current.keys.greatest(root: root.rootIndex)
    }

    package func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        try loaded().reserveKeys(count, for: layout)
    }

    package func permanentKeys(for objects: [NSManagedObject], of layout: EntityLayout) throws -> [Int64] {
        guard takesObjects else {
            let first = try reserveKeys(objects.count, for: layout)
            return (0..<Int64(objects.count)).map { first + $0 }
        }
        return objects.map { referenceKey(newReferenceObject(for: $0), layout) }
    }

    package func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        if isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        let writesNothing = changes.inserts.isEmpty && changes.updates.isEmpty && changes.deletes.isEmpty
        let persister = writesNothing && !metadataValues.hasUnsaved ? nil : self
        return try loaded().save(changes, persister: persister, confirm: confirm)
    }
}

extension NSAtomicStore {
    // MARK: Nodes of built-in stores

    package func referenceKey(_ reference: Any, _ layout: EntityLayout) -> Int64 {
        guard let value = ReferenceValue(reference), let references = identity.references else {
            preconditionFailure(
                "A reference object is a string, a whole number or a UUID; "
                    + "\(Swift.type(of: reference)) is none of these.")
        }
        return references.key(of: value, layout)
    }

    package static func rowKey(_ reference: Any) -> Int64 {
        guard let key = AttributeValues.number(reference).flatMap(Snapshot.integer), key > 0 else {
            preconditionFailure("Reference objects of this store are whole numbers above zero, not \(reference).")
        }
        return key
    }

    package func rowNodes() -> Set<NSAtomicStoreCacheNode> {
        guard let contents else { return [] }
        var result: Set<NSAtomicStoreCacheNode> = []
        for table in contents.current.tables.values {
            for key in table.keys {
                guard let row = table[key] else { continue }
                result.insert(RowNode(NSManagedObjectID(layout: row.layout, key: key, home: identity), self))
            }
        }
        return result
    }

    func rowNode(_ id: NSManagedObjectID) -> RowNode? {
        guard let row = contents?.current.tables[id.layout.rootIndex]?[id.key] else { return nil }
        return RowNode(NSManagedObjectID(layout: row.layout, key: id.key, home: identity), self)
    }

    /// All values of an object, with nodes for relationships; nil if the object does not exist.
    package func storedValues(of id: NSManagedObjectID) -> NSMutableDictionary? {
        guard let contents, let row = contents.current.tables[id.layout.rootIndex]?[id.key] else { return nil }
        let layout = row.layout
        let values = NSMutableDictionary()
        func node(_ reference: Reference) -> NSAtomicStoreCacheNode {
            RowNode(
                NSManagedObjectID(layout: model.layouts[reference.entityIndex], key: reference.key, home: identity),
                self)
        }
        for slot in layout.attributeSlots {
            if let value = row.value(slot) { values[layout.properties[slot].name] = value }
        }
        for slot in layout.toOneSlots {
            if let reference = row.reference(slot) { values[layout.properties[slot].name] = node(reference) }
        }
        for slot in layout.toManySlots {
            let members = contents.reader.members(of: slot, layout: layout, owners: [id.key])[id.key] ?? []
            let nodes = members.map(node)
            values[layout.properties[slot].name] =
                layout[slot].isOrdered ? NSOrderedSet(array: nodes) : NSSet(array: nodes)
        }
        return values
    }
}
