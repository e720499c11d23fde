// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of objects that left their context: other threads may be reading ids through them.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: M11
@Suite("Tables of objects that left their context") struct LostTableTests {
    @Test("a table stays as long as an object that had it")
    func lifetime() throws {
        let stack = try Stack(.inMemory, BookshopModel.make())
        var context: NSManagedObjectContext? = stack.newContext()
        var books: [Book] = []
        for number in 0..<3 {
            let book = Book(context: try #require(context))
            book.title = "\(number)"
            books.append(book)
        }
        try context?.save()
        weak var table: ObjectTable?
        weak var detached: ObjectTable?
        table = books[0].table
        let key = books[0].key
        context?.reset()
        detached = books[0].table
        #expect(Set(books.map { ObjectIdentifier($0.table) }).count == 1)
        #expect(detached !== table)
        context = nil
        #expect(table != nil)
        #expect(books[0].objectID.key == key)
        books = []
        #expect(table == nil)
        #expect(detached == nil)
    }

    @Test("every table that an object had stays as long as the object", arguments: StoreKind.builtIn)
    func everyTable(store: StoreKind) throws {
        let stack = try Stack(store, BookshopModel.make())
        var context: NSManagedObjectContext? = stack.newContext()
        var book: Book? = Book(context: try #require(context))
        book?.title = "Dune"
        weak var unsaved: ObjectTable?
        weak var saved: ObjectTable?
        unsaved = book?.table
        try context?.save()
        saved = book?.table
        #expect(saved !== unsaved)
        context?.reset()
        #expect(book?.table !== saved)
        context = nil
        #expect(unsaved != nil)
        #expect(saved != nil)
        book = nil
        #expect(unsaved == nil)
        #expect(saved == nil)
    }

    @Test("an object that is inserted again does not keep its tables alive beyond its context")
    func insertedAgain() throws {
        let stack = try Stack(.inMemory, BookshopModel.make())
        var context: NSManagedObjectContext? = stack.newContext()
        var book: Book? = Book(context: try #require(context))
        context?.delete(try #require(book))
        context?.processPendingChanges()
        context?.insert(try #require(book))
        weak var table: ObjectTable?
        table = book?.table
        book = nil
        context = nil
        #expect(table == nil)
    }

    @Test("ids are read on other threads while objects are saved and contexts are reset", arguments: StoreKind.builtIn)
    func reading(store: StoreKind) throws {
        let race = IDRace(try Stack(store, BookshopModel.make()))
        onThreads(2) { number in
            if number == 0 { race.saveAndReset(15) } else { race.readIDs() }
        }
        #expect(race.idsWithoutStore.isEmpty)
    }
}

/// One thread makes objects, saves and resets; others read the ids of the objects.
private final class IDRace: @unchecked Sendable {  // `objects`, `isOver` and `found` are guarded by `lock`
    private let stack: Stack
    private let lock = NSLock()
    private var objects: [NSManagedObject] = []
    private var isOver = false
    private var found: [NSManagedObjectID] = []

    init(_ stack: Stack) { self.stack = stack }

    /// Permanent ids that name no store.
    var idsWithoutStore: [NSManagedObjectID] { lock.withLock { found } }

    func saveAndReset(_ rounds: Int) {
        for round in 0..<rounds {
            let context = stack.newContext(.privateQueueConcurrencyType)
            context.performAndWait {
                let books = (0..<20).map { number in
                    let book = Book(context: context)
                    book.title = "\(round) \(number)"
                    return book
                }
                lock.withLock { objects = books }
                _ = context.saveFailure()
                context.reset()
            }
        }
        lock.withLock { isOver = true }
    }

    func readIDs() {
        while true {
            let (objects, isOver) = lock.withLock { (self.objects, self.isOver) }
            let ids = objects.map(\.objectID).filter { !$0.isTemporaryID && $0.home == nil }
            if !ids.isEmpty { lock.withLock { found += ids } }
            if isOver { return }
            sched_yield()
        }
    }
}
