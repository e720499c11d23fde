// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the members of all to-many relationships of a store in one pass, for writing the whole store.

struct MemberLists {
    private struct List: Hashable {
        let layoutIndex: Int
        let slot: Int
    }

    private let tables: MemoryTables
    private let model: ModelLayout
    /// Members of relationships with a to-one inverse, by owner, in the order of keys.
    private var pointing: [ObjectIdentifier: [Int64: [Int64]]] = [:]

    init(_ tables: MemoryTables, _ model: ModelLayout) {
        self.tables = tables
        self.model = model
        for table in tables.tables.values {
            for key in table.keys { if let row = table[key] { collect(row, key) } }
        }
    }

    private mutating func collect(_ row: Snapshot, _ key: Int64) {
        for slot in row.layout.toOneSlots {
            guard let reference = row.reference(slot),
                let inverse = row.layout.relationship(slot)?.mutualInverse, inverse.isToMany
            else { continue }
            pointing[ObjectIdentifier(inverse), default: [:]][reference.key, default: []].append(key)
        }
    }

    /// The members, in order if the relationship is ordered.
    func of(_ slot: Int, _ layout: EntityLayout, _ owner: Int64) -> [Int64] {
        guard let relationship = layout.relationship(slot) else { return [] }
        let links = tables.links[.init(relationship: ObjectIdentifier(relationship), owner: owner)]?.map(\.key) ?? []
        guard relationship.mutualInverse.map({ !$0.isToMany }) ?? false else { return links }
        let members = pointing[ObjectIdentifier(relationship)]?[owner] ?? []
        guard relationship.isOrdered, !links.isEmpty else { return members }
        let present = Set(members)
        let known = Set(links)
        return links.filter(present.contains) + members.filter { !known.contains($0) }
    }
}
