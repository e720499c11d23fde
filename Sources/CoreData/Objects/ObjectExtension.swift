// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state that only some objects need: changes, and relationships that were followed.

/// Made when an object is first changed or a relationship of it is first followed.
///
/// Some that have one have only read to-ones: their destinations lie in the same block of memory as the extension, one word
/// each, and everything else in a second block. (Most of them need none: `FollowedDestinations`.)
///
/// # Invariants
/// (1) A destination that is remembered is the one that the block points at.
final class ObjectExtension: ManagedBuffer<ObjectExtension.Header, NSManagedObject?> {
    struct Header {
        let toOneCount: Int32
        let relationshipCount: Int32
        /// Held by hand.
        var change: Unmanaged<ChangeState>?
    }

    static func make(_ layout: EntityLayout) -> ObjectExtension {
        let count = layout.toOneSlots.count
        let buffer = ObjectExtension.create(minimumCapacity: count) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: count) }
            return Header(toOneCount: Int32(count), relationshipCount: Int32(layout.relationshipCount), change: nil)
        }
        // `create` makes an instance of the class it is called on.
        return unsafeDowncast(buffer, to: ObjectExtension.self)
    }

    deinit {
        withUnsafeMutablePointers { header, elements in
            header.pointee.change?.release()
            elements.deinitialize(count: Int(header.pointee.toOneCount))
        }
    }

    /// Destinations of to-ones that were followed, by ordinal. A strong reference: related objects hold one another.
    @inline(__always) var destinations: Destinations { Destinations(owner: self) }

    /// One of them, found without counting a reference to the extension.
    @inline(__always) func destination(_ ordinal: Int) -> NSManagedObject? {
        precondition(ordinal < toOneCount)
        return withUnsafeMutablePointerToElements { $0[ordinal] }
    }

    @inline(__always) func setDestination(_ object: NSManagedObject?, _ ordinal: Int) {
        precondition(ordinal < toOneCount)
        withUnsafeMutablePointerToElements { $0[ordinal] = object }
    }

    struct Destinations {
        fileprivate unowned(unsafe) let owner: ObjectExtension

        var indices: Range<Int> { 0..<owner.toOneCount }

        @inline(__always) subscript(ordinal: Int) -> NSManagedObject? {
            get { owner.destination(ordinal) }
            nonmutating set { owner.setDestination(newValue, ordinal) }
        }

        func forgetAll() { for ordinal in indices { self[ordinal] = nil } }

        /// As they are now.
        var copy: OrdinalValues<NSManagedObject> {
            var result = OrdinalValues<NSManagedObject>(count: owner.relationshipCount)
            for ordinal in indices { if let object = self[ordinal] { result[ordinal] = object } }
            return result
        }
    }

    @inline(__always) fileprivate var toOneCount: Int {
        withUnsafeMutablePointerToHeader { Int($0.pointee.toOneCount) }
    }

    fileprivate var relationshipCount: Int { withUnsafeMutablePointerToHeader { Int($0.pointee.relationshipCount) } }

    // MARK: Changes

    /// Nil while there is nothing to remember but destinations.
    @inline(__always) private var change: Unmanaged<ChangeState>? {
        withUnsafeMutablePointerToHeader { $0.pointee.change }
    }

    @inline(__always) private var changeMade: ChangeState { (change ?? makeChange()).takeUnretainedValue() }

    private func makeChange() -> Unmanaged<ChangeState> {
        let made = Unmanaged.passRetained(ChangeState(relationshipCount: relationshipCount))
        withUnsafeMutablePointerToHeader { $0.pointee.change = made }
        return made
    }

    /// Looks at what is remembered, made where there is nothing, without counting references.
    @inline(__always) func lookAtChange<Result>(_ body: (ChangeState) throws -> Result) rethrows -> Result {
        try (change ?? makeChange()).look(body)
    }

    /// The block as last fetched or saved, while the object has another one. nil for insertions.
    var committed: Snapshot? {
        get { change?.look { $0.committed } }
        set { if newValue != nil || change != nil { changeMade.committed = newValue } }
    }
    /// Slots that were changed since the last save.
    var changed: SlotSet {
        get { change?.look { $0.changed } ?? SlotSet() }
        _modify { yield &changeMade.changed }
    }
    /// Nothing is made to note it: of an insertion that has nothing else to remember, what is set is what it has.
    @inline(__always) func noteChanged(_ slot: Int) { change?.look { $0.changed.insert(slot) } }
    /// The object as it was when the current event began; nil while it did not change in it, and for an insertion of
    /// the event.
    var eventBase: ObjectState? {
        get { change?.look { $0.eventBase } }
        _modify { yield &changeMade.eventBase }
    }
    /// Notes the object as it is.
    func beginEvent(_ flags: ObjectFlags, _ snapshot: Snapshot?) {
        let destinations = destinations.copy
        // What was noted before goes when nothing is looked at any more.
        _ = lookAtChange { change in
            let old = change.eventBase
            change.eventBase = ObjectState(
                flags: flags, snapshot: snapshot, destinations: destinations, members: change.members)
            return old
        }
    }
    var hasEventBase: Bool { change?.look { $0.eventBase != nil } ?? false }
    /// Members of to-manys that were touched, by ordinal.
    var members: OrdinalValues<ToManyValue> {
        get { change?.look { $0.members } ?? OrdinalValues(count: relationshipCount) }
        _modify { yield &changeMade.members }
    }
    var hasMembers: Bool { change?.look { !$0.members.indices.isEmpty } ?? false }
    /// Results of fetched properties, by ordinal.
    var fetched: ContiguousArray<[NSManagedObject]?> {
        get { change?.look { $0.fetched } ?? [] }
        _modify { yield &changeMade.fetched }
    }
    /// The store picked for an insertion by `assign(_:to:)`.
    var assignedStore: NSPersistentStore? {
        get { change?.look { $0.assignedStore } }
        set { if newValue != nil || change != nil { changeMade.assignedStore = newValue } }
    }
    var isAssigned: Bool { change?.look { $0.assignedStore != nil } ?? false }
    /// Those who are told of changes; there exactly while the flag `observed` is set.
    var observers: ObjectObservers? {
        get { change?.look { $0.observers } }
        set { if newValue != nil || change != nil { changeMade.observers = newValue } }
    }
    /// Numbers that integer attributes were given though they have no place in 64 bits, by slot: saving them is an
    /// error. Each counts as long as the slot holds the integer nearest to it.
    var unfit: [Int: NSNumber] {
        get { change?.look { $0.unfit } ?? [:] }
        _modify { yield &changeMade.unfit }
    }
    /// The objects that were fetched in one batch with this fault.
    var batch: FaultBatch? {
        get { change?.look { $0.batch } }
        set { if newValue != nil || change != nil { changeMade.batch = newValue } }
    }
    /// The parent context's row where it is another one than this object has read, though no conflict with it.
    var parentRow: Snapshot? {
        get { change?.look { $0.parentRow } }
        set { if newValue != nil || change != nil { changeMade.parentRow = newValue } }
    }

    // MARK: Forgetting

    /// Everybody that was reached from the object.
    func forgetOthers() {
        destinations.forgetAll()
        change?.look { change in
            change.members = OrdinalValues(count: relationshipCount)
            change.fetched = []
            change.eventBase = nil
        }
    }

    /// What was changed is saved.
    func settle() {
        change?.look { change in
            change.committed = nil
            change.changed = SlotSet()
            change.assignedStore = nil
            change.parentRow = nil
            for ordinal in change.members.indices where change.members.isSet(ordinal) {
                change.members[ordinal]?.commit()
            }
        }
    }

    func forgetFetched() {
        change?.look { if !$0.fetched.isEmpty { $0.fetched = [] } }
    }
}

/// What `ObjectExtension` remembers of few objects; see there.
final class ChangeState {
    @exclusivity(unchecked) var committed: Snapshot?
    @exclusivity(unchecked) var changed = SlotSet()
    @exclusivity(unchecked) var eventBase: ObjectState?
    @exclusivity(unchecked) var members: OrdinalValues<ToManyValue>
    @exclusivity(unchecked) var fetched: ContiguousArray<[NSManagedObject]?> = []
    @exclusivity(unchecked) var assignedStore: NSPersistentStore?
    @exclusivity(unchecked) var observers: ObjectObservers?
    @exclusivity(unchecked) var unfit: [Int: NSNumber] = [:]
    @exclusivity(unchecked) var batch: FaultBatch?
    @exclusivity(unchecked) var parentRow: Snapshot?

    init(relationshipCount: Int) { members = OrdinalValues(count: relationshipCount) }
}

extension NSManagedObject {
    /// Forgets the objects that were reached from this one.
    final func letGoOfOthers() {
        forgetDestinations()
        storedExtension?.forgetOthers()
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
        rare.forgetFetched()
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
