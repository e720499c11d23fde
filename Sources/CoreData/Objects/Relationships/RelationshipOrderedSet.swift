// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An ordered to-many relationship as a mutable ordered set: every change is made in the object and at the inverse.

import Foundation

/// The set of `mutableOrderedSetValue(forKey:)`, and of `primitiveValue(forKey:)` with primitive changes: a live view.
///
/// Some methods of Foundation's ordered set read its storage directly instead of its primitives (enumerators,
/// `firstObject`), so this class keeps the members there as well. It observes the relationship, and reloads them after
/// a change that was not made through the view. Of Foundation's mutators it uses only those for single members; the
/// others set whole lists of members, because the relationship decides which members are valid.
/// # Invariant
/// (1) Except during a change, the storage has the members of the object, in their order.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let object: NSManagedObject
    private let slot: Int
    private let isPrimitive: Bool
    /// A view may be released on any thread.
    private let isOnQueue: (@Sendable () -> Bool)?
    private let observer = MembersObserver()
    /// The object's list when the storage was last updated; nil if the storage may be out of date. While the object's
    /// list is the same block of memory, nothing has changed.
    private var known: ContiguousArray<NSManagedObject>?
    private var isStepping = false

    init(_ object: NSManagedObject, _ slot: Int, _ change: ViewedChange = .ordinary) {
        self.object = object
        self.slot = slot
        isPrimitive = change == .primitive
        isOnQueue = object.table.owner?.queueTest
        if !isPrimitive { object.willRead(slot) }
        super.init(capacity: 0)
        reload()
        observer.view = self
        object.observersMade.add(observer, name)
    }

    required init?(coder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        preconditionFailure("A relationship's ordered set is made by `mutableOrderedSetValue(forKey:)`.")
    }

    deinit {
        // On another queue the object may be in use; then the ended observer is removed when the object is next
        // observed.
        if isOnQueue?() == true { object.endObservation(by: observer, name) }
    }

    private var name: String { object.table.layout.properties[slot].name }

    private func managed(_ member: Any) -> NSManagedObject {
        guard let member = member as? NSManagedObject else {
            preconditionFailure("'\(name)' holds managed objects; a \(type(of: member)) cannot be a member.")
        }
        return member
    }

    // MARK: In step

    /// Takes the members from the object, if they have changed.
    fileprivate func reload() {
        guard !isStepping else { return }
        let members = object.members(slot)
        if let known, members.isSameBlock(as: known) { return }
        super.removeAllObjects()
        for (position, member) in members.enumerated() { super.insert(member, at: position) }
        known = members
    }

    /// Adds or removes one member, in the storage and in the object. Does not compare the others, unless an observer
    /// changed the relationship during the call.
    private func step(_ storage: () -> Void, _ relationship: () -> Void) {
        let begun = observer.begun
        known = nil  // so that the object changes its list in place
        isStepping = true
        storage()
        relationship()
        isStepping = false
        if observer.begun == begun + 1 { known = object.members(slot) } else { reload() }
    }

    /// Sets a new list of members; a repeated member keeps its first position.
    private func edit(_ change: (inout [NSManagedObject]) -> Void) {
        var members = Array(object.members(slot))
        change(&members)
        if isPrimitive { object.setPrimitiveMembers(members, slot) } else { object.setMembers(members, slot) }
        reload()
    }

    // MARK: Single members

    override func insert(_ object: Any, at idx: Int) {
        let member = managed(object)
        guard !contains(member) else { return }
        step {
            super.insert(member, at: idx)
        } _: {
            if isPrimitive {
                self.object.addPrimitiveMember(member, slot, at: idx)
            } else {
                self.object.addMember(member, slot, at: idx)
            }
        }
    }

    override func add(_ object: Any) { insert(object, at: count) }

    override func removeObject(at idx: Int) {
        let member = managed(object(at: idx))
        step {
            super.removeObject(at: idx)
        } _: {
            if isPrimitive { object.removePrimitiveMember(member, slot) } else { object.removeMember(member, slot) }
        }
    }

    override func remove(_ val: Any) { if contains(val) { removeObject(at: index(of: val)) } }

    override func replaceObject(at idx: Int, with obj: Any) { edit { $0[idx] = managed(obj) } }

    override func setObject(_ obj: Any, at idx: Int) {
        if idx == count { insert(obj, at: idx) } else { replaceObject(at: idx, with: obj) }
    }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) { edit { $0.swapAt(idx1, idx2) } }

    // MARK: Several come

    override func addObjects(from array: [Any]) {
        DeferredAnnouncements.holding { for member in array { add(member) } }
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        addObjects(from: Array(UnsafeBufferPointer(start: objects, count: count)))
    }

    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        DeferredAnnouncements.holding { for (member, index) in zip(objects, indexes) { insert(member, at: index) } }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        edit { members in for (index, member) in zip(indexes, objects) { members[index] = managed(member) } }
    }

    override func replaceObjects(in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int) {
        let new = UnsafeBufferPointer(start: objects, count: count).map { managed($0) }
        edit { $0.replaceSubrange(range.location..<NSMaxRange(range), with: new) }
    }

    // MARK: Several go

    override func removeAllObjects() { edit { $0 = [] } }

    override func removeObjects(in range: NSRange) { edit { $0.removeSubrange(range.location..<NSMaxRange(range)) } }

    override func removeObjects(at indexes: IndexSet) {
        edit { members in for index in indexes.reversed() { members.remove(at: index) } }
    }

    override func removeObjects(in array: [Any]) { minusSet(NSOrderedSet(array: array).set) }

    override func minus(_ other: NSOrderedSet) { minusSet(other.set) }

    override func minusSet(_ other: Set<AnyHashable>) { edit { $0.removeAll(where: other.contains) } }

    override func intersect(_ other: NSOrderedSet) { intersectSet(other.set) }

    override func intersectSet(_ other: Set<AnyHashable>) { edit { $0.removeAll { !other.contains($0) } } }

    // MARK: Order

    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        edit { members in
            let moved = indexes.map { members[$0] }
            for index in indexes.reversed() { members.remove(at: index) }
            members.insert(contentsOf: moved, at: idx)
        }
    }

    override func sort(comparator cmptr: Comparator) { sort(usingComparator: cmptr) }

    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
        sortRange(NSRange(location: 0, length: count), options: opts, usingComparator: cmptr)
    }

    override func sortRange(_ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: Comparator) {
        // Swift's sort is stable, whether the options request it or not.
        edit { $0[range.location..<NSMaxRange(range)].sort { cmptr($0, $1) == .orderedAscending } }
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        edit { $0 = NSArray(array: $0).sortedArray(using: sortDescriptors).map { managed($0) } }
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: array) }
}

/// Keeps a view up to date while the view is retained.
private final class MembersObserver: ValueObserver, @unchecked Sendable {  // used on the object's queue
    weak var view: RelationshipOrderedSet?
    /// The number of changes, including those in progress.
    private(set) var begun = 0

    init() { super.init(options: []) }

    override var isCancelled: Bool { view == nil }
    override func willChange(_ members: MemberChange?) { begun += 1 }
    override func didChange() { view?.reload() }
    override func didSetPrimitive() {
        begun += 1
        view?.reload()
    }
}

extension ContiguousArray {
    /// Whether both are one block of memory: then neither has changed since they were equal.
    fileprivate func isSameBlock(as other: Self) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
        }
    }
}
