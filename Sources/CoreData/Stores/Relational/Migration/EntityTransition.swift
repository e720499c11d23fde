// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pairs the entities of two schemas, with their numbers.

import Foundation

/// An entity with rows in the source and a table for them in the destination.
package struct EntityTransition {
    package let source: EntityMapping
    package let destination: EntityMapping
    let pair: ModelPairing.Entity

    package var oldNumber: Int64 { source.number }
    package var newNumber: Int64 { destination.number }

    /// The slot of the source that a slot of the destination continues; nil for a new property.
    package func sourceSlot(_ slot: Int) -> Int? {
        pair.source(of: destination.layout.properties[slot].name).flatMap { source.layout.slot($0.name) }
    }
}

/// The transition from one schema to another: which entity continues which, under which number.
package struct SchemaTransition {
    package let source: Schema
    package let destination: Schema
    let pairing: ModelPairing
    /// In the order of the destination's numbers.
    package let entities: [EntityTransition]
    /// The numbers of removed entities.
    package let removed: Set<Int64>
    /// The columns in which the rows of each source entity may have values, by number.
    let ownedColumns: [Int64: Set<String>]
    private let byNewNumber: [Int64: Int]
    private let byOldNumber: [Int64: Int]

    init(source: Schema, destination: Schema, pairing: ModelPairing) {
        self.source = source
        self.destination = destination
        self.pairing = pairing
        let old = Dictionary(source.entities.map { ($0.layout.name, $0) }, uniquingKeysWith: { first, _ in first })
        entities = destination.entities.compactMap { mapping in
            guard let pair = pairing.entity(destination: mapping.layout.name), let name = pair.source?.name,
                let former = old[name]
            else { return nil }
            return EntityTransition(source: former, destination: mapping, pair: pair)
        }
        removed = Set(source.entities.map(\.number)).subtracting(entities.map(\.oldNumber))
        ownedColumns = Self.columns(of: source)
        byNewNumber = Dictionary(entities.enumerated().map { ($1.newNumber, $0) }, uniquingKeysWith: { $1 })
        byOldNumber = Dictionary(entities.enumerated().map { ($1.oldNumber, $0) }, uniquingKeysWith: { $1 })
    }

    private static func columns(of schema: Schema) -> [Int64: Set<String>] {
        var result: [Int64: Set<String>] = [:]
        for mapping in schema.entities {
            for (slot, storage) in mapping.storage.enumerated() {
                switch storage {
                case .attribute(let column): result[mapping.number, default: []].insert(column.name)
                case .composite(let leaves): result[mapping.number, default: []].formUnion(leaves.map(\.column.name))
                case .toOne(let columns):
                    result[mapping.number, default: []].formUnion([columns.key, columns.entity].compactMap { $0 })
                case .toMany(.column(let key, let order, _)):
                    let place = mapping.layout[slot]
                    for member in (Int(place.destination)..<Int(place.destinationEnd)).compactMap({ schema.mapping($0) }
                    ) {
                        result[member.number, default: []].formUnion([key, order].compactMap { $0 })
                    }
                case .none, .toMany(.join): break
                }
            }
        }
        return result
    }

    var dialect: any Dialect { destination.dialect }

    /// nil for a new entity.
    func entity(new number: Int64) -> EntityTransition? { byNewNumber[number].map { entities[$0] } }
    /// nil for a removed entity.
    func entity(old number: Int64) -> EntityTransition? { byOldNumber[number].map { entities[$0] } }

    /// The transitions of all entities in a table of the destination.
    func entities(in table: EntityTable) -> [EntityTransition] { entities.filter { $0.destination.table === table } }

    /// The entities of a family in the destination schema that are in the store.
    func family(_ mapping: EntityMapping) -> [EntityMapping] {
        mapping.layout.familyIndexes.compactMap { destination.mapping($0) }
    }

    /// The entities that a relationship of the source may refer to.
    func sourceTargets(_ layout: EntityLayout, _ slot: Int) -> [EntityMapping] {
        targets(layout, slot, in: source)
    }

    /// The entities that a relationship of the destination may refer to.
    func targets(_ layout: EntityLayout, _ slot: Int) -> [EntityMapping] { targets(layout, slot, in: destination) }

    private func targets(_ layout: EntityLayout, _ slot: Int, in schema: Schema) -> [EntityMapping] {
        let place = layout[slot]
        guard place.destination >= 0 else { return [] }
        return (Int(place.destination)..<Int(place.destinationEnd)).compactMap { schema.mapping($0) }
    }
}
