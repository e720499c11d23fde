// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that the mutable collections of relationships behave like Foundation's.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: M7
@Suite("Mutable collections of relationships") struct RelationshipViewSpecification {
    private func books(_ author: Author, isPrimitive: Bool) throws -> NSMutableSet {
        guard isPrimitive else { return author.mutableSetValue(forKey: "books") }
        author.willChangeValue(forKey: "books")  // so that the set is a view
        return try #require(author.primitiveValue(forKey: "books") as? NSMutableSet)
    }

    private func children(_ node: Node, isPrimitive: Bool) throws -> NSMutableOrderedSet {
        guard isPrimitive else { return node.mutableOrderedSetValue(forKey: "children") }
        return try #require(node.primitiveValue(forKey: "children") as? NSMutableOrderedSet)
    }

    @Test("a set is printed", arguments: [false, true])
    func printedSet(isPrimitive: Bool) throws {
        let shop = try Bookshop(in: .inMemory)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        let set = try books(frank, isPrimitive: isPrimitive)
        #expect("\(set)" == "\(NSSet(object: book))")
        #expect(set.description(withLocale: nil) == NSSet(object: book).description(withLocale: nil))
        #expect(set.debugDescription.contains(book.description))
        #expect(String(reflecting: set).contains(book.description))
        var dumped = ""
        dump(set, to: &dumped)
        #expect(!dumped.isEmpty)
        set.removeAllObjects()
        #expect(set.description == NSSet().description)
    }

    @Test("a set is compared, searched and copied", arguments: [false, true])
    func set(isPrimitive: Bool) throws {
        let shop = try Bookshop(in: .inMemory)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", pages: 2, by: frank)
        let emma = shop.book("Emma", pages: 1, by: frank)
        let lear = shop.book("Lear")
        let set = try books(frank, isPrimitive: isPrimitive)
        let plain = NSSet(array: [emma, dune])
        #expect(set.isEqual(plain) && plain.isEqual(set) && set.hash == plain.hash)
        #expect(set.isEqual(to: [dune, emma]) && set.isSubset(of: [dune, emma, lear]))
        #expect(set.contains(dune) && !set.contains(lear) && !set.contains("text"))
        #expect([dune, emma].contains { $0 === set.anyObject() as? Book })
        #expect(set.intersects([dune, lear]) && !set.intersects([lear]))
        #expect(set.adding(lear).count == 3)
        #expect(set.addingObjects(from: [lear, dune] as [Any]).count == 3)
        #expect(set.addingObjects(from: [lear, dune] as Set<AnyHashable>).count == 3)
        let short = set.objects { book, _ in (book as? Book)?.pages == 1 }
        #expect(short == [emma])
        #expect(set.sortedArray(using: [NSSortDescriptor(key: "pages", ascending: true)]) as? [Book] == [emma, dune])
        #expect(set.filtered(using: NSPredicate(format: "pages == 2")) == [dune])
        #expect(set.value(forKey: "@count") as? Int == 2)
        #expect(set.value(forKeyPath: "@sum.pages") as? Int == 3)
        #expect((set.copy() as? NSSet)?.count == 2)
        #expect((set.mutableCopy() as? NSMutableSet)?.count == 2)
        #expect(NSSet(set: set).count == 2)
    }

    @Test("a set is changed in every way", arguments: [false, true])
    func changedSet(isPrimitive: Bool) throws {
        let shop = try Bookshop(in: .inMemory)
        let frank = shop.author("Frank")
        let (dune, emma) = (shop.book("Dune", pages: 2), shop.book("Emma", pages: 1))
        let set = try books(frank, isPrimitive: isPrimitive)
        set.addObjects(from: [dune, emma])
        set.filter(using: NSPredicate(format: "pages == 2"))
        #expect(frank.books == [dune])
        set.setSet([emma])
        set.union([dune])
        set.intersect([emma])
        #expect(frank.books == [emma])
        set.minus([emma])
        #expect(frank.books == [])
    }

    @Test("an ordered set is printed", arguments: [false, true])
    func printedOrderedSet(isPrimitive: Bool) throws {
        let graph = try Graph(in: .inMemory)
        let nodes = graph.nodes("top", "b", "a")
        nodes[0].children = [nodes[1], nodes[2]]
        let set = try children(nodes[0], isPrimitive: isPrimitive)
        let plain = NSOrderedSet(array: [nodes[1], nodes[2]])
        #expect("\(set)" == "\(plain)")
        #expect(set.description(withLocale: nil) == plain.description(withLocale: nil))
        #expect(set.description(withLocale: nil, indent: 1) == plain.description(withLocale: nil, indent: 1))
        #expect(set.debugDescription.contains(nodes[1].description))
        var dumped = ""
        dump(set, to: &dumped)
        #expect(!dumped.isEmpty)
        set.removeAllObjects()
        #expect(set.description == NSOrderedSet().description)
    }

    @Test("an ordered set is compared, searched and copied", arguments: [false, true])
    func orderedSet(isPrimitive: Bool) throws {
        let graph = try Graph(in: .inMemory)
        let nodes = graph.nodes("top", "b", "a", "c")
        let (b, a) = (nodes[1], nodes[2])
        nodes[0].children = [b, a]
        let set = try children(nodes[0], isPrimitive: isPrimitive)
        let plain = NSOrderedSet(array: [b, a])
        // Hashes are not compared: on Linux those of Foundation's equal ordered sets differ, too.
        #expect(set.isEqual(plain) && plain.isEqual(set))
        #expect(set.isEqual(to: plain))
        #expect(set.array as? [Node] == [b, a])
        #expect(set.set == [b, a])
        #expect(set.reversed.array as? [Node] == [a, b])
        #expect(set.firstObject as? Node === b)
        #expect(set.lastObject as? Node === a)
        #expect(set.index(of: a) == 1 && set.index(of: nodes[3]) == NSNotFound)
        #expect(set.intersects(NSOrderedSet(object: b)) && set.intersectsSet([a]))
        #expect(set.isSubset(of: NSOrderedSet(array: nodes)) && set.isSubset(of: Set(nodes)))
        #expect(set.objectEnumerator().allObjects.count == 2)
        #expect(set.reverseObjectEnumerator().allObjects.count == 2)
        #expect(set.objects(at: [0, 1]).count == 2)
        #expect(set.sortedArray(using: [NSSortDescriptor(key: "name", ascending: true)]) as? [Node] == [a, b])
        #expect(set.filtered(using: NSPredicate(format: "name == 'a'")).array as? [Node] == [a])
        #expect(set.value(forKey: "@count") as? Int == 2)
        #expect((set.copy() as? NSOrderedSet)?.array as? [Node] == [b, a])
        #expect((set.mutableCopy() as? NSMutableOrderedSet)?.array as? [Node] == [b, a])
        #expect(NSOrderedSet(orderedSet: set).count == 2)
        set.filter(using: NSPredicate(format: "name == 'a'"))
        #expect(nodes[0].children == [a])
    }
}
