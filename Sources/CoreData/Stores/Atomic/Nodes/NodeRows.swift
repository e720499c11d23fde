// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates rows from the nodes that a custom store has loaded.

import Foundation

struct NodeRows {
    /// A member of a one-to-many relationship, by the node of its owner.
    private struct Membership {
        let owner: NSAtomicStoreCacheNode
        let slot: Int
        let member: Int64
    }

    private struct Place: Hashable {
        let member: ObjectKey
        let slot: Int
    }

    private let model: ModelLayout
    private var builder: TableBuilder
    private var rows: [ObjectKey: Snapshot] = [:]
    private var memberships: [Membership] = []

    init(_ model: ModelLayout, _ keys: KeyCounter) {
        self.model = model
        builder = TableBuilder(model, keys: keys)
    }

    /// - Throws: `AtomicDamage` for a value of the wrong type, for a reference to a missing node, and for a member of
    ///   two owners.
    mutating func read(_ nodes: some Sequence<NSAtomicStoreCacheNode>) throws -> MemoryTables {
        for node in nodes { try add(node) }
        try setOwners()
        return try builder.finish()
    }

    /// Sets the to-one of members if their own nodes do not have it. Where both nodes have a value, that of the member
    /// counts.
    private func setOwners() throws {
        var owners: [Place: Int64] = [:]
        for membership in memberships {
            let (owner, slot) = (membership.owner.objectID, membership.slot)
            let destination = model.layouts[Int(owner.layout[slot].destination)]
            let member = ObjectKey(destination.rootIndex, membership.member)
            let place = Place(member: member, slot: Int(owner.layout[slot].inverse))
            guard let row = rows[member], row.layout.isKind(of: destination) else { continue }
            if let other = owners[place] {
                guard other == owner.key else { throw twoOwners(membership) }
            } else if row.isNull(place.slot) {
                row.setReference(Reference(entityIndex: owner.layout.index, key: owner.key), place.slot)
                owners[place] = owner.key
            }
        }
    }

    private mutating func add(_ node: NSAtomicStoreCacheNode) throws {
        let layout = node.objectID.layout
        let row = Snapshot.make(layout)
        for slot in layout.attributeSlots where !layout[slot].isTransient {
            guard let value = node.value(forKey: layout.properties[slot].name) else { continue }
            guard row.setValue(value, slot) else { throw damage(value, slot, node) }
        }
        for slot in layout.toOneSlots {
            guard let value = Snapshot.unwrapped(node.value(forKey: layout.properties[slot].name)) else { continue }
            guard let key = Self.key(value) else { throw damage(value, slot, node) }
            row.setReference(Reference(entityIndex: Int(layout[slot].destination), key: key), slot)
        }
        for slot in layout.toManySlots {
            guard let value = Snapshot.unwrapped(node.value(forKey: layout.properties[slot].name)) else { continue }
            guard let members = Self.members(value) else { throw damage(value, slot, node) }
            builder.link(members, slot: slot, of: layout, owner: node.objectID.key)
            if layout.toOneInverse(slot) != nil {
                memberships += members.map { Membership(owner: node, slot: slot, member: $0) }
            }
        }
        rows[ObjectKey(layout.rootIndex, node.objectID.key)] = row
        builder.add(row, key: node.objectID.key)
    }

    private static func key(_ value: Any) -> Int64? {
        (value as? NSAtomicStoreCacheNode)?.objectID.key ?? (value as? NSManagedObjectID)?.key
    }

    /// nil if the value is not a collection of nodes. The members of a set are sorted by key, so that the order is
    /// always the same.
    private static func members(_ value: Any) -> [Int64]? {
        let elements: [Any]
        let isOrdered: Bool
        switch value {
        case let value as NSOrderedSet: (elements, isOrdered) = (value.array, true)
        case let value as [Any]: (elements, isOrdered) = (value, true)
        case let value as NSSet: (elements, isOrdered) = (value.allObjects, false)
        case let value as Set<NSAtomicStoreCacheNode>: (elements, isOrdered) = (Array(value), false)
        case let value as Set<NSManagedObjectID>: (elements, isOrdered) = (Array(value), false)
        default: return nil
        }
        let keys = elements.compactMap(key)
        guard keys.count == elements.count else { return nil }
        return isOrdered ? keys : keys.sorted()
    }

    private func twoOwners(_ membership: Membership) -> AtomicDamage {
        let name = membership.owner.objectID.layout.properties[membership.slot].qualifiedName
        return AtomicDamage(reason: "A member of \(name) of \(membership.owner.objectID) has another owner as well.")
    }

    private func damage(_ value: Any, _ slot: Int, _ node: NSAtomicStoreCacheNode) -> AtomicDamage {
        let name = node.objectID.layout.properties[slot].qualifiedName
        return AtomicDamage(
            reason: "The value of \(name) of \(node.objectID) is a \(type(of: value)), which it cannot be.")
    }
}
