// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that an invalid result of a custom store is an error that names the fault and its place, never a trap.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Wrong answers of incremental stores") struct WrongAnswerTests {
    private func saved() throws -> ShelfShop {
        let shop = try ShelfShop()
        shop.book("Dune")
        try shop.context.save()
        return shop
    }

    /// The error of reading the book anew must have these words in its sentence.
    private func expectRefusal(_ shop: ShelfShop, says words: [String]) {
        let error = #expect(throws: CocoaError.self) {
            try shop.newContext().existingObject(with: shop.store.id("Book 1"))
        }
        #expect(error?.code == .persistentStoreOperation)
        let sentence = error?.localizedDescription ?? ""
        for word in words { #expect(sentence.contains(word), "\(sentence)") }
    }

    @Test(
        "values of a wrong type, and missing ones, name entity, record and key",
        arguments: ["title", "pages", "author"])
    func values(key: String) throws {
        let shop = try saved()
        let id = shop.store.id("Book 1")
        let isNumber = key == "title"
        shop.store.node = { _ in
            var values = shop.store.records["Book 1"]!.values
            values["author"] = NSNull()
            values[key] = isNumber ? 7 as Any : "seven"
            return NSIncrementalStoreNode(objectID: id, withValues: values, version: 1)
        }
        expectRefusal(shop, says: ["ShelfStore", "'Book.\(key)'", "\(id)"])
    }

    @Test("a mandatory value that is missing is an error; an optional one is nil")
    func missing() throws {
        let shop = try saved()
        let id = shop.store.id("Book 1")
        shop.store.node = { _ in NSIncrementalStoreNode(objectID: id, withValues: ["title": "Dune"], version: 1) }
        expectRefusal(shop, says: ["no value", "'Book.inPrint'"])
        shop.store.node = { _ in
            let values: [String: Any] = ["title": NSNull(), "pages": 1, "inPrint": true, "author": NSNull()]
            return NSIncrementalStoreNode(objectID: id, withValues: values, version: 1)
        }
        let context = shop.newContext()
        let book = try context.existingObject(with: id) as? Book
        #expect(book?.title == nil)
        #expect(book?.pages == 1)
    }

    @Test("a node of another record, of another entity, or without a permanent id, is an error")
    func nodes() throws {
        let shop = try saved()
        let author = Author(context: shop.context)
        for id in [shop.store.id("Book 2"), shop.store.id("Tag 1"), author.objectID] {
            shop.store.node = { _ in NSIncrementalStoreNode(objectID: id, withValues: [:], version: 1) }
            expectRefusal(shop, says: ["ShelfStore", "\(id)"])
        }
    }

    @Test("fetches answered with anything but ids, objects, dictionaries or numbers are errors")
    func fetches() throws {
        let shop = try saved()
        let other = try saved()
        let (tag, stranger) = (shop.store.id("Tag 1"), other.store.id("Book 1"))
        let answers: [Any] = [7, "Dune", [7], ["Dune"], [tag], [stranger], [Author(context: shop.context)]]
        for answer in answers {
            shop.store.answer = { _, _ in answer }
            let error = #expect(throws: CocoaError.self) { try shop.newContext().fetch(Book.request()) }
            #expect(error?.code == .persistentStoreOperation, "\(answer)")
            #expect(error?.localizedDescription.contains("'Book'") == true)
        }
        for answer in [[-1], ["seven"], "seven"] as [Any] {
            shop.store.answer = { _, _ in answer }
            let error = #expect(throws: CocoaError.self) { try shop.newContext().count(for: Book.request()) }
            #expect(error?.code == .persistentStoreOperation, "\(answer)")
        }
    }

    @Test("a to-many answered with no list, or with others than its members, is an error of the next save")
    func relationships() throws {
        let shop = try saved()
        let book = shop.store.id("Book 1")
        for answer in [7, [7], [book]] as [Any] {
            shop.store.value = { _, _ in answer }
            let context = shop.newContext()
            let object = try #require(try context.existingObject(with: book) as? Book)
            #expect(object.tags.isEmpty)
            object.pages += 1
            let error = #expect(throws: CocoaError.self) { try context.save() }
            let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.code == NSPersistentStoreOperationError)
            #expect(cause?.localizedDescription.contains("'Book.tags'") == true)
        }
    }

    @Test("permanent ids that are too few, of another entity, or the same twice, are errors, and nothing changes")
    func permanentIDs() throws {
        let shop = try saved()
        let (one, other) = (shop.book("Emma"), shop.book("Ubik"))
        let (book, tag) = (shop.store.id("Book 8"), shop.store.id("Tag 9"))
        for ids in [[], [book, book], [book, tag], [book, one.objectID]] {
            shop.store.ids = { _ in ids }
            let error = #expect(throws: CocoaError.self) { try shop.context.save() }
            #expect(error?.code == .persistentStoreOperation)
            #expect(one.objectID.isTemporaryID && other.objectID.isTemporaryID)
        }
        shop.store.ids = nil
        try shop.context.save()
        #expect(shop.store.records.count == 3)
    }

    @Test("a class that overrides nothing names the missing methods")
    func bare() {
        NSPersistentStoreCoordinator.registerStoreClass(BareStore.self, forStoreType: "Bare")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: "Bare", configurationName: nil, at: nil)
        }
        #expect(error?.localizedDescription.contains("loadMetadata()") == true)
    }

    final class BareStore: NSIncrementalStore {}
}
