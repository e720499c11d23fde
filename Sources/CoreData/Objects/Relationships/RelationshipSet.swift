// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A to-many relationship as a mutable set: every change is made in the object and at the inverse.

import Foundation

/// The kinds of changes that a view of a to-many relationship makes.
enum ViewedChange {
    /// A change of the object, with its inverse.
    case ordinary
    /// A primitive value (`AnnouncedChange`).
    case primitive
}

/// The set of `mutableSetValue(forKey:)`, and of `primitiveValue(forKey:)` with primitive changes: a live view that
/// stores no members.
final class RelationshipSet: NSMutableSet {
    private let object: NSManagedObject
    private let slot: Int
    private let isPrimitive: Bool

    init(_ object: NSManagedObject, _ slot: Int, _ change: ViewedChange = .ordinary) {
        self.object = object
        self.slot = slot
        isPrimitive = change == .primitive
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        preconditionFailure("A relationship's set is made by `mutableSetValue(forKey:)`.")
    }

    required init?(coder: NSCoder) { nil }

    private var members: ContiguousArray<NSManagedObject> {
        if !isPrimitive { object.willRead(slot) }
        return object.members(slot)
    }

    override var count: Int { members.count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject else { return nil }
        if !isPrimitive { self.object.willRead(slot) }
        return self.object.hasMember(object, slot) ? object : nil
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(members)).objectEnumerator() }

    override var allObjects: [Any] { Array(members) }

    override func add(_ object: Any) {
        let member = managed(object)
        guard isPrimitive else { return self.object.addMember(member, slot) }
        self.object.addPrimitiveMember(member, slot, at: nil)
    }

    override func remove(_ object: Any) {
        let member = managed(object)
        guard isPrimitive else { return self.object.removeMember(member, slot) }
        self.object.removePrimitiveMember(member, slot)
    }

    private func replaceAll(_ members: [NSManagedObject]) {
        if isPrimitive { object.setPrimitiveMembers(members, slot) } else { object.setMembers(members, slot) }
    }

    override func removeAllObjects() { replaceAll([]) }

    // Observers see several members as one change.

    override func union(_ otherSet: Set<AnyHashable>) {
        DeferredAnnouncements.holding { for member in otherSet { add(member.base) } }
    }

    override func minus(_ otherSet: Set<AnyHashable>) {
        DeferredAnnouncements.holding { for member in otherSet { remove(member.base) } }
    }

    override func intersect(_ otherSet: Set<AnyHashable>) {
        DeferredAnnouncements.holding {
            for member in object.members(slot) where !otherSet.contains(member) { remove(member) }
        }
    }

    override func setSet(_ otherSet: Set<AnyHashable>) { replaceAll(otherSet.map { managed($0.base) }) }

    override func addObjects(from array: [Any]) {
        DeferredAnnouncements.holding { for member in array { add(member) } }
    }

    // Foundation's descriptions read its storage, which is empty.

    override var description: String { NSSet(array: Array(members)).description }

    override func description(withLocale locale: Locale?) -> String {
        NSSet(array: Array(members)).description(withLocale: locale)
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
        return objectExtension?.members[Int(table.layout[slot].ordinal)]?.contains(object) ?? false
    }
}
