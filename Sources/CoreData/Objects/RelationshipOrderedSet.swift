// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An ordered to-many as a mutable ordered set: every change goes to the object, and to the other end.

import Foundation

/// What `mutableOrderedSetValue(forKey:)` gives.
///
/// Foundation's ordered set reads its own storage past its primitives, so this one keeps the members there as well:
/// they are those of
/// the moment when the view was asked for, with everything that was changed through the view since.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let object: NSManagedObject?
    private let slot: Int

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        object.willRead(slot)
        let members = Array(object.members(slot))
        super.init(capacity: members.count)
        for (position, member) in members.enumerated() { super.insert(member, at: position) }
    }

    required init?(coder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) {
        preconditionFailure("A relationship's ordered set is made by `mutableOrderedSetValue(forKey:)`.")
    }

    private func writeBack() { object?.setMembers(array.compactMap { $0 as? NSManagedObject }, slot) }

    override func insert(_ object: Any, at idx: Int) {
        super.insert(object, at: idx)
        writeBack()
    }

    override func removeObject(at idx: Int) {
        super.removeObject(at: idx)
        writeBack()
    }

    override func replaceObject(at idx: Int, with obj: Any) {
        super.replaceObject(at: idx, with: obj)
        writeBack()
    }

    override func add(_ object: Any) {
        super.add(object)
        writeBack()
    }

    override func remove(_ object: Any) {
        super.remove(object)
        writeBack()
    }

    override func removeAllObjects() {
        super.removeAllObjects()
        writeBack()
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSOrderedSet(array: array) }
}
