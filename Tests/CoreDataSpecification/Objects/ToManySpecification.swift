// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what a to-many relationship gives and takes.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("To-many relationships") struct ToManySpecification {
    /// Proves: M6, F29
    @Test("a to-many is a fault of its own until it is read", arguments: StoreKind.all)
    func fault(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        shop.book("Dune", by: frank)
        try shop.context.save()
        let context = shop.stack.newContext()
        let author = try #require(context.object(with: frank.objectID) as? Author)
        #expect(author.name == "Frank")
        #expect(!author.isFault)
        #expect(author.hasFault(forRelationshipNamed: "books"))
        #expect(author.books.count == 1)
        #expect(!author.hasFault(forRelationshipNamed: "books"))
    }

    /// Proves: M6
    @Test("asking whether it is a fault fires none", arguments: StoreKind.all)
    func asking(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        try shop.context.save()
        let context = shop.stack.newContext()
        let author = context.object(with: frank.objectID)
        #expect(author.hasFault(forRelationshipNamed: "books"))
        #expect(author.isFault)
    }

    /// Proves: M6
    @Test("a to-many is a set, an ordered one an ordered set", arguments: StoreKind.all)
    func kinds(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        #expect(book.value(forKey: "tags") is NSSet)
        #expect(book.value(forKey: "chapters") is NSOrderedSet)
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
    }

    /// Proves: M7
    @Test("a whole to-many is assigned, and every inverse follows", arguments: StoreKind.all)
    func assignment(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", by: frank)
        let emma = shop.book("Emma")
        let ulysses = shop.book("Ulysses")
        frank.setValue(NSSet(array: [emma, ulysses]), forKey: "books")
        #expect(dune.author == nil)
        #expect(emma.author === frank)
        frank.setValue(Set([dune, emma]), forKey: "books")
        #expect(frank.books == [dune, emma])
        #expect(ulysses.author == nil)
        frank.setValue(nil, forKey: "books")
        #expect(frank.books.isEmpty)
    }

    /// Proves: M8
    @Test("a mutable set is live: it changes the object, and shows its changes", arguments: StoreKind.all)
    func mutableSet(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let books = frank.mutableSetValue(forKey: "books")
        let (dune, emma, ulysses) = (shop.book("Dune"), shop.book("Emma"), shop.book("Ulysses"))
        try shop.context.save()
        books.add(dune)
        #expect(dune.author === frank)
        #expect(frank.changedValues()["books"] as? Set<Book> == [dune])
        books.union([emma, ulysses])
        #expect(frank.books == [dune, emma, ulysses])
        books.minus([emma])
        #expect(emma.author == nil)
        books.intersect([dune, emma])
        #expect(frank.books == [dune])
        books.setSet([emma])
        #expect(frank.books == [emma])
        books.remove(emma)
        #expect(books.count == 0)
        ulysses.author = frank
        #expect(books.contains(ulysses))
        #expect(books.allObjects as? [Book] == [ulysses])
        books.removeAllObjects()
        #expect(ulysses.author == nil)
    }

    /// Proves: M8
    @Test("a mutable ordered set inserts, moves, replaces and removes", arguments: StoreKind.all)
    func mutableOrderedSet(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c", "d")
        let children = nodes[0].mutableOrderedSetValue(forKey: "children")
        children.addObjects(from: [nodes[1], nodes[2], nodes[3]])
        children.insert(nodes[4], at: 0)
        #expect(nodes[0].children.map(\.name) == ["d", "a", "b", "c"])
        children.removeObject(at: 1)
        #expect(nodes[1].parent == nil)
        children.replaceObject(at: 0, with: nodes[1])
        #expect(nodes[0].children.map(\.name) == ["a", "b", "c"])
        children.moveObjects(at: IndexSet(integer: 2), to: 0)
        #expect(nodes[0].children.map(\.name) == ["c", "a", "b"])
        children.add(nodes[4])
        #expect(nodes[4].parent == nodes[0])
        children.remove(nodes[2])
        #expect(nodes[2].parent == nil)
        #expect(nodes[0].children.map(\.name) == ["c", "a", "d"])
        try graph.context.save()
        let context = graph.stack.newContext()
        #expect((context.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["c", "a", "d"])
    }

    /// Proves: M8
    @Test("a new order alone is a change", arguments: StoreKind.all)
    func reordering(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c")
        nodes[0].children = [nodes[1], nodes[2], nodes[3]]
        try graph.context.save()
        nodes[0].children = [nodes[3], nodes[1], nodes[2]]
        #expect(nodes[0].hasPersistentChangedValues)
        try graph.context.save()
        let context = graph.stack.newContext()
        #expect((context.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["c", "a", "b"])
    }

    /// Proves: M9
    @Test("what the getter gave is a value of that moment", arguments: StoreKind.all)
    func copies(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        shop.book("Dune", by: frank)
        let before = try #require(frank.value(forKey: "books") as? NSSet)
        let copy = NSMutableSet(set: before)
        copy.removeAllObjects()
        #expect(frank.books.count == 1)
        shop.book("Emma", by: frank)
        #expect(before.count == 1)
        #expect(frank.books.count == 2)
    }

    /// Proves: M6, M8
    @Test("members come and go before and after a save without being lost", arguments: StoreKind.all)
    func mixed(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        for number in 0..<40 { shop.book("Book \(number)", pages: number, by: frank) }
        try shop.context.save()
        shop.context.refreshAllObjects()
        for book in frank.books where book.pages % 2 == 0 { frank.mutableSetValue(forKey: "books").remove(book) }
        for number in 40..<50 { shop.book("Book \(number)", pages: number, by: frank) }
        #expect(frank.books.count == 30)
        try shop.context.save()
        let context = shop.stack.newContext()
        let read = try #require(context.object(with: frank.objectID) as? Author)
        #expect(Set(read.books.map(\.pages)) == Set(stride(from: 1, to: 40, by: 2)).union(40..<50))
    }
}
