// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that a model in use cannot be changed.

import Foundation
import Testing

@testable import CoreData

@Suite("A model in use") struct FreezingTests {
    private static func bookshop() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let (book, author) = (NSEntityDescription(), NSEntityDescription())
        book.name = "Book"
        author.name = "Author"
        let (writer, books) = (NSRelationshipDescription(), NSRelationshipDescription())
        writer.name = "author"
        writer.maxCount = 1
        writer.destinationEntity = author
        writer.inverseRelationship = books
        books.name = "books"
        books.destinationEntity = book
        book.properties = [writer]
        author.properties = [books]
        model.entities = [book, author]
        return model
    }

    @Test("answers as before")
    func answers() {
        let model = Self.bookshop()
        let hashes = model.entityVersionHashesByName
        let document = model.document()
        model.freeze()
        model.freeze()
        #expect(model.entityVersionHashesByName == hashes)
        #expect(model.document() == document)
        #expect(Set(model.entitiesByName.keys) == ["Book", "Author"])
    }

    @Test("knows both ends of an inverse that was set on one")
    func inverses() {
        let model = Self.bookshop()
        model.freeze()
        let books = model.entitiesByName["Author"]?.relationshipsByName["books"]
        #expect(books?.inverseRelationship === model.entitiesByName["Book"]?.relationshipsByName["author"])
    }

    @Test("gives copies that can be changed")
    func copies() throws {
        let model = Self.bookshop()
        model.freeze()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        copy.entitiesByName["Book"]?.name = "Volume"
        #expect(copy.entitiesByName["Volume"] != nil)
    }

    @Test("keeps its entities when another model takes them in", .tags(.assumed))
    func shared() {
        let model = Self.bookshop()
        model.freeze()
        let other = NSManagedObjectModel()
        other.entities = model.entities
        other.freeze()
        #expect(model.entitiesByName["Book"]?.managedObjectModel === model)
        #expect(other.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("traps when its entities are set")
    func model() async {
        await #expect(processExitsWith: .failure) {
            let model = FreezingTests.bookshop()
            model.freeze()
            model.entities = []
        }
    }

    @Test("traps when an entity is changed")
    func entity() async {
        await #expect(processExitsWith: .failure) {
            let model = FreezingTests.bookshop()
            model.freeze()
            model.entitiesByName["Book"]?.isAbstract = true
        }
    }

    @Test("traps when a property is changed")
    func property() async {
        await #expect(processExitsWith: .failure) {
            let model = FreezingTests.bookshop()
            model.freeze()
            model.entitiesByName["Author"]?.relationshipsByName["books"]?.maxCount = 3
        }
    }
}
