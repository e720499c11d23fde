// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that contexts on several queues can work on one store at once.

import CoreData
import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

/// Proves: P3, C22, C23
@Suite("Contexts on many queues") struct ManyQueuesSpecification {
    private static let queues = 4
    private static let rounds = 25

    @Test("insert, fetch, change and delete at the same time, and nothing is lost", arguments: StoreKind.all)
    func concurrently(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Everybody's", pages: 0)
        try shop.context.save()
        let coordinator = shop.stack.coordinator
        let failures = Failures()
        let group = DispatchGroup()
        for number in 0..<Self.queues {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            group.enter()
            context.perform {
                defer { group.leave() }
                do {
                    for round in 0..<Self.rounds { try work(number, round, context) }
                } catch {
                    failures.add("queue \(number): \(error)")
                }
            }
        }
        group.wait()
        #expect(failures.all == [])
        let fresh = shop.stack.newContext()
        let request = Book.request()
        request.predicate = NSPredicate(format: "title BEGINSWITH %@", "kept")
        #expect(try fresh.count(for: request) == Self.queues * Self.rounds)
        request.predicate = NSPredicate(format: "title BEGINSWITH %@", "dropped")
        #expect(try fresh.count(for: request) == 0)
        request.predicate = NSPredicate(format: "author.name != NULL AND pages == 7")
        #expect(try fresh.count(for: request) == Self.queues * Self.rounds)
    }

    /// One unit of work: what it keeps, it keeps in any order of the queues.
    private func work(_ number: Int, _ round: Int, _ context: NSManagedObjectContext) throws {
        let author = Author(context: context)
        author.name = "queue \(number)"
        let kept = Book(context: context)
        kept.title = "kept \(number)-\(round)"
        kept.author = author
        let dropped = Book(context: context)
        dropped.title = "dropped \(number)-\(round)"
        try context.save()
        kept.pages = 7
        context.delete(dropped)
        let shared = Book.request()
        shared.predicate = NSPredicate(format: "title == %@", "Everybody's")
        for book in try context.fetch(shared) { book.pages += 1 }
        try context.save()
        // All objects of all queues, read while others are written.
        for book in try context.fetch(Book.request()) { _ = book.author?.name }
        if round % 5 == 0 { context.reset() }
    }
}

private final class Failures: @unchecked Sendable {  // `list` is guarded by `lock`
    private let lock = NSLock()
    private var list: [String] = []

    var all: [String] { lock.withLock { list } }
    func add(_ failure: String) { lock.withLock { list.append(failure) } }
}
