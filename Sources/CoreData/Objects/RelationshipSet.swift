// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A to-many as a mutable set: every change goes to the object, and to the other end.

import Foundation

/// What `mutableSetValue(forKey:)` gives: a live view, without members of its own.
final class RelationshipSet: NSMutableSet {
    private let object: NSManagedObject
    private let slot: Int

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        preconditionFailure("A relationship's set is made by `mutableSetValue(forKey:)`.")
    }

    required init?(coder: NSCoder) { nil }

    private var members: ContiguousArray<NSManagedObject> {
        object.willRead(slot)
        return object.members(slot)
    }

    override var count: Int { members.count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject else { return nil }
        self.object.willRead(slot)
        return self.object.hasMember(object, slot) ? object : nil
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(members)).objectEnumerator() }

    override var allObjects: [Any] { Array(members) }

    override func add(_ object: Any) { self.object.addMember(managed(object), slot) }

    override func remove(_ object: Any) { self.object.removeMember(managed(object), slot) }

    override func removeAllObjects() { object.setMembers([], slot) }

    // Several members are one change to those who observe it.

    override func union(_ otherSet: Set<AnyHashable>) {
        HeldAnnouncements.holding { for member in otherSet { add(member.base) } }
    }

    override func minus(_ otherSet: Set<AnyHashable>) {
        HeldAnnouncements.holding { for member in otherSet { remove(member.base) } }
    }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        HeldAnnouncements.holding {
            for member in object.members(slot) where !otherSet.contains(member) { object.removeMember(member, slot) }
        }
    }

    override func setSet(_ otherSet: Set<AnyHashable>) { object.setMembers(otherSet.map { managed($0.base) }, slot) }

    override func addObjects(from array: [Any]) {
        HeldAnnouncements.holding { for member in array { add(member) } }
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: Array(members)) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: Array(members)) }

    private func managed(_ object: Any) -> NSManagedObject {
        guard let object = object as? NSManagedObject else {
            preconditionFailure(
                "'\(self.object.table.layout.properties[slot].name)' holds managed objects; a \(type(of: object)) cannot be a member."
            )
        }
        return object
    }
}

extension NSManagedObject {
    final func hasMember(_ object: NSManagedObject, _ slot: Int) -> Bool {
        realizeMembers(slot)
        return rare?.members[Int(table.layout[slot].ordinal)]?.contains(object) ?? false
    }
}
