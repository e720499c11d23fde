// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the statements of a model's indexes: their columns, and the condition of a partial index.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("The statements of a model's indexes") struct IndexTextTests {
    private func index(_ elements: [NSFetchIndexElementDescription], _ condition: String? = nil) throws -> String? {
        let shop = NSEntityDescription("Shop")
        shop.attribute("open", .booleanAttributeType)
        shop.attribute("size", .integer32AttributeType)
        shop.subentities = [NSEntityDescription("Kiosk")]
        let index = NSFetchIndexDescription(name: "i", elements: elements)
        index.partialIndexPredicate = condition.map { CoreData.NSPredicate(format: $0) }
        shop.indexes = [index]
        let model = NSManagedObjectModel(shop, shop.subentities[0])
        let schema = Schema(model: ModelLayout(entities: model.entities))
        return try SchemaDDL(schema: schema).indexes.first { $0.hasPrefix("CREATE INDEX Z_Shop_i ") }
    }

    private func element(_ expression: CoreData.NSExpression) -> NSFetchIndexElementDescription {
        let property = NSExpressionDescription()
        property.name = "expression1"
        property.expression = expression
        return NSFetchIndexElementDescription(property: property, collationType: .binary)
    }

    @Test("an index on self has the key, one on entity the number of the entity") func expressions() throws {
        let (object, entity) = (
            CoreData.NSExpression.expressionForEvaluatedObject(), CoreData.NSExpression(forKeyPath: "entity")
        )
        #expect(try index([element(object)]) == "CREATE INDEX Z_Shop_i ON ZSHOP (Z_PK COLLATE BINARY ASC)")
        #expect(try index([element(entity)]) == "CREATE INDEX Z_Shop_i ON ZSHOP (Z_ENT COLLATE BINARY ASC)")
        let size = element(CoreData.NSExpression(forKeyPath: "size"))
        #expect(
            try index([size, element(object)])
                == "CREATE INDEX Z_Shop_i ON ZSHOP (ZSIZE COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)")
        let named = NSFetchIndexElementDescription(
            property: nil, name: "self", collationType: .binary, isAscending: false)
        #expect(try index([named]) == "CREATE INDEX Z_Shop_i ON ZSHOP (Z_PK COLLATE BINARY DESC)")
    }

    @Test("a condition has a space before each column, as Apple's framework writes it") func conditions() throws {
        let size = [element(CoreData.NSExpression(forKeyPath: "size"))]
        let head = "CREATE INDEX Z_Shop_i ON ZSHOP (ZSIZE COLLATE BINARY ASC) WHERE "
        #expect(try index(size, "size != nil") == head + " ZSIZE IS NOT NULL")
        #expect(try index(size, "open == YES AND size > 2") == head + "( ZOPEN = 1 AND  ZSIZE > 2)")
    }

    @Test("spaces next to parentheses make no other index") func spaces() {
        let (one, other) = (
            "CREATE INDEX i ON Z (a) WHERE  (a = 1 AND b = 2)", "CREATE INDEX i ON Z (a) WHERE ( a = 1 AND  b = 2)"
        )
        #expect(DatabaseOutline.normalized(one) == DatabaseOutline.normalized(other))
        #expect(DatabaseOutline.normalized(one) != DatabaseOutline.normalized(other.replacing("2", with: "3")))
    }
}
