// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A version of a random model as values: entities, attributes and links, each with a number that edits keep.

import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Names are never reused for other elements, so an element that is removed and comes back is the same one.
struct RandomVersion {
    struct Attribute: Equatable {
        let id: Int
        var name: String
        var type: NSAttributeType
        /// Mandatory attributes have the default value 7.
        var isOptional: Bool
    }

    struct Entity: Equatable {
        let id: Int
        var name: String
        let parent: Int?
        var attributes: [Attribute] = []
    }

    /// A relationship and its inverse, which has the same name followed by "Of".
    struct Link: Equatable {
        let id: Int
        var name: String
        let owner: Int
        var target: Int
        var count: RelationshipCount
        /// nil without an inverse.
        var inverse: RelationshipCount?
    }

    static let numbers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
        .floatAttributeType, .decimalAttributeType,
    ]
    static let types = numbers + [.booleanAttributeType, .stringAttributeType]

    var entities: [Entity] = []
    var links: [Link] = []

    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    /// The entity and its superentities.
    func lineage(_ id: Int) -> [Entity] {
        guard let entity = entity(id) else { return [] }
        return [entity] + (entity.parent.map(lineage) ?? [])
    }

    /// Own and inherited ones.
    func attributes(of id: Int) -> [Attribute] { lineage(id).flatMap(\.attributes) }

    // MARK: As a model

    /// - Parameter reference: the version with the names for the renaming identifiers; nil for none.
    func model(after reference: RandomVersion? = nil) -> NSManagedObjectModel {
        let former = Names(reference)
        let made = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, NSEntityDescription($0.name)) })
        for entity in entities {
            guard let description = made[entity.id] else { continue }
            description.renamingIdentifier = former.identifier(entity.id, entity.name)
            if entity.parent == nil {
                description.attribute(Self.key, .integer64AttributeType, optional: false, default: 0)
            }
            for attribute in entity.attributes {
                description.attribute(
                    attribute.name, attribute.type, optional: attribute.isOptional,
                    default: attribute.isOptional ? nil : Self.value(7, attribute.type)
                ).renamingIdentifier = former.identifier(attribute.id, attribute.name)
            }
            if let parent = entity.parent { made[parent]?.subentities.append(description) }
        }
        for link in links {
            guard let owner = made[link.owner], let target = made[link.target] else { continue }
            guard let inverse = link.inverse else {
                owner.relationship(link.name, link.count, to: target).renamingIdentifier = former.identifier(
                    link.id, link.name)
                continue
            }
            owner.relate(link.name, link.count, to: target, inverse: "\(link.name)Of", inverse)
            let identifier = former.identifier(link.id, link.name)
            owner.relationshipsByName[link.name]?.renamingIdentifier = identifier
            target.relationshipsByName["\(link.name)Of"]?.renamingIdentifier = identifier.map { "\($0)Of" }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0.id] }
        return model
    }

    /// A mandatory attribute of each root entity: the number of the object.
    static let key = "key"

    static func value(_ number: Int, _ type: NSAttributeType) -> Any {
        switch type {
        case .stringAttributeType: "\(number)"
        case .booleanAttributeType: number % 2 == 1
        case .decimalAttributeType: NSDecimalNumber(value: number)
        case .doubleAttributeType, .floatAttributeType: NSNumber(value: Double(number))
        default: NSNumber(value: number)
        }
    }

    /// The names in a version by number.
    struct Names {
        private var names: [Int: String] = [:]

        init(_ version: RandomVersion?) {
            for entity in version?.entities ?? [] {
                names[entity.id] = entity.name
                for attribute in entity.attributes { names[attribute.id] = attribute.name }
            }
            for link in version?.links ?? [] { names[link.id] = link.name }
        }

        /// The name in that version if it is another one; nil otherwise.
        func identifier(_ id: Int, _ name: String) -> String? { names[id].flatMap { $0 == name ? nil : $0 } }
    }
}
