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

    /// Proves: P6, C26
    @Test("merge the saves of siblings, and all end up with the objects of the store", arguments: StoreKind.all)
    func siblings(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ids = (0..<5).map { shop.book("\($0)") }
        try shop.context.save()
        let readers = Readers(
            (0..<Self.queues).map { _ in
                Reader(shop.stack.newContext(.privateQueueConcurrencyType), ids.map(\.objectID))
            })
        readers.mergeIntoOneAnother()
        let failures = Failures()
        onThreads(Self.queues) { number in
            for round in 0..<Self.rounds { failures.note { try readers.all[number].lengthen(number + round) } }
        }
        let fresh = shop.stack.newContext()
        let stored = try ids.map { (try fresh.existingObject(with: $0.objectID) as? Book)?.pages }
        let seen = readers.all.map { $0.pages() }
        #expect(failures.all == [])
        #expect(seen == readers.all.map { _ in stored })
    }

    /// Proves: P3, P6
    @Test("share contexts among threads: blocks never overlap", arguments: StoreKind.all)
    func sharedContexts(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let counters = (0..<2).map { number in
            let book = shop.book("\(number)", pages: 0)
            return book
        }
        try shop.context.save()
        let readers = counters.map { Reader(shop.stack.newContext(.privateQueueConcurrencyType), [$0.objectID]) }
        let failures = Failures()
        onThreads(8) { thread in
            for round in 0..<Self.rounds { failures.note { try readers[(thread + round) % 2].lengthen(0) } }
        }
        #expect(failures.all == [])
        #expect(readers.flatMap { $0.pages() }.compactMap(\.self).reduce(0, +) == 8 * Self.rounds)
    }

    /// Proves: P1, P5
    @Test("work below a parent with a private queue, which works as well", arguments: StoreKind.all)
    func children(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let failures = Failures()
        onThreads(Self.queues + 1) { number in
            for round in 0..<Self.rounds / 5 {
                failures.note {
                    if number == Self.queues { return try parent.performAndWait { try parent.save() } }
                    try workBelow(parent, "\(number)-\(round)")
                }
            }
        }
        failures.note { try parent.performAndWait { try parent.save() } }
        #expect(failures.all == [])
        #expect(try shop.context.count(for: Book.request()) == Self.queues * (Self.rounds / 5))
    }

    private func workBelow(_ parent: NSManagedObjectContext, _ title: String) throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try child.performAndWait {
            let author = Author(context: child)
            author.name = title
            let book = Book(context: child)
            book.title = title
            book.author = author
            try child.save()
            for book in try child.fetch(Book.request()) { _ = book.author?.name }
        }
    }

    /// One unit of work: its objects stay, in any order of the queues.
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

    func note(_ body: () throws -> Void) {
        do { try body() } catch { add("\(error)") }
    }
}

/// A context that retains some books.
private final class Reader: @unchecked Sendable {  // `books` is used on the context's queue
    let context: NSManagedObjectContext
    private var books: [Book] = []

    init(_ context: NSManagedObjectContext, _ ids: [NSManagedObjectID]) {
        self.context = context
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        context.performAndWait { books = ids.compactMap { try? context.existingObject(with: $0) as? Book } }
    }

    func lengthen(_ number: Int) throws {
        try context.performAndWait {
            books[number % books.count].pages += 1
            let new = Author(context: context)
            new.name = "new"
            try context.save()
        }
    }

    func pages() -> [Int?] {
        context.performAndWait { books.map(\.pages) }
    }
}

/// Contexts that merge the saves of the others.
private final class Readers: @unchecked Sendable {  // `observers` is set before others see it
    let all: [Reader]
    private var observers: [any NSObjectProtocol] = []

    init(_ all: [Reader]) { self.all = all }

    func mergeIntoOneAnother() {
        for reader in all {
            let others = all.filter { $0 !== reader }.map(\.context)
            observers.append(
                NotificationCenter.default.addObserver(
                    forName: NSManagedObjectContext.didSaveObjectsNotification, object: reader.context, queue: nil
                ) { notification in
                    let letter = Letter(notification: notification)
                    for other in others {
                        other.perform { other.mergeChanges(fromContextDidSave: letter.notification) }
                    }
                })
        }
    }

    deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

    private struct Letter: @unchecked Sendable {  // of its objects only ids are read
        let notification: Notification
    }
}
