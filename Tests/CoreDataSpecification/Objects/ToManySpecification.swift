// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the values that a to-many relationship returns and accepts.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("To-many relationships") struct ToManySpecification {
    /// Proves: M6, F29
    @Test("a to-many is a separate fault until it is read", arguments: StoreKind.all)
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
    @Test("a mutable ordered set is live: it shows changes by other ways", arguments: StoreKind.all)
    func liveOrderedSet(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c")
        try graph.context.save()
        let children = nodes[0].mutableOrderedSetValue(forKey: "children")
        func names() -> [String?] { children.map { ($0 as? Node)?.name } }
        nodes[1].parent = nodes[0]
        #expect(names() == ["a"])
        nodes[0].children = [nodes[2], nodes[1], nodes[3]]
        #expect(names() == ["b", "a", "c"])
        let other = nodes[0].mutableOrderedSetValue(forKey: "children")
        other.remove(nodes[1])
        #expect(names() == ["b", "c"])
        children.add(nodes[1])
        #expect(other.count == 3)
        graph.context.delete(nodes[2])
        graph.context.processPendingChanges()
        #expect(names() == ["c", "a"])
        graph.context.rollback()
        #expect(names() == [])
    }

    /// Proves: M8
    @Test("a mutable ordered set shows the store's members after a refresh", arguments: StoreKind.all)
    func refreshedOrderedSet(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b")
        nodes[0].children = [nodes[1], nodes[2]]
        try graph.context.save()
        let children = nodes[0].mutableOrderedSetValue(forKey: "children")
        let other = graph.stack.newContext()
        let root = try #require(other.object(with: nodes[0].objectID) as? Node)
        root.children = root.children.reversed()
        try other.save()
        graph.context.stalenessInterval = 0
        #expect(children.firstObject as? Node === nodes[1])
        graph.context.refresh(nodes[0], mergeChanges: false)
        #expect(children.firstObject as? Node === nodes[2])
        graph.context.refresh(nodes[0], mergeChanges: true)
        #expect(children.array as? [Node] == [nodes[2], nodes[1]])
    }

    /// Proves: M8
    @Test("a mutable ordered set follows changes that observers make during its own", arguments: StoreKind.all)
    func observedOrderedSet(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "c")
        let root = nodes[0]
        root.children = [nodes[1], nodes[2]]
        let children = root.mutableOrderedSetValue(forKey: "children")
        let observation = root.observe(\.children) { root, _ in
            if root.children.first === nodes[1] { root.children = root.children.reversed() }
        }
        children.add(nodes[3])
        #expect(root.children == [nodes[3], nodes[2], nodes[1]])
        #expect(children.array as? [Node] == root.children)
        children.insert(nodes[1], at: 0)
        children.removeObject(at: 0)
        #expect(children.array as? [Node] == root.children)
        observation.invalidate()
    }

    /// Proves: M8, F102
    @Test("every way to change a mutable ordered set reaches the object, and the other ends", arguments: StoreKind.all)
    func orderedChanges(store: StoreKind) throws {
        for (name, change, result) in OrderedChange.all {
            let graph = try Graph(in: store)
            let nodes = graph.nodes("a", "b", "c", "d", "e", "f", "root")
            let root = nodes[6]
            root.children = Array(nodes[0..<4])
            try graph.context.save()
            let children = root.mutableOrderedSetValue(forKey: "children")
            change(children, nodes)
            let names = root.children.compactMap(\.name).joined()
            #expect(names == result, "\(name)")
            #expect(children.compactMap { ($0 as? Node)?.name }.joined() == result, "\(name)")
            #expect(
                nodes.filter { $0.parent === root }.compactMap(\.name).joined() == String(result.sorted()), "\(name)")
            try graph.context.save()
            let context = graph.stack.newContext()
            let saved = try #require(
                context.object(with: root.objectID).value(forKeyPath: "children.name") as? NSOrderedSet)
            #expect((saved.array as? [String])?.joined() == result, "\(name)")
        }
    }

    /// Proves: M8
    @Test("a new order is a change", arguments: StoreKind.all)
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

    /// Proves: M8, M15
    @Test("an order that is as it was is no change", arguments: StoreKind.all)
    func orderPutBack(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("parent", "a", "b")
        nodes[0].children = [nodes[1], nodes[2]]
        try graph.context.save()
        nodes[0].children = [nodes[2], nodes[1]]
        #expect(Set(nodes[0].changedValues().keys) == ["children"])
        nodes[0].children = [nodes[1], nodes[2]]
        #expect(nodes[0].changedValues().isEmpty)
        #expect(!nodes[0].hasPersistentChangedValues)
        graph.context.processPendingChanges()
        let members = nodes[0].mutableSetValue(forKey: "children")
        members.remove(nodes[2])
        members.add(nodes[2])
        #expect(nodes[0].changedValues().isEmpty)
        #expect(nodes[0].changedValuesForCurrentEvent().isEmpty)
    }

    /// Proves: M9
    @Test("the value of the getter is one of that moment", arguments: StoreKind.all)
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

/// A change of a, b, c, d, with its result.
private enum OrderedChange {
    typealias Change = (_ children: NSMutableOrderedSet, _ nodes: [Node]) -> Void

    static var all: [(name: String, change: Change, result: String)] {
        [
            ("add", { $0.add($1[4]) }, "abcde"),
            ("add a member", { $0.add($1[1]) }, "abcd"),
            ("insert", { $0.insert($1[4], at: 1) }, "aebcd"),
            ("insert a member", { $0.insert($1[0], at: 4) }, "abcd"),
            ("add several", { add([$1[4], $1[1], $1[5]], to: $0) }, "abcdef"),
            ("insert several", { $0.insert([$1[4], $1[5]], at: IndexSet([0, 2])) }, "eafbcd"),
            ("addObjects", { $0.addObjects(from: [$1[5], $1[0], $1[4]]) }, "abcdfe"),
            ("exchange", { children, _ in children.exchangeObject(at: 0, withObjectAt: 3) }, "dbca"),
            ("move", { children, _ in children.moveObjects(at: IndexSet([2, 3]), to: 0) }, "cdab"),
            ("replace", { $0.replaceObject(at: 1, with: $1[4]) }, "aecd"),
            ("replace by a member", { $0.replaceObject(at: 1, with: $1[3]) }, "adc"),
            ("set", { $0.setObject($1[4], at: 0) }, "ebcd"),
            ("set at the end", { $0.setObject($1[4], at: 4) }, "abcde"),
            ("subscript", { children, nodes in children[3] = nodes[4] }, "abce"),
            ("replace several", { $0.replaceObjects(at: IndexSet([1, 2]), with: [$1[4], $1[5]]) }, "aefd"),
            ("replace a range", { replace(NSRange(location: 0, length: 3), in: $0, by: [$1[5], $1[4]]) }, "fed"),
            ("remove", { $0.remove($1[1]) }, "acd"),
            ("remove a stranger", { $0.remove($1[4]) }, "abcd"),
            ("remove at", { children, _ in children.removeObject(at: 0) }, "bcd"),
            ("remove in range", { children, _ in children.removeObjects(in: NSRange(location: 1, length: 2)) }, "ad"),
            ("remove at indexes", { children, _ in children.removeObjects(at: IndexSet([0, 2])) }, "bd"),
            ("remove several", { $0.removeObjects(in: [$1[0], $1[2]]) }, "bd"),
            ("remove all", { children, _ in children.removeAllObjects() }, ""),
            ("intersect", { $0.intersect(NSOrderedSet(array: [$1[3], $1[1]])) }, "bd"),
            ("minus", { $0.minus(NSOrderedSet(array: [$1[1], $1[4]])) }, "acd"),
            ("union", { $0.union(NSOrderedSet(array: [$1[5], $1[1]])) }, "abcdf"),
            ("intersectSet", { $0.intersectSet([$1[3], $1[1]]) }, "bd"),
            ("minusSet", { $0.minusSet([$1[1], $1[4]]) }, "acd"),
            ("unionSet", { $0.unionSet([$1[1], $1[4]]) }, "abcde"),
            ("sort", { children, _ in children.sort(comparator: { backwards($0, $1) }) }, "dcba"),
            ("sort with options", { children, _ in children.sort(options: .stable) { backwards($0, $1) } }, "dcba"),
            (
                "sort a range",
                { children, _ in children.sortRange(NSRange(location: 1, length: 2)) { backwards($0, $1) } },
                "acbd"
            ),
            (
                "sort by key",
                { children, _ in children.sort(using: [NSSortDescriptor(key: "name", ascending: false)]) },
                "dcba"
            ),
        ]
    }

    private static func add(_ nodes: [Node], to children: NSMutableOrderedSet) {
        let objects = nodes.map { $0 as AnyObject }
        children.add(objects, count: objects.count)
    }

    private static func replace(_ range: NSRange, in children: NSMutableOrderedSet, by nodes: [Node]) {
        let objects = nodes.map { $0 as AnyObject }
        objects.withUnsafeBufferPointer {
            children.replaceObjects(in: range, with: $0.baseAddress, count: objects.count)
        }
    }

    private static func backwards(_ one: Any, _ other: Any) -> ComparisonResult {
        ((other as? Node)?.name ?? "").compare((one as? Node)?.name ?? "")
    }
}
