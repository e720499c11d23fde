// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets a new object become the object of the record that has its unique values.

/// Merging-39.
struct RecordTakeover {
    private let object: NSManagedObject
    private let record: NSConstraintConflict.Record
    private let home: StoreIdentity
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker

    /// nil for a conflict that is among other objects, or whose record has an object in the context.
    init?(_ conflict: NSConstraintConflict) {
        guard let record = conflict.record, let home = record.home, conflict.conflictingObjects.count == 1,
            let object = conflict.conflictingObjects.first, object.isInserted, !object.isMarkedDeleted, object.key < 0,
            object.table.layout === record.row.layout, let state = object.contextState, !state.source.isNested,
            // Undo and children know the object as an insertion.
            !state.settings.recordsUndo, state.relations.children.isEmpty,
            state.registry.object(record.key, home) == nil
        else { return nil }
        self.object = object
        self.record = record
        self.home = home
        registry = state.registry
        tracker = state.tracker
    }

    func run() -> NSManagedObject {
        let layout = object.table.layout
        let destinations = layout.toOneSlots.map { object.destination($0) }
        let members = layout.toManySlots.map { Array(object.members($0)) }
        for slot in layout.toOneSlots { object.setDestination(nil, slot) }
        for slot in layout.toManySlots { object.setMembers([], slot) }
        takeRow(layout)
        for (slot, destination) in zip(layout.toOneSlots, destinations) { object.setDestination(destination, slot) }
        for (slot, members) in zip(layout.toManySlots, members) { object.setMembers(members, slot) }
        return object
    }

    /// The record's row becomes the committed one, and the attributes of the object its changes.
    private func takeRow(_ layout: EntityLayout) {
        let values = object.realized.copy()
        let derived = layout.attributeSlots.filter { layout[$0].isDerived }
        for slot in layout.toOneSlots + derived { values.take(slot, from: record.row) }
        object.objectExtension?.forgetOthers()
        object.objectExtension?.acceptChanges()
        registry.rekey(object, home, key: record.key.key, remembered: true)
        object.flags.subtract([.inserted, .insertedInEvent, .updatedInEvent, .ownsSnapshot])
        object.snapshot = record.row
        tracker.willChange(object)
        object.withChangedExtension { changes in
            changes.committed = record.row
            for slot in layout.attributeSlots where !layout[slot].isDerived { changes.changed.insert(slot) }
        }
        object.snapshot = values
        object.flags.insert(.ownsSnapshot)
    }
}

extension NSConstraintConflict {
    /// Lets the new object become the object of the record: it gets the record's id, and its values, members included,
    /// are changes of the record.
    ///
    /// - Returns: the object; nil, without any effect, unless the conflict is between one new object and a record of
    ///   its entity that has no object in the context.
    package func takeRecordOver() -> NSManagedObject? { RecordTakeover(self)?.run() }
}
