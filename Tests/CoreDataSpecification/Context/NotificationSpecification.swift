// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the notifications of a context, and their contents.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Notifications") struct NotificationSpecification {
    /// Proves: C19, C27
    @Test("changes are announced once for an event, when it is processed", arguments: StoreKind.all)
    func coalesced(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune")
        let gone = shop.book("gone")
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        dune.pages = 1
        dune.pages = 2
        let new = shop.book("new")
        shop.context.delete(gone)
        #expect(log.count == 0)
        shop.context.processPendingChanges()
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey) == [new])
        #expect(log.objects(NSUpdatedObjectsKey) == [dune])
        #expect(log.objects(NSDeletedObjectsKey) == [gone])
        shop.context.processPendingChanges()
        #expect(log.count == 1)
    }

    /// Proves: C27
    @Test("an object that is deleted again in a later event is not announced again", arguments: StoreKind.all)
    func deletedAgain(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let gone = shop.book("gone")
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.delete(gone)
        shop.context.processPendingChanges()
        shop.context.delete(gone)
        shop.context.processPendingChanges()
        #expect(log.count == 1)
        #expect(shop.context.deletedObjects == [gone])
    }

    /// Proves: C27
    @Test("a rollback announces what comes back, what changes and what leaves the context", arguments: StoreKind.all)
    func rolledBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (dune, gone) = (shop.book("Dune", pages: 1), shop.book("gone"))
        try shop.context.save()
        dune.pages = 2
        let new = shop.book("new")
        shop.context.delete(gone)
        shop.context.processPendingChanges()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.rollback()
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey) == [gone])
        #expect(log.objects(NSUpdatedObjectsKey) == [dune])
        #expect(log.objects(NSDeletedObjectsKey) == [new])
        #expect(shop.context.registeredObjects == [dune, gone])
        #expect(new.managedObjectContext == nil)
    }

    /// Proves: C27
    @Test("a fetch announces nothing", arguments: StoreKind.all)
    func fetching(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        let context = shop.stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        #expect(try context.fetch(Book.request()).first?.title == "Dune")
        context.processPendingChanges()
        #expect(log.count == 0)
    }

    /// Proves: C27
    @Test("a refresh is announced as one, with merge and without", arguments: StoreKind.all)
    func refreshing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (one, two) = (shop.book("1"), shop.book("2"))
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.refresh(one, mergeChanges: true)
        shop.context.refresh(two, mergeChanges: false)
        shop.context.processPendingChanges()
        #expect(log.objects(NSRefreshedObjectsKey) == [one, two])
        #expect(log.objects(NSUpdatedObjectsKey).isEmpty)
    }

    /// Proves: C27, F72
    @Test("a refresh of all announces every registered object", arguments: StoreKind.all)
    func refreshingAll(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = [shop.book("1"), shop.book("2")]
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.refreshAllObjects()
        shop.context.processPendingChanges()
        #expect(log.objects(NSRefreshedObjectsKey) == Set(books))
    }

    /// Proves: C27, F71
    @Test("a reset announces the ids of all objects", arguments: StoreKind.all)
    func resetting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        let id = book.objectID
        shop.context.reset()
        #expect(log.count == 1)
        #expect(log.notifications.last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
        #expect(log.notifications.last?.userInfo?.count == 1)
    }

    /// Proves: C27, F79
    @Test("a save is announced before and after, with objects and with ids", arguments: StoreKind.all)
    func saving(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let changed = shop.book("changed")
        let gone = shop.book("gone")
        try shop.context.save()
        let goneID = gone.objectID
        let before = NotificationLog(.NSManagedObjectContextWillSave, of: shop.context)
        let after = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        let ids = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: shop.context)
        changed.pages = 1
        shop.context.delete(gone)
        let (one, two) = (shop.book("1"), shop.book("2"))
        try shop.context.save()
        #expect(before.count == 1)
        #expect(after.count == 1)
        #expect(after.objects(NSInsertedObjectsKey) == [one, two])
        #expect(after.objects(NSUpdatedObjectsKey) == [changed])
        #expect(after.objects(NSDeletedObjectsKey) == [gone])
        #expect(ids.ids(NSInsertedObjectIDsKey) == [one.objectID, two.objectID])
        #expect(ids.ids(NSUpdatedObjectIDsKey) == [changed.objectID])
        #expect(ids.ids(NSDeletedObjectIDsKey) == [goneID])
        #expect(ids.ids(NSInsertedObjectIDsKey).allSatisfy { !$0.isTemporaryID })
    }

    /// Proves: C27
    @Test("a save that fails announces no success", arguments: StoreKind.all)
    func failing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        _ = Author(context: shop.context)
        let after = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        #expect(shop.context.saveFailure() != nil)
        #expect(after.count == 0)
    }

    /// Proves: C27, C13
    @Test("an insertion that was deleted unsaved is in no notification", arguments: StoreKind.all)
    func neverThere(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        shop.context.delete(shop.book("never there"))
        shop.context.processPendingChanges()
        #expect(changes.count == 0)
        try shop.context.save()
        #expect(saves.objects(NSInsertedObjectsKey).isEmpty)
        #expect(saves.objects(NSDeletedObjectsKey).isEmpty)
    }

    /// Proves: C19, F73
    @Test("waiting for a block of a private queue announces nothing, an asynchronous block announces at its end")
    func blocks() async throws {
        let stack = try Stack(.inMemory, BookshopModel.make())
        let context = stack.newContext(.privateQueueConcurrencyType)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        let insert: @Sendable () -> Void = { Book(context: context).title = "Dune" }
        context.performAndWait(insert)
        #expect(log.count == 0)
        context.performAndWait { context.processPendingChanges() }
        #expect(log.count == 1)
        await context.perform(insert)
        #expect(log.count == 2)
    }

    /// Proves: F80
    @Test("a coordinator announces stores that come and go")
    func stores() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        let seen = SeenStores()
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { notification in
            for key in [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey] {
                let stores = notification.userInfo?[key] as? [NSPersistentStore] ?? []
                seen.list += stores.map { key + " " + $0.type }
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try coordinator.remove(store)
        #expect(seen.list == ["added InMemory", "removed InMemory"])
    }

    private final class SeenStores: @unchecked Sendable {  // used by one thread
        var list: [String] = []
    }

    /// Proves: F7
    @Test("an observer of changes still sees the changes since the save", arguments: StoreKind.all)
    func changedValuesInObserver(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let seen = SeenKeys()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: shop.context, queue: nil
        ) { notification in
            let updated = notification.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
            seen.keys = updated.map { Set($0.changedValues().keys) }
        }
        book.title = "Emma"
        shop.context.processPendingChanges()
        NotificationCenter.default.removeObserver(token)
        #expect(seen.keys == [["title"]])
    }

    private final class SeenKeys: @unchecked Sendable {  // used by one thread
        var keys: [Set<String>] = []
    }
}
