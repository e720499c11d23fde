// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cost of a save depends on the changes, not on the number of unchanged objects.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: C22, and the limit that a save takes the time of its changes
@Suite("Unchanged objects", .serialized) struct RegisteredObjectTests {
    @Test("cost nothing when another one is saved", arguments: StoreKind.all, [false, true])
    func unchanged(store: StoreKind, retained: Bool) throws {
        func work(_ count: Int) throws -> () throws -> Bool {
            let shop = try Bookshop(in: store)
            shop.context.retainsRegisteredObjects = retained
            let book = shop.book("Dune")
            try shop.context.save()
            let others = faults(count, in: shop.context)
            guard shop.context.registeredObjects.count == count + 1 else { throw Growth.WrongResult() }
            return { try saveOften(book, beside: others) }
        }
        // A hundred times as many: a save that examined all of them would take many times as long.
        #expect(try Growth.of(1_000, 100_000, limit: 5, work) < 5)
    }

    @Test("cost nothing either that were inserted while undo was recorded")
    func undo() throws {
        func work(_ count: Int) throws -> () throws -> Bool {
            let shop = try Bookshop(in: .inMemory)
            shop.context.undoManager = UndoManager()
            let book = shop.book("Dune")
            let others = (0..<count).map { shop.book("\($0)") as NSManagedObject }
            try shop.context.save()
            return { try saveOften(book, beside: others) }
        }
        #expect(try Growth.of(200, 20_000, limit: 5, work) < 5)
    }

    private func saveOften(_ book: Book, beside others: [NSManagedObject]) throws -> Bool {
        for number in 1...20 {
            book.pages = number
            try book.managedObjectContext?.save()
        }
        return others.first?.hasChanges == false
    }

    /// Objects with rows that are never read: their existence does not matter.
    private func faults(_ count: Int, in context: NSManagedObjectContext) -> [NSManagedObject] {
        let layout = context.registry.model.layout(named: "Book")
        let home = context.persistentStoreCoordinator?.persistentStores.first?.identity
        guard let layout, let home else { return [] }
        return (0..<count).map { number in
            context.object(with: NSManagedObjectID(layout: layout, key: Int64(number + 200), home: home))
        }
    }
}
