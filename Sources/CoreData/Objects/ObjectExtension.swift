// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state that only some objects need: changes, and relationships that were followed.

/// Made when an object is first changed or a relationship of it is first followed.
///
/// Some that have one have only read to-ones: their destinations lie in the same block of memory as the extension,
/// one word each, and everything else in a second block. (Most of them need none: `FollowedDestinations`.) One that
/// is made for a change has the rest in its own block, too.
///
/// # Invariants
/// (1) A destination that is remembered is the one that the block points at.
final class ObjectExtension: ManagedBuffer<ObjectExtension.Header, NSManagedObject?> {
    struct Header {
        fileprivate let toOneCount: Int32
        /// Twice the number of relationships; one more where the block has a place for changes.
        private let relationships: Int32
        /// In this block or in one of its own.
        fileprivate var change: UnsafeMutablePointer<ChangeState>?

        fileprivate init(_ layout: EntityLayout, hasPlace: Bool) {
            toOneCount = Int32(layout.toOneSlots.count)
            relationships = Int32(layout.relationshipCount) * 2 + (hasPlace ? 1 : 0)
        }

        fileprivate var relationshipCount: Int { Int(relationships >> 1) }
        fileprivate var hasPlace: Bool { relationships & 1 != 0 }
    }

    private static let changeWords = MemoryLayout<ChangeState>.size / MemoryLayout<NSManagedObject?>.stride + 1

    /// - Parameter forChange: whether a change is going to be noted at once.
    static func make(_ layout: EntityLayout, forChange: Bool = false) -> ObjectExtension {
        let count = layout.toOneSlots.count
        let capacity = forChange ? count + changeWords : count
        let buffer = ObjectExtension.create(minimumCapacity: capacity) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: count) }
            return Header(layout, hasPlace: forChange)
        }
        // `create` makes an instance of the class it is called on.
        let made = unsafeDowncast(buffer, to: ObjectExtension.self)
        if forChange { _ = made.makeChange() }
        return made
    }

    deinit {
        withUnsafeMutablePointers { header, elements in
            if let change = header.pointee.change {
                change.deinitialize(count: 1)
                if !header.pointee.hasPlace { change.deallocate() }
            }
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

    fileprivate var relationshipCount: Int { withUnsafeMutablePointerToHeader { $0.pointee.relationshipCount } }

    // MARK: Changes

    /// Nil while there is nothing to remember but destinations.
    @inline(__always) private var change: UnsafeMutablePointer<ChangeState>? {
        withUnsafeMutablePointerToHeader { $0.pointee.change }
    }

    @inline(__always) private var changeMade: UnsafeMutablePointer<ChangeState> { change ?? makeChange() }

    private func makeChange() -> UnsafeMutablePointer<ChangeState> {
        withUnsafeMutablePointers { header, elements in
            let made =
                header.pointee.hasPlace
                ? UnsafeMutableRawPointer(elements + Int(header.pointee.toOneCount)).bindMemory(
                    to: ChangeState.self, capacity: 1)
                : .allocate(capacity: 1)
            made.initialize(to: ChangeState(relationshipCount: header.pointee.relationshipCount))
            header.pointee.change = made
            return made
        }
    }

    /// Lends the state of changes, and makes one if there is none. The body must not call code that might borrow it
    /// again.
    @inline(__always) func withChange<Result>(_ body: (inout ChangeState) throws -> Result) rethrows -> Result {
        try body(&changeMade.pointee)
    }

    /// The block as last fetched or saved, while the object has another one. nil for insertions.
    var committed: Snapshot? {
        get { heldCommitted?.object }
        set { if newValue != nil || change != nil { changeMade.pointee.committed = newValue } }
    }
    /// The same, to be looked at without counting a reference.
    @inline(__always) var heldCommitted: Uncounted<Snapshot>? { change?.pointee.heldCommitted }
    /// Slots that were changed since the last save.
    var changed: SlotSet {
        get { change?.pointee.changed ?? SlotSet() }
        _modify { yield &changeMade.pointee.changed }
    }
    /// Makes no state of changes for it: all values of an insertion without one count as set.
    @inline(__always) func noteChanged(_ slot: Int) { change?.pointee.changed.insert(slot) }
    /// The object as it was when the current event began; nil while it did not change in it, and for an insertion of
    /// the event.
    var eventBase: ObjectState? {
        get { change?.pointee.eventBase }
        _modify { yield &changeMade.pointee.eventBase }
    }
    /// Notes the object as it is.
    func beginEvent(_ flags: ObjectFlags, _ snapshot: Snapshot?) {
        let change = changeMade
        // The old state is released when the new one is complete.
        let old = change.pointee.eventBase
        change.pointee.eventBase = ObjectState(
            flags: flags, snapshot: snapshot, destinations: destinations.copy, members: change.pointee.members)
        withExtendedLifetime(old) {}
    }
    var hasEventBase: Bool { change.map { $0.pointee.eventBase != nil } ?? false }
    /// Members of to-manys that were touched, by ordinal.
    var members: OrdinalValues<ToManyValue> {
        get { change?.pointee.members ?? OrdinalValues(count: relationshipCount) }
        _modify { yield &changeMade.pointee.members }
    }
    /// Looks at them without a copy.
    @inline(__always) func lookAtMembers<Result>(_ body: (OrdinalValues<ToManyValue>) -> Result) -> Result? {
        change.map { body($0.pointee.members) }
    }
    var hasMembers: Bool { change.map { !$0.pointee.members.indices.isEmpty } ?? false }
    /// Results of fetched properties, by ordinal.
    var fetched: ContiguousArray<[NSManagedObject]?> {
        get { change?.pointee.fetched ?? [] }
        _modify { yield &changeMade.pointee.fetched }
    }
    /// The store picked for an insertion by `assign(_:to:)`.
    var assignedStore: NSPersistentStore? {
        get { change?.pointee.assignedStore }
        set { if newValue != nil || change != nil { changeMade.pointee.assignedStore = newValue } }
    }
    var isAssigned: Bool { change.map { $0.pointee.assignedStore != nil } ?? false }
    /// The observers; present exactly while the flag `observed` is set.
    var observers: ObjectObservers? {
        get { change?.pointee.observers }
        set { if newValue != nil || change != nil { changeMade.pointee.observers = newValue } }
    }
    /// One reference for all that hardly any object has.
    var uncommon: UncommonState? { change?.pointee.uncommon }
    var uncommonMade: UncommonState {
        withChange { change in
            let uncommon = change.uncommon ?? UncommonState()
            change.uncommon = uncommon
            return uncommon
        }
    }
    @inline(__always) var hasUnfit: Bool { change.map { $0.pointee.uncommon?.unfit.isEmpty == false } ?? false }
    /// Lets go of it when there is nothing in it.
    func dropIdleUncommon() {
        if let uncommon, uncommon.unfit.isEmpty, uncommon.announced.isEmpty { withChange { $0.uncommon = nil } }
    }
    /// The objects that were fetched in one batch with this fault.
    var batch: FaultBatch? {
        get { change?.pointee.batch }
        set { if newValue != nil || change != nil { changeMade.pointee.batch = newValue } }
    }
    /// The parent context's row where it is another one than this object has read, though no conflict with it.
    var parentRow: Snapshot? {
        get { change?.pointee.parentRow }
        set { if newValue != nil || change != nil { changeMade.pointee.parentRow = newValue } }
    }

    // MARK: Forgetting

    /// Everybody that was reached from the object.
    func forgetOthers() {
        destinations.forgetAll()
        guard let change else { return }
        change.pointee.members = OrdinalValues(count: relationshipCount)
        change.pointee.fetched = []
        change.pointee.eventBase = nil
    }

    /// The changes are saved.
    func settle() {
        guard let change else { return }
        change.pointee.committed = nil
        change.pointee.changed = SlotSet()
        change.pointee.assignedStore = nil
        change.pointee.parentRow = nil
        for ordinal in change.pointee.members.indices where change.pointee.members.isSet(ordinal) {
            change.pointee.members[ordinal]?.commit()
        }
    }

    func forgetFetched() {
        if let change, !change.pointee.fetched.isEmpty { change.pointee.fetched = [] }
    }
}

/// The part of `ObjectExtension` that few objects have.
///
/// Not an object, but memory of its own or the extension's: a change takes one block, not two.
struct ChangeState: ~Copyable {
    private var countedCommitted = Counted(Snapshot?.none)
    @inline(__always) var committed: Snapshot? {
        get { countedCommitted.object }
        set { countedCommitted.object = newValue }
    }
    @inline(__always) var heldCommitted: Uncounted<Snapshot>? { countedCommitted.uncounted }
    var changed = SlotSet()
    var eventBase: ObjectState?
    var members: OrdinalValues<ToManyValue>
    var fetched: ContiguousArray<[NSManagedObject]?> = []
    var assignedStore: NSPersistentStore?
    var observers: ObjectObservers?
    var uncommon: UncommonState?
    var batch: FaultBatch?
    var parentRow: Snapshot?

    init(relationshipCount: Int) { members = OrdinalValues(count: relationshipCount) }
}

extension NSManagedObject {
    /// Forgets the objects that were reached from this one.
    final func letGoOfOthers() {
        if flags.contains(.reportsHolding) { _lettingGoOfOthers() }
        forgetDestinations()
        storedExtension?.forgetOthers()
    }
}

extension NSManagedObject {
    /// Of an object that has left its context: forgets others that have, too. They would hold one another for ever.
    final func letGoOfLostOthers() {
        if flags.contains(.reportsHolding) { _lettingGoOfOthers() }
        guard let objectExtension, table.owner == nil else { return }
        for ordinal in objectExtension.destinations.indices
        where objectExtension.destinations[ordinal]?.table.owner == nil {
            objectExtension.destinations[ordinal] = nil
        }
        for ordinal in objectExtension.members.indices {
            guard let members = objectExtension.members[ordinal]?.members?.objects else { continue }
            objectExtension.members[ordinal] = .insertion(of: members.filter { $0.table.owner != nil })
        }
        objectExtension.forgetFetched()
    }
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
