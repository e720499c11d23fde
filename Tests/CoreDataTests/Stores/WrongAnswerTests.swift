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

    @Test("fetches of pages and of dictionaries answered with something else are errors")
    func pagesAndDictionaries() throws {
        let shop = try saved()
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["title"]
        for answer in [[7], ["title"]] as [Any] {
            shop.store.answer = { _, _ in answer }
            let error = #expect(throws: CocoaError.self) { try shop.newContext().fetch(dictionaries) }
            #expect(error?.code == .persistentStoreOperation, "\(answer)")
            #expect(error?.localizedDescription.contains("dictionaries") == true)
        }
        shop.store.answer = nil
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        shop.book("Emma")
        try shop.context.save()
        let context = shop.newContext()
        let page = try context.page(request, after: nil, size: 1)
        #expect(page.results.map(\.title) == ["Dune"])
        shop.store.answer = { _, _ in "Dune" }
        let error = #expect(throws: CocoaError.self) { try context.page(request, after: page.next, size: 1) }
        #expect(error?.localizedDescription.contains("array") == true)
    }

    @Test("requests of a program's own type are answered by a result, or by an error with both types")
    func foreignRequests() throws {
        let shop = try saved()
        let context = shop.newContext()
        shop.store.answer = { request, _ in request is OwnRequest ? OwnResult() : nil }
        #expect(try context.execute(OwnRequest()) is OwnResult)
        shop.store.answer = { request, _ in request is OwnRequest ? 7 : nil }
        let error = #expect(throws: CocoaError.self) { try context.execute(OwnRequest()) }
        #expect(error?.code == .persistentStoreOperation)
        #expect(error?.localizedDescription.contains("OwnRequest") == true)
    }

    private final class OwnRequest: NSPersistentStoreRequest {}
    private final class OwnResult: NSPersistentStoreResult {}

    @Test("results of a copy of the request are an error that says what to hand on")
    func copiedRequest() throws {
        let shop = try saved()
        shop.store.answer = { request, context in
            guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult> else { return nil }
            let copy = NSFetchRequest<any NSFetchRequestResult>(entityName: fetch.entityName ?? "")
            return try shop.store.results(of: copy, among: [], with: context)
        }
        let error = #expect(throws: CocoaError.self) { try shop.newContext().fetch(Book.request()) }
        #expect(error?.localizedDescription.contains("not a copy") == true)
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

    @Test("a class that only loads metadata names each method that a request needs")
    func unfinished() throws {
        NSPersistentStoreCoordinator.registerStoreClass(UnfinishedStore.self, forStoreType: "Unfinished")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let store = try #require(
            try coordinator.addPersistentStore(ofType: "Unfinished", configurationName: nil, at: nil)
                as? UnfinishedStore)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let fetch = #expect(throws: CocoaError.self) { try context.fetch(Book.request()) }
        #expect(fetch?.localizedDescription.contains("execute(_:with:)") == true)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Book"])
        let id = store.newObjectID(for: entity, referenceObject: 1)
        let values = #expect(throws: CocoaError.self) { try context.existingObject(with: id) }
        #expect(values?.localizedDescription.contains("newValuesForObject(with:with:)") == true)
        store.title = "Dune"
        let book = try #require(try context.existingObject(with: id) as? Book)
        #expect(book.title == "Dune" && book.tags.isEmpty)
        book.pages = 1
        let members = try #require(context.saveFailure())
        #expect("\(members) \(members.userInfo)".contains("newValue(forRelationship:forObjectWith:with:)"))
    }

    final class UnfinishedStore: NSIncrementalStore {
        var title: String?

        override func loadMetadata() throws {
            metadata = [NSStoreTypeKey: "Unfinished", NSStoreUUIDKey: UUID().uuidString]
        }

        override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext)
            throws -> NSIncrementalStoreNode
        {
            guard let title else { return try super.newValuesForObject(with: objectID, with: context) }
            let node = NSIncrementalStoreNode(objectID: objectID, withValues: [:], version: 1)
            let values: [String: Any] = ["title": title, "pages": 7, "inPrint": true, "author": NSNull()]
            node.update(withValues: values, version: 2)
            return node
        }
    }

    @Test("a store class that does nothing tells what it does not support")
    func base() throws {
        let url = URL(filePath: "/tmp/none")
        for call in [
            { _ = try NSPersistentStore.metadataForPersistentStore(with: url) },
            { try NSPersistentStore.setMetadata([:], forPersistentStoreAt: url) },
        ] {
            let error = #expect(throws: CocoaError.self, performing: call)
            #expect(error?.code == .persistentStoreUnsupportedRequestType)
        }
        #expect(NSPersistentStore.migrationManagerClass() is NSMigrationManager.Type)
    }
}
