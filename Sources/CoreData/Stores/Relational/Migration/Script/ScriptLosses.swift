// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values, rows and members that a migration loses.

import Foundation

/// One kind of loss, and a query that counts the affected rows.
struct ScriptLoss {
    enum Kind: String {
        case dataLoss, cardinality
    }

    let kind: Kind
    let entity: String
    let property: String?
    let query: String
    /// The rest of a sentence that begins with "3 rows ".
    let effect: String
}

struct ScriptLosses {
    private let transition: SchemaTransition

    init(_ transition: SchemaTransition) { self.transition = transition }

    var all: [ScriptLoss] {
        transition.source.entities.filter { !$0.layout.isAbstract }.flatMap(losses)
            + LinkTransition.moved(in: transition).flatMap(members)
    }

    private var name: String { transition.dialect.subqueryName }

    private func losses(of mapping: EntityMapping) -> [ScriptLoss] {
        let source = transition.source
        let rows =
            "FROM \(mapping.table.sql) WHERE \(source.entity(of: mapping.table)) = \(source.literal(mapping.number))"
        guard let entity = transition.entity(old: mapping.number) else {
            return [
                ScriptLoss(
                    kind: .dataLoss, entity: mapping.layout.name, property: nil, query: "SELECT COUNT(*) \(rows)",
                    effect: "of the removed entity go")
            ]
        }
        return removals(of: mapping, entity, rows)
            + entity.pair.properties.compactMap { strays($0, mapping, entity, rows) }
    }

    /// - Parameter rows: the FROM clause and conditions of a query for the rows of the entity.
    private func removals(of mapping: EntityMapping, _ entity: EntityTransition, _ rows: String) -> [ScriptLoss] {
        entity.pair.lost.compactMap { property in
            guard let slot = mapping.layout.slot(property.name) else { return nil }
            let query: String
            switch mapping.storage[slot] {
            case .attribute(let column):
                query = "SELECT COUNT(*) \(rows) AND \(transition.dialect.quoted(column.name)) IS NOT NULL"
            case .composite(let leaves):
                let present = leaves.map { "\(transition.dialect.quoted($0.column.name)) IS NOT NULL" }
                query = "SELECT COUNT(*) \(rows) AND (\(present.joined(separator: " OR ")))"
            case .toOne, .toMany:
                guard !isContinued(mapping, slot), let link = SourceLink(mapping, slot, transition.source) else {
                    return nil
                }
                query =
                    "SELECT COUNT(DISTINCT A) FROM (\(link.query(transition.dialect)))\(name) WHERE A IN "
                    + "(SELECT \(transition.dialect.names.key) \(rows))"
            case .none: return nil
            }
            return ScriptLoss(
                kind: .dataLoss, entity: entity.destination.layout.name, property: property.name, query: query,
                effect: "lose the value of the removed property")
        }
    }

    /// Links to migrated objects to which the relationship can no longer refer. Links to rows of a removed entity are
    /// lost with those rows.
    private func strays(
        _ property: ModelPairing.Property, _ mapping: EntityMapping, _ entity: EntityTransition, _ rows: String
    ) -> ScriptLoss? {
        guard let name = (property.source as? NSRelationshipDescription)?.name, let slot = mapping.layout.slot(name),
            let newSlot = entity.destination.layout.slot(property.destination.name),
            let link = SourceLink(mapping, slot, transition.source)
        else { return nil }
        let targets = Set(transition.targets(entity.destination.layout, newSlot).map(\.number))
        let strays = transition.sourceTargets(mapping.layout, slot).filter { target in
            transition.entity(old: target.number).map { !targets.contains($0.newNumber) } ?? false
        }
        guard let table = strays.first?.table else { return nil }
        let key = transition.dialect.names.key
        return ScriptLoss(
            kind: .dataLoss, entity: entity.destination.layout.name, property: property.destination.name,
            query:
                "SELECT COUNT(DISTINCT A) FROM (\(link.query(transition.dialect)))\(self.name) WHERE A IN "
                + "(SELECT \(key) \(rows)) AND B IN (SELECT \(key) FROM \(table.sql) WHERE "
                + "\(transition.source.entity(of: table)) IN \(transition.source.list(strays.map(\.number))))",
            effect: "lose links to objects of entities that the relationship does not lead to any more")
    }

    /// Whether the inverse relationship keeps the links.
    private func isContinued(_ mapping: EntityMapping, _ slot: Int) -> Bool {
        let place = mapping.layout[slot]
        guard place.inverse >= 0, let other = transition.source.mapping(Int(place.destination)),
            let target = transition.entity(old: other.number)
        else { return false }
        return target.pair.destination(of: other.layout.properties[Int(place.inverse)].name) != nil
    }

    private func members(of link: LinkTransition) -> [ScriptLoss] {
        let rows = link.sources.map { "SELECT A, B FROM (\($0.query(transition.dialect)))\(name)" }.joined(
            separator: " UNION ALL ")
        func loss(
            _ end: String, _ entity: EntityMapping, _ property: String,
            effect: String = "keep the first of several members"
        ) -> ScriptLoss {
            ScriptLoss(
                kind: .cardinality, entity: entity.layout.name, property: property,
                query:
                    "SELECT COUNT(*) FROM (SELECT 1 FROM (\(rows))\(name) GROUP BY \(end) HAVING COUNT(*) > 1)\(name)",
                effect: effect)
        }
        var result: [ScriptLoss] = []
        if link.isToOne { result.append(loss("A", link.mapping, link.name)) }
        if let inverse = link.inverse, link.isInverseToOne {
            result.append(loss("B", link.target, link.target.layout.properties[inverse].name))
        }
        if link.inverse == nil, case .toMany(.column) = link.mapping.storage[link.slot] {
            result.append(
                loss("B", link.mapping, link.name, effect: "stay members of the first of several objects alone"))
        }
        return result
    }
}
