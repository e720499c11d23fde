// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how long an observation lasts, and which objects it retains.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Lifetime of observations") struct ObserverLifetimeSpecification {
    @Test("an observation ends with its token, or when it is invalidated", arguments: StoreKind.all)
    func token(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String>()
        var first: NSKeyValueObservation? = book.observe(\.title) { _, _ in log.add("first") }
        let second = book.observe(\.title) { _, _ in log.add("second") }
        book.title = "Emma"
        #expect(log.news() == ["first", "second"])
        first = nil
        #expect(first == nil)
        book.title = "Ulysses"
        #expect(log.news() == ["second"])
        second.invalidate()
        second.invalidate()
        book.title = "Orlando"
        #expect(log.news().isEmpty)
    }

    @Test("an observation that has ended holds nothing, whichever thread ended it", arguments: StoreKind.all)
    func handlerIsReleased(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        weak var held: NSObject?
        let token = observe(book) { held = $0 }
        #expect(held != nil)
        await Task.detached { token.invalidate() }.value
        #expect(held == nil)
        book.title = "Emma"
    }

    /// Proves: L2
    @Test("an observed object is held neither by its observation nor by its context", arguments: StoreKind.all)
    func objectIsReleased(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = shop.book("Dune", by: shop.author("Frank")).objectID
        try shop.context.save()
        let saved = try #require(try shop.context.fetch(Book.request()).first).objectID
        #expect(id != saved)
        let context = shop.stack.newContext()
        weak var book: Book?
        let token = try observeChain(saved, in: context) { book = $0 }
        #expect(book == nil)
        #expect(context.registeredObjects.isEmpty)
        token.invalidate()
    }

    /// Proves: L4
    @Test("an object is observed through saves", arguments: StoreKind.all)
    func throughSaves(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let log = ValueLog<String?>()
        let token = book.observe(\.title) { book, _ in log.add(book.title) }
        try shop.context.save()
        book.title = "Emma"
        try shop.context.save()
        book.title = "Ulysses"
        #expect(log.values == ["Emma", "Ulysses"])
        withExtendedLifetime((shop, token)) {}
    }

    /// Decided by `observe(_:options:changeHandler:)` on an object, and `reset()` of its context.
    /// Proves: C21
    @Test(
        "a reset ends observations without a word: there are no values any more", .tags(.assumed),
        arguments: StoreKind.all)
    func reset(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let log = ValueLog<String>()
        let token = book.observe(\.title, options: .new) { _, _ in log.add("told") }
        shop.context.reset()
        #expect(log.values.isEmpty)
        token.invalidate()
    }

    @Test("a key path that reads no property of the model cannot be observed")
    func noProperty() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let book = shop.book("Dune")
            _ = book.observe(\.isFault) { _, _ in }
        }
    }

    private func observe(_ book: Book, _ witness: (NSObject) -> Void) -> NSKeyValueObservation {
        let object = NSObject()
        witness(object)
        return book.observe(\.title) { _, _ in withExtendedLifetime(object) {} }
    }

    private func observeChain(
        _ id: NSManagedObjectID, in context: NSManagedObjectContext, _ witness: (Book) -> Void
    ) throws -> NSKeyValueObservation {
        let book = try #require(context.object(with: id) as? Book)
        witness(book)
        let log = ValueLog<String?>()
        let token = book.observe(\.author?.name, options: [.initial, .new]) { _, change in
            log.add(change.newValue ?? "")
        }
        #expect(log.values == ["Frank"])
        return token
    }
}
