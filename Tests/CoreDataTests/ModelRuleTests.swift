// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that rules and expressions of a model survive being read, set, written and copied.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreData

@Suite("Rules and expressions of a model") struct ModelRuleTests {
    private func loaded(_ attribute: ModelDocument.Attribute) throws -> NSAttributeDescription {
        var document = ModelDocument()
        var entity = ModelDocument.Entity(name: "Book")
        entity.attributes = [attribute]
        document.entities = [entity]
        let model = NSManagedObjectModel(document: document)
        let copy = try #require(model.entities[0].properties[0].copy() as? NSAttributeDescription)
        #expect(model.document() == document)
        return copy
    }

    @Test("rules of a file become predicates, their codes numbers")
    func loadedRules() throws {
        var pages = ModelDocument.Attribute(name: "pages", type: 300)
        pages.valueClassName = "NSNumber"
        pages.traits.validations = [
            ModelDocument.Validation(format: "SELF >= 9", warning: .integer(1620)),
            ModelDocument.Validation(format: "SELF != 13", warning: .string("Unlucky")),
            ModelDocument.Validation(format: "SELF < 1000"),
        ]
        let attribute = try loaded(pages)
        #expect(attribute.validationPredicates.map(\.description) == ["SELF >= 9", "SELF != 13", "SELF < 1000"])
        #expect(attribute.validationWarnings[0] as? Int == NSValidationNumberTooSmallError)
        #expect(attribute.validationWarnings[1] as? String == "Unlucky")
        #expect(attribute.validationWarnings[2] as? Int == NSManagedObjectValidationError)
    }

    @Test("rules set in code replace those of the file and are written as text")
    func setRules() throws {
        var title = ModelDocument.Attribute(name: "title", type: 700)
        title.valueClassName = "NSString"
        title.traits.validations = [ModelDocument.Validation(format: "length <= 3", warning: .integer(1660))]
        let attribute = try loaded(title)
        attribute.setValidationPredicates(
            [try NSPredicate.parsing("SELF BEGINSWITH \"A\"")], withValidationWarnings: ["Begin with A"])
        let entity = NSEntityDescription()
        entity.name = "Book"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        #expect(
            model.document().entities[0].attributes[0].traits.validations == [
                ModelDocument.Validation(format: "SELF BEGINSWITH \"A\"", warning: .string("Begin with A"))
            ])
    }

    @Test("a derivation is the same as text and as an expression")
    func derivations() throws {
        var upper = ModelDocument.Attribute(name: "upper", type: 700)
        upper.valueClassName = "NSString"
        upper.traits.isReadOnly = true
        upper.derivationExpression = "uppercase:(title)"
        let attribute = try #require(try loaded(upper) as? NSDerivedAttributeDescription)
        #expect(attribute.derivationExpression?.function == "uppercase:")
        attribute.derivationExpression = CoreDataFoundation.NSExpression(forKeyPath: "items.@count")
        #expect(attribute.derivationText == "items.@count")
    }

    @Test("the condition of an index can be set and copied")
    func conditions() throws {
        let index = NSFetchIndexDescription(name: "open", elements: [])
        index.partialIndexPredicate = try NSPredicate.parsing("isOpen == 1")
        #expect(index.partialPredicateText == "isOpen == 1")
        let copy = try #require(index.copy() as? NSFetchIndexDescription)
        #expect(copy.partialIndexPredicate?.description == "isOpen == 1")
    }
}
