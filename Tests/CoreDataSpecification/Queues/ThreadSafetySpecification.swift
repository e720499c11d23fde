// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which calls of a context and its objects are allowed off their queue.

import CoreData
import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

/// Runs with the check of P4 on, in debug builds: an allowed call must not be reported as misuse.
@Suite("Off the queue") struct ThreadSafetySpecification {
    /// Proves: P3
    @Test("settings may be made on any thread, while the context works", arguments: StoreKind.all)
    func settings(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { work(context) }
        onThreads(200) { set(context, $0) }
        group.wait()
        #expect(context.name?.hasPrefix("context") == true)
        #expect(context.transactionAuthor?.hasPrefix("author") == true)
        #expect(context.stalenessInterval >= 0)
        #expect(context.mergePolicy as? NSMergePolicy === NSMergeByPropertyStoreTrumpMergePolicy as? NSMergePolicy)
        #expect(context.undoManager != nil)
        #expect(!context.shouldDeleteInaccessibleFaults)
        #expect(!context.propagatesDeletesAtEndOfEvent)
        #expect(context.retainsRegisteredObjects)
    }

    private func set(_ context: NSManagedObjectContext, _ number: Int) {
        context.name = "context \(number)"
        context.transactionAuthor = "author \(number)"
        context.stalenessInterval = Double(number)
        context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
        context.undoManager = UndoManager()
        context.shouldDeleteInaccessibleFaults = false
        context.propagatesDeletesAtEndOfEvent = false
        context.retainsRegisteredObjects = true
        context.userInfo["number"] = nil
    }

    private func work(_ context: NSManagedObjectContext) {
        context.performAndWait {
            for number in 0..<50 {
                Book(context: context).title = "\(number)"
                try? context.save()
            }
        }
    }

    /// Proves: P3, L6
    @Test("retaining that is switched on elsewhere holds for blocks that come later")
    func retaining() throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        context.performAndWait { for number in 0..<3 { insert("\(number)", context) } }
        context.retainsRegisteredObjects = true
        context.performAndWait { try? context.save() }
        let held = context.performAndWait { context.registeredObjects.count }
        context.retainsRegisteredObjects = false
        let left = context.performAndWait { context.registeredObjects.count }
        #expect(held == 3)
        #expect(left == 0)
    }

    private func insert(_ title: String, _ context: NSManagedObjectContext) { Book(context: context).title = title }

    /// Proves: P3, M11
    @Test("ids may be read and used anywhere", arguments: StoreKind.all)
    func ids(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let book = try context.performAndWait {
            let book = shop.book("Dune", in: context)
            try context.save()
            return book
        }
        let id = book.objectID
        #expect(!id.isTemporaryID)
        #expect(book.managedObjectContext === context)
        #expect(book.entity.name == "Book")
        #expect(book.description.contains(id.uriRepresentation().absoluteString))
        #expect((try shop.context.existingObject(with: id) as? Book)?.title == "Dune")
    }

    /// Proves: L3, P4
    @Test("objects that outlived their context have no owner", arguments: StoreKind.all)
    func outlived(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try outlivingBook(shop)
        #expect(book.managedObjectContext == nil)
        #expect(book.title == "Dune")
    }

    private func outlivingBook(_ shop: Bookshop) throws -> Book {
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        return try context.performAndWait {
            let book = shop.book("Dune", in: context)
            try context.save()
            return book
        }
    }

    /// Proves: L2, P4
    @Test("objects and contexts may be let go of on any thread", arguments: StoreKind.all)
    func letGo(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        let box = Box()
        box.objects = context.performAndWait { (0..<200).map { shop.book("\($0)", in: context) } }
        context.performAndWait { try? context.save() }
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { box.objects = [] }
        let titles = try context.performAndWait { try context.fetch(Book.request()).compactMap(\.title) }
        group.wait()
        #expect(titles.count == 200)
        #expect(context.performAndWait { context.registeredObjects.isEmpty })
    }

    private final class Box: @unchecked Sendable {  // used by one thread after another
        var objects: [Book] = []
    }

    /// Proves: C25
    @Test("contexts of the confinement type work on any thread, with a separate lock")
    func confinement() throws {
        let shop = try Bookshop(in: .inMemory)
        let context: any Lockable = shop.context
        let failures = Failures()
        onThreads(4) { number in
            for round in 0..<25 { failures.note(insert("\(number)-\(round)", context)) }
        }
        #expect(failures.all == [])
        #expect(try shop.context.count(for: Book.request()) == 100)
        #expect(isFree(context))
    }

    private func insert(_ title: String, _ context: any Lockable) -> (any Error)? {
        context.lock()
        defer { context.unlock() }
        guard let context = context as? NSManagedObjectContext else { return nil }
        do {
            Book(context: context).title = title
            try context.save()
            return nil
        } catch {
            return error
        }
    }

    /// Proves: C25
    @Test("a lock that another thread holds is not to be had, and the holder may take it again")
    func tryingTheLock() throws {
        let context: any Lockable = try Bookshop(in: .inMemory).context
        context.lock()
        let again = context.tryLock()
        context.unlock()
        let elsewhere = takenElsewhere(context)
        context.unlock()
        #expect(again)
        #expect(!elsewhere)
        #expect(takenElsewhere(context))
    }

    private func isFree(_ context: any Lockable) -> Bool {
        guard context.tryLock() else { return false }
        context.unlock()
        return true
    }

    private func takenElsewhere(_ context: any Lockable) -> Bool {
        let result = Answer()
        let thread = Thread {
            result.value = context.tryLock()
            if result.value { context.unlock() }
            result.done.signal()
        }
        thread.start()
        result.done.wait()
        return result.value
    }

    private final class Answer: @unchecked Sendable {  // read after `done`
        var value = false
        let done = DispatchSemaphore(value: 0)
    }
}

/// The deprecated methods, under a name that causes no warning.
private protocol Lockable: Sendable {
    func lock()
    func unlock()
    func tryLock() -> Bool
}

extension NSManagedObjectContext: Lockable {}

private final class Failures: @unchecked Sendable {  // `list` is guarded by `mutex`
    private let mutex = NSLock()
    private var list: [String] = []

    var all: [String] { mutex.withLock { list } }

    func note(_ error: (any Error)?) {
        if let error { mutex.withLock { list.append("\(error)") } }
    }
}
