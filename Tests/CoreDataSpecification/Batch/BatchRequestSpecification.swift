// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rules of all batch requests: contexts do not notice them, versions increase, stores are chosen.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Batch requests") struct BatchRequestSpecification {
    private func shop(_ kind: StoreKind) throws -> (Bookshop, Book) {
        let shop = try Bookshop(in: kind)
        let book = shop.book("a", pages: 1)
        try shop.context.save()
        return (shop, book)
    }

    /// Proves: B3, F107
    @Test("contexts know nothing of the work until its ids are merged", arguments: StoreKind.all)
    func merging(kind: StoreKind) throws {
        let (shop, book) = try self.shop(kind)
        let other = shop.stack.newContext()
        let pending = shop.book("pending")
        let inserted = try other.insertedIDs(NSBatchInsertRequest(entityName: "Book", objects: [["title": "b"]]))
        let updated = try other.updatedIDs(NSBatchUpdateRequest("Book", where: "title == 'a'", ["pages": 2]))
        #expect(shop.context.insertedObjects == [pending])
        #expect(book.pages == 1)
        #expect(try shop.stack.count("Book") == 2)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectIDsKey: inserted, NSUpdatedObjectIDsKey: updated],
            into: [shop.context])
        #expect(book.pages == 2)
        #expect(log.objects(NSInsertedObjectsKey).contains { inserted.contains($0.objectID) })
    }

    /// Proves: B3
    @Test("controllers, automatic merging and pending changes take no part", arguments: StoreKind.all)
    func apart(kind: StoreKind) throws {
        let (shop, book) = try self.shop(kind)
        let merging = shop.stack.newContext(.privateQueueConcurrencyType)
        merging.automaticallyMergesChangesFromParent = true
        let fetched = try merging.performAndWait { try merging.fetch(Book.request()).first }
        let seen = try #require(fetched)
        #expect(merging.performAndWait { seen.pages } == 1)
        let shelf = try Shelf(shop)
        shop.book("pending")
        book.title = "changed"
        _ = shelf.reports()
        #expect(
            try shop.context.updatedCount(NSBatchUpdateRequest("Book", where: "title == 'pending'", ["pages": 2])) == 0)
        #expect(try shop.context.updatedCount(NSBatchUpdateRequest("Book", where: "title == 'a'", ["pages": 2])) == 1)
        #expect(
            try shop.context.insertedCount(NSBatchInsertRequest(entityName: "Book", objects: [["title": "b"]])) == 1)
        #expect(shelf.reports() == [])
        #expect(shelf.titles == ["changed", "pending"])
        #expect(book.pages == 1)
        #expect(merging.performAndWait { seen.pages } == 1)
        #expect(shop.context.insertedObjects.count == 1)
        #expect(shop.context.updatedObjects == [book])
        #expect(try shop.stack.values("title", of: "Book") == ["a", "b"])
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest("Book", where: "title == 'b'")) == 1)
        #expect(shelf.reports() == [])
    }

    /// Proves: B4
    @Test("later reads give the new state, with any staleness interval", arguments: StoreKind.all)
    func freshRows(kind: StoreKind) throws {
        let (shop, book) = try self.shop(kind)
        let other = shop.stack.newContext()
        #expect(try other.fetch(Book.request()).first?.pages == 1)
        try shop.context.execute(NSBatchUpdateRequest("Book", ["pages": 2]))
        #expect(book.pages == 1)
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.pages == 2)
        #expect(try shop.stack.values("pages", of: "Book") == ["2"])
    }

    /// Decided by `save()` after an `NSBatchUpdateRequest` of another context changed the same row: 133020, or a silent
    /// overwrite.
    /// Proves: B5
    @Test("a context that changed its old copy meets a conflict at save", .tags(.assumed), arguments: StoreKind.all)
    func versions(kind: StoreKind) throws {
        let (shop, book) = try self.shop(kind)
        book.title = "mine"
        try shop.stack.newContext().execute(NSBatchUpdateRequest("Book", ["pages": 2]))
        #expect(code { try shop.context.save() } == NSManagedObjectMergeError)
        shop.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try shop.context.save()
        #expect(try shop.stack.values("pages", of: "Book") == ["2"])
        #expect(try shop.stack.values("title", of: "Book") == ["mine"])
    }

    /// Proves: B6, F60
    @Test("affectedStores limits the stores, and a missing store throws 134060")
    func stores() throws {
        let stores = try ManyBookshops()
        for store in stores.coordinator.persistentStores {
            let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "x"]])
            request.affectedStores = [store]
            #expect(try stores.context.insertedIDs(request).first?.persistentStore === store)
        }
        let update = NSBatchUpdateRequest("Book", ["pages": 3])
        update.affectedStores = [stores.coordinator.persistentStores[1]]
        #expect(try stores.context.updatedCount(update) == 1)
        #expect(try stores.context.updatedCount(NSBatchUpdateRequest("Book", ["pages": 4])) == 2)
        let windowed = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        windowed.fetchLimit = 1
        #expect(try stores.context.deletedCount(NSBatchDeleteRequest(fetchRequest: windowed)) == 1)
        #expect(try stores.context.deletedCount(NSBatchDeleteRequest("Book")) == 1)
        let none = NSBatchDeleteRequest("Book")
        none.affectedStores = []
        #expect(code { try stores.context.execute(none) } == NSCoreDataError)
        let nowhere = NSManagedObjectContext(concurrencyType: .confined)
        nowhere.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        #expect(code { try nowhere.execute(NSBatchUpdateRequest("Book", ["pages": 3])) } == NSCoreDataError)
    }

    /// A SQLite store and one in memory.
    private final class ManyBookshops {
        let stack: Stack
        let context: NSManagedObjectContext
        var coordinator: NSPersistentStoreCoordinator { stack.coordinator }

        init() throws {
            stack = try Stack(.sqlite, BookshopModel.make())
            try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
            context = stack.context
        }
    }

    /// Proves: B1, B6
    @Test("of several stores all are written, or none")
    func severalStores() throws {
        let stores = try ManyBookshops()
        for store in stores.coordinator.persistentStores {
            let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "\(store.type)"]])
            request.affectedStores = [store]
            try stores.context.execute(request)
        }
        let update = NSBatchUpdateRequest("Tag", where: "name == 'SQLite'", ["name": "a"])
        #expect(code { try stores.context.execute(update) } == NSManagedObjectConstraintMergeError)
        let both = NSBatchUpdateRequest("Tag", where: "name != 'SQLite'", ["name": "a"])
        #expect(code { try stores.context.execute(both) } == NSManagedObjectConstraintMergeError)
        #expect(try stores.stack.values("name", of: "Tag") == ["InMemory", "SQLite", "a", "a"])
    }

    /// Proves: B6, F100
    @Test(
        "a read-only store throws 513 for an update or a deletion of no record, too", arguments: StoreKind.builtIn)
    func nothingInReadOnly(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: shop.stack.model)
        try shop.stack.coordinator.remove(shop.stack.store)
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind.isPersistent ? shop.stack.url : nil,
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        #expect(code { try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [])) } == 513)
        #expect(code { try context.execute(NSBatchUpdateRequest("Book", ["pages": 3])) } == 513)
        #expect(code { try context.execute(NSBatchDeleteRequest("Book")) } == 513)
    }

    /// Proves: B6, F100
    @Test("a read-only store throws 513", arguments: StoreKind.persistent.filter(StoreKind.builtIn.contains))
    func readOnly(kind: StoreKind) throws {
        let (shop, _) = try self.shop(kind)
        try shop.stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        let context = shop.stack.context
        #expect(code { try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "x"]])) } == 513)
        #expect(code { try context.execute(NSBatchUpdateRequest("Book", ["pages": 3])) } == 513)
        #expect(code { try context.execute(NSBatchDeleteRequest("Book")) } == 513)
    }

    /// Proves: B7
    @Test("a child's request acts on the store, not on its parent's objects", arguments: StoreKind.all)
    func children(kind: StoreKind) throws {
        let family = try Family(in: kind, .privateQueueConcurrencyType)
        let book = try family.root.performAndWait {
            let book = family.shop.book("a", pages: 1, in: family.root)
            try family.root.save()
            return book
        }
        let count = try family.grandchild.performAndWait {
            try family.grandchild.updatedCount(NSBatchUpdateRequest("Book", ["pages": 5]))
        }
        #expect(count == 1)
        #expect(family.root.performAndWait { book.pages } == 1)
        #expect(try family.shop.stack.values("pages", of: "Book") == ["5"])
    }

    /// Decided by `NSPersistentHistoryTransaction.author` and `contextName` after batch requests in a child without an
    /// author.
    /// Proves: B7
    @Test(
        "the history has the author and the name of the context, or of its nearest ancestor that has one",
        .tags(.assumed), arguments: StoreKind.all.filter(\.keepsHistory))
    func authors(kind: StoreKind) throws {
        let stack = try Stack(kind, BookshopModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        let root = stack.newContext(.privateQueueConcurrencyType)
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.parent = root
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        func run(_ name: String) throws {
            _ = try child.performAndWait {
                try child.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": name]]))
            }
            _ = try child.performAndWait { try child.execute(NSBatchUpdateRequest("Tag", ["name": name + "!"])) }
            _ = try child.performAndWait { try child.execute(NSBatchDeleteRequest("Tag")) }
        }
        try run("0")
        (root.transactionAuthor, root.name) = ("root", "top")
        try run("1")
        parent.transactionAuthor = "parent"
        try run("2")
        (child.transactionAuthor, child.name) = ("child", "leaf")
        try run("3")
        let context = stack.newContext()
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        let history = try #require((result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        func tripled(_ names: [String?]) -> [String?] { names.flatMap { [$0, $0, $0] } }
        #expect(history.map(\.author) == tripled([nil, "root", "parent", "child"]))
        #expect(history.map(\.contextName) == tripled([nil, "top", "top", "leaf"]))
    }

    /// Proves: B9
    @Test("derived attributes are right afterwards", arguments: StoreKind.builtIn)
    func derived(kind: StoreKind) throws {
        let stack = try Stack(kind, League.model)
        let team = stack.insert("Team")
        try stack.context.save()
        func state() throws -> [String] {
            try ["size", "ages", "oldest"].map { try stack.values($0, of: "Team").joined() }
                + ["folded", "teamName"].map { try stack.values($0, of: "Player").joined(separator: ",") }
        }
        let rows = ["Ä", "B"].map { ["name": $0, "age": 10, "team": team.objectID] as [String: Any] }
        try stack.context.execute(NSBatchInsertRequest(entityName: "Player", objects: rows))
        #expect(try state() == ["2", "20", "10", "a,b", "nil,nil"])
        try stack.context.execute(NSBatchUpdateRequest("Player", where: "name == 'B'", ["name": "C", "age": 15]))
        #expect(try state() == ["2", "25", "15", "a,c", "nil,nil"])
        try stack.context.execute(NSBatchUpdateRequest("Team", ["name": "T"]))
        #expect(try state() == ["2", "25", "15", "a,c", "T,T"])
        try stack.context.execute(NSBatchDeleteRequest("Player", where: "name == 'C'"))
        #expect(try state() == ["1", "10", "10", "a", "T"])
    }

    /// Proves: B1
    @Test("an error in the middle leaves the store as it was", arguments: StoreKind.builtIn)
    func atomicity(kind: StoreKind) throws {
        let (shop, _) = try self.shop(kind)
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Book") { (book: NSMutableDictionary) in
            number += 1
            book["title"] = number == 900 ? NSNull() : "t\(number)"
            return number == 1000
        }
        #expect(code { try shop.context.execute(request) } == NSValidationMissingMandatoryPropertyError)
        #expect(try shop.stack.count("Book") == 1)
        try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "later"]]))
        #expect(try shop.stack.count("Book") == 2)
    }

    /// Proves: B3
    @Test("no context posts a notification", arguments: StoreKind.all)
    func notifications(kind: StoreKind) throws {
        let (shop, _) = try self.shop(kind)
        let logs = [Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextObjectsDidChange].map {
            NotificationLog($0, of: shop.context)
        }
        try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "b"]]))
        try shop.context.execute(NSBatchUpdateRequest("Book", ["pages": 3]))
        try shop.context.execute(NSBatchDeleteRequest("Book"))
        #expect(logs.allSatisfy { $0.count == 0 })
    }

    /// Proves: B25
    @Test("ids of several stores are deleted by one request")
    func idsOfStores() throws {
        let stores = try ManyBookshops()
        var ids: [NSManagedObjectID] = []
        for store in stores.coordinator.persistentStores {
            for entity in ["Book", "Author"] {
                let values = [entity == "Book" ? "title" : "name": "x"]
                let request = NSBatchInsertRequest(entityName: entity, objects: [values])
                request.affectedStores = [store]
                ids += try stores.context.insertedIDs(request)
            }
        }
        #expect(Set(ids.map(\.persistentStore)).count == 2)
        #expect(Set(try stores.context.deletedIDs(NSBatchDeleteRequest(objectIDs: ids))) == Set(ids))
        #expect(try stores.stack.count("Book") + stores.stack.count("Author") == 0)
    }

    /// Proves: B8
    @Test("rules of validation are not applied, and no life-cycle method is called", arguments: StoreKind.builtIn)
    func withoutObjects(kind: StoreKind) throws {
        let model = DiaryModel.make()
        let text = try #require(model.entitiesByName["Entry"]?.attributesByName["text"])
        text.setValidationPredicates([NSPredicate(format: "SELF.length > 3")], withValidationWarnings: ["short"])
        let stack = try Stack(kind, model)
        let entry = Entry(context: stack.context)
        entry.text = "long enough"
        try stack.context.save()
        _ = entry.newCalls()
        try stack.context.execute(NSBatchInsertRequest(entityName: "Entry", objects: [["text": "ab"]]))
        try stack.context.execute(NSBatchUpdateRequest("Entry", where: "text == 'long enough'", ["text": "c"]))
        #expect(try stack.values("text", of: "Entry") == ["ab", "c"])
        try stack.context.execute(NSBatchDeleteRequest("Entry"))
        #expect(try stack.count("Entry") == 0)
        #expect(entry.newCalls() == [])
    }

    /// Proves: B2, F103
    @Test("updates and deletions return the status unless another form is requested", arguments: StoreKind.all)
    func status(kind: StoreKind) throws {
        let (shop, _) = try self.shop(kind)
        let update = try #require(
            try shop.context.execute(NSBatchUpdateRequest("Book", ["pages": 3])) as? NSBatchUpdateResult)
        #expect(update.resultType == .statusOnlyResultType)
        #expect(update.result as? Bool == true)
        let deletion = try #require(try shop.context.execute(NSBatchDeleteRequest("Book")) as? NSBatchDeleteResult)
        #expect(deletion.resultType == .resultTypeStatusOnly)
        #expect(deletion.result as? Bool == true)
    }

    /// Proves: B2
    @Test("requests are copied, and the coordinator executes them as well", arguments: StoreKind.all)
    func copies(kind: StoreKind) throws {
        let (shop, _) = try self.shop(kind)
        let request = NSBatchUpdateRequest("Book", ["pages": 3])
        request.resultType = .updatedObjectsCountResultType
        let copy = try #require(request.copy() as? NSBatchUpdateRequest)
        let result = try shop.stack.coordinator.execute(copy, with: shop.context) as? NSBatchUpdateResult
        #expect(result?.result as? Int == 1)
        #expect(copy.requestType == .batchUpdateRequestType)
        #expect(NSBatchDeleteRequest(objectIDs: []).requestType == .batchDeleteRequestType)
        #expect(NSBatchInsertRequest(entityName: "Book", objects: []).requestType == .batchInsertRequestType)
    }
}
