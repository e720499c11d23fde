// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that accessors written by hand, around primitive values, keep both ends of a relationship in step.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

extension NSManagedObject {
    /// The setter that Core Data's documentation shows.
    fileprivate func setByHand(_ value: Any?, _ key: String) {
        willChangeValue(forKey: key)
        setPrimitiveValue(value, forKey: key)
        didChangeValue(forKey: key)
    }

    /// The getter.
    fileprivate func readByHand(_ key: String) -> Any? {
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return primitiveValue(forKey: key)
    }

    /// The method that adds members.
    fileprivate func addByHand(_ members: [NSManagedObject], _ key: String) {
        willChangeValue(forKey: key, withSetMutation: .union, using: Set(members))
        let primitive = primitiveValue(forKey: key) as? NSMutableSet
        for member in members { primitive?.add(member) }
        didChangeValue(forKey: key, withSetMutation: .union, using: Set(members))
    }

    fileprivate func removeByHand(_ members: [NSManagedObject], _ key: String) {
        willChangeValue(forKey: key, withSetMutation: .minus, using: Set(members))
        (primitiveValue(forKey: key) as? NSMutableSet)?.minus(Set(members))
        didChangeValue(forKey: key, withSetMutation: .minus, using: Set(members))
    }
}

/// Proves: M2, F144
@Suite("Accessors written by hand") struct CustomAccessorSpecification {
    @Test("a to-one: both ends are updated, and saved", arguments: StoreKind.all)
    func toOne(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        try shop.context.save()
        book.setByHand(jane, "author")
        #expect(book.readByHand("author") as? Author === jane)
        #expect(jane.books == [book])
        #expect(frank.books.isEmpty)
        #expect(shop.context.updatedObjects == [frank, jane, book])
        #expect(Set(book.changedValues().keys) == ["author"])
        #expect(shop.context.innerFindings == [])
        try shop.context.save()
        let fresh = shop.stack.newContext()
        #expect((fresh.object(with: jane.objectID) as? Author)?.books.map(\.title) == ["Dune"])
        book.setByHand(nil, "author")
        #expect(jane.books.isEmpty)
    }

    @Test("a to-many: the members follow, and those that left", arguments: StoreKind.all, [false, true])
    func toMany(store: StoreKind, isUnread: Bool) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let (dune, emma, persuasion) = (shop.book("Dune", by: frank), shop.book("Emma", by: jane), shop.book("P"))
        try shop.context.save()
        if isUnread { shop.context.refreshAllObjects() }
        frank.setByHand(Set([emma, persuasion]) as NSSet, "books")
        #expect(frank.books == [emma, persuasion])
        #expect(emma.author === frank)
        #expect(persuasion.author === frank)
        #expect(dune.author == nil)
        #expect(jane.books.isEmpty)
        #expect(shop.context.innerFindings == [])
        try shop.context.save()
        let fresh = shop.stack.newContext()
        let read = try #require(fresh.object(with: frank.objectID) as? Author)
        #expect(Set(read.books.map(\.title)) == ["Emma", "P"])
        #expect((fresh.object(with: dune.objectID) as? Book)?.author == nil)
        #expect((fresh.object(with: jane.objectID) as? Author)?.books.isEmpty == true)
    }

    @Test("one to one: no end disagrees, and a cascade follows the whole chain", arguments: StoreKind.all)
    func oneToOne(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c", "d")
        nodes[0].next = nodes[1]
        nodes[2].next = nodes[3]
        nodes[0].setByHand(nodes[3], "next")
        #expect(nodes[3].previous === nodes[0])
        #expect(nodes[1].previous == nil)
        #expect(nodes[2].next == nil)
        nodes[0].setByHand(nodes[1], "twin")
        nodes[2].setByHand(nodes[0], "twin")
        #expect(nodes[0].twin === nodes[2])
        #expect(nodes[1].twin == nil)
        nodes[3].setByHand(nodes[3], "twin")
        #expect(nodes[3].twin === nodes[3])
        #expect(graph.context.innerFindings == [])
        try graph.context.save()
        let fresh = graph.stack.newContext()
        let first = try #require(fresh.object(with: nodes[0].objectID) as? Node)
        #expect(first.next?.previous === first)
        #expect(first.twin?.twin === first)
    }

    @Test("an ordered to-many, in its order, by a whole set and by indexes", arguments: StoreKind.all)
    func ordered(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c", "d")
        nodes[0].setByHand(NSOrderedSet(array: [nodes[3], nodes[1]]), "children")
        #expect(nodes[0].children == [nodes[3], nodes[1]])
        #expect(nodes[1].parent === nodes[0])
        try graph.context.save()
        nodes[0].willChange(.insertion, valuesAt: [1], forKey: "children")
        (nodes[0].primitiveValue(forKey: "children") as? NSMutableOrderedSet)?.insert(nodes[2], at: 1)
        nodes[0].didChange(.insertion, valuesAt: [1], forKey: "children")
        #expect(nodes[0].children == [nodes[3], nodes[2], nodes[1]])
        #expect(nodes[2].parent === nodes[0])
        nodes[0].setByHand(NSOrderedSet(array: [nodes[1], nodes[2]]), "children")
        #expect(nodes[3].parent == nil)
        #expect(graph.context.innerFindings == [])
        try graph.context.save()
        let fresh = graph.stack.newContext()
        #expect((fresh.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["b", "c"])
    }

    @Test("members come and go through the mutable primitive set", arguments: StoreKind.all, [false, true])
    func mutableSet(store: StoreKind, isUnread: Bool) throws {
        let shop = try Bookshop(in: store)
        let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
        let (desert, old) = (shop.tag("desert"), shop.tag("old"))
        let frank = shop.author("Frank")
        dune.tags = [old]
        try shop.context.save()
        if isUnread { shop.context.refreshAllObjects() }
        dune.addByHand([desert, old], "tags")
        dune.removeByHand([old], "tags")
        frank.addByHand([dune, emma], "books")
        frank.removeByHand([emma], "books")
        #expect(dune.tags == [desert])
        #expect(desert.value(forKey: "books") as? NSSet == NSSet(object: dune))
        #expect((old.value(forKey: "books") as? NSSet)?.count == 0)
        #expect(dune.author === frank)
        #expect(emma.author == nil)
        #expect(dune.primitiveValue(forKey: "tags") as? Set<CoreDataTestSupport.Tag> == [desert])
        #expect(shop.context.innerFindings == [])
        try shop.context.save()
        let fresh = shop.stack.newContext()
        let read = try #require(fresh.object(with: dune.objectID) as? Book)
        #expect(read.tags.map(\.name) == ["desert"])
        #expect(read.author?.name == "Frank")
    }

    @Test("in a child context, down to the store", arguments: StoreKind.all)
    @MainActor func child(store: StoreKind) throws {
        let family = try Family(in: store)
        let (shop, root, child) = (family.shop, family.root, family.child)
        let (frank, jane) = (shop.author("Frank", in: root), shop.author("Jane", in: root))
        let book = shop.book("Dune", by: frank, in: root)
        try root.save()
        let theirs = try #require(child.object(with: book.objectID) as? Book)
        theirs.setByHand(child.object(with: jane.objectID), "author")
        (child.object(with: jane.objectID) as? Author)?.addByHand([shop.book("Emma", in: child)], "books")
        #expect(child.innerFindings == [])
        try child.save()
        #expect(book.author === jane)
        #expect(Set(jane.books.map(\.title)) == ["Dune", "Emma"])
        #expect(frank.books.isEmpty)
        try root.save()
        let fresh = shop.stack.newContext()
        #expect((fresh.object(with: jane.objectID) as? Author)?.books.count == 2)
    }

    @Test("undo takes both ends back, redo sets both", arguments: StoreKind.all)
    func undo(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "b", "c", "d")
        nodes[0].children = [nodes[1], nodes[2]]
        nodes[0].next = nodes[1]
        try graph.context.startRecording()
        graph.context.step {
            nodes[3].setByHand(NSOrderedSet(array: [nodes[2]]), "children")
            nodes[0].setByHand(nodes[2], "next")
            nodes[1].addByHand([nodes[3]], "neighbours")
        }
        graph.context.undo()
        #expect(nodes[0].children == [nodes[1], nodes[2]])
        #expect(nodes[2].parent === nodes[0])
        #expect(nodes[1].previous === nodes[0])
        #expect(nodes[3].neighbours.isEmpty)
        #expect(!graph.context.hasChanges)
        graph.context.redo()
        #expect(nodes[2].parent === nodes[3])
        #expect(nodes[0].children == [nodes[1]])
        #expect(nodes[2].previous === nodes[0])
        #expect(nodes[3].neighbours == [nodes[1]])
        #expect(graph.context.innerFindings == [])
    }

    @Test("observers of the other end hear of it", arguments: StoreKind.all)
    func observers(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune")
        var told: [Int] = []
        let token = frank.observe(\.books) { author, _ in told.append(author.books.count) }
        book.setByHand(frank, "author")
        frank.setByHand(NSSet(), "books")
        token.invalidate()
        #expect(told == [1, 0])
    }

    @Test("pairs within pairs, and setters within pairs, end with both ends in step", arguments: StoreKind.all)
    func nesting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", by: frank)
        book.willChangeValue(forKey: "author")
        book.setByHand(jane, "author")
        book.didChangeValue(forKey: "author")
        #expect(jane.books == [book])
        book.willChangeValue(forKey: "author")
        book.setPrimitiveValue(nil, forKey: "author")
        shop.context.processPendingChanges()
        book.author = frank
        book.didChangeValue(forKey: "author")
        #expect(frank.books == [book])
        #expect(jane.books.isEmpty)
        #expect(shop.context.innerFindings == [])
    }

    @Test("an unannounced primitive value is set only at one end, and is no change", arguments: StoreKind.all)
    func unannounced(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune")
        try shop.context.save()
        book.setPrimitiveValue(frank, forKey: "author")
        #expect(book.author === frank)
        #expect(frank.books.isEmpty)
        #expect(book.changedValues().isEmpty)
        #expect(!shop.context.hasChanges)
        book.setPrimitiveValue(nil, forKey: "author")
        frank.setPrimitiveValue(NSSet(object: book), forKey: "books")
        #expect(frank.books == [book])
        #expect(book.author == nil)
        #expect(!shop.context.hasChanges)
    }

    @Test("an object of another context traps")
    func otherContext() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let other = shop.author("Frank", in: shop.stack.newContext())
            shop.book("Dune").setPrimitiveValue(other, forKey: "author")
        }
    }
}
