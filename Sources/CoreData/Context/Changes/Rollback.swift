// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Throws unsaved changes away: of all objects, or with the objects.

import Foundation

struct Rollback {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// Objects get their committed values back; nothing is read.
    func run() {
        let objects = context.tracker.unsaved
        let held = HeldAnnouncements.begin()
        context.endUndoEpoch()
        _ = context.tracker.endEvent()
        for object in objects where object.hasChanges {
            context.tracker.enterEvent(object)
            if object.flags.contains(.inaccessible) {
                // Its record is gone: there are no values to come back to. Whoever touches it learns so again.
                RefreshPolicy(context).fault(object)
                object.flags.insert(.refreshedInEvent)
            } else if object.isInserted {
                object.flags.insert(.deletedInEvent)
            } else {
                object.flags.insert(object.isDeleted ? .insertedInEvent : .updatedInEvent)
                object.revert()
            }
        }
        let changes = EventChanges(context.tracker, gone: [])
        for object in objects where object.isInserted { context.registry.unregister(object) }
        context.tracker.clear()
        _ = context.tracker.endEvent()
        // The rows of these objects were never read: their changes lie on nulls.
        for object in context.storedReadFailure?.objects ?? [] where object.table.owner === context && !object.isFault {
            RefreshPolicy(context).fault(object)
        }
        context.readFailure = nil
        context.checkInvariants(of: objects)
        for object in objects where object.table.owner != nil { object.awake(fromSnapshotEvents: .rollback) }
        held?.end()
        context.announceHasChanges()
        if !changes.isEmpty { ContextNotifications(context).postChanges(changes) }
        for object in objects { object.letGoOfLostOthers() }
    }

    /// Forgets every object.
    func reset() {
        context.epoch += 1
        context.forgetGeneration()
        guard context.storedRegistry != nil else { return }
        let objects = context.registry.objects()
        let ids = objects.map(\.objectID)
        context.endUndoEpoch()
        context.tracker.clear()
        _ = context.tracker.endEvent()
        context.releaseRetained()
        for object in objects {
            context.registry.unregister(object)
            object.becomeFault()
        }
        context.registry.dropRemovedStores()
        context.readFailure = nil
        context.faultRunCounter = nil
        context.announceHasChanges()
        if !ids.isEmpty {
            context.tracker.invalidatedAll = ids
            ChangeProcessing(context).run()
        }
    }
}

extension NSManagedObject {
    /// Puts the committed values back; to-manys are read again when they are next asked for.
    final func revert() {
        guard let rare else { return }
        let replaced = willReplace { rare.changed.slots.filter { slotDiffers($0, rare.committed ?? snapshot, nil) } }
        defer { didReplace(replaced) }
        if let committed = rare.committed { snapshot = committed }
        rare.committed = nil
        rare.changed = SlotSet()
        for ordinal in rare.destinations.indices { rare.destinations[ordinal] = nil }
        for ordinal in rare.members.indices where rare.members[ordinal]?.hasChanges == true {
            rare.members[ordinal] = nil
        }
        flags.remove(.ownsSnapshot)
    }

    /// Lets go of all values and of the objects that they refer to.
    final func becomeFault() {
        snapshot = nil
        rare = nil
        flags = flags.intersection([.listed, .slotsMatch]).union(.fault)
    }
}
