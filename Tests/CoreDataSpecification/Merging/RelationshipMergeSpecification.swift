// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how merge policies resolve relationships that two contexts changed.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Merging relationships") struct RelationshipMergeSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// Decided by `save()` of a to-one that another context has changed, under each merge policy: both ends of it.
    /// Proves: C23, F84, F85, F86, F87
    @Test("a to-one that both changed", .tags(.assumed), arguments: StoreKind.all, Winner.allCases)
    func toOne(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let (old, my, their) = (shop.author("old"), shop.author("my"), shop.author("their"))
        let book = shop.book("Dune", by: old)
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect([old, my, their].map(\.books.count) == [1, 0, 0])  // both ends are in memory
        book.author = my
        try sides.their(book).author = sides.their(their)
        #expect(try sides.save(winner) == nil)
        let expected = winner == .store || winner == .rollback ? their : my
        #expect(book.author === expected)
        for author in [old, my, their] {
            #expect(author.books == (author === expected ? [book] : []), "\(author.name ?? "")")
            #expect(try sides.stored(author).books.count == (author === expected ? 1 : 0), "\(author.name ?? "")")
        }
        #expect(try sides.stored(book).author?.name == expected.name)
        #expect(!sides.mine.hasChanges)
        #expect(sides.mine.saveFailure() == nil)
    }

    /// Proves: C23
    @Test("a to-one that one side changed keeps that change", arguments: StoreKind.all, [Winner.store, .object])
    func toOneOfOneSide(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let (old, new) = (shop.author("old"), shop.author("new"))
        let (one, two) = (shop.book("one", by: old), shop.book("two", by: old))
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect([old, new].map(\.books.count) == [2, 0])
        one.author = new
        try sides.their(one).title = "One"
        two.title = "Two"
        try sides.their(two).author = sides.their(new)
        #expect(try sides.save(winner) == nil)
        #expect([one.title, two.title] == ["One", "Two"])
        #expect([one.author, two.author] == [new, new])
        #expect(new.books == [one, two])
        #expect(old.books.isEmpty)
        #expect(try sides.stored(new).books.names("title") == ["One", "Two"])
    }

    /// Proves: C23
    @Test(
        "one to one: both ends agree after every policy", arguments: StoreKind.all,
        Winner.allCases)
    func oneToOne(store: StoreKind, winner: Winner) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("a", "old", "my", "their", "myOld", "theirOld")
        let (a, old, my, their) = (nodes[0], nodes[1], nodes[2], nodes[3])
        (a.twin, my.twin, their.twin) = (old, nodes[4], nodes[5])
        try graph.context.save()
        let sides = Sides(graph.stack)
        a.twin = my
        try sides.their(a).twin = sides.their(their)
        #expect(try sides.save(winner) == nil)
        let wins = winner == .object || winner == .overwrite
        #expect(a.twin === (wins ? my : their))
        for node in nodes {
            #expect(node.twin == nil || node.twin?.twin === node, "\(node.name ?? "")")
            let stored = try sides.stored(node)
            #expect(stored.twin?.name == node.twin?.name, "\(node.name ?? "")")
            #expect(stored.twin == nil || stored.twin?.twin === stored, "\(node.name ?? "")")
        }
    }

    /// Proves: C23
    @Test("many to many: the changes of both sides hold, member by member", arguments: StoreKind.all, Winner.allCases)
    func manyToMany(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let tags = Dictionary(uniqueKeysWithValues: ["w", "x", "y", "a", "b"].map { ($0, shop.tag($0)) })
        let book = shop.book("Dune")
        book.tags = Set(["w", "x", "y"].compactMap { tags[$0] })
        try shop.context.save()
        let sides = Sides(shop.stack)
        book.tags = Set(["w", "y", "a"].compactMap { tags[$0] })
        let theirs = try sides.their(book)
        theirs.tags = Set(theirs.tags.filter { $0.name != "y" } + [try sides.their(tags["b"]!)])
        #expect(try sides.save(winner) == nil)
        let expected =
            switch winner {
            case .store, .object: ["a", "b", "w"]
            case .overwrite: ["a", "w", "y"]
            case .rollback: ["b", "w", "x"]
            }
        #expect(book.tags.names("name") == expected)
        #expect(try sides.stored(book).tags.names("name") == expected)
        for (name, tag) in tags {
            #expect(tag.books.contains(book) == expected.contains(name), "\(name)")
            #expect(try sides.stored(tag).books.isEmpty != expected.contains(name), "\(name)")
        }
        #expect(!sides.mine.hasChanges)
    }

    /// Proves: C23
    @Test("a to-many that is the only change of a record", arguments: StoreKind.all)
    func onlyMembers(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect(author.books.isEmpty)
        _ = shop.book("mine", by: author)
        _ = shop.book("theirs", by: try sides.their(author), in: sides.theirs)
        try sides.theirs.save()
        let error = try #require(sides.mine.saveFailure())
        #expect(error.code == NSManagedObjectMergeError)
        let conflicts = try #require((error as? CocoaError)?.persistentStoreSaveConflicts)
        #expect(conflicts.map(\.sourceObject) == [author])
        #expect(author.books.names("title") == ["mine"])
        sides.mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        #expect(sides.mine.saveFailure() == nil)
        #expect(author.books.names("title") == ["mine", "theirs"])
        #expect(try sides.stored(author).books.names("title") == ["mine", "theirs"])
    }

    /// Proves: C23
    @Test("members that either side gave away or took", arguments: StoreKind.all, Winner.allCases)
    func oneToMany(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
        let books = ["one", "two", "three"].map { shop.book($0, by: ada) }
        try shop.context.save()
        let sides = Sides(shop.stack)
        books[0].author = bob
        books[2].author = nil
        try sides.their(books[1]).author = sides.their(bob)
        try sides.their(books[2]).title = "Three"
        #expect(try sides.save(winner) == nil)
        // The author of a book is stored with the book; of the first and second only one side changed it, so they have
        // no conflict.
        let third = winner == .rollback ? ["Three"] : []
        let title = winner == .overwrite ? "three" : "Three"
        #expect(ada.books.names("title") == third)
        #expect(bob.books.names("title") == ["one", "two"])
        #expect(books[2].title == title)
        #expect(try sides.stored(ada).books.names("title") == third)
        #expect(try sides.stored(bob).books.names("title") == ["one", "two"])
    }

    /// Decided by `save()` of an ordered relationship that another context has reordered, under each merge policy.
    /// Proves: C23, F102
    @Test("an order that both sides changed", .tags(.assumed), arguments: StoreKind.all, Winner.allCases)
    func order(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        book.chapters = ["a", "b", "c", "d"].map { chapter($0, shop.context) }
        try shop.context.save()
        let sides = Sides(shop.stack)
        let mine = book.chapters
        book.chapters = [mine[3], mine[0], chapter("m", sides.mine), mine[1], mine[2]]
        let their = try sides.their(book)
        let chapters = their.chapters
        their.chapters = [chapters[1], chapter("t", sides.theirs), chapters[0], chapters[2], chapters[3]]
        #expect(try sides.save(winner) == nil)
        let expected =
            switch winner {
            case .store: ["b", "t", "a", "m", "c", "d"]
            case .object, .overwrite: ["d", "a", "m", "b", "t", "c"]
            case .rollback: ["b", "t", "a", "c", "d", "m"]
            }
        #expect(book.chapters.map { $0.heading ?? "" } == expected)
        #expect(try sides.stored(book).chapters.map { $0.heading ?? "" } == expected)
        #expect(!sides.mine.hasChanges)
    }

    /// Proves: C23, F102
    @Test(
        "an order that one side changed, and members that the other side did", arguments: StoreKind.all,
        [Winner.store, .object])
    func orderOfOneSide(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        book.chapters = ["a", "b", "c"].map { chapter($0, shop.context) }
        try shop.context.save()
        let sides = Sides(shop.stack)
        book.chapters = book.chapters.reversed()
        let their = try sides.their(book)
        their.chapters = [their.chapters[0], their.chapters[2], chapter("t", sides.theirs)]
        #expect(try sides.save(winner) == nil)
        #expect(book.chapters.map { $0.heading ?? "" } == ["c", "t", "a"])
        #expect(try sides.stored(book).chapters.map { $0.heading ?? "" } == ["c", "t", "a"])
    }

    private func chapter(_ heading: String, _ context: NSManagedObjectContext) -> Chapter {
        let chapter = Chapter(context: context)
        chapter.heading = heading
        return chapter
    }
}
