// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that a model in use cannot be changed.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("A model in use") struct FreezingTests {
    @Test("answers as before")
    func answers() {
        let model = BookshopModel.make()
        let hashes = model.entityVersionHashesByName
        let document = model.document()
        model.freeze()
        model.freeze()
        #expect(model.entityVersionHashesByName == hashes)
        #expect(model.document() == document)
        #expect(Set(model.entitiesByName.keys) == ["Author", "Book", "Chapter", "Tag"])
    }

    @Test("knows both ends of an inverse that was set on one")
    func inverses() {
        let model = BookshopModel.make()
        let books = model.entitiesByName["Author"]?.relationshipsByName["books"]
        books?.inverseRelationship = nil
        model.freeze()
        #expect(books?.inverseRelationship === model.entitiesByName["Book"]?.relationshipsByName["author"])
    }

    @Test("gives copies that can be changed")
    func copies() throws {
        let model = BookshopModel.make()
        model.freeze()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        copy.entitiesByName["Book"]?.name = "Volume"
        #expect(copy.entitiesByName["Volume"] != nil)
    }

    /// Decided by `NSEntityDescription.managedObjectModel` after `entities` of a model in use were given to a second
    /// model.
    @Test("keeps its entities when another model takes them in", .tags(.assumed))
    func shared() {
        let model = BookshopModel.make()
        model.freeze()
        let other = NSManagedObjectModel()
        other.entities = model.entities
        other.freeze()
        #expect(model.entitiesByName["Book"]?.managedObjectModel === model)
        #expect(other.entityVersionHashesByName == model.entityVersionHashesByName)
    }

    /// Decided by `userInfo` of a description, set after its model was given to a coordinator: an exception, or the new
    /// value.
    @Test("takes user info of entities and properties", .tags(.assumed))
    func userInfo() throws {
        let shop = try Bookshop(in: .inMemory)
        let entity = try #require(shop.stack.coordinator.managedObjectModel.entitiesByName["Book"])
        let property = try #require(entity.attributesByName["title"])
        let relationship = try #require(entity.relationshipsByName["author"])
        entity.userInfo?["a"] = "b"
        property.userInfo?["a"] = 1
        relationship.userInfo = nil
        #expect(entity.userInfo?["a"] as? String == "b" && property.userInfo?["a"] as? Int == 1)
        #expect(relationship.userInfo == nil)
        shop.book("Dune")
        try shop.context.save()
        #expect(try shop.titles(Book.request()) == ["Dune"])
        let copy = try #require(entity.copy() as? NSEntityDescription)
        copy.userInfo?["a"] = "c"
        #expect(entity.userInfo?["a"] as? String == "b")
    }

    @Test("traps when its entities are set")
    func model() async {
        await #expect(processExitsWith: .failure) {
            let model = BookshopModel.make()
            model.freeze()
            model.entities = []
        }
    }

    @Test("traps when an entity is changed")
    func entity() async {
        await #expect(processExitsWith: .failure) {
            let model = BookshopModel.make()
            model.freeze()
            model.entitiesByName["Book"]?.isAbstract = true
        }
    }

    @Test("traps when a property is changed")
    func property() async {
        await #expect(processExitsWith: .failure) {
            let model = BookshopModel.make()
            model.freeze()
            model.entitiesByName["Author"]?.relationshipsByName["books"]?.maxCount = 3
        }
    }
}
