// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds rows and members of to-many relationships in memory.

import Foundation

struct MemoryReader {
    private let tables: MemoryTables
    let model: ModelLayout

    init(_ tables: MemoryTables, _ model: ModelLayout) {
        self.tables = tables
        self.model = model
    }

    func rows(_ keys: [Int64], root: EntityLayout) -> [FetchedRow] {
        let table = tables.tables[root.rootIndex]
        return keys.compactMap { key in table?[key].map { FetchedRow(key: key, snapshot: $0) } }
    }

    func row(_ reference: Reference) -> FetchedRow? {
        let root = model.layouts[reference.entityIndex].rootIndex
        return tables.tables[root]?[reference.key].map { FetchedRow(key: reference.key, snapshot: $0) }
    }

    /// The number of all rows below the root of an entity.
    func rowCount(_ layout: EntityLayout) -> Int { tables.tables[layout.rootIndex]?.keys.count ?? 0 }

    /// All rows of the fetched entities, in the order of their keys.
    func candidates(_ fetch: BoundFetch) -> [FetchedRow] {
        let family = Set(fetch.includesSubentities ? fetch.layout.familyIndexes : [fetch.layout.index])
        guard let table = tables.tables[fetch.layout.rootIndex] else { return [] }
        return table.keys.compactMap { key in
            guard let row = table[key], family.contains(row.layout.index) else { return nil }
            return FetchedRow(key: key, snapshot: row)
        }
    }

    /// - Returns: an entry for each owner with members, in the order of links or keys.
    func occupied(_ slot: Int, layout: EntityLayout, owners: [Int64]) -> [Int64: [Reference]] {
        members(of: slot, layout: layout, owners: owners).filter { !$0.value.isEmpty }
    }

    /// - Returns: an entry for each owner, in the order of links or keys.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64]) -> [Int64: [Reference]] {
        guard let relationship = layout.relationship(slot) else { return [:] }
        var result: [Int64: [Reference]] = [:]
        let inverse = Int(layout[slot].inverse)
        let destination = layout[slot].destination
        if inverse >= 0, destination >= 0, model.layouts[Int(destination)][inverse].kind == .reference {
            result = pointing(at: Set(owners), from: model.layouts[Int(destination)], inverse)
            guard relationship.isOrdered else { return result }
            for owner in owners { result[owner] = ordered(result[owner] ?? [], relationship, owner) }
            return result
        }
        for owner in owners {
            result[owner] = tables.links[.init(relationship: ObjectIdentifier(relationship), owner: owner)] ?? []
        }
        return result
    }

    /// The owners of a relationship to one of the rows with the keys.
    func owners(of slot: Int, layout: EntityLayout, leadingTo keys: Set<Int64>) -> Set<Int64> {
        guard let relationship = layout.relationship(slot) else { return [] }
        let destination = model.layouts[Int(layout[slot].destination)]
        let inverse = Int(layout[slot].inverse)
        if inverse >= 0, destination[inverse].kind == .reference {
            let table = tables.tables[destination.rootIndex]
            return Set(
                keys.compactMap { key in
                    guard let row = table?[key], row.layout.isKind(of: destination) else { return nil }
                    return row.reference(inverse)?.key
                })
        }
        if layout[slot].kind == .reference {
            return Set(pointing(at: keys, from: layout, slot).values.joined().map(\.key))
        }
        if inverse >= 0 {
            let owners = members(of: inverse, layout: destination, owners: Array(keys))
            return Set(owners.values.joined().map(\.key))
        }
        let links = tables.links.filter { link, members in
            link.relationship == ObjectIdentifier(relationship) && members.contains { keys.contains($0.key) }
        }
        return Set(links.keys.map(\.owner))
    }

    /// The rows with a to-one relationship to one of the owners, found in one pass.
    private func pointing(at owners: Set<Int64>, from layout: EntityLayout, _ slot: Int) -> [Int64: [Reference]] {
        var result: [Int64: [Reference]] = [:]
        let family = Set(layout.familyIndexes)
        guard let table = tables.tables[layout.rootIndex] else { return [:] }
        for key in table.keys {
            guard let row = table[key], family.contains(row.layout.index), let reference = row.reference(slot),
                owners.contains(reference.key)
            else { continue }
            result[reference.key, default: []].append(Reference(entityIndex: row.layout.index, key: key))
        }
        return result
    }

    private func ordered(_ members: [Reference], _ relationship: NSRelationshipDescription, _ owner: Int64)
        -> [Reference]
    {
        let order = tables.links[.init(relationship: ObjectIdentifier(relationship), owner: owner)] ?? []
        var positions: [Int64: Int] = [:]
        for (position, reference) in order.enumerated() { positions[reference.key] = position }
        return members.enumerated().sorted { one, other in
            let first = positions[one.element.key] ?? (order.count + one.offset)
            let second = positions[other.element.key] ?? (order.count + other.offset)
            return first < second
        }.map(\.element)
    }
}
