// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which names of an XML store mean which entities and properties of a model.

import CoreDataModelFiles
import Foundation

/// Files have entities in upper case and properties in lower case, so names must not differ in case alone.
struct XMLSchema {
    /// A property as it stands in a file; an element of a composite attribute is a field of its own.
    struct Field {
        enum Kind {
            case attribute(XMLCoding)
            /// Names from the composite inwards, without its own.
            case element([String], XMLCoding)
            case toOne
            case toMany
        }

        let name: String
        let slot: Int
        let kind: Kind
        /// "0/1" and the like; empty for attributes.
        var count = ""
        /// Of a relationship: the entity of its destination, in upper case.
        var destination = ""
    }

    struct Entity {
        let layout: EntityLayout
        let type: String
        /// Attributes by name, then relationships by name: the order in which new objects are written.
        let fields: [Field]
        let numbers: [String: Int]
    }

    /// By the name of the entity in files.
    private let entities: [String: Entity]
    /// By the index of the entity in the model.
    private let byIndex: [Int: Entity]

    /// - Throws: `AtomicDamage`, whose reason says which names differ in case alone.
    init(_ model: ModelLayout, _ described: [NSEntityDescription]) throws {
        var entities: [String: Entity] = [:]
        var byIndex: [Int: Entity] = [:]
        for layout in described.compactMap({ model.layout(of: $0) }) {
            let entity = try Self.entity(layout)
            if let other = entities.updateValue(entity, forKey: entity.type) {
                throw AtomicDamage(
                    reason: "The names of the entities '\(other.layout.name)' and '\(layout.name)' differ in case "
                        + "alone, which XML stores do not keep.")
            }
            byIndex[layout.index] = entity
        }
        self.entities = entities
        self.byIndex = byIndex
    }

    subscript(type type: String) -> Entity? { entities[type] }
    subscript(index index: Int) -> Entity? { byIndex[index] }

    private static func entity(_ layout: EntityLayout) throws -> Entity {
        let stored = StoredField.fields(of: layout)
        let attributes = stored.compactMap(Self.attribute)
        let relationships = stored.compactMap(Self.relationship)
        let fields = attributes.sorted { $0.name < $1.name } + relationships.sorted { $0.name < $1.name }
        var numbers: [String: Int] = [:]
        for (number, field) in fields.enumerated() where numbers.updateValue(number, forKey: field.name) != nil {
            throw AtomicDamage(
                reason: "'\(layout.name)' has two properties whose names differ in case alone ('\(field.name)'), "
                    + "which XML stores do not keep.")
        }
        return Entity(layout: layout, type: layout.name.uppercased(), fields: fields, numbers: numbers)
    }

    private static func attribute(_ stored: StoredField) -> Field? {
        guard case .attribute(let attribute) = stored.kind, let coding = XMLCoding(attribute) else { return nil }
        let inner = Array(stored.path.dropFirst())
        return Field(
            name: stored.path.joined(separator: ".").lowercased(), slot: stored.slot,
            kind: inner.isEmpty ? .attribute(coding) : .element(inner, coding))
    }

    private static func relationship(_ stored: StoredField) -> Field? {
        guard case .relationship(let relationship) = stored.kind else { return nil }
        return Field(
            name: relationship.name.lowercased(), slot: stored.slot, kind: relationship.isToMany ? .toMany : .toOne,
            count: "\(relationship.minCount)/\(relationship.maxCount)",
            destination: (relationship.destinationEntity?.name ?? "").uppercased())
    }
}
