// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the reads and writes of managed objects that `withObservationTracking` of Swift's Observation notices.

import CoreData
import CoreDataTestSupport
import Foundation
import Observation
import Testing

@Suite("Tracking reads") struct TrackingSpecification {
    /// The number of calls of `onChange` after reading, during some work.
    private func calls(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Int {
        let log = ValueLog<Void>()
        withObservationTracking(read) { log.add(()) }
        try change()
        return log.count
    }

    @Test("a property that was read is announced once, before its value changes", arguments: StoreKind.all)
    func writing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String?>()
        nonisolated(unsafe) let witness = book
        withObservationTracking {
            _ = book.title
        } onChange: {
            log.add(witness.title)
        }
        book.title = "Emma"
        book.title = "Ulysses"
        #expect(log.values == ["Dune"])
    }

    @Test("properties that were not read in the scope do not matter", arguments: StoreKind.all)
    func others(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
        _ = emma.title
        func change() {
            emma.title = "Ulysses"
            dune.pages = 3
            dune.author = shop.author("Frank")
        }
        #expect(calls({ _ = dune.title }, change) == 0)
        #expect(calls({ _ = dune.title }, { dune.title = "Dune II" }) == 1)
    }

    /// Proves: M1
    @Test("primitive values are neither tracked nor announced; custom accessors are", arguments: StoreKind.all)
    func primitives(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        #expect(calls({ _ = book.title }, { book.setPrimitiveValue("Emma", forKey: "title") }) == 0)
        #expect(calls({ _ = book.primitiveValue(forKey: "title") }, { book.title = "Orlando" }) == 0)
        func read() {
            book.willAccessValue(forKey: "title")
            _ = book.primitiveValue(forKey: "title")
            book.didAccessValue(forKey: "title")
        }
        func write() {
            book.willChangeValue(forKey: "title")
            book.setPrimitiveValue("Ulysses", forKey: "title")
            book.didChangeValue(forKey: "title")
        }
        #expect(calls(read, write) == 1)
    }

    /// Proves: M2, M6, M8
    @Test("relationships are tracked from both ends, and through mutable sets", arguments: StoreKind.all)
    func relationships(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        #expect(calls({ _ = frank.books }, { book.author = jane }) == 1)
        #expect(calls({ _ = jane.books }, { book.author = frank }) == 1)
        #expect(calls({ _ = book.author }, { jane.mutableSetValue(forKey: "books").add(book) }) == 1)
        let live = frank.mutableSetValue(forKey: "books")
        #expect(calls({ _ = live.count }, { book.author = frank }) == 1)
        #expect(calls({ _ = book.author?.name }, { frank.name = "Herbert" }) == 1)
        #expect(calls({ _ = frank.objectIDs(forRelationshipNamed: "books") }, { book.author = nil }) == 1)
    }

    /// Proves: M17, C21
    @Test("undo, redo and rollback are announced", arguments: StoreKind.all)
    func takingBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune", by: shop.author("Frank"))
        try context.save()
        context.undoManager = UndoManager()
        book.title = "Emma"
        book.author = nil
        #expect(calls({ _ = (book.title, book.pages) }, context.undo) == 1)
        #expect(calls({ _ = book.author }, context.redo) == 1)
        #expect(calls({ _ = book.pages }, context.undo) == 0)
        context.redo()
        #expect(calls({ _ = book.pages }, context.rollback) == 0)
        book.title = "Emma"
        #expect(calls({ _ = book.title }, context.rollback) == 1)
        #expect(book.title == "Dune")
    }

    /// Proves: C18, C26
    @Test("values that come from the store are announced", arguments: StoreKind.all)
    func fromTheStore(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let saved = try changeElsewhere(shop, book.objectID, "Emma")
        func merge() { shop.context.mergeChanges(fromContextDidSave: saved) }
        #expect(calls({ _ = book.title }, merge) == 1)
        #expect(book.title == "Emma")
        try changeElsewhere(shop, book.objectID, "Ulysses")
        #expect(calls({ _ = book.pages }, { shop.context.refresh(book, mergeChanges: true) }) == 0)
        #expect(calls({ _ = book.title }, { shop.context.refresh(book, mergeChanges: false) }) == 1)
        #expect(book.title == "Ulysses")
        #expect(calls({ _ = book.title }, shop.context.refreshAllObjects) == 1)
    }

    /// Proves: M19
    @Test("a fault that is fired in the scope is tracked, and firing is no change", arguments: StoreKind.all)
    func faults(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = shop.book("Dune", by: shop.author("Frank"))
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(context.object(with: id.objectID) as? Book)
        #expect(calls({ _ = book.author?.name }, { _ = (book.title, book.author?.books) }) == 0)
        #expect(calls({ _ = book.author?.name }, { book.author?.name = "Jane" }) == 1)
    }

    @Test("key paths, operators and predicates track the properties that they read", arguments: StoreKind.all)
    func readers(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", pages: 5, by: frank)
        #expect(calls({ _ = frank.value(forKeyPath: "books.@sum.pages") }, { book.pages = 6 }) == 1)
        #expect(calls({ _ = frank.value(forKeyPath: "books.@count") }, { book.author = nil }) == 1)
        let long = NSPredicate(format: "pages > 3")
        #expect(calls({ _ = long.evaluate(with: book) }, { book.pages = 7 }) == 1)
        #expect(calls({ _ = book.dictionaryWithValues(forKeys: ["title"]) }, { book.title = "Emma" }) == 1)
    }

    @Test("scopes on several threads track their own reads", arguments: StoreKind.all)
    func threads(store: StoreKind) async throws {
        let stack = try Bookshop(in: store).stack
        let counts = await withTaskGroup(of: Int.self, returning: [Int].self) { group in
            for _ in 0..<8 {
                let context = stack.newContext(.privateQueueConcurrencyType)
                group.addTask { await context.perform { Self.announcements(in: context) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 100, count: 8))
    }

    private static func announcements(in context: NSManagedObjectContext) -> Int {
        let log = ValueLog<Void>()
        for index in 0..<100 {
            let book = Book(context: context)
            withObservationTracking {
                _ = book.pages
            } onChange: {
                log.add(())
            }
            book.title = "untracked"
            book.pages = index
        }
        return log.count
    }

    @discardableResult
    private func changeElsewhere(_ shop: Bookshop, _ id: NSManagedObjectID, _ title: String) throws -> Notification {
        let other = shop.stack.newContext()
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: other)
        other.object(with: id).setValue(title, forKey: "title")
        try other.save()
        return try #require(log.notifications.last)
    }
}
