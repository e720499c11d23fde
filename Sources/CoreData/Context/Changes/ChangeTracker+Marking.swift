// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Marks objects as changed, inserted and deleted: how an object enters the lists of changes.

import Foundation

extension ChangeTracker {
    /// Called before the first change of an object in this event.
    func willChange(_ object: NSManagedObject) {
        scheduleEventEnd()
        if object.flags.contains(.inEvent) { renewBase(of: object) } else { enterEvent(object) }
        object.flags.insert(.updatedInEvent)
        if !object.flags.contains(.inserted) { object.flags.insert(.updated) }
        list(object)
        announceHasChanges(true)
    }

    /// Registers a new object of one of the context's tables, as an insertion.
    func insert(_ object: NSManagedObject) {
        precondition(
            !object.heldTable.look { $0.layout.isAbstract },
            "'\(object.table.layout.name)' is abstract: insert an object of one of its subentities.")
        scheduleEventEnd()
        enterEvent(object, registered: false)
        object.heldTable.look { $0.identityMap.register(object, object.key) }
        let isNew = !object.flags.contains(.awoken)
        object.flags.insert([.inserted, .insertedInEvent, .updatedInEvent, .awoken])
        list(object)
        retained.retain(object)
        announceHasChanges(true)
        if isNew { object.awakeFromInsert() }
    }

    /// Marks an insertion that is registered and has its values: a child context's, or one that undo restores.
    func markInserted(_ object: NSManagedObject) {
        scheduleEventEnd()
        enterEvent(object, registered: false)
        object.flags.insert([.insertedInEvent, .updatedInEvent])
        list(object)
        retained.retain(object)
        announceHasChanges(true)
    }

    func delete(_ object: NSManagedObject) {
        guard owns(object) else {
            precondition(object.table.owner == nil, "\(object) belongs to another context: delete it there.")
            return
        }
        object.prepareForDeletion()
        if !object.flags.contains(.deleted) { markDeleted(object) }
    }

    /// Marks an object for deletion, without calling its life-cycle methods.
    func markDeleted(_ object: NSManagedObject) {
        scheduleEventEnd()
        if settings.recordsUndo { enterEvent(object) } else { enterUnchanged(object) }
        object.flags.insert([.deleted, .deletedInEvent])
        list(object)
        nextDeletions?.append(object)
        announceHasChanges(true)
    }

    /// Removes the mark of a deletion.
    func unmarkDeleted(_ object: NSManagedObject) {
        enterEvent(object)
        object.flags.subtract([.deleted, .propagated, .deletedInEvent])
    }

    /// Marks an object without a record as deleted. No delete rules apply: another writer has deleted the record.
    func markMissing(_ object: NSManagedObject) {
        enterEvent(object)
        object.flags.insert([.deleted, .deletedInEvent, .propagated, .inaccessible])
        list(object)
    }

    /// Marks an object as refreshed, for the next notification of changes.
    func markRefreshed(_ object: NSManagedObject) {
        enterEvent(object)
        object.flags.insert(.refreshedInEvent)
    }

    /// On the main queue the event ends together with the current work of the queue.
    @inline(__always) private func scheduleEventEnd() { eventEndScheduler?.schedule() }

    /// Announces `hasChanges` to its observers, if it has changed.
    ///
    /// - Parameter known: the present value; nil computes it.
    @inline(__always) func announceHasChanges(_ known: Bool? = nil) {
        if let hasChangesObservation { hasChangesObservation.announce(known ?? hasChanges) }
    }
}
