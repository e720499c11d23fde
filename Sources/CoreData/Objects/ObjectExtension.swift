// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state that only some objects need: changes, and relationships that were followed.

/// Made when an object is first changed or a relationship of it is first followed.
///
/// # Invariants
/// (1) A destination that is remembered is the one that the block points at.
final class ObjectExtension {
    /// The block as last fetched or saved, while the object has another one. nil for insertions.
    @exclusivity(unchecked) var committed: Snapshot?
    /// Slots that were changed since the last save.
    @exclusivity(unchecked) var changed = SlotSet()
    /// The object as it was when the current event began; nil while it did not change in it, and for an insertion of
    /// the event.
    @exclusivity(unchecked) var eventBase: ObjectState?
    /// Destinations of to-ones that were followed, by ordinal. A strong reference: related objects hold one another.
    @exclusivity(unchecked) var destinations: OrdinalValues<NSManagedObject>
    /// Members of to-manys that were touched, by ordinal.
    @exclusivity(unchecked) var members: OrdinalValues<ToManyValue>
    /// Results of fetched properties, by ordinal.
    @exclusivity(unchecked) var fetched: ContiguousArray<[NSManagedObject]?> = []
    /// The store picked for an insertion by `assign(_:to:)`.
    @exclusivity(unchecked) var assignedStore: NSPersistentStore?
    /// Those who are told of changes; there exactly while the flag `observed` is set.
    @exclusivity(unchecked) var observers: ObjectObservers?
    /// Numbers that integer attributes were given though they have no place in 64 bits, by slot: saving them is an
    /// error. Each counts as long as the slot holds the integer nearest to it.
    @exclusivity(unchecked) var unfit: [Int: NSNumber] = [:]
    /// The objects that were fetched in one batch with this fault.
    @exclusivity(unchecked) var batch: FaultBatch?
    /// The parent context's row where it is another one than this object has read, though no conflict with it.
    @exclusivity(unchecked) var parentRow: Snapshot?

    init(relationshipCount: Int) {
        destinations = OrdinalValues(count: relationshipCount)
        members = OrdinalValues(count: relationshipCount)
    }
}

extension NSManagedObject {
    /// Forgets the objects that were reached from this one.
    final func letGoOfOthers() {
        guard let rare else { return }
        rare.destinations = OrdinalValues(count: rare.destinations.count)
        rare.members = OrdinalValues(count: rare.members.count)
        rare.fetched = []
        rare.eventBase = nil
    }
}

extension NSManagedObject {
    /// Of an object that has left its context: forgets others that have, too. They would hold one another for ever.
    final func letGoOfLostOthers() {
        guard let rare, table.owner == nil else { return }
        for ordinal in rare.destinations.indices where rare.destinations[ordinal]?.table.owner == nil {
            rare.destinations[ordinal] = nil
        }
        for ordinal in rare.members.indices {
            guard let members = rare.members[ordinal]?.members?.objects else { continue }
            rare.members[ordinal] = .insertion(of: members.filter { $0.table.owner != nil })
        }
        rare.fetched = []
    }
}

/// Objects whose rows are read together when the first of them is touched (`fetchBatchSize`).
final class FaultBatch {
    let keys: ArraySlice<ObjectKey>
    /// The rows have been asked for: those of its objects that are faults still have theirs, if there was one.
    var isRead = false

    init(keys: ArraySlice<ObjectKey>) { self.keys = keys }
}

/// A managed object at one moment, as undo and `changedValuesForCurrentEvent()` compare it.
struct ObjectState {
    /// The flags `inserted`, `updated`, `deleted` and `propagated`.
    var flags: ObjectFlags
    /// nil of a fault.
    var snapshot: Snapshot?
    var destinations: OrdinalValues<NSManagedObject>
    var members: OrdinalValues<ToManyValue>
}
