// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of a small shop: books with their authors, publishers, reviews and orders.

public import CoreData
import Foundation

extension SampleShop {
    /// Authors with books, and the publishers, reviews and orders of a shop.
    public static func model() -> NSManagedObjectModel {
        let pages = attribute("pages", .integer32AttributeType)
        pages.setValidationPredicates(
            [NSPredicate(format: "SELF <= 5000")], withValidationWarnings: ["A book has at most 5000 pages."])
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.isOptional = true
        size.elements = [
            attribute("width", .doubleAttributeType), attribute("height", .doubleAttributeType),
            attribute("unit", .stringAttributeType),
        ]
        let entities = [
            "Author": [attribute("name", .stringAttributeType, isOptional: false)],
            "Book": [
                attribute("title", .stringAttributeType, isOptional: false), pages,
                attribute("added", .dateAttributeType), attribute("cover", .binaryDataAttributeType),
                attribute("facts", .binaryDataAttributeType), attribute("page", .URIAttributeType),
                attribute("price", .decimalAttributeType), size, attribute("tags", .transformableAttributeType),
            ],
            "Publisher": [attribute("name", .stringAttributeType), attribute("city", .stringAttributeType)],
            "Subject": [attribute("name", .stringAttributeType)],
            "Review": [attribute("stars", .integer16AttributeType), attribute("text", .stringAttributeType)],
            "Customer": [
                attribute("name", .stringAttributeType), attribute("email", .stringAttributeType),
                attribute("number", .UUIDAttributeType),
            ],
            "Order": [attribute("number", .integer32AttributeType)],
            "OrderLine": [attribute("quantity", .integer16AttributeType)],
        ].mapValues { attributes in
            let entity = NSEntityDescription()
            entity.properties = attributes
            return entity
        }
        for (name, entity) in entities { entity.name = name }
        entities["Book"]?.attributesByName["title"]?.isIndexedBySpotlight = true
        func link(_ one: String, _ many: String, _ other: String, _ back: String, _ rule: NSDeleteRule) {
            guard let owner = entities[one], let member = entities[other] else { return }
            let (members, inverse) = (NSRelationshipDescription(), NSRelationshipDescription())
            (members.name, members.destinationEntity, members.deleteRule) = (many, member, rule)
            (inverse.name, inverse.destinationEntity, inverse.maxCount) = (back, owner, 1)
            (members.inverseRelationship, inverse.inverseRelationship) = (inverse, members)
            owner.properties.append(members)
            member.properties.append(inverse)
        }
        link("Author", "books", "Book", "author", .cascadeDeleteRule)
        link("Publisher", "books", "Book", "publisher", .nullifyDeleteRule)
        link("Book", "reviews", "Review", "book", .cascadeDeleteRule)
        link("Customer", "reviews", "Review", "customer", .nullifyDeleteRule)
        link("Customer", "orders", "Order", "customer", .denyDeleteRule)
        link("Order", "lines", "OrderLine", "order", .cascadeDeleteRule)
        link("Book", "lines", "OrderLine", "book", .nullifyDeleteRule)
        link("Subject", "books", "Book", "subjects", .nullifyDeleteRule)
        entities["Book"]?.relationshipsByName["subjects"]?.maxCount = 0
        if let order = entities["OrderLine"]?.relationshipsByName["order"] {
            (order.isOptional, order.minCount) = (false, 1)
        }
        let model = NSManagedObjectModel()
        model.entities = entities.values.sorted { ($0.name ?? "") < ($1.name ?? "") }
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool = true)
        -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }
}
