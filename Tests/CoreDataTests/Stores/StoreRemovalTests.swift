// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a store may be removed while it is asked.

import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite("Removing a store that is asked") struct StoreRemovalTests {
    @Test("waits for the answer, which may need the coordinator") func answerFirst() throws {
        let shop = try ShelfShop()
        shop.book("Dune")
        try shop.context.save()
        let run = Run(shop)
        run.start()
        try #require(run.answered.wait(timeout: .now() + 30) == .success)
        try #require(run.removed.wait(timeout: .now() + 30) == .success)
        #expect(run.found == 1)
        #expect(shop.coordinator.persistentStores.isEmpty)
        #expect(shop.store.persistentStoreCoordinator == nil)
        #expect(throws: CocoaError.self) { try shop.coordinator.remove(shop.store) }
    }

    /// A fetch, and a removal that begins while the store answers it.
    private final class Run: @unchecked Sendable {  // what is shared is passed on by semaphores
        let (asked, leaving) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (answered, removed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        private let shop: ShelfShop
        private(set) var found: Int?

        init(_ shop: ShelfShop) { self.shop = shop }

        func start() {
            let context = shop.newContext(.privateQueueConcurrencyType)
            shop.store.leaving = { [self] in leaving.signal() }
            shop.store.answer = { [self] _, _ in
                asked.signal()
                leaving.wait()
                // Until the removal has come to where it closes the store.
                Thread.sleep(forTimeInterval: 0.1)
                return shop.coordinator.persistentStores.isEmpty ? [NSManagedObject]() : nil
            }
            Thread.detachNewThread { [self] in
                found = context.performAndWait { try? context.fetch(NSFetchRequest<Book>(entityName: "Book")).count }
                answered.signal()
            }
            Thread.detachNewThread { [self] in
                asked.wait()
                try? shop.coordinator.remove(shop.store)
                removed.signal()
            }
        }
    }
}
