// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models of the sample stores, in code that Apple's framework compiles as well.

import CoreData
import Foundation

/// Each type of attribute, each form of relationship, inheritance, and a unique name.
enum SampleModel {
    static let types: [(String, NSAttributeType)] = [
        ("small", .integer16AttributeType), ("medium", .integer32AttributeType), ("large", .integer64AttributeType),
        ("exact", .decimalAttributeType), ("real", .doubleAttributeType), ("single", .floatAttributeType),
        ("text", .stringAttributeType), ("flag", .booleanAttributeType), ("day", .dateAttributeType),
        ("bytes", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
    ]

    static func make() -> NSManagedObjectModel {
        let room = entity("Room", [attribute("name", .stringAttributeType)])
        let keyword = entity("Keyword", [attribute("name", .stringAttributeType)])
        let tour = entity("Tour", [attribute("name", .stringAttributeType)])
        let painting = entity("Painting", [attribute("painter", .stringAttributeType)])
        let scan = attribute("scan", .binaryDataAttributeType)
        scan.allowsExternalBinaryDataStorage = true
        let list = attribute("list", .transformableAttributeType)
        list.valueTransformerName = "NSSecureUnarchiveFromData"
        let exhibit = entity(
            "Exhibit", [attribute("name", .stringAttributeType), scan, list] + types.map { attribute($0.0, $0.1) })
        exhibit.subentities = [painting]
        keyword.uniquenessConstraints = [["name"]]
        relate(("exhibits", room, 0, true), ("room", exhibit, 1, false), rule: .cascadeDeleteRule)
        relate(("keywords", exhibit, 0, false), ("exhibits", keyword, 0, false), rule: .nullifyDeleteRule)
        relate(("stops", tour, 0, true), ("tours", exhibit, 0, false), rule: .nullifyDeleteRule)
        relate(("neighbour", exhibit, 1, false), ("neighbourOf", exhibit, 0, false), rule: .nullifyDeleteRule)
        let model = NSManagedObjectModel()
        model.entities = [room, exhibit, painting, keyword, tour]
        return model
    }

    /// A derived attribute. Version hashes of such entities are ours: no file of Apple's shows how they are computed.
    static func makeDerived() -> NSManagedObjectModel {
        let count = NSDerivedAttributeDescription()
        count.name = "bookCount"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(format: "books.@count")
        let shelf = entity("Shelf", [attribute("name", .stringAttributeType), count])
        let book = entity("Book", [attribute("title", .stringAttributeType)])
        relate(("books", shelf, 0, false), ("shelf", book, 1, false), rule: .cascadeDeleteRule)
        let model = NSManagedObjectModel()
        model.entities = [shelf, book]
        return model
    }

    private static func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = attributes
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    /// A relationship of an entity: its name, the entity, the maximum count (0 for a to-many), and whether it has an
    /// order.
    private typealias End = (name: String, entity: NSEntityDescription, maximum: Int, isOrdered: Bool)

    private static func relate(_ one: End, _ other: End, rule: NSDeleteRule) {
        let (first, second) = (relationship(one, to: other.entity), relationship(other, to: one.entity))
        first.deleteRule = rule
        (first.inverseRelationship, second.inverseRelationship) = (second, first)
        one.entity.properties += [first]
        other.entity.properties += [second]
    }

    private static func relationship(_ end: End, to entity: NSEntityDescription) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = end.name
        relationship.destinationEntity = entity
        relationship.minCount = 0
        relationship.maxCount = end.maximum
        relationship.isOrdered = end.isOrdered
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
}
