// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that each fault that makes a model unusable is found and named.

import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreData

@Suite("A broken model") struct BrokenModelTests {
    private let model = NSManagedObjectModel()
    private let book = NSEntityDescription()
    private let author = NSEntityDescription()

    init() {
        book.name = "Book"
        author.name = "Author"
        book.properties = [attribute("title", .stringAttributeType)]
        author.properties = [attribute("name", .stringAttributeType)]
        model.entities = [book, author]
    }

    private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    private func relationship(_ name: String, to destination: NSEntityDescription?) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        return relationship
    }

    private var faults: [String] { ModelCheck(model).faults().map(\.description) }

    @Test("a good model has no faults")
    func good() { #expect(faults == []) }

    @Test("names that are empty, reserved, doubled, or no key are named")
    func names() {
        author.name = "Book"
        book.properties += [
            attribute("", .dateAttributeType), attribute("objectID", .stringAttributeType),
            attribute("a.b", .stringAttributeType), attribute("title", .stringAttributeType),
        ]
        let rule = "a name consists of letters, digits and underscores and begins with no digit"
        #expect(
            Set(faults) == [
                "Book: there is another entity of this name", "Book.: a property needs a name",
                "Book.objectID: this name is taken by every managed object", "Book.a.b: \(rule)",
                "Book.title: there is another property of this name",
            ])
    }

    @Test("a property that hides an inherited one is named")
    func shadowing() {
        book.subentities = [author]
        author.properties.append(attribute("title", .stringAttributeType))
        #expect(faults == ["Author.title: 'Book', which the entity inherits from, has a property of this name"])
    }

    @Test("entities that inherit from themselves are named")
    func cycle() {
        book.subentities = [author]
        author.subentities = [book]
        #expect(
            faults == [
                "Author: it inherits from itself: Author from Book from Author",
                "Book: it inherits from itself: Book from Author from Book",
            ])
        let copy = model.copy() as? NSManagedObjectModel
        #expect(copy?.entities.count == 2)
        author.subentities = []
    }

    @Test("inheritance through too many entities is one fault, however many lie below")
    func deepInheritance() {
        let entities = (0..<1500).map { number in
            let entity = NSEntityDescription()
            entity.name = String(format: "Level%04d", number)
            return entity
        }
        for (parent, child) in zip(entities, entities.dropFirst()) { parent.subentities = [child] }
        model.entities = entities
        #expect(
            faults == [
                "Level0999: it inherits through 1000 entities, which is more than a model can have"
            ])
        entities[1499].subentities = [entities[1200]]
        #expect(faults.count == 2)
        #expect(faults.count { $0.contains(": it inherits from itself: Level1") } == 1)
        entities[1499].subentities = []
    }

    @Test("relationships without a destination, or with a wrong inverse, are named")
    func relationships() {
        let outside = NSEntityDescription()
        outside.name = "Outside"
        let (authors, books, readers) = (
            relationship("authors", to: author), relationship("books", to: book), relationship("readers", to: author)
        )
        book.properties += [
            authors, readers, relationship("nowhere", to: nil), relationship("away", to: outside),
        ]
        author.properties.append(books)
        authors.inverseRelationship = books
        books.inverseRelationship = authors
        // One-sided, which is unusual but valid.
        readers.inverseRelationship = books
        #expect(
            faults == [
                "Book.away: its destination 'Outside' is not in the model", "Book.nowhere: it has no destination",
            ])
        readers.inverseRelationship = authors
        #expect(
            faults.contains("Book.readers: its inverse 'Book.authors' is no relationship of its destination 'Author'"))
    }

    @Test("constraints and indexes on missing properties are named")
    func constraints() {
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.isTransient = true
        book.properties += [cover, relationship("author", to: author)]
        book.uniquenessConstraints = [["isbn"], ["title", "cover"], ["author"], []]
        let element = NSFetchIndexElementDescription(
            property: attribute("isbn", .stringAttributeType), collationType: .binary)
        book.indexes = [
            NSFetchIndexDescription(name: "byISBN", elements: [element]),
            NSFetchIndexDescription(name: "none", elements: []),
        ]
        #expect(
            faults == [
                "Book: the uniqueness constraint (isbn) names 'isbn', which does not exist",
                "Book: the uniqueness constraint (title, cover) names 'cover', which is transient and so in no store",
                "Book: the uniqueness constraint (author) names 'author', which is no attribute and no to-one",
                "Book: a uniqueness constraint names no attribute",
                "Book: the index 'byISBN' names 'isbn', which does not exist", "Book: the index 'none' has no elements",
            ])
    }

    @Test("attributes without type, parts or fitting default are named")
    func attributes() {
        let pages = attribute("pages", .integer16AttributeType)
        pages.defaultValue = 40_000
        let date = attribute("published", .dateAttributeType)
        date.defaultValue = "yesterday"
        let composite = NSCompositeAttributeDescription()
        composite.name = "size"
        let derived = NSDerivedAttributeDescription()
        derived.name = "upperTitle"
        derived.attributeType = .stringAttributeType
        book.properties = [pages, date, composite, derived, attribute("any", .undefinedAttributeType)]
        #expect(
            faults == [
                "Book.any: an attribute that is stored needs a type",
                "Book.pages: its default value is of the class Int, which does not fit the type Integer 16, or is out of its range",
                "Book.published: its default value is of the class String, which does not fit the type Date, or is out of its range",
                "Book.size: a composite attribute needs elements",
                "Book.upperTitle: a derived attribute needs a derivation expression",
            ])
    }

    @Test("missing entities and properties that a file names are listed")
    func documents() {
        var document = ModelDocument()
        var book = ModelDocument.Entity(name: "Book")
        book.superentityName = "Work"
        book.relationships = [ModelDocument.Relationship(name: "author", destinationEntityName: "Author")]
        var self_ = ModelDocument.Relationship(name: "sequel", destinationEntityName: "Book")
        self_.inverseName = "prequel"
        self_.deleteRule = 9
        book.relationships.append(self_)
        book.attributes = [ModelDocument.Attribute(name: "title", type: 701)]
        document.entities = [book]
        document.configurations = [ModelDocument.Configuration(name: "Shared", entityNames: ["Book", "Author"])]
        let faults = ModelCheck(NSManagedObjectModel(document: document)).faults().map(\.description)
        #expect(
            Set(faults) == [
                "Book: its superentity 'Work' is not in the model",
                "the configuration 'Shared' names 'Author', which is no entity",
                "Book.author: its destination 'Author' is not in the model",
                "Book.sequel: its inverse 'Book.prequel' is no relationship",
                "Book.sequel: the delete rule 9 does not exist", "Book.title: the attribute type 701 does not exist",
                "Book.title: an attribute that is stored needs a type",
            ])
    }

    @Test("rules that cannot be read, or that no value fulfils, are named")
    func rules() throws {
        var document = ModelDocument()
        var book = ModelDocument.Entity(name: "Book")
        var pages = ModelDocument.Attribute(name: "pages", type: 300)
        pages.traits.validations = [
            ModelDocument.Validation(format: "SELF >= 9", warning: .integer(1620)),
            ModelDocument.Validation(format: "SELF <= 3", warning: .integer(1610)),
        ]
        var title = ModelDocument.Attribute(name: "title", type: 700)
        title.traits.validations = [
            ModelDocument.Validation(format: "length >= 9"), ModelDocument.Validation(format: "length <= 3"),
            ModelDocument.Validation(format: "SELF LIKE"),
        ]
        var derived = ModelDocument.Attribute(name: "upper", type: 700)
        derived.derivationExpression = "uppercase:("
        book.attributes = [pages, title, derived]
        document.entities = [book]
        let faults = ModelCheck(NSManagedObjectModel(document: document)).faults().map(\.description)
        try #require(faults.count == 4)
        #expect(faults[0] == "Book.pages: the minimum of the value is above the maximum, so no value is valid")
        #expect(faults[1].hasPrefix("Book.title: its rule 'SELF LIKE' cannot be read: "))
        #expect(faults[2] == "Book.title: the minimum of the length is above the maximum, so no value is valid")
        #expect(faults[3].hasPrefix("Book.upper: its derivation 'uppercase:(' cannot be read: "))
    }

    @Test("all faults come in one error, each also on its own")
    func oneError() throws {
        book.properties.append(relationship("nowhere", to: nil))
        book.uniquenessConstraints = [["isbn"]]
        var caught: NSError?
        do { try model.check() } catch { caught = error as NSError }
        let error = try #require(caught)
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSCoreDataError)
        #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
        #expect(error.localizedDescription.contains("Book.nowhere: it has no destination"))
        #expect(error.localizedDescription.contains("'isbn'"))
    }
}
