// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States on which queue a context's work runs, and when its events end.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Queues") struct QueueSpecification {
    /// Proves: P3
    @Test("a block that is waited for gives its result, or its error", arguments: StoreKind.all)
    func waiting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let titles = try context.performAndWait { try context.fetch(Book.request()).compactMap(\.title) }
        #expect(titles == ["Dune"])
        #expect(throws: Refused.self) { try context.performAndWait { throw Refused() } }
    }

    /// Proves: P3
    @Test("waiting may be nested", arguments: StoreKind.all)
    func nesting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let value = context.performAndWait { context.performAndWait { context.performAndWait { 42 } } }
        #expect(value == 42)
    }

    /// Proves: P3
    @Test("an asynchronous block gives its result, or its error", arguments: StoreKind.all)
    func asynchronous(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let count = try await context.perform { try context.count(for: Book.request()) }
        #expect(count == 1)
        let later = await context.perform(schedule: .enqueued) { 7 }
        #expect(later == 7)
        await #expect(throws: Refused.self) { try await context.perform { throw Refused() } }
    }

    /// Proves: P3, P6
    @Test("blocks run one after another, in the order of submission")
    func order() async throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let list = Collected()
        submit(100, to: context, list)
        let numbers = await context.perform(schedule: .enqueued) { list.numbers }
        #expect(numbers == Array(0..<100))
    }

    private func submit(_ count: Int, to context: NSManagedObjectContext, _ list: Collected) {
        for number in 0..<count { context.perform { list.numbers.append(number) } }
    }

    /// Proves: C19
    @Test("an asynchronous block ends an event, a block that is waited for does not", arguments: StoreKind.all)
    func events(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        waitForInsertion(context)
        #expect(log.count == 0)
        await context.perform { Book(context: context).title = "Emma" }
        await context.perform(schedule: .enqueued) {}
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey).count == 2)
    }

    private func waitForInsertion(_ context: NSManagedObjectContext) {
        context.performAndWait { Book(context: context).title = "Dune" }
    }

    /// Proves: P3
    @Test("a context of the main queue works on the main actor")
    @MainActor func mainQueue() throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        let book = shop.book("Dune", in: context)
        let title = context.performAndWait { book.title }
        #expect(title == "Dune")
        #expect(context.concurrencyType == .mainQueueConcurrencyType)
    }

    /// Proves: P3
    @Test("many contexts may work at once on one store", arguments: StoreKind.all)
    func atOnce(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let contexts = (0..<4).map { _ in shop.stack.newContext(.privateQueueConcurrencyType) }
        await withTaskGroup(of: Void.self) { group in
            for context in contexts {
                group.addTask { try? await Self.insertAndSave(25, context) }
            }
        }
        #expect(try shop.context.count(for: Book.request()) == 100)
        let ids = try shop.context.fetch(Book.request()).map(\.objectID)
        #expect(Set(ids).count == 100)
    }

    private static func insertAndSave(_ count: Int, _ context: NSManagedObjectContext) async throws {
        try await context.perform {
            for number in 0..<count {
                Book(context: context).title = "Book \(number)"
                try context.save()
            }
        }
    }

    private struct Refused: Error {}

    private final class Collected: @unchecked Sendable {  // used on one queue
        var numbers: [Int] = []
    }

    /// Proves: P4
    @Test("touching an object off its queue stops the program, when the check is on")
    func offQueue() async {
        await #expect(processExitsWith: .failure) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let shop = try Bookshop(in: .inMemory)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = shop.stack.coordinator
            let book = context.performAndWait { shop.book("Emma", in: context) }
            book.title = "Persuasion"
        }
        await #expect(processExitsWith: .success) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let shop = try Bookshop(in: .inMemory)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = shop.stack.coordinator
            context.performAndWait { shop.book("Emma", in: context).title = "Persuasion" }
        }
    }
}
