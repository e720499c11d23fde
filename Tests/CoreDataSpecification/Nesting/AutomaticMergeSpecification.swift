// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which contexts merge the saves of others automatically, and how changes without a save are merged.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: C26, C27, F64, F65, F66, F67, F68, F70
@MainActor @Suite("Merging without being asked") struct AutomaticMergeSpecification {
    /// Returns after the work that was scheduled for the end of the main queue's turn.
    private func turnOfMainQueue() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    @Test("sibling contexts on a coordinator", arguments: StoreKind.all)
    func siblings(store: StoreKind) async throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        let doomed = family.shop.book("Doomed", in: family.root)
        try family.root.save()
        family.root.automaticallyMergesChangesFromParent = true
        let outsider = family.outsider()
        (outsider.object(with: book.objectID) as? Book)?.pages = 2
        outsider.delete(outsider.object(with: doomed.objectID))
        let new = family.shop.book("New", in: outsider)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: family.root)
        let merges = NotificationLog(.NSManagedObjectContextDidMergeChangesObjectIDs, of: family.root)
        try outsider.save()
        #expect(book.pages == 1)
        await turnOfMainQueue()
        #expect(book.pages == 2)
        #expect(doomed.isDeleted)
        #expect(changes.count == 1)
        #expect(changes.objects(NSRefreshedObjectsKey) == [book])
        #expect(changes.objects(NSUpdatedObjectsKey).isEmpty)
        #expect(changes.objects(NSInsertedObjectsKey).map(\.objectID) == [new.objectID])
        #expect(changes.objects(NSDeletedObjectsKey) == [doomed])
        #expect(merges.count == 1)
        #expect(merges.ids(NSInsertedObjectIDsKey) == [new.objectID])
        #expect(merges.ids(NSUpdatedObjectIDsKey) == [book.objectID])
        #expect(merges.ids(NSRefreshedObjectIDsKey) == [book.objectID])
        #expect(merges.ids(NSDeletedObjectIDsKey) == [doomed.objectID])
        family.root.automaticallyMergesChangesFromParent = false
        (outsider.object(with: book.objectID) as? Book)?.pages = 3
        try outsider.save()
        await turnOfMainQueue()
        #expect(book.pages == 2)
    }

    @Test("children follow their parent: its saves, and the saves of siblings into it", arguments: StoreKind.all)
    func children(store: StoreKind) async throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        family.child.automaticallyMergesChangesFromParent = true
        family.grandchild.automaticallyMergesChangesFromParent = true
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        let deep = try #require(try family.grandchild.existingObject(with: book.objectID) as? Book)
        book.pages = 2
        #expect(theirs.pages == 1)
        try family.root.save()
        await turnOfMainQueue()
        await turnOfMainQueue()
        #expect(theirs.pages == 2)
        #expect(deep.pages == 2)
        let sibling = family.sibling()
        (sibling.object(with: book.objectID) as? Book)?.pages = 3
        let new = family.shop.book("New", in: sibling)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: family.child)
        try sibling.save()
        await turnOfMainQueue()
        await turnOfMainQueue()
        #expect(book.pages == 3)
        #expect(theirs.pages == 3)
        #expect(deep.pages == 3)
        #expect(!family.child.hasChanges)
        #expect(log.objects(NSInsertedObjectsKey).map(\.objectID) == [new.objectID])
    }

    @Test("a merge goes on to the children of the context that merged", arguments: StoreKind.all)
    func cascades(store: StoreKind) async throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        for context in [family.root, family.child] { context.automaticallyMergesChangesFromParent = true }
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        theirs.title = "Edited here"
        let outsider = family.outsider()
        (outsider.object(with: book.objectID) as? Book)?.pages = 5
        try outsider.save()
        for _ in 0..<3 { await turnOfMainQueue() }
        #expect(theirs.pages == 5)
        #expect(theirs.title == "Edited here")
        try family.child.save()
        try family.root.save()
        #expect(book.pages == 5)
        #expect(book.title == "Edited here")
    }

    @Test("a context with a private queue merges there")
    func privateQueues() async throws {
        let shop = try Bookshop(in: .sqlite)
        let follower = shop.stack.newContext(.privateQueueConcurrencyType)
        follower.automaticallyMergesChangesFromParent = true
        let writer = shop.stack.newContext(.privateQueueConcurrencyType)
        let id = try await writer.perform {
            let book = Book(context: writer)
            book.title = "Dune"
            book.pages = 1
            try writer.save()
            return book.objectID
        }
        nonisolated(unsafe) var held: Book?
        let before = await follower.perform { () -> Int? in
            held = follower.object(with: id) as? Book
            return held?.pages
        }
        try await writer.perform {
            (writer.object(with: id) as? Book)?.pages = 2
            try writer.save()
        }
        let after = await follower.perform { held?.pages }
        #expect(before == 1)
        #expect(after == 2)
    }

    @Test("a save past a coordinator is merged by ids and by URIs")
    func remote() throws {
        let family = try Family(in: .sqlite)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        let doomed = family.shop.book("Doomed", in: family.root)
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        let (coordinator, elsewhere) = try family.shop.stack.secondCoordinator()
        for held in [book, doomed] {
            let uri = held.objectID.uriRepresentation()
            let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
            let object = try #require(try elsewhere.existingObject(with: id) as? Book)
            if held === doomed { elsewhere.delete(object) } else { object.pages = 2 }
        }
        let new = family.shop.book("New", in: elsewhere)
        try elsewhere.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: family.root)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: [book.objectID],
                NSDeletedObjectIDsKey: Set([doomed.objectID.uriRepresentation()]),
                NSInsertedObjectsKey: [new.objectID.uriRepresentation()],
            ], into: [family.root, family.child])
        #expect(book.pages == 2)
        #expect(theirs.pages == 2)
        #expect(doomed.isDeleted)
        let inserted = log.objects(NSInsertedObjectsKey).first as? Book
        #expect(inserted?.title == "New")
    }

    @Test("where everything may have changed, all objects are read again, and keep what was changed here")
    func everything() throws {
        let family = try Family(in: .sqlite)
        let (book, other) = (
            family.shop.book("Dune", pages: 1, in: family.root), family.shop.book("Emma", pages: 1, in: family.root)
        )
        try family.root.save()
        let (coordinator, elsewhere) = try family.shop.stack.secondCoordinator()
        for book in try elsewhere.fetch(Book.request()) { book.pages = 2 }
        try elsewhere.save()
        other.title = "Edited here"
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: family.root)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInvalidatedAllObjectsKey: [NSManagedObjectID]()], into: [family.root])
        #expect(log.objects(NSRefreshedObjectsKey).contains(book))
        #expect(book.pages == 2)
        #expect(other.pages == 2)
        #expect(other.title == "Edited here")
        try family.root.save()
        #expect(try family.titles(in: family.root) == ["Dune", "Edited here"])
        withExtendedLifetime(coordinator) {}
    }

    @Test("a child takes over the change that its parent made to an object of the child", arguments: StoreKind.all)
    func ownInsertion(store: StoreKind) async throws {
        let family = try Family(in: store)
        family.child.automaticallyMergesChangesFromParent = true
        let book = family.shop.book("Dune", pages: 1, in: family.child)
        try family.child.save()
        let held = try #require(try family.root.fetch(Book.request()).first)
        held.pages = 7
        try family.root.save()
        for _ in 0..<3 { await turnOfMainQueue() }
        #expect(book.pages == 7)
        #expect(!family.child.hasChanges)
    }

    @Test("a merge changes nothing that has to be saved", arguments: StoreKind.all)
    func clean(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        let outsider = family.outsider()
        (outsider.object(with: book.objectID) as? Book)?.pages = 2
        let saved = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: outsider)
        try outsider.save()
        family.root.mergeChanges(fromContextDidSave: try #require(saved.notifications.last))
        #expect(book.pages == 2)
        #expect(!family.root.hasChanges)
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: family.root)
        try family.root.save()
        #expect(log.objects(NSUpdatedObjectsKey).isEmpty)
    }

    @Test("a child that does not merge automatically keeps the values that it has read", arguments: StoreKind.all)
    func unasked(store: StoreKind) async throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        #expect(theirs.pages == 1)
        book.pages = 2
        try family.root.save()
        await turnOfMainQueue()
        #expect(theirs.pages == 1)
        let sibling = family.sibling()
        (sibling.object(with: book.objectID) as? Book)?.pages = 3
        try sibling.save()
        await turnOfMainQueue()
        #expect(theirs.pages == 1)
        family.child.refresh(theirs, mergeChanges: true)
        #expect(theirs.pages == 3)
    }
}
