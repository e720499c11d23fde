// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Discards the unsaved changes of all objects.

import Foundation

struct Rollback {
    private let tracker: ChangeTracker
    private let failures: ReadFailures
    private let notices: ContextNotices
    private let undo: UndoHistory
    /// nil before the first use of an object.
    private let registry: ObjectRegistry?

    init(_ state: ContextState) {
        tracker = state.tracker
        failures = state.failures
        notices = state.notices
        undo = state.undo
        registry = state.storedRegistry
    }

    /// Restores the committed values of objects; reads nothing.
    func run() {
        let objects = tracker.unsaved
        let held = DeferredAnnouncements.begin()
        undo.endEpoch()
        _ = tracker.endEvent()
        for object in objects where object.isUnsaved { revert(object) }
        let changes = EventChanges(tracker, gone: [])
        for object in objects where object.isInserted { registry?.unregister(object) }
        tracker.clear()
        _ = tracker.endEvent()
        // The rows of these objects were never read: their changes are based on nulls.
        for object in failures.current?.objects ?? [] where tracker.owns(object) && !object.isFault {
            object.turnIntoFault()
        }
        failures.forget()
        ContextInvariants(tracker, registry).check(objects)
        for object in objects where object.table.owner != nil { object.awake(fromSnapshotEvents: .rollback) }
        held?.end()
        tracker.announceHasChanges()
        if !changes.isEmpty { notices.postChanges(changes) }
        for object in objects { object.releaseDetachedObjects() }
    }

    private func revert(_ object: NSManagedObject) {
        tracker.enterEvent(object)
        if object.flags.contains(.inaccessible) {
            // Its record is missing, so there are no values to restore. The next access detects that again.
            object.turnIntoFault()
            object.flags.insert(.refreshedInEvent)
        } else if object.isInserted {
            object.flags.insert(.deletedInEvent)
        } else {
            object.flags.insert(object.isMarkedDeleted ? .insertedInEvent : .updatedInEvent)
            object.revert()
        }
    }
}

extension NSManagedObject {
    /// Restores the committed values; to-many relationships are read again on demand.
    final func revert() {
        guard let objectExtension else { return }
        let replaced = willReplace {
            objectExtension.changed.slots.filter { slotDiffers($0, objectExtension.committed ?? snapshot, nil) }
        }
        defer { didReplace(replaced) }
        if let committed = objectExtension.committed { snapshot = committed }
        objectExtension.committed = nil
        let changed = objectExtension.changed
        objectExtension.changed = SlotSet()
        returnToOwners(changed)
        for ordinal in objectExtension.destinations.indices { objectExtension.destinations[ordinal] = nil }
        for ordinal in objectExtension.members.indices where objectExtension.members[ordinal]?.hasChanges == true {
            objectExtension.members[ordinal] = nil
        }
        flags.remove(.ownsSnapshot)
    }

    /// A to-many relationship that was read while this object referred to another owner lacks it (Merging-29), so it is
    /// read again.
    private func returnToOwners(_ slots: SlotSet) {
        for slot in slots where table.layout[slot].kind == .reference && table.layout[slot].inverse >= 0 {
            guard let reference = snapshot?.reference(slot),
                let owner = table.owner?.registeredObject(at: reference, from: self)
            else { continue }
            owner.readAgain(without: self, Int(table.layout[slot].inverse))
        }
    }

    private func readAgain(without object: NSManagedObject, _ slot: Int) {
        guard table.layout[slot].kind == .toMany, memberValue(slot)?.members != nil else { return }
        let ordinal = Int(table.layout[slot].ordinal)
        if objectExtension?.members[ordinal]?.contains(object) == false {
            objectExtension?.members[ordinal]?.refault()
        }
    }
}
