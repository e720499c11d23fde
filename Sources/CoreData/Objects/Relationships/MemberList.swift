// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An ordered set of managed objects, by identity.

/// The members of a to-many relationship, or the objects added to one: each once, in order.
struct MemberList {
    private(set) var objects: ContiguousArray<NSManagedObject> = []
    /// Positions by object, kept for 16 members or more; nil if they have to be rebuilt. After removals an object may
    /// be before its recorded position, never after it.
    private var positions: PositionTable?

    private static let indexedFrom = 16

    init() {}

    /// The objects must be distinct.
    init(distinct objects: some Sequence<NSManagedObject>) { self.objects = ContiguousArray(objects) }

    var count: Int { objects.count }
    var isEmpty: Bool { objects.isEmpty }

    mutating func index(of object: NSManagedObject) -> Int? {
        if objects.isEmpty { return nil }
        if objects.count < Self.indexedFrom { return objects.firstIndex { $0 === object } }
        if positions == nil { positions = index }
        guard var position = positions?[Self.address(object)] else { return nil }
        position = min(position, objects.count - 1)
        while objects[position] !== object { position -= 1 }
        return position
    }

    private var index: PositionTable {
        var index = PositionTable(capacity: objects.count)
        for (position, object) in objects.enumerated() { index.set(position, for: Self.address(object)) }
        return index
    }

    @inline(__always) private static func address(_ object: NSManagedObject) -> UInt {
        UInt(bitPattern: Uncounted(object).address)
    }

    /// Whether both have the same members, in any order.
    func hasSameMembers(as other: MemberList) -> Bool {
        if count != other.count { return false }
        if objects.elementsEqual(other.objects, by: ===) { return true }
        var other = other
        return objects.allSatisfy { other.contains($0) }
    }

    mutating func contains(_ object: NSManagedObject) -> Bool { index(of: object) != nil }

    /// - Returns: false if it was already in the list.
    @discardableResult
    mutating func append(_ object: NSManagedObject) -> Bool {
        guard !contains(object) else { return false }
        appendNew(object)
        return true
    }

    /// Appends an object that is not in the list.
    mutating func appendNew(_ object: NSManagedObject) {
        positions?.set(objects.count, for: Self.address(object))
        objects.append(object)
    }

    mutating func insert(_ object: NSManagedObject, at position: Int) {
        guard position < objects.count else {
            append(object)
            return
        }
        guard !contains(object) else { return }
        positions = nil
        objects.insert(object, at: position)
    }

    /// Keeps the order of the others.
    @discardableResult
    mutating func remove(_ object: NSManagedObject) -> Bool {
        guard let position = index(of: object) else { return false }
        positions?.remove(Self.address(object))
        objects.remove(at: position)
        return true
    }

    /// Does not keep the order: the last member moves to the free position. Constant time.
    @discardableResult
    mutating func removeUnordered(_ object: NSManagedObject) -> Bool {
        guard let position = index(of: object) else { return false }
        let last = objects.removeLast()
        positions?.remove(Self.address(object))
        if last !== object {
            objects[position] = last
            positions?.set(position, for: Self.address(last))
        }
        return true
    }
}
