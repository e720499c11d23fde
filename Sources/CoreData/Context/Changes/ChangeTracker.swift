// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which objects have unsaved changes, and which changed in the current event.

import Foundation

/// Two append-only lists and the flags of the objects in them: recording a change costs a flag test, and an append the
/// first time.
///
/// # Invariants
/// (1) An object is in `unsaved` exactly when its flag `listed` is set; it is there once. What it counts as is told by
/// its flags,
///     so an object that was listed and has no change left is passed over, not searched for and removed.
/// (2) An object is in `event` exactly when its flag `inEvent` is set; then its extension has an `eventBase`, but for
/// insertions.
struct ChangeTracker {
    private(set) var unsaved: ContiguousArray<NSManagedObject> = []
    private(set) var event: ContiguousArray<NSManagedObject> = []
    /// `reset()` or the like has happened in this event.
    var invalidatedAll: [NSManagedObjectID]?

    var inserted: [NSManagedObject] { unsaved.filter(\.isInserted).filter { !$0.isDeleted } }
    var updated: [NSManagedObject] { unsaved.filter { $0.isUpdated && !$0.isInserted } }
    var deleted: [NSManagedObject] { unsaved.filter { $0.isDeleted && !$0.isInserted } }

    var hasChanges: Bool { unsaved.contains { $0.hasChanges } }

    @inline(__always) mutating func list(_ object: NSManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.flags.insert(.listed)
        unsaved.append(object)
    }

    /// Enters the object into the event, as it is now.
    ///
    /// - Parameter registered: false for one that comes into the context with this event; its state before needs no
    ///   record.
    @inline(__always) mutating func enterEvent(_ object: NSManagedObject, registered: Bool = true) {
        guard !object.flags.contains(.inEvent) else { return }
        if registered { object.extensionMade.eventBase = object.state(registered: true) }
        object.flags.insert(.inEvent)
        event.append(object)
    }

    /// Ends the event. The blocks that objects own are shared from here on (undo records hold them).
    mutating func endEvent() -> ContiguousArray<NSManagedObject> {
        let ended = event
        event = []
        for object in ended {
            object.flags.subtract(.eventStates)
            object.rare?.eventBase = nil
        }
        invalidatedAll = nil
        return ended
    }

    /// Forgets what is saved or rolled back.
    mutating func clear() {
        for object in unsaved {
            object.flags.subtract([.listed, .inserted, .updated, .deleted, .propagated, .checked])
        }
        unsaved = []
    }

    /// Leaves out what has no change any more.
    mutating func compact() {
        unsaved.removeAll { object in
            guard !object.hasChanges, !object.flags.contains(.checked) else { return false }
            object.flags.remove(.listed)
            return true
        }
    }
}

extension NSManagedObject {
    /// All that undo has to put back.
    final func state(registered: Bool) -> ObjectState {
        ObjectState(
            flags: flags.intersection(.changeStates), isRegistered: registered, snapshot: snapshot,
            changed: rare?.changed ?? SlotSet(),
            destinations: rare?.destinations ?? OrdinalValues(count: table.layout.relationshipCount),
            members: rare?.members ?? OrdinalValues(count: table.layout.relationshipCount))
    }
}
