// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cost of a change under a results controller does not depend on the number of its objects.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: R11 for many objects
@Suite("Cost of results controllers", .serialized) struct ResultsCostTests {
    private final class Counting: NSFetchedResultsControllerDelegate {
        var pairs = 0

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            pairs += 1
        }
    }

    /// Ten times the objects: the same work, or ten times as much if each change examined all of them.
    private static let limit = 5.0

    @Test("one change at a time, with and without sections", arguments: [nil, "pages"])
    func changes(sections: String?) throws {
        func work(_ count: Int) throws -> () throws -> Bool {
            let shop = try Bookshop(in: .inMemory)
            let books = (0..<count).map { shop.book("B\(100_000 + $0)", pages: $0 / (count / 20)) }
            try shop.context.save()
            let request = Book.request()
            request.sortDescriptors = [
                NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: true),
            ]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: shop.context, sectionNameKeyPath: sections, cacheName: nil)
            let delegate = Counting()
            controller.delegate = delegate
            try controller.performFetch()
            return {
                for round in 0..<300 {
                    books[round * count / 300].title = "C\(round)"
                    shop.context.processPendingChanges()
                }
                return delegate.pairs == 300 && controller.indexPath(forObject: books[0]) != nil
            }
        }
        #expect(try Growth.of(1_000, 10_000, limit: Self.limit, work) < Self.limit)
    }
}
