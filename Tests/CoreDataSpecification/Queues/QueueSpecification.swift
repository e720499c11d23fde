// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States on which queue a context's work runs, and when its events end.

import CoreData
import CoreDataTestSupport
import Dispatch
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

    /// Proves: P3
    @Test("an error of a block keeps its type")
    func typedErrors() async throws {
        let context = try Bookshop(in: .inMemory).stack.newContext(.privateQueueConcurrencyType)
        var caught: [Int] = []
        do throws(Numbered) {
            try context.performAndWait { () throws(Numbered) in throw Numbered(number: 1) }
        } catch {
            caught.append(error.number)
        }
        do throws(Numbered) {
            try await context.perform { () throws(Numbered) in throw Numbered(number: 2) }
        } catch {
            caught.append(error.number)
        }
        #expect(caught == [1, 2])
    }

    private struct Numbered: Error {
        let number: Int
    }

    /// Proves: P6, F73
    @Test("a block that is waited for runs on the calling thread, after those submitted before")
    func callingThread() throws {
        let context = try Bookshop(in: .inMemory).stack.newContext(.privateQueueConcurrencyType)
        let list = Collected()
        submit(10, to: context, list)
        let (thread, count) = context.performAndWait { (pthread_self(), list.numbers.count) }
        #expect(pthread_equal(thread, pthread_self()) != 0)
        #expect(count == 10)
    }

    /// Proves: P3, P6
    @Test("a block that is submitted within another one runs after it")
    func submittedWithin() async throws {
        let context = try Bookshop(in: .inMemory).stack.newContext(.privateQueueConcurrencyType)
        let list = Collected()
        context.performAndWait {
            submit(3, to: context, list)
            list.numbers.append(-1)
        }
        let numbers = await context.perform(schedule: .enqueued) { list.numbers }
        #expect(numbers == [-1, 0, 1, 2])
    }

    /// Decided by `Task.cancel()` during `await context.perform { … }`: the result of the task.
    /// Proves: P3
    @Test("cancelling the task that waits for a block changes nothing for the block", .tags(.assumed))
    func cancellation() async throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let gate = DispatchSemaphore(value: 0)
        block(context, until: gate)
        let task = Task {
            try await context.perform {
                Book(context: context).title = "Dune"
                try context.save()
                return 7
            }
        }
        task.cancel()
        gate.signal()
        #expect(try await task.value == 7)
        #expect(try shop.context.count(for: Book.request()) == 1)
    }

    /// Proves: P3
    @Test("an object that only a block holds may wait for the context in its deinit")
    func deinitWaits() async {
        await #expect(processExitsWith: .success) {
            let shop = try Bookshop(in: .inMemory)
            let context = shop.stack.newContext(.privateQueueConcurrencyType)
            let counts = Collected()
            let gate = DispatchSemaphore(value: 0)
            QueueSpecification.submit(Counting(context, counts), after: gate)
            gate.signal()
            let numbers = await context.perform(schedule: .enqueued) { counts.numbers }
            exit(numbers == [0] ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// Counts the context's books when it goes.
    private final class Counting: @unchecked Sendable {  // has constants
        let context: NSManagedObjectContext
        private let counts: Collected

        init(_ context: NSManagedObjectContext, _ counts: Collected) { (self.context, self.counts) = (context, counts) }

        deinit {
            context.performAndWait { counts.numbers.append((try? context.count(for: Book.request())) ?? -1) }
        }
    }

    /// When this function has returned, only the block holds the object.
    private static func submit(_ object: Counting, after gate: DispatchSemaphore) {
        object.context.perform { gate.wait() }
        object.context.perform { withExtendedLifetime(object) {} }
    }

    private func block(_ context: NSManagedObjectContext, until gate: DispatchSemaphore) {
        context.perform { gate.wait() }
    }

    /// Proves: P3
    @Test("a context of the confinement type has no queue to run blocks on later")
    func noQueue() async {
        await #expect(processExitsWith: .failure) {
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.perform {}
        }
    }
}
