// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the answers of a custom incremental store to rows and references, and validates them.

import Foundation

/// One call to a subclass, under its lock. Documentation/Internals/Stores.md, "Incremental stores", explains the
/// numbers.
package struct StoreAnswers {
    package let store: NSIncrementalStore
    package let model: ModelLayout
    package let context: NSManagedObjectContext
    package let permit: CacheFillPermit

    /// Requires the store's lock.
    package init(store: NSIncrementalStore, model: ModelLayout, context: NSManagedObjectContext) {
        self.store = store
        self.model = model
        self.context = context
        permit = CacheFillPermit(store.rowCache)
    }

    // MARK: Rows

    /// The row of a record; nil if the subclass reports that the record does not exist (Stores-I4).
    package func row(_ key: Int64, _ layout: EntityLayout) throws -> FetchedRow? {
        let id = id(key, layout)
        guard let node = try ifPresent({ try store.newValuesForObject(with: id, with: context) }) else { return nil }
        try check(node.objectID, model.layouts[layout.rootIndex], id)
        guard node.objectID.key == key else { throw wrong("gave the node of \(node.objectID)", id) }
        let concrete = node.objectID.layout
        guard !concrete.isAbstract else { throw wrong("gave a node of the abstract entity '\(concrete.name)'", id) }
        store.identity.references?.learn(concrete, of: key)
        return FetchedRow(key: key, snapshot: try snapshot(node, concrete))
    }

    private func snapshot(_ node: NSIncrementalStoreNode, _ layout: EntityLayout) throws -> Snapshot {
        let row = Snapshot.make(layout, version: Int64(clamping: node.version))
        row.stamp = RowClock.now
        for slot in layout.attributeSlots { try setAttribute(slot, of: row, node) }
        for slot in layout.toOneSlots where !layout[slot].isTransient {
            if let reference = try destination(slot, node, layout) { row.setReference(reference, slot) }
        }
        return row
    }

    private func setAttribute(_ slot: Int, of row: Snapshot, _ node: NSIncrementalStoreNode) throws {
        let property = row.layout.properties[slot]
        if row.layout[slot].isTransient {
            if let value = row.layout.defaults?.value(slot) { row.setValue(value, slot) }
            return
        }
        guard let value = node.value(for: property) else {
            if property.isOptional { return }
            throw wrong("gave no value, not even NSNull,", node.objectID, property.name)
        }
        guard row.setValue(value, slot) else {
            throw wrong(
                "gave a \(Swift.type(of: value)), which the attribute cannot hold,", node.objectID, property.name)
        }
    }

    private func destination(_ slot: Int, _ node: NSIncrementalStoreNode, _ layout: EntityLayout) throws -> Reference? {
        guard let relationship = layout.relationship(slot) else { return nil }
        let value =
            try node.value(for: relationship)
            ?? store.newValue(forRelationship: relationship, forObjectWith: node.objectID, with: context)
        if value is NSNull { return nil }
        return try reference(value, slot, layout, node.objectID)
    }

    // MARK: Relationships

    /// The members of a to-many relationship for each owner that has any. Missing owners have none.
    package func members(of slot: Int, _ layout: EntityLayout, _ owners: [Int64]) throws -> [Int64: [Reference]] {
        var result: [Int64: [Reference]] = [:]
        for owner in owners where !layout[slot].isTransient {
            let id = id(owner, layout)
            guard let relationship = layout.relationship(slot),
                let answer = try ifPresent({
                    try store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
                })
            else { continue }
            guard let list = Self.list(answer) else {
                throw wrong("gave a \(Swift.type(of: answer)) where an array of ids is expected", id, relationship.name)
            }
            var seen: Set<Int64> = []
            let members = try list.map { try reference($0, slot, layout, id) }.filter { seen.insert($0.key).inserted }
            if !members.isEmpty { result[owner] = members }
        }
        return result
    }

    private func reference(_ value: Any, _ slot: Int, _ layout: EntityLayout, _ owner: NSManagedObjectID) throws
        -> Reference
    {
        let name = layout.properties[slot].name
        guard let id = Self.id(of: value) else {
            throw wrong("gave a \(Swift.type(of: value)) where an id is expected", owner, name)
        }
        try check(id, model.layouts[Int(layout[slot].destination)], owner, name)
        return Reference(entityIndex: try concrete(id).index, key: id.key)
    }

    // MARK: Ids

    package func id(_ key: Int64, _ layout: EntityLayout) -> NSManagedObjectID {
        let known = store.identity.references?.layout(of: key, layout) ?? layout
        return NSManagedObjectID(layout: known, key: key, home: store.identity)
    }

    /// The id of a member of an answer; nil for a value that is neither id nor object.
    package static func id(of value: Any) -> NSManagedObjectID? {
        (value as? NSManagedObjectID) ?? (value as? NSManagedObject)?.objectID
    }

    /// The entity of a record according to its id. If that entity is abstract, the record is read (Stores-I6).
    package func concrete(_ id: NSManagedObjectID) throws -> EntityLayout {
        let known = store.identity.references?.layout(of: id.key, id.layout) ?? id.layout
        guard known.isAbstract else { return known }
        return try row(id.key, id.layout)?.snapshot.layout ?? known
    }

    /// - Parameter asked: the requested record, for requests about a single record.
    /// - Throws: for an id that is not a permanent id of this store and the expected entity.
    package func check(
        _ id: NSManagedObjectID, _ layout: EntityLayout, _ asked: NSManagedObjectID?, _ key: String? = nil
    ) throws {
        guard id.home === store.identity, id.key > 0, model.layouts.indices.contains(id.layout.index),
            model.layouts[id.layout.index] === id.layout
        else { throw wrong("gave \(id), which is no permanent id of this store,", asked, key, layout) }
        guard id.layout.rootIndex == layout.rootIndex, id.layout.isKind(of: layout) || layout.isKind(of: id.layout)
        else {
            throw wrong("gave \(id), which is no '\(layout.name)',", asked, key, layout)
        }
    }

    // MARK: Answers

    package static func list(_ answer: Any) -> [Any]? {
        switch answer {
        case let list as [Any]: list
        case let list as NSArray: list.map { $0 }
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let set as Set<NSManagedObjectID>: Array(set)
        case let set as Set<NSManagedObject>: Array(set)
        default: nil
        }
    }

    /// nil if the subclass reports that there is no such record.
    private func ifPresent<T>(_ ask: () throws -> T) throws -> T? {
        do {
            return try ask()
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
    }

    package func wrong(_ what: String, _ layout: EntityLayout) -> NSError { wrong(what, nil, nil, layout) }

    package func wrong(_ what: String, _ id: NSManagedObjectID?, _ key: String? = nil, _ layout: EntityLayout? = nil)
        -> NSError
    {
        CoreDataError.wrongAnswer(what, store: store, entity: (id?.layout ?? layout)?.name, id: id, key: key)
    }
}
