// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how contexts of the main queue work, and when their events end.

import CoreData
import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

@Suite("The main queue") struct MainQueueSpecification {
    /// Proves: P3
    @Test("a context works directly on the main actor, and waiting there runs at once")
    @MainActor func directly() throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let book = shop.book("Dune", in: context)
        let title = context.performAndWait { book.title }
        #expect(title == "Dune")
        #expect(context.concurrencyType == .mainQueueConcurrencyType)
    }

    /// Proves: C19, F74
    @Test("changes of one turn are one event, and one notification", arguments: StoreKind.all)
    @MainActor func turns(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        let books = (0..<5).map { shop.book("\($0)", in: context) }
        #expect(log.count == 0)
        await turnEnded()
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey).count == 5)
        for book in books { book.pages += 1 }
        context.delete(books[0])
        #expect(log.count == 1)
        await turnEnded()
        #expect(log.count == 2)
        #expect(log.objects(NSUpdatedObjectsKey).count == 4)
        await turnEnded()
        #expect(log.count == 2)
    }

    /// Proves: C19
    @Test("changes that were processed or saved within the turn are not announced again", arguments: StoreKind.all)
    @MainActor func processedBefore(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        shop.book("Dune", in: context)
        context.processPendingChanges()
        shop.book("Emma", in: context)
        try context.save()
        #expect(log.count == 2)
        await turnEnded()
        #expect(log.count == 2)
    }

    /// Proves: C19, M17
    @Test("a turn is one step of undo")
    @MainActor func undo() async throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        context.undoManager = UndoManager()
        let book = shop.book("Dune", pages: 1, in: context)
        await turnEnded()
        book.pages = 2
        book.pages = 3
        await turnEnded()
        context.undo()
        #expect(book.pages == 1)
    }

    /// Proves: C19, P3
    @Test("a block is a separate event, also on the main queue", arguments: StoreKind.all)
    func blocks(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        await context.perform { Book(context: context).title = "Dune" }
        #expect(log.count == 1)
        await context.perform { Book(context: context).title = "Emma" }
        #expect(log.count == 2)
    }

    /// Proves: N5, P3
    @Test("an immediate block does not wait for others, when the caller is on the queue; an enqueued one does")
    @MainActor func schedules() async throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let list = Order()
        submit("submitted before", to: context, list)
        await context.perform(schedule: .immediate) { list.add("immediate") }
        await context.perform(schedule: .enqueued) { list.add("enqueued") }
        #expect(list.entries == ["immediate", "submitted before", "enqueued"])
    }

    private func submit(_ entry: String, to context: NSManagedObjectContext, _ list: Order) {
        context.perform { list.add(entry) }
    }

    /// Proves: P3, P5
    @Test("other threads wait for the main queue", arguments: StoreKind.all)
    func fromElsewhere(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let titles = await waiting(on: context)
        #expect(titles == ["Dune"])
    }

    private func waiting(on context: NSManagedObjectContext) async -> [String] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let titles = context.performAndWait {
                    Book(context: context).title = "Dune"
                    try? context.save()
                    return (try? context.fetch(Book.request()).compactMap(\.title)) ?? []
                }
                continuation.resume(returning: titles)
            }
        }
    }

    /// Returns when the work that was due at the end of the turn is done.
    @MainActor private func turnEnded() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
}

private final class Order: @unchecked Sendable {  // used on the main queue
    private(set) var entries: [String] = []
    func add(_ entry: String) { entries.append(entry) }
}
