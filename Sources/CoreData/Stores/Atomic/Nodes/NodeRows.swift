// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates rows from the nodes that a custom store has loaded.

import Foundation

struct NodeRows {
    private var builder: TableBuilder

    init(_ model: ModelLayout, _ keys: KeyCounter) { builder = TableBuilder(model, keys: keys) }

    /// - Throws: `AtomicDamage` for a value of the wrong type, and for a reference to a missing node.
    mutating func read(_ nodes: some Sequence<NSAtomicStoreCacheNode>) throws -> MemoryTables {
        for node in nodes { try add(node) }
        return try builder.finish()
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
        }
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

    private func damage(_ value: Any, _ slot: Int, _ node: NSAtomicStoreCacheNode) -> AtomicDamage {
        let name = node.objectID.layout.properties[slot].qualifiedName
        return AtomicDamage(
            reason: "The value of \(name) of \(node.objectID) is a \(type(of: value)), which it cannot be.")
    }
}
