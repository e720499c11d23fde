// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that both ends of a relationship always agree.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Inverses") struct InverseSpecification {
    /// Proves: M2
    @Test("a to-one and its to-many follow each other", arguments: StoreKind.all)
    func oneToMany(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let jane = shop.author("Jane")
        let book = shop.book("Dune", by: frank)
        #expect(frank.books == [book])
        book.author = jane
        #expect(frank.books.isEmpty)
        #expect(jane.books == [book])
        frank.books = [book]
        #expect(book.author === frank)
        #expect(jane.books.isEmpty)
        frank.books = []
        #expect(book.author == nil)
    }

    /// Proves: M2
    @Test("the object that loses a to-one is changed as well", arguments: StoreKind.all)
    func loser(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let jane = shop.author("Jane")
        let book = shop.book("Dune", by: frank)
        try shop.context.save()
        book.author = jane
        #expect(shop.context.updatedObjects == [frank, jane, book])
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect((context.object(with: frank.objectID) as? Author)?.books.isEmpty == true)
        #expect((context.object(with: jane.objectID) as? Author)?.books.map(\.title) == ["Dune"])
    }

    /// Proves: M2
    @Test("one to one: a new partner leaves both old ones without a partner", arguments: StoreKind.all)
    func oneToOne(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c", "d")
        nodes[0].next = nodes[1]
        nodes[2].next = nodes[3]
        #expect(nodes[1].previous === nodes[0])
        nodes[0].next = nodes[3]
        #expect(nodes[3].previous === nodes[0])
        #expect(nodes[1].previous == nil)
        #expect(nodes[2].next == nil)
        try graph.context.save()
        let context = graph.stack.newContext()
        let first = try #require(context.object(with: nodes[0].objectID) as? Node)
        #expect(first.next?.objectID == nodes[3].objectID)
        #expect(first.next?.previous === first)
        #expect((context.object(with: nodes[2].objectID) as? Node)?.next == nil)
    }

    /// Proves: M2
    @Test("one to one with itself: twins are each other's", arguments: StoreKind.all)
    func twins(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c")
        nodes[0].twin = nodes[1]
        #expect(nodes[1].twin === nodes[0])
        nodes[2].twin = nodes[0]
        #expect(nodes[0].twin === nodes[2])
        #expect(nodes[1].twin == nil)
        nodes[2].twin = nodes[2]
        #expect(nodes[2].twin === nodes[2])
        #expect(nodes[0].twin == nil)
        nodes[0].twin = nodes[1]
        try graph.context.save()
        let context = graph.stack.newContext()
        let read = try #require(context.object(with: nodes[1].objectID) as? Node)
        #expect(read.twin?.objectID == nodes[0].objectID)
        #expect(read.twin?.twin === read)
        #expect((context.object(with: nodes[2].objectID) as? Node)?.twin?.objectID == nodes[2].objectID)
    }

    /// Proves: M2
    @Test("many to many: both sides change", arguments: StoreKind.all)
    func manyToMany(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune")
        let emma = shop.book("Emma")
        let classic = shop.tag("classic")
        dune.tags = [classic]
        classic.mutableSetValue(forKey: "books").add(emma)
        #expect(classic.books == [dune, emma])
        #expect(emma.tags == [classic])
        try shop.context.save()
        dune.tags = []
        #expect(classic.books == [emma])
        try shop.context.save()
        let context = shop.stack.newContext()
        let read = try #require(context.object(with: classic.objectID) as? CoreDataTestSupport.Tag)
        #expect(read.books.map(\.title) == ["Emma"])
        #expect((context.object(with: dune.objectID) as? Book)?.tags.isEmpty == true)
    }

    /// Proves: M2
    @Test("many to many with itself: neighbours are each other's", arguments: StoreKind.all)
    func neighbours(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c")
        nodes[0].neighbours = [nodes[1], nodes[2]]
        nodes[1].mutableSetValue(forKey: "neighbours").add(nodes[1])
        #expect(nodes[1].neighbours == [nodes[0], nodes[1]])
        #expect(nodes[2].neighbours == [nodes[0]])
        try graph.context.save()
        nodes[2].neighbours = []
        #expect(nodes[0].neighbours == [nodes[1]])
        try graph.context.save()
        let context = graph.stack.newContext()
        let read = try #require(context.object(with: nodes[1].objectID) as? Node)
        #expect(Set(read.neighbours.map(\.name)) == ["a", "b"])
        #expect((context.object(with: nodes[2].objectID) as? Node)?.neighbours.isEmpty == true)
    }

    /// Proves: M2
    @Test("ordered: a new member from the other end comes last", arguments: StoreKind.all)
    func ordered(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c", "other")
        nodes[0].children = [nodes[1], nodes[2]]
        nodes[3].parent = nodes[0]
        #expect(nodes[0].children.map(\.name) == ["a", "b", "c"])
        nodes[4].children = [nodes[2]]
        #expect(nodes[0].children.map(\.name) == ["a", "c"])
        #expect(nodes[2].parent === nodes[4])
        try graph.context.save()
        let context = graph.stack.newContext()
        #expect((context.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["a", "c"])
        #expect((context.object(with: nodes[4].objectID) as? Node)?.children.map(\.name) == ["b"])
    }

    /// Proves: M2
    @Test("an unread inverse is right when it is read", arguments: StoreKind.all)
    func coldInverse(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        shop.book("Dune", by: frank)
        let emma = shop.book("Emma")
        try shop.context.save()
        shop.context.refreshAllObjects()
        emma.author = frank
        #expect(frank.hasFault(forRelationshipNamed: "books"))
        #expect(Set(frank.books.map(\.title)) == ["Dune", "Emma"])
        emma.author = nil
        #expect(frank.books.map(\.title) == ["Dune"])
    }

    /// Proves: M2
    @Test("objects of two contexts cannot be related")
    func twoContexts() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let other = shop.stack.newContext()
            shop.book("Dune").author = shop.author("Frank", in: other)
        }
    }
}
