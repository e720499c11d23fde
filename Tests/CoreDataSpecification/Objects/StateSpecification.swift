// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the flags of an object, and its identity.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Object states") struct StateSpecification {
    /// Proves: M22, F17
    @Test("from insertion through save to deletion", arguments: StoreKind.all)
    func life(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        #expect(flags(book) == [.inserted, .changed, .persistentlyChanged])
        try shop.context.save()
        #expect(flags(book) == [])
        book.pages = 7
        #expect(flags(book) == [.updated, .changed, .persistentlyChanged])
        try shop.context.save()
        #expect(flags(book) == [])
        shop.context.delete(book)
        #expect(flags(book).isSuperset(of: [.deleted, .changed]))
        #expect(!book.isUpdated)
        #expect(!book.isInserted)
        try shop.context.save()
        #expect(flags(book).isDisjoint(with: [.deleted, .changed, .inserted, .updated]))
        #expect(book.managedObjectContext == nil)
    }

    /// Proves: F16
    @Test("a saved deletion is no longer a deletion", arguments: StoreKind.all)
    func savedDeletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        shop.context.delete(book)
        #expect(book.isDeleted)
        try shop.context.save()
        #expect(!book.isDeleted)
        #expect(shop.context.deletedObjects.isEmpty)
        #expect(try shop.context.count(for: Book.request()) == 0)
    }

    /// Proves: M22
    @Test("a fault is one until it is read, and again after a refresh", arguments: StoreKind.all)
    func faults(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = shop.book("Dune").objectID
        #expect(id.isTemporaryID)
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        #expect(flags(book) == [.fault])
        #expect(book.faultingState != 0)
        #expect(book.title == "Dune")
        #expect(flags(book) == [])
        #expect(book.faultingState == 0)
        context.refresh(book, mergeChanges: false)
        #expect(book.isFault)
    }

    /// Proves: M22
    @Test("asking a fault about itself does not fire it", arguments: StoreKind.all)
    func askingFaults(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        _ = (book.objectID, book.entity, book.managedObjectContext, book.hasChanges, book.description, book.hash)
        _ = (book.changedValues(), book.hasPersistentChangedValues, book == book)
        #expect(book.isFault)
    }

    /// Proves: M22
    @Test("rollback leaves a clean object", arguments: StoreKind.all)
    func afterRollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        shop.context.rollback()
        #expect(!book.hasChanges)
        #expect(!book.hasPersistentChangedValues)
        #expect(book.pages == 1)
        shop.context.delete(book)
        shop.context.rollback()
        #expect(!book.isDeleted)
        #expect(book.title == "Dune")
        #expect(!shop.context.hasChanges)
    }

    /// Proves: M22, F1
    @Test("a transient property changes the object, but nothing persistent", arguments: StoreKind.all)
    func transient(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        book.setValue("lent", forKey: "note")
        #expect(shop.context.hasChanges)
        #expect(shop.context.updatedObjects == [book])
        #expect(!book.hasPersistentChangedValues)
        #expect(book.isUpdated)
        try shop.context.save()
        #expect(!shop.context.hasChanges)
    }

    /// Proves: F2
    @Test("a transient value outlives a save, and ends with a refresh of all", arguments: StoreKind.all)
    func transientAfterSave(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        book.setValue("lent", forKey: "note")
        try shop.context.save()
        #expect(book.value(forKey: "note") as? String == "lent")
        shop.context.refreshAllObjects()
        #expect(book.value(forKey: "note") == nil)
        #expect(book.title == "Dune")
    }

    /// Proves: M12, F34
    @Test("an id's URI names store, entity and key, and leads back to the id", arguments: StoreKind.all)
    func uri(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let uri = book.objectID.uriRepresentation()
        #expect(uri.scheme == "x-coredata")
        #expect(uri.host == shop.stack.store.identifier)
        #expect(uri.pathComponents.count == 3)
        #expect(uri.pathComponents.dropFirst().first == "Book")
        #expect(uri.lastPathComponent.hasPrefix("p"))
        let id = try #require(shop.stack.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id == book.objectID)
        let context = shop.stack.newContext()
        #expect((context.object(with: id) as? Book)?.title == "Dune")
    }

    /// Proves: M12
    @Test("a URI of an unknown store has no object")
    func foreignURI() throws {
        let shop = try Bookshop(in: .inMemory)
        let other = try Bookshop(in: .inMemory)
        let book = other.book("Dune")
        try other.context.save()
        #expect(shop.stack.coordinator.managedObjectID(forURIRepresentation: book.objectID.uriRepresentation()) == nil)
    }

    /// Proves: M12
    @Test(
        "a URI finds the same record in another coordinator and after opening the store again",
        arguments: StoreKind.persistent)
    func uriAcrossLaunches(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Emma")
        let uri = try saved(shop.book("Dune"))
        try shop.stack.reopen()
        let id = try #require(shop.stack.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect((shop.context.object(with: id) as? Book)?.title == "Dune")
        #expect(id.uriRepresentation() == uri)
    }

    private func saved(_ object: NSManagedObject) throws -> URL {
        try object.managedObjectContext?.save()
        return object.objectID.uriRepresentation()
    }

    private enum Flag { case inserted, updated, deleted, fault, changed, persistentlyChanged }

    private func flags(_ object: NSManagedObject) -> Set<Flag> {
        var flags: Set<Flag> = []
        if object.isInserted { flags.insert(.inserted) }
        if object.isUpdated { flags.insert(.updated) }
        if object.isDeleted { flags.insert(.deleted) }
        if object.isFault { flags.insert(.fault) }
        if object.hasChanges { flags.insert(.changed) }
        if object.hasPersistentChangedValues { flags.insert(.persistentlyChanged) }
        return flags
    }
}
