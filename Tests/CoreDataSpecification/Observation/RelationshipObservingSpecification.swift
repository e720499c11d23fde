// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the calls to observers of relationships.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Observing relationships") struct RelationshipObservingSpecification {
    /// Proves: M2
    @Test(
        "every object with a changed end of a relationship reports so, when both ends have their new values",
        arguments: StoreKind.all)
    func inverses(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        let log = ValueLog<String>()
        func state() -> String { "\(book.author?.name ?? "-") \(frank.books.count) \(jane.books.count)" }
        let tokens = [
            book.observe(\.author) { _, _ in log.add("book \(state())") },
            frank.observe(\.books) { _, _ in log.add("frank \(state())") },
            jane.observe(\.books) { _, _ in log.add("jane \(state())") },
        ]
        book.author = jane
        #expect(Set(log.news()) == ["book Jane 0 1", "frank Jane 0 1", "jane Jane 0 1"])
        frank.books = [book]
        #expect(Set(log.news()) == ["book Frank 1 0", "frank Frank 1 0", "jane Frank 1 0"])
        withExtendedLifetime((shop, tokens)) {}
    }

    /// Proves: M2
    @Test("one-to-one: the object that loses its partner reports so as well", arguments: StoreKind.all)
    func oneToOne(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c")
        nodes[0].twin = nodes[1]
        let log = ValueLog<String>()
        let tokens = nodes.map { node in
            node.observe(\.twin, options: [.old, .new]) { node, change in
                log.add("\(node.name ?? ""): \(change.oldValue??.name ?? "-") \(change.newValue??.name ?? "-")")
            }
        }
        nodes[2].twin = nodes[0]
        #expect(Set(log.news()) == ["a: b c", "b: a -", "c: - a"])
        withExtendedLifetime((graph, tokens)) {}
    }

    /// Proves: M7
    @Test("assigning a whole to-many is announced as one setting", arguments: StoreKind.all)
    func assignment(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma, ulysses) = (shop.book("Dune", by: frank), shop.book("Emma"), shop.book("Ulysses"))
        let log = ValueLog<NSKeyValueObservedChange<Set<Book>>>()
        let token = frank.observe(\.books, options: [.old, .new]) { _, change in log.add(change) }
        frank.books = [emma, ulysses]
        #expect(log.count == 1)
        let change = try #require(log.values.first)
        #expect(change.kind == .setting)
        #expect(change.oldValue == [dune])
        #expect(change.newValue == [emma, ulysses])
        withExtendedLifetime((shop, token)) {}
    }

    /// Decided by `observe(_:options:changeHandler:)` on a to-many, with `mutableSetValue(forKey:)`: kinds and values.
    /// Proves: M8
    @Test("members that come and go are announced as such", .tags(.assumed), arguments: StoreKind.all)
    func members(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma, ulysses) = (shop.book("Dune", by: frank), shop.book("Emma"), shop.book("Ulysses"))
        let log = ValueLog<NSKeyValueObservedChange<Set<Book>>>()
        let token = frank.observe(\.books, options: [.old, .new]) { _, change in log.add(change) }
        let books = frank.mutableSetValue(forKey: "books")
        books.union([emma, ulysses])
        books.remove(dune)
        books.add(emma)
        ulysses.author = nil
        #expect(log.values.map(\.kind) == [.insertion, .removal, .removal])
        #expect(log.values.map(\.newValue) == [[emma, ulysses], nil, nil])
        #expect(log.values.map(\.oldValue) == [nil, [dune], [ulysses]])
        withExtendedLifetime((shop, token)) {}
    }

    /// Decided by `observe(_:options:changeHandler:)` on an ordered relationship: kinds, values and indexes.
    /// Proves: M8
    @Test(
        "members of an ordered relationship are announced with their places", .tags(.assumed), arguments: StoreKind.all)
    func orderedMembers(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b")
        nodes[0].children = [nodes[1]]
        let log = ValueLog<NSKeyValueObservedChange<[Node]>>()
        let token = nodes[0].observe(\.children, options: [.old, .new]) { _, change in log.add(change) }
        nodes[2].parent = nodes[0]
        nodes[1].parent = nil
        nodes[0].children = [nodes[1], nodes[2]]
        #expect(log.values.map(\.kind) == [.insertion, .removal, .setting])
        #expect(log.values.map(\.indexes) == [IndexSet(integer: 1), IndexSet(integer: 0), nil])
        #expect(log.values.map(\.newValue) == [[nodes[2]], nil, [nodes[1], nodes[2]]])
        #expect(log.values.map(\.oldValue) == [nil, [nodes[1]], [nodes[2]]])
        withExtendedLifetime((graph, token)) {}
    }

    @Test("a value made of a to-many is announced as set", arguments: StoreKind.all)
    func derived(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let log = ValueLog<Int>()
        let token = frank.observe(\.books.count, options: .new) { _, change in change.newValue.map(log.add) }
        shop.book("Dune", by: frank)
        shop.book("Emma", by: frank)
        #expect(log.values == [1, 2])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C20
    @Test("removals by delete rules are announced at the end of the event", arguments: StoreKind.all)
    func deletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        let chapter = Chapter(context: shop.context)
        book.chapters = [chapter]
        try shop.context.save()
        let log = ValueLog<String>()
        let token = frank.observe(\.books) { author, _ in log.add("\(author.books.count) \(chapter.isDeleted)") }
        shop.context.delete(book)
        #expect(log.values.isEmpty)
        shop.context.processPendingChanges()
        #expect(log.values.count == 1)
        #expect(log.values.first?.first == "0")
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C19
    @Test(
        "a deletion that an observer makes while another is processed follows its rules too", arguments: StoreKind.all)
    func deletionInHandler(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let tag = shop.tag("sf")
        let (dune, emma) = (shop.book("Dune", by: frank), shop.book("Emma"))
        emma.tags = [tag]
        try shop.context.save()
        let token = frank.observe(\.books) { author, _ in shop.context.delete(emma) }
        shop.context.delete(dune)
        shop.context.processPendingChanges()
        #expect(emma.isDeleted)
        #expect(tag.books.isEmpty)
        try shop.context.save()
        #expect(try shop.context.count(for: Book.request()) == 0)
        withExtendedLifetime((shop, token)) {}
    }

    @Test("an observer may change the observed object, and hears of that too", arguments: StoreKind.all)
    func changeInHandler(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune")
        let log = ValueLog<String?>()
        let token = book.observe(\.author) { book, _ in
            log.add(book.author?.name)
            if book.author === frank { book.author = jane }
        }
        book.author = frank
        #expect(log.values == ["Frank", "Jane"])
        #expect(frank.books.isEmpty)
        #expect(jane.books == [book])
        withExtendedLifetime((shop, token)) {}
    }
}
