// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides for each relationship of the destination whether its links stay in their columns or move.

import Foundation

/// One end of a relationship in the destination, and the links of the source that it continues.
struct LinkTransition {
    let mapping: EntityMapping
    let slot: Int
    /// The mapping of the destination entity of the relationship.
    let target: EntityMapping
    /// Several if subentities had separate relationships that now belong to a common ancestor.
    let sources: [SourceLink]

    var place: SlotDescriptor { mapping.layout[slot] }
    var inverse: Int? { place.inverse >= 0 ? Int(place.inverse) : nil }
    var isToOne: Bool { place.kind == .reference }
    var isInverseToOne: Bool { inverse.map { target.layout[$0].kind == .reference } ?? false }
    var isJoin: Bool { if case .toMany(.join) = mapping.storage[slot] { true } else { false } }
    var name: String { mapping.layout.properties[slot].name }

    /// The links of one row's entity; nil for a new relationship.
    static func source(of entity: EntityTransition, _ slot: Int, in transition: SchemaTransition) -> SourceLink? {
        if let old = entity.sourceSlot(slot) { return SourceLink(entity.source, old, transition.source) }
        let place = entity.destination.layout[slot]
        guard place.inverse >= 0 else { return nil }
        for target in transition.targets(entity.destination.layout, slot) {
            guard let other = transition.entity(new: target.number), let old = other.sourceSlot(Int(place.inverse)),
                let link = SourceLink(other.source, old, transition.source)
            else { continue }
            return link.reversed
        }
        return nil
    }

    init?(_ mapping: EntityMapping, _ slot: Int, in transition: SchemaTransition) {
        guard let target = transition.destination.mapping(Int(mapping.layout[slot].destination)) else { return nil }
        self.mapping = mapping
        self.slot = slot
        self.target = target
        var sources: [SourceLink] = []
        for member in transition.family(mapping) {
            guard let entity = transition.entity(new: member.number),
                let link = Self.source(of: entity, slot, in: transition), !sources.contains(link)
            else { continue }
            sources.append(link)
        }
        self.sources = sources
    }

    /// Whether the links of a source stay in a column, or in the columns of both ends.
    func isDirect(_ link: SourceLink) -> Bool {
        switch mapping.storage[slot] {
        case .toOne(let columns):
            guard let key = link.keyInA, canName(columns, key, link) else { return false }
            return !isInverseToOne || link.keyInB != nil
        case .toMany(.column): return link.keyInB != nil
        case .toMany(.join): return link.join != nil
        case .none, .attribute, .composite: return true
        }
    }

    /// Whether the source's columns determine the entity of the destination row.
    private func canName(_ columns: ToOneColumns, _ key: ToOneColumns, _ link: SourceLink) -> Bool {
        columns.entity == nil || key.entity != nil || link.targetsOfA.count == 1
    }

    /// Whether the links must be redistributed, because an end holds fewer of them or lies in another table.
    var isMoved: Bool {
        guard !isJoin else { return false }
        if case .toMany(.column) = mapping.storage[slot], inverse != nil { return false }  // the to-one end decides
        return sources.contains { !isDirect($0) }
    }

    /// The key columns of both ends.
    var keyColumns: [(table: EntityTable, key: String)] {
        var result: [(EntityTable, String)] = []
        switch mapping.storage[slot] {
        case .toOne(let columns): result.append((mapping.table, columns.key))
        case .toMany(.column(let key, _, let table)): result.append((table, key))
        case .none, .attribute, .composite, .toMany(.join): break
        }
        if let inverse, case .toOne(let columns) = target.storage[inverse] {
            result.append((target.table, columns.key))
        }
        return result
    }

    /// The relationships of the destination with links that move, one end of each.
    static func moved(in transition: SchemaTransition) -> [LinkTransition] {
        var known: Set<String> = []
        var result: [LinkTransition] = []
        for mapping in transition.destination.entities {
            let parent =
                mapping.layout.superIndex >= 0 ? transition.destination.mapping(mapping.layout.superIndex) : nil
            for slot in (parent?.layout.slotCount ?? 0)..<mapping.layout.slotCount {
                guard let link = LinkTransition(mapping, slot, in: transition), link.isMoved else { continue }
                let keys = link.keyColumns.map { "\($0.table.name).\($0.key)" }
                guard known.isDisjoint(with: keys) else { continue }
                known.formUnion(keys)
                result.append(link)
            }
        }
        return result
    }
}
