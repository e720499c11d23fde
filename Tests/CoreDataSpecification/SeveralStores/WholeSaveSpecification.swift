// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a save of several stores is one save: conflicts and failures in one of them leave all as they were.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Saving to several stores") struct WholeSaveSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// Another context gives the special store's book another title, and here all books get one.
    private func meet(_ many: ManyStores) throws {
        let theirs = many.newContext()
        let book = try #require(try theirs.existingObject(with: many.contested.objectID) as? Book)
        for book in many.books {
            book.title = "mine"
            book.pages = 7
        }
        book.title = "theirs"
        try theirs.save()
    }

    /// The stored titles after their save, without ours.
    private func theirTitles(_ many: ManyStores) -> [String] {
        var titles = many.untouched
        titles[many.mixture.special] = "theirs"
        return titles
    }

    /// Proves: C22, C23, F98
    @Test("a conflict in one store leaves all stores, and the context, as they were", arguments: StoreMixture.all)
    func conflict(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        try meet(many)
        let tags = many.stores.map { many.tag("new", in: $0) }
        let saved = NotificationLog(.NSManagedObjectContextDidSave, of: many.context)
        let error = try #require(many.context.saveFailure())
        #expect(error.code == NSManagedObjectMergeError)
        #expect((error as? CocoaError)?.persistentStoreSaveConflicts?.map(\.sourceObject) == [many.contested])
        #expect(saved.count == 0)
        #expect(many.context.updatedObjects == Set(many.books))
        #expect(many.context.insertedObjects == Set(tags))
        #expect(many.namesNothing(tags))
        #expect(many.books.map(\.title) == many.books.map { _ in "mine" })
        #expect(many.contested.committedValues(forKeys: ["title"])["title"] as? String == "\(mixture.special)")
        #expect(many.cachedTitles() == theirTitles(many))
        #expect(try many.storedTitles() == theirTitles(many))
        #expect(try many.storedTags() == [])
    }

    /// Proves: C18, C22, F98
    @Test("once the conflict is settled, the same save writes to all stores", arguments: StoreMixture.all)
    func corrected(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        try meet(many)
        let tags = many.stores.indices.map { many.tag("new \($0)", in: many.stores[$0], of: many.books[$0]) }
        #expect(many.context.saveFailure() != nil)
        many.context.refresh(many.contested, mergeChanges: true)
        #expect(many.context.saveFailure() == nil)
        #expect(!many.context.hasChanges)
        #expect(tags.map(\.objectID.persistentStore) == many.stores)
        #expect(!tags.map(\.objectID.isTemporaryID).contains(true))
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
        #expect(try many.storedTags() == tags.map(\.name))
        let reader = many.newContext()
        for (book, tag) in zip(many.books, tags) {
            let members = (try reader.existingObject(with: book.objectID) as? Book)?.tags
            #expect(members?.map(\.objectID) == [tag.objectID])
        }
    }

    /// Proves: C22, C23
    @Test(
        "a merge policy settles the conflict, and all stores are written", arguments: StoreMixture.all, Winner.allCases)
    func policies(mixture: StoreMixture, winner: Winner) throws {
        let many = try ManyStores(mixture)
        try meet(many)
        many.context.mergePolicy = winner.policy
        #expect(many.context.saveFailure() == nil)
        #expect(!many.context.hasChanges)
        var titles = many.stores.map { _ in "mine" }
        if winner == .store || winner == .rollback { titles[mixture.special] = "theirs" }
        #expect(try many.storedTitles() == titles)
        #expect(many.cachedTitles() == titles)
        #expect(many.contested.pages == (winner == .rollback ? 0 : 7))
        // The versions are current, so the next save of the same objects meets no conflict.
        for book in many.books { book.title = "again" }
        many.context.mergePolicy = NSMergePolicy.error
        #expect(many.context.saveFailure() == nil)
    }

    /// Proves: C23
    @Test("conflicts of all stores are in one error", arguments: StoreMixture.all)
    func allConflicts(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        let theirs = many.newContext()
        let held = try many.books.map { try theirs.existingObject(with: $0.objectID) as? Book }
        for (book, their) in zip(many.books, held) {
            book.title = "mine"
            their?.title = "theirs"
        }
        try theirs.save()
        let error = try #require(many.context.saveFailure())
        let sources = (error as? CocoaError)?.persistentStoreSaveConflicts?.map(\.sourceObject)
        #expect(Set(sources ?? []) == Set(many.books))
        #expect(sources?.count == many.books.count)
        many.context.mergePolicy = NSMergePolicy.rollback
        #expect(many.context.saveFailure() == nil)
        #expect(many.books.map(\.title) == many.books.map { _ in "theirs" })
    }

    /// Proves: C22, C23
    @Test("a record that is gone from one store leaves the others as they were", arguments: StoreMixture.all)
    func gone(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        for book in many.books { book.title = "mine" }
        let theirs = many.newContext()
        theirs.delete(theirs.object(with: many.contested.objectID))
        try theirs.save()
        #expect(many.context.saveFailure()?.code == NSManagedObjectMergeError)
        var titles = many.untouched
        titles[mixture.special] = "-"
        #expect(try many.storedTitles() == titles)
        many.context.mergePolicy = NSMergePolicy.overwrite
        #expect(many.context.saveFailure() == nil)
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
    }

    /// Proves: C22, C23
    @Test("values are unique in each store, and one taken twice leaves all as they were", arguments: StoreMixture.all)
    func uniqueness(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        let first = many.stores.map { many.tag("sf", in: $0) }
        #expect(many.context.saveFailure() == nil)
        for book in many.books { book.title = "mine" }
        let rival = many.tag("sf", in: many.special)
        let error = try #require(many.context.saveFailure())
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        #expect(conflicts?.map(\.databaseObject) == [first[mixture.special]])
        #expect(conflicts?.map(\.conflictingObjects) == [[rival]])
        #expect(try many.storedTitles() == many.untouched)
        rival.name = "novel"
        #expect(many.context.saveFailure() == nil)
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
        #expect(try many.storedTags() == ["novel"] + first.map { _ in "sf" })
    }

    /// Proves: C22, F98
    @Test("a store that has no room leaves the others as they were", arguments: StoreMixture.withFile)
    func noRoom(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture, options: [NSSQLitePragmasOption: ["max_page_count": 100]])
        for book in many.books { book.title = "mine" }
        let tags = many.stores.map { many.tag("new", in: $0) }
        many.contested.setValue(Data(count: 1_000_000), forKey: "cover")
        let error = try #require(many.context.saveFailure())
        #expect(error.code == CocoaError.fileWriteOutOfSpace.rawValue)
        #expect(many.context.updatedObjects == Set(many.books))
        #expect(many.context.insertedObjects == Set(tags))
        #expect(many.namesNothing(tags))
        #expect(many.cachedTitles() == many.untouched)
        #expect(try many.storedTitles() == many.untouched)
        #expect(try many.storedTags() == [])
        many.contested.setValue(nil, forKey: "cover")
        #expect(many.context.saveFailure() == nil)
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
        #expect(try many.storedTags() == tags.map { _ in "new" })
    }

    /// Proves: C22, P1
    @Test("a child's save is whole in the parent, and the parent's in the stores", arguments: StoreMixture.all)
    func nested(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture)
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = many.coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        let ids = many.books.map(\.objectID)
        func change() throws {
            let books = ids.map { child.object(with: $0) }
            for book in books { book.setValue("mine", forKey: "title") }
            try child.save()
        }
        func saveRoot() -> [Int?] {
            let refused = root.saveFailure()?.code
            let pending = root.updatedObjects.count
            root.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            return [refused, pending, root.saveFailure()?.code]
        }
        try child.performAndWait(change)
        many.contested.title = "theirs"
        try many.context.save()
        #expect(root.performAndWait(saveRoot) == [NSManagedObjectMergeError, many.books.count, nil])
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
    }

    /// Proves: F126
    @Test("metadata of all stores is written with the save, or not at all")
    func metadata() throws {
        let many = try ManyStores(StoreMixture(kinds: [.sqlite, .sqlite], special: 1))
        try meet(many)
        for store in many.stores { store.metadata["shelf"] = 7 }
        func shelves() throws -> [Int?] {
            try many.stores.map { store in
                try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: many.coordinator.url(for: store))["shelf"] as? Int
            }
        }
        #expect(many.context.saveFailure() != nil)
        #expect(try shelves() == [nil, nil])
        // Only one store has changes; the metadata of the other one are saved as well.
        many.context.refresh(many.contested, mergeChanges: false)
        #expect(many.context.saveFailure() == nil)
        #expect(try shelves() == [7, 7])
        #expect(try many.storedTitles() == ["mine", "theirs"])
    }

    /// Proves: C22, P5
    @Test("saves that meet the stores in different orders do not wait for each other", arguments: StoreMixture.all)
    func crossing(mixture: StoreMixture) async throws {
        let many = try ManyStores(mixture)
        let ids = many.books.map(\.objectID)
        let coordinator = many.coordinator
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<2 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    for round in 1...20 {
                        await context.perform {
                            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                            for id in worker == 0 ? ids : ids.reversed() {
                                context.object(with: id).setValue(round, forKey: "pages")
                            }
                            try? context.save()
                        }
                    }
                }
            }
        }
        for book in many.books {
            many.context.refresh(book, mergeChanges: false)
            #expect(book.pages > 0)
        }
    }
}
