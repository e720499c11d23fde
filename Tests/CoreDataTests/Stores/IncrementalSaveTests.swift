// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the contents of a save request to an incremental store, and the failures of a save.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Saves of incremental stores") struct IncrementalSaveTests {
    @Test("a save hands over the objects, inserted ones with permanent ids, and the context")
    func objects() throws {
        let shop = try ShelfShop()
        let (dune, emma, ubik) = (shop.book("Dune"), shop.book("Emma"), shop.book("Ubik"))
        var inserted: Set<NSManagedObject> = []
        var (isPermanent, given) = (false, nil as NSManagedObjectContext?)
        shop.store.answer = { request, context in
            inserted = (request as? NSSaveChangesRequest)?.insertedObjects ?? []
            isPermanent = inserted.allSatisfy { !$0.objectID.isTemporaryID }
            given = context
            return nil
        }
        try shop.context.save()
        #expect(inserted == [dune, emma, ubik])
        #expect(isPermanent)
        #expect(given === shop.context)
        #expect(dune.objectID == shop.store.id("Book 1"))

        shop.store.answer = nil
        dune.pages = 7
        shop.context.delete(emma)
        shop.context.detectConflicts(for: ubik)
        try shop.context.save()
        let save = try #require(shop.lastSave)
        #expect(save.updatedObjects == [dune])
        #expect(save.deletedObjects == [emma])
        #expect(save.lockedObjects == [ubik])
        #expect(save.insertedObjects == [])
        #expect(shop.store.records.keys.sorted() == ["Book 1", "Book 3"])
    }

    @Test("of a child's changes the store sees the objects of the topmost context")
    func nested() throws {
        let shop = try ShelfShop()
        let parent = shop.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try child.performAndWait {
            Book(context: child).title = "Dune"
            try child.save()
        }
        #expect(shop.lastSave == nil)
        try parent.performAndWait { try parent.save() }
        let contexts = Set((shop.lastSave?.insertedObjects ?? []).compactMap(\.managedObjectContext))
        #expect(contexts == [parent])
    }

    @Test("a save of another context is a conflict, which the merge policy resolves")
    func conflict() throws {
        let shop = try ShelfShop()
        let book = shop.book("Dune")
        try shop.context.save()
        let other = shop.newContext()
        let twin = try #require(try other.existingObject(with: book.objectID) as? Book)
        twin.title = "Emma"
        try other.save()
        book.pages = 7
        let error = #expect(throws: CocoaError.self) { try shop.context.save() }
        #expect(error?.code == .managedObjectMerge)
        shop.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try shop.context.save()
        #expect(shop.store.records["Book 1"]?.values["title"] as? String == "Emma")
        #expect(shop.store.records["Book 1"]?.values["pages"] as? Int == 7)
        #expect(shop.store.records["Book 1"]?.version == 3)
    }

    @Test("with any versions from a store, an object may be saved again and again")
    func versions() throws {
        let shop = try ShelfShop()
        shop.store.countsVersions = false
        let book = shop.book("Dune")
        for pages in 1...3 {
            book.pages = pages
            try shop.context.save()
        }
        shop.store.records["Book 1"]?.version = 900
        shop.store.countsVersions = true
        shop.context.refresh(book, mergeChanges: false)
        shop.store.rowCache.forgetAll()
        for pages in 4...6 {
            book.pages = pages
            try shop.context.save()
        }
        #expect(shop.store.records["Book 1"]?.version == 903)
    }

    @Test("a record that was deleted underneath is a conflict")
    func deleted() throws {
        let shop = try ShelfShop()
        let book = shop.book("Dune")
        try shop.context.save()
        shop.store.records = [:]
        book.pages = 7
        let error = #expect(throws: CocoaError.self) { try shop.context.save() }
        #expect(error?.code == .managedObjectMerge)
        shop.context.mergePolicy = NSMergePolicy.overwrite
        try shop.context.save()
        #expect(shop.store.records["Book 1"]?.values["pages"] as? Int == 7)
    }

    @Test("uniqueness constraints are kept for the store")
    func uniqueness() throws {
        let shop = try ShelfShop()
        Tag(context: shop.context).name = "sand"
        try shop.context.save()
        let other = shop.newContext()
        Tag(context: other).name = "sand"
        let error = #expect(throws: CocoaError.self) { try other.save() }
        #expect(error?.code == .managedObjectConstraintMerge)
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try other.save()
        #expect(shop.store.records.count == 1)
    }

    @Test("a new object takes the unique value that another one gives up, or leaves behind, in the same save")
    func releasedValue() throws {
        let shop = try ShelfShop()
        let old = Tag(context: shop.context)
        old.name = "sand"
        try shop.context.save()
        old.name = "dust"
        let new = Tag(context: shop.context)
        new.name = "sand"
        try shop.context.save()
        shop.context.delete(new)
        Tag(context: shop.context).name = "sand"
        try shop.context.save()
        #expect(shop.store.records.values.compactMap { $0.values["name"] as? String }.sorted() == ["dust", "sand"])
    }

    @Test("a store that refuses leaves everything pending, and the other stores of the save unwritten")
    func refusal() throws {
        let shop = try ShelfShop()
        let memory = try shop.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let book = shop.book("Dune")
        let author = Author(context: shop.context)
        author.name = "Herbert"
        shop.context.assign(author, to: memory)
        struct Refusal: Error {}
        shop.store.answer = { request, _ in if request is NSSaveChangesRequest { throw Refusal() } else { nil } }
        #expect(throws: Refusal.self) { try shop.context.save() }
        #expect(book.isInserted && author.isInserted)
        let authors = NSFetchRequest<Author>(entityName: "Author")
        authors.affectedStores = [memory]
        #expect(try shop.newContext().count(for: authors) == 0)
        shop.store.answer = nil
        try shop.context.save()
        #expect(try shop.newContext().count(for: authors) == 1)
        #expect(shop.store.records.count == 1)
    }

    @Test("changed metadata reach the store with the next save, even with one without objects")
    func metadata() throws {
        let shop = try ShelfShop()
        #expect(shop.store.metadata[NSStoreModelVersionHashesKey] != nil)
        try shop.context.save()
        #expect(shop.lastSave == nil)
        shop.store.metadata["colour"] = "red"
        try shop.context.save()
        #expect(shop.lastSave?.insertedObjects == [])
        let count = shop.store.requests.count
        try shop.context.save()
        #expect(shop.store.requests.count == count)
    }

    @Test("a store opens with an identifier, a type and the hashes of the model, or not at all")
    func opening() throws {
        let hashes = ["Book": Data([1])]
        let identifier = UUID().uuidString
        let cases: [([String: Any], CocoaError.Code)] = [
            ([:], .persistentStoreOpen),
            ([NSStoreUUIDKey: identifier], .persistentStoreOpen),
            ([NSStoreUUIDKey: 7, NSStoreTypeKey: "Shelf"], .persistentStoreOpen),
            (
                [NSStoreUUIDKey: identifier, NSStoreTypeKey: "Shelf", NSStoreModelVersionHashesKey: hashes],
                .persistentStoreIncompatibleVersionHash
            ),
        ]
        for (metadata, code) in cases {
            let error = #expect(throws: CocoaError.self) { try ShelfShop(options: ["metadata": metadata]) }
            #expect(error?.code == code)
        }
        let shop = try ShelfShop(options: ["metadata": [NSStoreUUIDKey: identifier, NSStoreTypeKey: "Shelf"]])
        #expect(shop.store.identifier == identifier)
    }
}
