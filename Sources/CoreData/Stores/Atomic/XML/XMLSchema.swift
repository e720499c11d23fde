// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps the names in an XML store to the entities and properties of a model.

import CoreDataModelFiles
import Foundation

/// Files contain entity names in upper case and property names in lower case, so names must differ in more than case.
struct XMLSchema {
    /// A property in the file; each element of a composite attribute is a separate field.
    struct Field {
        enum Kind {
            case attribute(XMLCoding)
            /// The path of names from the composite attribute inwards, without the element's own name.
            case element([String], XMLCoding)
            case toOne
            case toMany
        }

        let name: String
        let slot: Int
        let kind: Kind
        /// The cardinality, such as "0/1"; empty for attributes.
        var count = ""
        /// The destination entity of a relationship, in upper case.
        var destination = ""
    }

    struct Entity {
        let layout: EntityLayout
        let type: String
        /// Attributes by name, then relationships by name: the order of fields in new objects.
        let fields: [Field]
        let numbers: [String: Int]
    }

    /// By entity name in files.
    private let entities: [String: Entity]
    /// By index of the entity in the model.
    private let byIndex: [Int: Entity]

    /// - Throws: `AtomicDamage` with the names that differ only in case.
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
