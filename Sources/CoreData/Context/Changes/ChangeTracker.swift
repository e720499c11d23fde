// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the objects with unsaved changes, and those that changed in the current event.

import Foundation

/// Two append-only lists and the flags of the objects in them: recording a change costs a flag test, plus an append for
/// the first change of an object.
///
/// # Invariants
/// (1) An object is in `unsaved` exactly when its flag `listed` is set; it is there once. Its other flags determine
///     its changes, so an object without changes is skipped instead of being removed.
/// (2) An object is in `event` exactly when its flag `inEvent` is set. Then its extension has an `eventBase`.
///     Exceptions: insertions have none; objects that another context changed or that were deleted unchanged
///     (`enterUnchanged`) get one with their first change here.
/// (3) An object with changes is in `unsaved`.
final class ChangeTracker {
    let settings: ContextSettings
    let retained: RetainedObjects
    @exclusivity(unchecked) private(set) var unsaved: ContiguousArray<NSManagedObject> = []
    @exclusivity(unchecked) private(set) var event: ContiguousArray<NSManagedObject> = []
    /// The ids of all objects, if `reset()` was called in this event.
    @exclusivity(unchecked) var invalidatedAll: [NSManagedObjectID]?
    /// Whether undo or redo was performed in this event.
    @exclusivity(unchecked) var hasUndone = false
    /// Objects deleted while delete rules are applied: the next round. nil at other times.
    @exclusivity(unchecked) var nextDeletions: ContiguousArray<NSManagedObject>?
    /// Whether pending changes are being processed.
    @exclusivity(unchecked) var isProcessing = false
    /// nil without observers.
    @exclusivity(unchecked) var hasChangesObservation: HasChangesObservation?
    /// nil unless the context uses the main queue.
    @exclusivity(unchecked) private(set) var eventEndScheduler: EventEndScheduler?
    /// The context; set by its initializer.
    private unowned(unsafe) var owner: (any ObjectOwner)?

    init(_ settings: ContextSettings, _ retained: RetainedObjects) {
        self.settings = settings
        self.retained = retained
    }

    func begin(_ owner: any ObjectOwner, _ eventEndScheduler: EventEndScheduler?) {
        self.owner = owner
        self.eventEndScheduler = eventEndScheduler
    }

    /// Whether there are changes since changes were last processed.
    @inline(__always) var hasPending: Bool { !event.isEmpty || invalidatedAll != nil }

    /// Whether an object belongs to the context.
    @inline(__always) func owns(_ object: NSManagedObject) -> Bool { object.table.owner === owner }

    var inserted: [NSManagedObject] { unsaved.filter(\.isInserted).filter { !$0.isMarkedDeleted } }
    var updated: [NSManagedObject] { unsaved.filter { $0.isUpdated && !$0.isInserted } }
    var deleted: [NSManagedObject] { unsaved.filter { $0.isMarkedDeleted && !$0.isInserted } }

    /// The unsaved objects that meet a condition; the list itself, if all do.
    func unsavedObjects(where isWanted: (NSManagedObject) -> Bool) -> ContiguousArray<NSManagedObject> {
        unsaved.isTrue(of: isWanted) ? unsaved : unsaved.filter(isWanted)
    }

    /// Whether any object has changes. Removes objects without changes from the end of the list, so that the next call
    /// does not visit them again.
    var hasChanges: Bool {
        // Released at the end: the deinitializer of an object may use its context.
        var dropped: ContiguousArray<NSManagedObject> = []
        defer { Self.report(dropped) }
        return hasChanges(&dropped)
    }

    /// Notifies objects that the list no longer retains them. This may run code of the program, so the list is
    /// consistent before.
    private static func report(_ dropped: ContiguousArray<NSManagedObject>) {
        for object in dropped where object.flags.contains(.reportsHolding) && !object.flags.contains(.listed) {
            object._heldByContext(false)
        }
    }

    private func hasChanges(_ dropped: inout ContiguousArray<NSManagedObject>) -> Bool {
        while let object = unsaved.last {
            if object.isUnsaved { return true }
            if object.flags.contains(.checked) { return unsaved.contains { $0.isUnsaved } }
            object.flags.subtract([.listed, .calledWillSave])
            dropped.append(unsaved.removeLast())
        }
        return false
    }

    @inline(__always) func list(_ object: NSManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.flags.insert(.listed)
        unsaved.append(object)
        if object.flags.contains(.reportsHolding) { object._heldByContext(true) }
    }

    /// Adds the object to the event, with its present state as the base.
    ///
    /// - Parameter registered: false for an object that enters the context in this event; its previous state is not
    ///   recorded.
    @inline(__always) func enterEvent(_ object: NSManagedObject, registered: Bool = true) {
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
        object.withChangedExtension {
            $0.beginEvent(flags, object.isFault ? nil : object.heldRow?.object)
        }
        object.flags.remove(.ownsSnapshot)  // the base shares the block
    }

    /// Adds an object that another context changed (refreshed, merged or saved elsewhere), or that is deleted without
    /// an undo manager. Its values have not changed here, so the object needs no base to compare with.
    func enterUnchanged(_ object: NSManagedObject) {
        guard object.heldExtension == nil, object.flags.isDisjoint(with: .changeStates) else {
            return enterEvent(object)
        }
        guard !object.flags.contains(.inEvent) else { return }
        object.flags.insert(.inEvent)
        event.append(object)
    }

    /// Called before the first change of an object that a refresh or a merge has added: the change is compared with the
    /// refreshed values.
    func renewBase(of object: NSManagedObject) {
        let flags = object.objectExtension?.eventBase?.flags
        if flags == nil, object.flags.contains(.inserted) { return }
        setBase(of: object)
        if let flags { object.objectExtension?.eventBase?.flags = flags }
    }

    /// Ends the event. From now on undo records share the blocks of objects.
    func endEvent() -> ContiguousArray<NSManagedObject> {
        let ended = event
        event = []
        ended.lookAtEach { object in
            object.flags.subtract(.eventStates)
            if object.hasEventBase { object.objectExtension?.eventBase = nil }
        }
        invalidatedAll = nil
        hasUndone = false
        return ended
    }

    /// Called at the end of an event with an undo: an object that does not differ from the last save is not updated.
    func dropRevertedUpdates() { dropUpdates(of: event) }

    /// Called for objects whose changes were undone, or saved by others: one without a difference is not updated.
    func dropUpdates(of objects: some Sequence<NSManagedObject>) {
        var unchanged = 0
        for object in objects where object.flags.isDisjoint(with: [.inserted, .deleted]) {
            guard owns(object), object.flags.contains(.updated), !object.differsFromCommitted else { continue }
            object.flags.remove(.updated)
            unchanged += 1
        }
        compact(unchanged: unchanged)
    }

    /// Arranges insertions in the order of lists, at the positions that they occupy together. Of two lists with the
    /// same objects the later one applies.
    func arrange(_ lists: [[NSManagedObject]]) {
        var positions: [ObjectIdentifier: Int] = [:]
        for (place, object) in unsaved.enumerated() { positions[ObjectIdentifier(object)] = place }
        for list in lists {
            let found = list.compactMap { positions[ObjectIdentifier($0)] }
            let sorted = found.sorted()
            guard found.count == list.count, found != sorted else { continue }
            for (object, place) in zip(list, sorted) {
                unsaved[place] = object
                positions[ObjectIdentifier(object)] = place
            }
        }
    }

    /// Empties the list of unsaved objects, after a save or a rollback.
    func clear() {
        unsaved.lookAtEach {
            $0.flags.subtract(
                [.listed, .inserted, .updated, .deleted, .propagated, .checked, .calledWillSave, .referencesDeleted])
        }
        let dropped = unsaved
        unsaved = []
        Self.report(dropped)
    }

    /// Removes objects without changes.
    func compact() { compact(from: 0) }

    /// Removes objects that have left the context. The search begins at the end, because such objects usually were
    /// added recently.
    ///
    /// - Parameter count: their number.
    func compact(gone count: Int) { compact(count) { $0.table.owner == nil } }

    /// Removes objects that no longer have changes; the search also begins at the end.
    ///
    /// - Parameter count: their number.
    func compact(unchanged count: Int) { compact(count) { !$0.isUnsaved } }

    private func compact(_ count: Int, _ isWanted: (NSManagedObject) -> Bool) {
        var (position, left) = (unsaved.count, count)
        while left > 0, position > 0 {
            position -= 1
            if isWanted(unsaved[position]) { left -= 1 }
        }
        compact(from: position)
    }

    private func compact(from position: Int) {
        var dropped: ContiguousArray<NSManagedObject> = []
        let kept = unsaved[position...].filter { object in
            if object.isUnsaved || object.flags.contains(.checked) { return true }
            object.flags.subtract([.listed, .calledWillSave])
            if object.flags.contains(.reportsHolding) { dropped.append(object) }
            return false
        }
        unsaved.replaceSubrange(position..., with: kept)
        Self.report(dropped)
    }
}

extension NSManagedObject {
    /// Whether a property, persistent or transient, differs from its last saved value.
    final var differsFromCommitted: Bool {
        guard let objectExtension else { return false }
        return objectExtension.changed.slots.contains { slotDiffers($0, objectExtension.committed, nil) }
    }

    @inline(__always) fileprivate final var hasEventBase: Bool { heldExtension?.look { $0.hasEventBase } ?? false }
}
