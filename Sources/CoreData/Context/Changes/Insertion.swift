// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts an object that was made outside of the context, or takes the mark of a deletion away.

import Foundation

struct Insertion {
    let tracker: ChangeTracker
    let registry: ObjectRegistry

    func insert(_ object: NSManagedObject) {
        guard tracker.owns(object) else { return insertAnew(object) }
        // Inserting an object that is marked for deletion takes the mark away.
        guard object.flags.contains(.deleted) else { return }
        let isCutOff = object.flags.contains(.propagated)
        tracker.unmarkDeleted(object)
        if isCutOff { object.dropHalfLinks() }
    }

    private func insertAnew(_ object: NSManagedObject) {
        precondition(object.table.owner == nil, "\(object) belongs to another context already.")
        guard let layout = registry.model.layout(of: object.entity) else {
            preconditionFailure("The context's model has no entity '\(object.entity.name ?? "")'.")
        }
        if layout !== object.table.layout { object.move(to: layout) }
        if object.key > 0 { object.becomeUnsaved() }
        object.take(registry.table(layout.index, nil))
        tracker.insert(object)
        object.dropHalfLinks()
    }
}

extension NSManagedObject {
    /// The object of a deleted record becomes a new insertion: it keeps its attributes.
    fileprivate final func becomeUnsaved() {
        let row = realized.copy()
        for slot in table.layout.toOneSlots { row.setNull(slot) }
        snapshot = row
        objectExtension = nil
        flags = flags.intersection(.slotsMatch).union([.ownsSnapshot, .awoken])
        key = TemporaryKey.next()
        take(.detached(table.layout))
    }

    /// Takes an object that was made for another model's entity of the same name over to this one, by property name.
    final func move(to layout: EntityLayout) {
        let old = table.layout
        let row = layout.defaults?.copy() ?? .make(layout)
        if let snapshot {
            for slot in layout.attributeSlots {
                guard let source = old.slot(layout.properties[slot].name) else { continue }
                row.setValue(snapshot.value(source), slot)
            }
        }
        takeDestinations()
        take(.detached(layout))
        snapshot = row
        flags.insert(.ownsSnapshot)
    }
}
