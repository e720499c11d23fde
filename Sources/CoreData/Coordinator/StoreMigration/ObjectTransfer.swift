// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies all objects of a store into one that assigns its own ids.

import Foundation

/// One context contains all new objects and saves them at once: such stores write all objects together, or single
/// objects only at a high cost.
///
/// Objects have the base class, so no code of the program runs. The save validates them as usual.
struct ObjectTransfer {
    private let source: any RecordSource
    private let destination: any RecordStore
    private let model: ModelLayout
    private let roots: [EntityLayout]
    private let context: NSManagedObjectContext

    /// - Parameter coordinator: the coordinator of both stores.
    init(
        from origin: any RecordStore, to destination: any RecordStore, model: ModelLayout, roots: [EntityLayout],
        _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        // Reads one state of the file, not the cached rows.
        source = try origin.copySource()
        self.destination = destination
        self.model = model
        self.roots = roots
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// - Returns: new keys by root entity and old key.
    func run() throws -> [ObjectKey: Int64] {
        try context.performAndWait { () throws -> [ObjectKey: Int64] in
            var objects: [ObjectKey: NSManagedObject] = [:]
            for root in roots {
                for row in try rows(of: root) { objects[ObjectKey(root.index, row.key)] = try insert(row) }
            }
            for root in roots { try relate(try rows(of: root), objects) }
            try context.save()
            return objects.mapValues(\.objectID.key)
        }
    }

    private func rows(of root: EntityLayout) throws -> [FetchedRow] {
        try source.rows(RowTransfer.keys(of: root, in: source, model), root: root, in: nil)
    }

    private func insert(_ row: FetchedRow) throws -> NSManagedObject {
        let layout = row.snapshot.layout
        let object = NSManagedObject(entity: layout.entity, insertInto: context)
        context.assign(object, to: destination)
        let (snapshot, _) = try row.snapshot.withoutFiles()
        for slot in layout.attributeSlots where !layout[slot].isTransient && !layout[slot].isDerived {
            object.setValue(snapshot.value(slot), forKey: layout.properties[slot].name)
        }
        return object
    }

    private func relate(_ rows: [FetchedRow], _ objects: [ObjectKey: NSManagedObject]) throws {
        func object(_ reference: Reference) -> NSManagedObject? {
            objects[ObjectKey(model.layouts[reference.entityIndex].rootIndex, reference.key)]
        }
        for (index, rows) in Dictionary(grouping: rows, by: { $0.snapshot.layout.index }) {
            let layout = model.layouts[index]
            for row in rows {
                guard let owner = objects[ObjectKey(layout.rootIndex, row.key)] else { continue }
                for slot in layout.toOneSlots where !layout[slot].isTransient {
                    guard let reference = row.snapshot.reference(slot), let other = object(reference) else { continue }
                    owner.setValue(other, forKey: layout.properties[slot].name)
                }
            }
            for slot in layout.toManySlots where !layout[slot].isTransient {
                let members = try source.members(of: slot, layout: layout, owners: rows.map(\.key), in: nil)
                for (key, references) in members {
                    let others = references.compactMap(object)
                    let name = layout.properties[slot].name
                    let isOrdered = layout[slot].isOrdered
                    objects[ObjectKey(layout.rootIndex, key)]?
                        .setValue(isOrdered ? NSOrderedSet(array: others) : NSSet(array: others), forKey: name)
                }
            }
        }
    }
}
