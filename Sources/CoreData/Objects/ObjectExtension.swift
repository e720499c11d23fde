// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state that only some objects need: changes, and destinations of relationships.

/// Made when an object is first changed or a relationship of it is first followed.
///
/// Some objects with an extension have only read to-one relationships: their destinations are in the same block of
/// memory as the extension, one word each, and everything else is in a second block. (Most need no extension:
/// `FollowedDestinations`.) An extension that is made for a change has the rest in the first block, too.
///
/// # Invariants
/// (1) A remembered destination is the one that the block refers to.
final class ObjectExtension: ManagedBuffer<ObjectExtension.Header, NSManagedObject?> {
    struct Header {
        fileprivate let toOneCount: Int32
        /// Twice the number of relationships, plus one if the block has room for changes.
        private let relationships: Int32
        /// In this block or in a separate one.
        fileprivate var change: UnsafeMutablePointer<ChangeState>?

        fileprivate init(_ layout: EntityLayout, hasPlace: Bool) {
            toOneCount = Int32(layout.toOneSlots.count)
            relationships = Int32(layout.relationshipCount) * 2 + (hasPlace ? 1 : 0)
        }

        fileprivate var relationshipCount: Int { Int(relationships >> 1) }
        fileprivate var hasPlace: Bool { relationships & 1 != 0 }
    }

    private static let changeWords = MemoryLayout<ChangeState>.size / MemoryLayout<NSManagedObject?>.stride + 1

    /// - Parameter forChange: whether a change follows at once.
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

    /// Known destinations of to-one relationships, by ordinal. Strong references: related objects retain each other.
    @inline(__always) var destinations: Destinations { Destinations(owner: self) }

    /// One of them, found without retaining the extension.
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

        /// The present destinations.
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

    /// nil while the extension contains only destinations.
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

    /// Passes the state of changes to the body, creating it if necessary. The body must not call code that might borrow
    /// it again.
    @inline(__always) func withChange<Result>(_ body: (inout ChangeState) throws -> Result) rethrows -> Result {
        try body(&changeMade.pointee)
    }

    /// The block as last fetched or saved, if the object has another one now. nil for insertions.
    var committed: Snapshot? {
        get { heldCommitted?.object }
        set { if newValue != nil || change != nil { changeMade.pointee.committed = newValue } }
    }
    /// The same, for reading without retaining it.
    @inline(__always) var heldCommitted: Uncounted<Snapshot>? { change?.pointee.heldCommitted }
    /// Slots that changed since the last save.
    var changed: SlotSet {
        get { change?.pointee.changed ?? SlotSet() }
        _modify { yield &changeMade.pointee.changed }
    }
    /// Does not create the state of changes: all values of an insertion without one count as set.
    @inline(__always) func noteChanged(_ slot: Int) { change?.pointee.changed.insert(slot) }
    /// The object at the beginning of the current event; nil if it has not changed in the event, and for an insertion
    /// of the event.
    var eventBase: ObjectState? {
        get { change?.pointee.eventBase }
        _modify { yield &changeMade.pointee.eventBase }
    }
    /// Records the present state of the object.
    func beginEvent(_ flags: ObjectFlags, _ snapshot: Snapshot?) {
        let change = changeMade
        // The old state is released after the new one is complete.
        let old = change.pointee.eventBase
        change.pointee.eventBase = ObjectState(
            flags: flags, snapshot: snapshot, destinations: destinations.copy, members: change.pointee.members)
        withExtendedLifetime(old) {}
    }
    var hasEventBase: Bool { change.map { $0.pointee.eventBase != nil } ?? false }
    /// Members of accessed to-many relationships, by ordinal.
    var members: OrdinalValues<ToManyValue> {
        get { change?.pointee.members ?? OrdinalValues(count: relationshipCount) }
        _modify { yield &changeMade.pointee.members }
    }
    /// Reads them without a copy.
    @inline(__always) func withMembers<Result>(_ body: (OrdinalValues<ToManyValue>) -> Result) -> Result? {
        change.map { body($0.pointee.members) }
    }
    var hasMembers: Bool { change.map { !$0.pointee.members.indices.isEmpty } ?? false }
    /// Results of fetched properties, by ordinal.
    var fetched: ContiguousArray<[NSManagedObject]?> {
        get { change?.pointee.fetched ?? [] }
        _modify { yield &changeMade.pointee.fetched }
    }
    /// The store that `assign(_:to:)` chose for an insertion.
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
    /// One reference for the state that hardly any object has.
    var uncommon: UncommonState? { change?.pointee.uncommon }
    var uncommonMade: UncommonState {
        withChange { change in
            let uncommon = change.uncommon ?? UncommonState()
            change.uncommon = uncommon
            return uncommon
        }
    }
    @inline(__always) var hasOutOfRange: Bool {
        change.map { $0.pointee.uncommon?.outOfRange.isEmpty == false } ?? false
    }
    /// Releases it if it is empty.
    func dropIdleUncommon() {
        if let uncommon, uncommon.outOfRange.isEmpty, uncommon.announced.isEmpty { withChange { $0.uncommon = nil } }
    }
    /// The objects that were fetched in the same batch as this fault.
    var batch: FaultBatch? {
        get { change?.pointee.batch }
        set { if newValue != nil || change != nil { changeMade.pointee.batch = newValue } }
    }
    /// The parent context's row, if it differs from the one that this object has read, without being a conflict.
    var parentRow: Snapshot? {
        get { change?.pointee.parentRow }
        set { if newValue != nil || change != nil { changeMade.pointee.parentRow = newValue } }
    }

    // MARK: Forgetting

    /// Releases all objects that were reached through the relationships.
    func forgetOthers() {
        destinations.forgetAll()
        guard let change else { return }
        change.pointee.members = OrdinalValues(count: relationshipCount)
        change.pointee.fetched = []
        change.pointee.eventBase = nil
    }

    /// Called after the changes are saved.
    func acceptChanges() {
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
/// Not an object, but a block of memory, separate or part of the extension: a change allocates one block, not two.
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
    /// Releases the objects that were reached from this one.
    final func releaseReferences() {
        if flags.contains(.reportsHolding) { _lettingGoOfOthers() }
        forgetDestinations()
        storedExtension?.forgetOthers()
    }
}

extension NSManagedObject {
    /// For an object that has left its context: releases others that have left theirs, because the references would
    /// form cycles.
    final func releaseDetachedObjects() {
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

/// The state of a managed object at one moment, which undo and `changedValuesForCurrentEvent()` compare with.
struct ObjectState {
    /// The flags `inserted`, `updated`, `deleted` and `propagated`.
    var flags: ObjectFlags
    /// nil for a fault.
    var snapshot: Snapshot?
    var destinations: OrdinalValues<NSManagedObject>
    var members: OrdinalValues<ToManyValue>
}
