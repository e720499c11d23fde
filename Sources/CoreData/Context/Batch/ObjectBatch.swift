// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests with objects, for stores that save objects.

import CoreDataFoundation
import Foundation

/// A batch request to a custom store: an atomic one, or an incremental one of a class without batch requests. A
/// temporary context makes the changes and saves them, so validation and life-cycle methods do run (BatchRequests-8).
struct ObjectBatch {
    private let context: NSManagedObjectContext
    private let store: any RecordStore
    private let batch: StoreBatch

    init(_ coordinator: NSPersistentStoreCoordinator, _ store: any RecordStore, _ batch: StoreBatch) {
        context = coordinator.makeAnsweringContext()
        context.name = batch.contextName
        context.transactionAuthor = batch.author
        self.store = store
        self.batch = batch
    }

    func run(_ request: NSPersistentStoreRequest) throws -> BatchOutcome {
        switch batch.work {
        case .insertion(let insertion):
            let objects = try insert(insertion)
            try context.save()
            return outcome(objects.map(\.objectID))
        case .update(let update):
            let objects = try self.objects(request)
            try change(objects, update)
            try context.save()
            return outcome(objects.map(\.objectID))
        case .deletion:
            let objects = try self.objects(request)
            let ids = objects.map(\.objectID)
            for object in objects { context.delete(object) }
            try context.save()
            return outcome(ids)
        }
    }

    private func outcome(_ ids: [NSManagedObjectID]) -> BatchOutcome {
        BatchOutcome(count: ids.count, ids: batch.wantsIDs ? ids : [])
    }

    private func insert(_ insertion: BatchInsertion) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        let layout = insertion.layout
        while let row = try insertion.next() {
            var given = row.given
            let destinations = try layout.toOneSlots.map { try destination(row.snapshot.reference($0)) }
            let object: NSManagedObject
            switch (insertion.uniqueness, try holder(of: row.snapshot, layout)) {
            case (.keepsRecord, _?): continue
            case (.updates(let givenAlone), let record?):
                object = record
                if !givenAlone { given = nil }
            default:
                object = ObjectClasses.resolve(layout.entity).create(layout.entity, context)
                context.assign(object, to: store)
            }
            for slot in layout.attributeSlots where !layout[slot].isDerived && given?.contains(slot) ?? true {
                object.setValue(row.snapshot.value(slot), forKey: layout.properties[slot].name)
            }
            for (slot, destination) in zip(layout.toOneSlots, destinations) where destination != nil {
                object.setValue(destination, forKey: layout.properties[slot].name)
            }
            objects.append(object)
        }
        return objects
    }

    /// The saved or unsaved object with the unique values of a row.
    private func holder(of row: Snapshot, _ layout: EntityLayout) throws -> NSManagedObject? {
        for names in layout.entity.uniquenessConstraintNames {
            let slots = names.compactMap(layout.slot)
            let values = slots.compactMap { row.value($0) }
            guard !values.isEmpty, values.count == names.count else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: layout.name)
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: zip(names, values).map { NSPredicate(format: "%K == %@", $0, $1) })
            request.affectedStores = [store]
            if let found = try context.fetch(request).first { return found }
        }
        return nil
    }

    private func objects(_ request: NSPersistentStoreRequest) throws -> [NSManagedObject] {
        let fetch: NSFetchRequest<any NSFetchRequestResult>
        switch (request, batch.work) {
        case (_, .deletion(.records(let references))):
            return references.compactMap { reference in
                try? context.existingObject(with: store.permanentID(reference, batch.model))
            }
        case (let request as NSBatchDeleteRequest, _):
            fetch = NSFetchRequest()
            fetch.settings = request.fetchRequest.settings
            fetch.resultType = .managedObjectResultType
        case (let request as NSBatchUpdateRequest, _):
            fetch = NSFetchRequest(entityName: request.entityName)
            fetch.predicate = request.predicate
            fetch.includesSubentities = request.includesSubentities
        default: return []
        }
        fetch.affectedStores = [store]
        return try context.fetch(fetch).compactMap { $0 as? NSManagedObject }
    }

    private func change(_ objects: [NSManagedObject], _ update: BatchUpdate) throws {
        let layout = update.fetch.layout
        let values = try update.expressions.map { expression in
            let ready = try ReadyExpression(expression.syntax)
            return try objects.map { try ready.value(of: $0) }
        }
        for (position, object) in objects.enumerated() {
            for slot in update.constantSlots {
                if layout[slot].kind == .reference {
                    let destination = try destination(update.constants.reference(slot))
                    object.setValue(destination, forKey: object.table.layout.properties[slot].name)
                } else {
                    object.setValue(update.constants.value(slot), forKey: layout.properties[slot].name)
                }
            }
            for (expression, values) in zip(update.expressions, values) {
                let (value, property) = (Snapshot.unwrapped(values[position]), layout.properties[expression.slot])
                guard fits(value, expression.slot, layout) else {
                    throw BatchValues.invalidValue(value ?? NSNull(), expression.slot, layout)
                }
                object.setValue(value, forKey: property.name)
            }
        }
    }

    private func fits(_ value: Any?, _ slot: Int, _ layout: EntityLayout) -> Bool {
        guard let value else { return true }
        guard layout[slot].kind == .reference else { return Snapshot.make(layout).setValue(value, slot) }
        guard let object = value as? NSManagedObject, object.managedObjectContext === context else { return false }
        return object.table.layout.isKind(of: batch.model.layouts[Int(layout[slot].destination)])
    }

    /// - Throws: 133000 for a record that does not exist.
    private func destination(_ reference: Reference?) throws -> NSManagedObject? {
        try reference.map { try context.existingObject(with: store.permanentID($0, batch.model)) }
    }
}

extension RecordStore {
    fileprivate func permanentID(_ reference: Reference, _ model: ModelLayout) -> NSManagedObjectID {
        NSManagedObjectID(layout: model.layouts[reference.entityIndex], key: reference.key, home: identity)
    }
}
