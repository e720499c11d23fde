// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the other forms in which a results controller reports: snapshots, differences, and a sequence.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Snapshots of results") struct ResultsSnapshotSpecification {
    private final class SnapshotDelegate: NSFetchedResultsControllerDelegate {
        var snapshots: [NSDiffableDataSourceSnapshotReference] = []
        var otherCalls = 0

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
        ) { snapshots.append(snapshot) }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) { otherCalls += 1 }

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            otherCalls += 1
        }
    }

    private final class DifferenceDelegate: NSFetchedResultsControllerDelegate {
        var differences: [CollectionDifference<NSManagedObjectID>] = []
        var otherCalls = 0

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) { differences.append(diff) }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            otherCalls += 1
        }
    }

    private func ids(_ items: [Any]?) -> [NSManagedObjectID] { (items ?? []).compactMap { $0 as? NSManagedObjectID } }

    /// Proves: R36, R37
    @Test("a delegate for snapshots gets nothing else, one after the fetch", arguments: StoreKind.forResults)
    func snapshots(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (a, b) = (shop.book("A", pages: 1), shop.book("B", pages: 2))
        try shop.context.save()
        let shelf = try Shelf(shop, sections: "pages")
        let delegate = SnapshotDelegate()
        shelf.controller.delegate = delegate
        try shelf.controller.performFetch()
        #expect(delegate.snapshots.count == 1)
        let first = try #require(delegate.snapshots.first)
        #expect(first.sectionIdentifiers as? [String] == ["1", "2"])
        #expect(ids(first.itemIdentifiers) == [a.objectID, b.objectID])
        #expect(first.reloadedItemIdentifiers.isEmpty)
        #expect(ids(first.itemIdentifiersInSection(withIdentifier: "2")) == [b.objectID])
        #expect(first.numberOfItems(inSection: "1") == 1)
        #expect(first.index(ofItemIdentifier: b.objectID) == 1)
        #expect(first.sectionIdentifier(forSectionContainingItemIdentifier: b.objectID) as? String == "2")
        a.setValue(1.5, forKey: "rating")
        b.pages = 3
        shop.context.processPendingChanges()
        #expect(delegate.snapshots.count == 2)
        let second = try #require(delegate.snapshots.last)
        #expect(second.sectionIdentifiers as? [String] == ["1", "3"])
        #expect(ids(second.reloadedItemIdentifiers) == [a.objectID])
        shop.author("Ada")
        shop.context.processPendingChanges()
        #expect(delegate.snapshots.count == 2)
        #expect(delegate.otherCalls == 0)
    }

    /// Proves: R38
    @Test("a save that makes ids permanent gives a snapshot with them", arguments: StoreKind.forResults)
    func permanent(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let shelf = try Shelf(shop)
        let delegate = SnapshotDelegate()
        shelf.controller.delegate = delegate
        try shelf.controller.performFetch()
        let book = shop.book("A")
        shop.context.processPendingChanges()
        #expect(ids(delegate.snapshots.last?.itemIdentifiers).map(\.isTemporaryID) == [true])
        try shop.context.save()
        #expect(delegate.snapshots.count == 3)
        #expect(ids(delegate.snapshots.last?.itemIdentifiers) == [book.objectID])
        try shop.context.save()
        #expect(delegate.snapshots.count == 3)
    }

    /// Proves: R39
    @Test(
        "a delegate for differences gets those that lead from the old ids to the new", arguments: StoreKind.forResults)
    func differences(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let books = ["B", "D", "F"].map { shop.book($0) }
        try shop.context.save()
        let shelf = try Shelf(shop)
        let delegate = DifferenceDelegate()
        shelf.controller.delegate = delegate
        try shelf.controller.performFetch()
        #expect(delegate.differences.isEmpty)
        var ids = try #require(shelf.controller.fetchedObjects).map(\.objectID)
        let inserted = shop.book("C")
        books[0].title = "G"
        books[2].pages = 7
        shop.context.delete(books[1])
        shop.context.processPendingChanges()
        let first = try #require(delegate.differences.last)
        ids = try #require(ids.applying(first))
        #expect(ids == [inserted.objectID, books[2].objectID, books[0].objectID])
        #expect(first.removals.count == 3)
        #expect(first.insertions.count == 3)
        try shop.context.save()
        #expect(delegate.differences.count == 2)
        let second = try #require(delegate.differences.last)
        ids = try #require(ids.applying(second))
        #expect(ids == shelf.controller.fetchedObjects?.map(\.objectID))
        #expect(!inserted.objectID.isTemporaryID)
        #expect(delegate.otherCalls == 0)
    }

    /// Proves: R39
    @Test("with sections a delegate for differences gets the other calls", arguments: StoreKind.forResults)
    func dividedDifferences(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let shelf = try Shelf(shop, sections: "pages")
        let delegate = DifferenceDelegate()
        shelf.controller.delegate = delegate
        try shelf.controller.performFetch()
        shop.book("A")
        shop.context.processPendingChanges()
        #expect(delegate.differences.isEmpty)
        #expect(delegate.otherCalls == 1)
    }

    /// Proves: R29, R40
    @Test("a sequence gives the present arrangement, then the newest", arguments: StoreKind.forResults)
    func sequence(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let (shelf, books) = try context.performAndWait {
            let books = ["A", "B", "D"].map { shop.book($0, in: context) }
            try context.save()
            let shelf = try Shelf(shop, in: context)
            shelf.controller.delegate = nil
            try shelf.controller.performFetch()
            return (shelf, books)
        }
        let iterator = context.performAndWait { shelf.controller.snapshots }.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.objectIDs == books.map(\.objectID))
        #expect(first?.sections.map(\.name) == [""])
        #expect(first?.updatedObjectIDs == [])
        context.performAndWait {
            books[0].pages = 7
            context.processPendingChanges()
            books[2].title = "C"
            context.processPendingChanges()
            books[2].pages = 7
            context.processPendingChanges()
            context.delete(books[1])
            context.processPendingChanges()
        }
        let second = await iterator.next()
        #expect(second?.objectIDs == [books[0].objectID, books[2].objectID])
        #expect(second?.updatedObjectIDs == [books[0].objectID, books[2].objectID])
        withExtendedLifetime(shelf) {}
    }

    /// Proves: R41
    @Test("a sequence ends with its controller", arguments: StoreKind.forResults)
    func endOfController(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        var shelf: Shelf? = try Shelf(shop)
        let snapshots = try #require(shelf?.controller.snapshots)
        let task = Task {
            var count = 0
            for await _ in snapshots { count += 1 }
            return count
        }
        shelf = nil
        #expect(await task.value <= 1)
        withExtendedLifetime(shelf) {}
    }

    /// Proves: R41
    @Test("a sequence ends for a task that is cancelled", arguments: StoreKind.forResults)
    func cancelled(store: StoreKind) async throws {
        let shelf = try Shelf(try Bookshop(in: store))
        let snapshots = shelf.controller.snapshots
        let task = Task {
            var count = 0
            for await _ in snapshots { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
        withExtendedLifetime(shelf) {}
    }
}
