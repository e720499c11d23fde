// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds tables from the rows of a file, in any order, and checks that they are consistent.

import Foundation

/// An inconsistency in a file; a sentence that names entity and object.
struct AtomicDamage: Error {
    let reason: String
}

/// # Order
/// 1. Rows, each once; links, with only the keys of members.
/// 2. `finish` looks up the destinations of to-one relationships and links; they must exist with the model's entity.
/// 3. Both ends of a many-to-many relationship are completed: a link stored at one end exists at both.
struct TableBuilder {
    private struct Links {
        let relationship: NSRelationshipDescription
        let layout: EntityLayout
        let slot: Int
        let owner: Int64
        var members: [Int64]
    }

    private let model: ModelLayout
    private let keys: KeyCounter
    private var rows: [Int: [(key: Int64, row: Snapshot)]] = [:]
    private var links: [Links] = []

    init(_ model: ModelLayout, keys: KeyCounter) {
        self.model = model
        self.keys = keys
    }

    mutating func add(_ row: Snapshot, key: Int64) {
        row.version = 1
        row.stamp = RowClock.now
        rows[row.layout.rootIndex, default: []].append((key, row))
        keys.note(key, root: row.layout.rootIndex)
    }

    /// The members of a to-many relationship. With a to-one inverse the members come from that inverse, and this list
    /// only defines the order.
    mutating func link(_ members: [Int64], slot: Int, of layout: EntityLayout, owner: Int64) {
        guard !members.isEmpty, let relationship = layout.relationship(slot) else { return }
        guard relationship.isOrdered || !hasToOneInverse(layout, slot) else { return }
        links.append(Links(relationship: relationship, layout: layout, slot: slot, owner: owner, members: members))
    }

    /// - Throws: `AtomicDamage`.
    consuming func finish() throws -> MemoryTables {
        var tables = MemoryTables(keys: keys)
        for (root, added) in rows {
            var table = MemoryTables.Table()
            table.addAll(added)
            guard table.keys.count == added.count else {
                throw AtomicDamage(reason: "Two objects of '\(model.layouts[root].name)' have the same number.")
            }
            tables.tables[root] = table
        }
        rows = [:]
        for table in tables.tables.values {
            for key in table.keys {
                guard let row = table[key] else { continue }
                try resolve(row, key, tables)
                index(row, key, &tables)
            }
        }
        for link in links { try add(link, &tables) }
        mirror(&tables)
        return tables
    }

    private func hasToOneInverse(_ layout: EntityLayout, _ slot: Int) -> Bool {
        layout.relationship(slot)?.mutualInverse.map { !$0.isToMany } ?? false
    }

    private func resolve(_ row: Snapshot, _ key: Int64, _ tables: MemoryTables) throws {
        for slot in row.layout.toOneSlots {
            guard let reference = row.reference(slot) else { continue }
            row.setReference(try find(reference.key, slot, row.layout, key, tables), slot)
        }
    }

    private func find(_ key: Int64, _ slot: Int, _ layout: EntityLayout, _ owner: Int64, _ tables: MemoryTables) throws
        -> Reference
    {
        let destination = model.layouts[Int(layout[slot].destination)]
        guard let row = tables.tables[destination.rootIndex]?[key], row.layout.isKind(of: destination) else {
            throw AtomicDamage(
                reason: "'\(layout.properties[slot].name)' of object \(owner) of '\(layout.name)' leads to \(key), "
                    + "and there is no object of '\(destination.name)' with that number.")
        }
        return Reference(entityIndex: row.layout.index, key: key)
    }

    private func add(_ link: Links, _ tables: inout MemoryTables) throws {
        var present: Set<Int64> = []
        var members: [Reference] = []
        let inverse = Int(link.layout[link.slot].inverse)
        let isDerived = hasToOneInverse(link.layout, link.slot)
        for key in link.members where present.insert(key).inserted {
            let reference = try find(key, link.slot, link.layout, link.owner, tables)
            if isDerived {
                // The list only defines the order; the inverse defines the members.
                let root = model.layouts[reference.entityIndex].rootIndex
                guard tables.tables[root]?[key]?.reference(inverse)?.key == link.owner else { continue }
            }
            members.append(reference)
        }
        guard !members.isEmpty else { return }
        tables.links[.init(relationship: ObjectIdentifier(link.relationship), owner: link.owner)] = members
    }

    /// (3)
    private func mirror(_ tables: inout MemoryTables) {
        var known: [ObjectIdentifier: Set<[Int64]>] = [:]
        for link in links {
            known[ObjectIdentifier(link.relationship), default: []].formUnion(link.members.map { [link.owner, $0] })
        }
        for link in links {
            guard let inverse = link.relationship.mutualInverse, inverse.isToMany else { continue }
            for member in Set(link.members)
            where known[ObjectIdentifier(inverse), default: []].insert([member, link.owner]).inserted {
                tables.links[.init(relationship: ObjectIdentifier(inverse), owner: member), default: []].append(
                    Reference(entityIndex: link.layout.index, key: link.owner))
            }
        }
    }

    private func index(_ row: Snapshot, _ key: Int64, _ tables: inout MemoryTables) {
        for rule in row.layout.uniquenessRules(model) {
            guard let values = UniqueValues(row, rule) else { continue }
            if tables.unique[rule]?[values] == nil { tables.unique[rule, default: [:]][values] = key }
        }
    }
}
