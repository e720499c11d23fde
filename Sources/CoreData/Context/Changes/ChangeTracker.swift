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
/// insertions, and for what others changed or what was deleted unchanged (`enterUnchanged`): that has none before its first change here.
/// (3) Who has changes is in `unsaved`.
struct ChangeTracker {
    private(set) var unsaved: ContiguousArray<NSManagedObject> = []
    private(set) var event: ContiguousArray<NSManagedObject> = []
    /// `reset()` or the like has happened in this event.
    var invalidatedAll: [NSManagedObjectID]?
    /// Undo or redo has happened in this event.
    var hasUndone = false
    /// What is deleted while delete rules are applied: the next round of them. nil at other times.
    var nextDeletions: ContiguousArray<NSManagedObject>?

    var inserted: [NSManagedObject] { unsaved.filter(\.isInserted).filter { !$0.isDeleted } }
    var updated: [NSManagedObject] { unsaved.filter { $0.isUpdated && !$0.isInserted } }
    var deleted: [NSManagedObject] { unsaved.filter { $0.isDeleted && !$0.isInserted } }

    /// Those of the unsaved objects that a condition holds for now; the list itself, where it holds for all.
    func unsavedObjects(where isWanted: (NSManagedObject) -> Bool) -> ContiguousArray<NSManagedObject> {
        unsaved.isTrue(of: isWanted) ? unsaved : unsaved.filter(isWanted)
    }

    /// Whether any object has changes.
    ///
    /// The newest ones that have none any more are left out on the way, so that asking again and again does not mean
    /// looking at them again and again.
    /// - Parameter dropped: takes what is left out. It may be let go only when nobody is inside the tracker: an
    ///   object's deinit may ask its context anything.
    mutating func hasChanges(_ dropped: inout ContiguousArray<NSManagedObject>) -> Bool {
        while let object = unsaved.last {
            if object.hasChanges { return true }
            if object.flags.contains(.checked) { return unsaved.contains { $0.hasChanges } }
            object.flags.subtract([.listed, .toldWillSave])
            dropped.append(unsaved.removeLast())
        }
        return false
    }

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
        guard !object.flags.contains(.inEvent) else {
            if registered, !object.flags.contains(.inserted), !object.hasEventBase { setBase(of: object) }
            return
        }
        if registered { setBase(of: object) }
        object.flags.insert(.inEvent)
        event.append(object)
    }

    private func setBase(of object: NSManagedObject) {
        let flags = object.flags.intersection(.changeStates)
        object.lookAtChangedExtension {
            $0.beginEvent(flags, object.isFault ? nil : object.heldRow?.takeUnretainedValue())
        }
        object.flags.remove(.ownsSnapshot)  // the base holds the block too now
    }

    /// Enters an object that others changed (refreshed, merged or saved elsewhere), or that is deleted where nobody can undo it. While no
    /// value is changed here there is nothing to be compared, so it needs no record, nor memory for one.
    mutating func enterUnchanged(_ object: NSManagedObject) {
        guard object.heldExtension == nil, object.flags.isDisjoint(with: .changeStates) else {
            return enterEvent(object)
        }
        guard !object.flags.contains(.inEvent) else { return }
        object.flags.insert(.inEvent)
        event.append(object)
    }

    /// The object is in the event, and its first change by the user is yet to come: what a refresh or a merge has given
    /// it since is what the change will be compared with.
    func renewBase(of object: NSManagedObject) {
        let flags = object.rare?.eventBase?.flags
        if flags == nil, object.flags.contains(.inserted) { return }
        setBase(of: object)
        if let flags { object.rare?.eventBase?.flags = flags }
    }

    /// Ends the event. The blocks that objects own are shared from here on (undo records hold them).
    mutating func endEvent() -> ContiguousArray<NSManagedObject> {
        let ended = event
        event = []
        ended.lookAtEach { object in
            object.flags.subtract(.eventStates)
            if object.hasEventBase { object.rare?.eventBase = nil }
        }
        invalidatedAll = nil
        hasUndone = false
        return ended
    }

    /// Forgets what is saved or rolled back.
    mutating func clear() {
        unsaved.lookAtEach {
            $0.flags.subtract(
                [.listed, .inserted, .updated, .deleted, .propagated, .checked, .toldWillSave, .ledToDeleted])
        }
        unsaved = []
    }

    /// Leaves out what has no change any more.
    mutating func compact() { compact(from: 0) }

    /// Leaves out objects that belong to no context any more. They are looked for from the end: what goes has mostly
    /// come lately.
    ///
    /// - Parameter count: how many there are.
    mutating func compact(gone count: Int) { compact(count) { $0.table.owner == nil } }

    /// Leaves out objects that have no changes any more, looked for from the end likewise.
    ///
    /// - Parameter count: how many have become so.
    mutating func compact(unchanged count: Int) { compact(count) { !$0.hasChanges } }

    private mutating func compact(_ count: Int, _ isWanted: (NSManagedObject) -> Bool) {
        var (position, left) = (unsaved.count, count)
        while left > 0, position > 0 {
            position -= 1
            if isWanted(unsaved[position]) { left -= 1 }
        }
        compact(from: position)
    }

    private mutating func compact(from position: Int) {
        let kept = unsaved[position...].filter { object in
            if object.hasChanges || object.flags.contains(.checked) { return true }
            object.flags.subtract([.listed, .toldWillSave])
            return false
        }
        unsaved.replaceSubrange(position..., with: kept)
    }
}

extension NSManagedObject {
    @inline(__always) fileprivate final var hasEventBase: Bool { heldExtension?.look { $0.hasEventBase } ?? false }
}
