// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that the use of objects and contexts off their queue is detected, and the message to the program.

import CoreData
import CoreDataTestSupport
import Dispatch
import Foundation
import Testing

/// Proves: P4
@Suite("The ownership check") struct OwnershipSpecification {
    @Test("stops the program at any use off the queue", arguments: Misuse.allCases)
    func misuse(_ misuse: Misuse) async {
        await #expect(processExitsWith: .failure) { [misuse = misuse as Misuse] in
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            try Misused().commit(misuse)
        }
    }

    @Test("names object, entity, context and both queues")
    func message() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let misused = try Misused()
            misused.context.name = "import"
            DispatchQueue(label: "elsewhere").sync { _ = misused.book.title }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("/Book/p1"))
        #expect(text.contains("'Book'"))
        #expect(text.contains("the context 'import'"))
        #expect(text.contains("the queue 'NSManagedObjectContext"))
        #expect(text.contains("the queue 'elsewhere'"))
        #expect(text.contains("perform"))
    }

    @Test("says at the end of its output how to mend it, below the list of calls")
    func lastWords() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let misused = try Misused()
            let main = misused.shop.stack.newContext(.mainQueueConcurrencyType)
            main.name = "view"
            await Task.detached { _ = main.hasChanges }.value
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.last?.hasPrefix("What to do: ") == true)
        #expect(lines.last?.contains("@MainActor") == true)
        #expect(lines.dropLast().last?.contains("The context 'view' is used off its queue") == true)
        // The process may run without Swift's crash report.
        let report = text.range(of: "Program crashed")?.lowerBound ?? text.startIndex
        #expect(try report < #require(text.range(of: "What to do: ")).lowerBound)
    }

    @Test("names the queues of two contexts that are mixed up, and the main queue")
    func twoContexts() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            let misused = try Misused()
            let main = misused.shop.stack.newContext(.mainQueueConcurrencyType)
            misused.context.performAndWait { _ = main.hasChanges }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("An unnamed context"))
        #expect(text.contains("it belongs to the main queue"))
        #expect(text.contains("the call came from the queue 'NSManagedObjectContext"))
    }

    @Test("lets the same pass on the queue")
    func allowed() async {
        await #expect(processExitsWith: .success) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "1", 1)
            for misuse in Misuse.allCases {
                let misused = try Misused()
                try misused.context.performAndWait { try misused.commit(misuse) }
            }
        }
    }

    @Test("can be switched off by the environment, and by the defaults")
    func switchedOff() async {
        await #expect(processExitsWith: .success) {
            setenv("com.apple.CoreData.ConcurrencyDebug", "0", 1)
            try Misused().commit(.read)
        }
        await #expect(processExitsWith: .success) {
            unsetenv("com.apple.CoreData.ConcurrencyDebug")
            UserDefaults.standard.setVolatileDomain(
                ["com.apple.CoreData.ConcurrencyDebug": "0"], forName: UserDefaults.argumentDomain)
            try Misused().commit(.read)
        }
    }

    @Test("is off unless it is switched on, in debug builds as well")
    func unset() async {
        await #expect(processExitsWith: .success) {
            unsetenv("com.apple.CoreData.ConcurrencyDebug")
            try Misused().commit(.read)
        }
    }

    @Test("is on in these tests, because the environment of their process says so")
    func here() async {
        await #expect(processExitsWith: .failure) { try Misused().commit(.read) }
    }
}

/// A use that is forbidden off the queue.
enum Misuse: String, CaseIterable, Codable {
    case read, write, readPrimitive, fire, follow, members, proxy
    case changedValues
    case insert, delete, fetch, count, save, process, rollback, reset, refresh, registered, changes, object
}

/// A context with a private queue, and a saved book in it.
private final class Misused: @unchecked Sendable {
    let shop: Bookshop
    let context: NSManagedObjectContext
    let book: Book
    let fault: Book

    init() throws {
        let shop = try Bookshop(in: .inMemory)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        self.shop = shop
        self.context = context
        (book, fault) = try context.performAndWait {
            let books = (shop.book("Emma", in: context), shop.book("Dune", in: context))
            try context.save()
            context.refresh(books.1, mergeChanges: false)
            return books
        }
    }

    func commit(_ misuse: Misuse) throws {
        switch misuse {
        case .read: _ = book.title
        case .write: book.title = "Persuasion"
        case .readPrimitive: _ = book.primitiveValue(forKey: "title")
        case .fire: fault.willAccessValue(forKey: nil)
        case .follow: _ = book.author
        case .members: _ = book.tags
        case .proxy: book.mutableSetValue(forKey: "tags").removeAllObjects()
        case .changedValues: _ = book.changedValues()
        case .insert: _ = Book(context: context)
        case .delete: context.delete(book)
        case .fetch: _ = try context.fetch(Book.request())
        case .count: _ = try context.count(for: Book.request())
        case .save: try context.save()
        case .process: context.processPendingChanges()
        case .rollback: context.rollback()
        case .reset: context.reset()
        case .refresh: context.refresh(book, mergeChanges: false)
        case .registered: _ = context.registeredObjects
        case .changes: _ = context.hasChanges
        case .object: _ = context.object(with: book.objectID)
        }
    }
}
