// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how a context takes over the save of another one, and how long cached rows serve it.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: C24, C26, F66, F69, F70
@Suite("Merging the saves of others") struct MergingSpecification {
    /// The notification of a save in the other context.
    private func saved(_ context: NSManagedObjectContext) throws -> Notification {
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: context)
        try context.save()
        return try #require(log.notifications.last)
    }

    @Test("updated objects take the new values and keep changes made here", arguments: StoreKind.all)
    func updates(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 100)
        try shop.context.save()
        let other = shop.stack.newContext()
        let theirs = try #require(try other.existingObject(with: book.objectID) as? Book)
        theirs.title = "Dune Messiah"
        theirs.pages = 256
        let notification = try saved(other)
        book.pages = 7
        shop.context.mergeChanges(fromContextDidSave: notification)
        #expect(book.title == "Dune Messiah")
        #expect(book.pages == 7)
        try shop.context.save()
        #expect(theirs.pages == 256)
        other.refresh(theirs, mergeChanges: true)
        #expect(theirs.pages == 7)
    }

    /// Proves: C14, F67
    @Test("an attribute that both have set to the same value is no change after the merge", arguments: StoreKind.all)
    func sameValue(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, other) = (shop.book("Dune", pages: 100), shop.book("Emma", pages: 1))
        try shop.context.save()
        let theirs = shop.stack.newContext()
        for each in [book, other] { (try theirs.existingObject(with: each.objectID) as? Book)?.pages = 256 }
        let notification = try saved(theirs)
        book.pages = 256
        (other.pages, other.title) = (256, "Persuasion")
        shop.context.mergeChanges(fromContextDidSave: notification)
        #expect(shop.context.updatedObjects == [other])
        #expect(other.changedValues().keys.sorted() == ["title"])
        other.title = "Emma"
        shop.context.refresh(other, mergeChanges: false)
        #expect(!shop.context.hasChanges)
        #expect(book.pages == 256 && !book.hasChanges)
    }

    @Test("inserted objects are registered and announced", arguments: StoreKind.all)
    func insertions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let other = shop.stack.newContext()
        let theirs = shop.book("Emma", in: other)
        let notification = try saved(other)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.mergeChanges(fromContextDidSave: notification)
        #expect(log.objects(NSInsertedObjectsKey).map(\.objectID) == [theirs.objectID])
        #expect(!shop.context.hasChanges)
    }

    @Test("the deletion of an object that is deleted here as well is no news", arguments: StoreKind.all)
    func deletedHereAsWell(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Persuasion")
        try shop.context.save()
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        shop.context.delete(book)
        shop.context.processPendingChanges()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.mergeChanges(fromContextDidSave: try saved(other))
        #expect(log.count == 0)
        #expect(shop.context.deletedObjects == [book])
    }

    @Test("deleted objects are marked deleted where they are registered", arguments: StoreKind.all)
    func deletions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Persuasion")
        try shop.context.save()
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        shop.context.mergeChanges(fromContextDidSave: try saved(other))
        #expect(book.isDeleted)
        #expect(!book.isFault)
        #expect(shop.context.registeredObjects == [book])
        #expect(shop.context.deletedObjects == [book])
        #expect(book.title == "Persuasion")
        #expect(try shop.titles(Book.request()) == [])
        try shop.context.save()
        #expect(book.managedObjectContext == nil)
    }

    /// Decided by `rollback()` after `mergeChanges(fromContextDidSave:)` of a deletion: `isFault` and `isDeleted` of
    /// the object.
    @Test(
        "a merged deletion that is rolled back leaves a fault: its record is gone", .tags(.assumed),
        arguments: StoreKind.all)
    func rolledBackDeletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Persuasion")
        try shop.context.save()
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        shop.context.mergeChanges(fromContextDidSave: try saved(other))
        shop.context.rollback()
        #expect(!shop.context.hasChanges)
        #expect(book.isFault)
        #expect(book.title == nil)
        #expect(book.isDeleted)
    }

    /// Proves: H15
    @Test("a save of another coordinator is read again, announced by objects or by ids", arguments: [false, true])
    func otherCoordinator(isToldByIDs: Bool) throws {
        let shop = try Bookshop(in: .sqlite)
        let (book, fault, gone) = (
            shop.book("Emma", pages: 1), shop.book("Persuasion", pages: 1), shop.book("Sanditon")
        )
        try shop.context.save()
        let watcher = shop.stack.newContext()
        for id in [book, fault, gone].map(\.objectID) {
            #expect((try watcher.existingObject(with: id) as? Book)?.title != nil)
        }
        shop.context.refresh(fault, mergeChanges: false)
        let (coordinator, elsewhere) = try shop.stack.secondCoordinator()
        func theirs(_ book: Book) throws -> Book? {
            let id = coordinator.managedObjectID(forURIRepresentation: book.objectID.uriRepresentation())
            return try elsewhere.existingObject(with: try #require(id)) as? Book
        }
        for book in [book, fault] { try theirs(book)?.pages = 2 }
        if let theirs = try theirs(gone) { elsewhere.delete(theirs) }
        let log = NotificationLog(
            isToldByIDs ? .NSManagedObjectContextDidSaveObjectIDs : .NSManagedObjectContextDidSave, of: elsewhere)
        try elsewhere.save()
        let notification = try #require(log.notifications.last)
        shop.context.mergeChanges(fromContextDidSave: notification)
        #expect(book.pages == 2)
        #expect(fault.pages == 2)
        #expect(gone.isDeleted)
        watcher.mergeChanges(
            fromContextDidSave: Notification(name: notification.name, object: nil, userInfo: notification.userInfo))
        #expect((watcher.object(with: fault.objectID) as? Book)?.pages == 2)
        let newcomer = shop.stack.newContext()
        #expect(throws: CocoaError.self) { try newcomer.existingObject(with: gone.objectID) }
    }

    @Test("a fault is served by the row cache for as long as the context says")
    func staleness() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Sanditon", pages: 1)
        try shop.context.save()
        let (coordinator, elsewhere) = try shop.stack.secondCoordinator()
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: book.objectID.uriRepresentation()))
        let theirs = try #require(try elsewhere.existingObject(with: id) as? Book)
        theirs.pages = 2
        try elsewhere.save()
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.pages == 1)
        shop.context.stalenessInterval = 0
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.pages == 2)
    }

    @Test("a row that a fetch has read serves a fault for as long as the context says", arguments: [-1.0, 0])
    func stalenessOfFetch(interval: TimeInterval) throws {
        let shop = try Bookshop(in: .sqlite)
        shop.book("Sanditon", pages: 1)
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        let (_, elsewhere) = try shop.stack.secondCoordinator()
        try elsewhere.fetch(Book.request()).first?.pages = 2
        try elsewhere.save()
        context.stalenessInterval = interval
        #expect(book.isFault)
        #expect(book.pages == (interval < 0 ? 1 : 2))
    }
}
