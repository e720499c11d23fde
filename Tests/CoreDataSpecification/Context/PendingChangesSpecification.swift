// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States a context's account of its changes.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Pending changes") struct PendingChangesSpecification {
    /// Proves: C12
    @Test("an insertion is registered with a temporary id; rollback lets it go", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        #expect(shop.context.registeredObject(for: book.objectID) === book)
        #expect(book.objectID.isTemporaryID)
        shop.context.rollback()
        #expect(shop.context.registeredObjects.isEmpty)
        #expect(shop.context.insertedObjects.isEmpty)
        #expect(book.managedObjectContext == nil)
        #expect(try shop.context.count(for: Book.request()) == 0)
    }

    /// Proves: C13
    @Test("a deletion reaches the store with the save", arguments: StoreKind.all)
    func deletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        shop.context.delete(book)
        let other = shop.stack.newContext()
        #expect(try other.count(for: Book.request()) == 1)
        try shop.context.save()
        #expect(try other.count(for: Book.request()) == 0)
    }

    /// Proves: C13, C27
    @Test("an insertion that is deleted unsaved leaves no trace", arguments: StoreKind.all)
    func deletedInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        let kept = shop.book("Emma")
        let book = shop.book("Dune")
        shop.context.delete(book)
        shop.context.processPendingChanges()
        #expect(!book.isInserted)
        #expect(!book.isDeleted)
        #expect(shop.context.insertedObjects == [kept])
        #expect(shop.context.deletedObjects.isEmpty)
        try shop.context.save()
        #expect(changes.notifications.allSatisfy { !mentions($0, book) })
        #expect(saves.notifications.allSatisfy { !mentions($0, book) })
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Emma"])
    }

    /// Proves: C14
    @Test("the sets of changed objects are exact", arguments: StoreKind.all)
    func sets(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let (one, two, three) = (shop.book("1"), shop.book("2"), shop.book("3"))
        #expect(context.insertedObjects == [one, two, three])
        #expect(context.hasChanges)
        try context.save()
        #expect(!context.hasChanges)
        #expect(context.insertedObjects.isEmpty)
        one.pages = 7
        two.pages = 8
        context.delete(two)
        let four = shop.book("4")
        #expect(context.insertedObjects == [four])
        #expect(context.updatedObjects == [one])
        #expect(context.deletedObjects == [two])
        #expect(context.registeredObjects == [one, two, three, four])
        try context.save()
        #expect(!context.hasChanges)
        #expect(context.registeredObjects == [one, three, four])
    }

    /// Decided by `isDeleted` after `delete(_:)` and `insert(_:)` of a saved object, and the count after `save()`.
    /// Proves: C14
    @Test("insertion after deletion takes the mark away", .tags(.assumed), arguments: StoreKind.all)
    func undeleted(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        shop.context.delete(book)
        shop.context.insert(book)
        #expect(!book.isDeleted)
        try shop.context.save()
        #expect(try shop.context.count(for: Book.request()) == 1)
    }

    /// Proves: C15
    @Test("an insertion goes to the store it is assigned to, or else to the first that fits", arguments: StoreKind.all)
    func assignment(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let url = shop.stack.folder.appending(path: "Second.sqlite")
        let second = try shop.stack.coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: store.isPersistent ? store.place(url) : nil)
        let dune = shop.book("Dune")
        let emma = shop.book("Emma")
        shop.context.assign(emma, to: second)
        try shop.context.save()
        #expect(dune.objectID.persistentStore === shop.stack.store)
        #expect(emma.objectID.persistentStore === second)
        let request = Book.request()
        request.affectedStores = [second]
        #expect(try shop.titles(request) == ["Emma"])
        #expect(try shop.context.count(for: Book.request()) == 2)
        let context = shop.stack.newContext()
        #expect((context.object(with: emma.objectID) as? Book)?.title == "Emma")
    }

    /// Proves: C15
    @Test("objects in different stores cannot be related", arguments: StoreKind.all)
    func acrossStores(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let url = shop.stack.folder.appending(path: "Second.sqlite")
        let second = try shop.stack.coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: store.isPersistent ? store.place(url) : nil)
        let author = shop.author("Frank")
        shop.context.assign(author, to: second)
        shop.book("Dune", by: author)
        #expect(shop.context.saveFailure()?.code == NSManagedObjectExternalRelationshipError)
    }

    /// Proves: C16, F33
    @Test("a permanent id may be had before the save, which keeps it", arguments: StoreKind.all)
    func permanentIDs(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Frank")
        let book = shop.book("Dune", by: author)
        let temporary = book.objectID
        try shop.context.obtainPermanentIDs(for: [book])
        let id = book.objectID
        #expect(!id.isTemporaryID)
        #expect(id != temporary)
        #expect(book.isInserted)
        #expect(author.objectID.isTemporaryID)
        #expect(author.books == [book])
        #expect(shop.context.registeredObject(for: id) === book)
        try shop.context.obtainPermanentIDs(for: [book])
        #expect(book.objectID == id)
        try shop.context.save()
        #expect(book.objectID == id)
        #expect(!book.isInserted)
        let context = shop.stack.newContext()
        #expect(try (context.existingObject(with: id) as? Book)?.author?.name == "Frank")
    }

    private func mentions(_ notification: Notification, _ object: NSManagedObject) -> Bool {
        (notification.userInfo ?? [:]).values.contains { ($0 as? Set<NSManagedObject>)?.contains(object) == true }
    }
}
