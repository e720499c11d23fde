// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that members of ordered relationships come back to their places.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo of ordered relationships") struct UndoneOrderSpecification {
    /// A book with chapters, saved and recorded.
    private func book(_ shop: Bookshop, _ headings: String...) throws -> Book {
        let book = shop.book("Dune")
        book.chapters = headings.map { chapter($0, shop) }
        try shop.context.startRecording()
        return book
    }

    private func chapter(_ heading: String, _ shop: Bookshop) -> Chapter {
        let chapter = Chapter(context: shop.context)
        chapter.heading = heading
        return chapter
    }

    private func headings(_ book: Book) -> [String] { book.chapters.compactMap(\.heading) }

    /// As the store has it.
    private func stored(_ book: Book, _ shop: Bookshop) -> [String] {
        let fresh = shop.stack.newContext()
        return (fresh.object(with: book.objectID) as? Book).map(headings) ?? []
    }

    /// Proves: M17, F102
    @Test(
        "a member taken out by its own end comes back to its place, although the order was never read",
        arguments: StoreKind.all, [false, true])
    func unread(store: StoreKind, saves: Bool) throws {
        let shop = try Bookshop(in: store)
        let book = try book(shop, "a", "b", "c", "d")
        let (a, c) = (book.chapters[0], book.chapters[2])
        shop.context.refreshAllObjects()
        shop.context.step {
            a.book = nil
            c.book = nil
        }
        if saves {
            try shop.context.save()
            #expect(stored(book, shop) == ["b", "d"])
            shop.context.refreshAllObjects()
        }
        shop.context.undo()
        #expect(headings(book) == ["a", "b", "c", "d"])
        #expect(shop.context.hasChanges == saves)
        try shop.context.save()
        #expect(stored(book, shop) == ["a", "b", "c", "d"])
        shop.context.redo()
        #expect(headings(book) == ["b", "d"])
    }

    /// Proves: M17
    @Test("a member that was added by its own end goes, and comes again at the end", arguments: StoreKind.all)
    func unreadAddition(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try book(shop, "a", "b")
        shop.context.refreshAllObjects()
        var made: Chapter?
        shop.context.step {
            made = chapter("c", shop)
            made?.book = book
        }
        #expect(book.hasFault(forRelationshipNamed: "chapters"))
        try shop.context.save()
        shop.context.refreshAllObjects()
        shop.context.undo()
        #expect(headings(book) == ["a", "b"])
        try shop.context.save()
        shop.context.redo()
        #expect(headings(book) == ["a", "b", "c"])
        try shop.context.save()
        #expect(stored(book, shop) == ["a", "b", "c"])
    }

    /// Proves: M17, F102
    @Test("any rearrangement is taken back", arguments: StoreKind.all, [false, true])
    func rearranged(store: StoreKind, saves: Bool) throws {
        let shop = try Bookshop(in: store)
        let book = try book(shop, "a", "b", "c", "d")
        let all = book.chapters
        shop.context.step { book.chapters = [all[3], all[1], all[0]] }
        if saves { try shop.context.save() }
        shop.context.step { book.chapters = [chapter("e", shop)] + book.chapters.reversed() }
        if saves { try shop.context.save() }
        #expect(headings(book) == ["e", "a", "b", "d"])
        shop.context.undo()
        #expect(headings(book) == ["d", "b", "a"])
        shop.context.undo()
        #expect(headings(book) == ["a", "b", "c", "d"])
        #expect(all.allSatisfy { $0.book === book })
        #expect(shop.context.hasChanges == saves)
        shop.context.redo()
        shop.context.redo()
        #expect(headings(book) == ["e", "a", "b", "d"])
        try shop.context.save()
        #expect(stored(book, shop) == ["e", "a", "b", "d"])
    }

    /// Proves: M17
    @Test("a member added without undo stays where it is", arguments: StoreKind.all)
    func strangers(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try book(shop, "a", "b", "c")
        let all = book.chapters
        shop.context.step { all[1].book = nil }
        shop.context.undoManager?.disableUndoRegistration()
        book.chapters = [chapter("x", shop), all[0], chapter("y", shop), all[2]]
        shop.context.processPendingChanges()
        shop.context.undoManager?.enableUndoRegistration()
        shop.context.undo()
        #expect(headings(book) == ["x", "a", "b", "y", "c"])
        shop.context.redo()
        #expect(headings(book) == ["x", "a", "y", "c"])
    }

    /// Proves: M17, F102
    @Test("both ends of a many-to-many keep their own order", arguments: StoreKind.all, [false, true])
    func manyToMany(store: StoreKind, saves: Bool) throws {
        let stack = try Stack(store, OrchestraModel.make())
        let context = stack.context
        func make(_ entity: String) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        }
        func set(_ object: NSManagedObject, _ key: String, _ members: [NSManagedObject]) {
            object.setValue(NSOrderedSet(array: members), forKey: key)
        }
        func members(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
            (object.value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
        }
        let players = (0..<3).map { _ in make("Player") }
        let pieces = (0..<3).map { _ in make("Piece") }
        for player in players { set(player, "pieces", pieces) }
        set(pieces[0], "players", [players[2], players[0], players[1]])
        try context.startRecording()
        if saves { context.refreshAllObjects() }
        context.step {
            set(players[0], "pieces", [pieces[2], pieces[1]])
            set(pieces[1], "players", [players[1]])
        }
        if saves { try context.save() }
        context.undo()
        for player in players { #expect(members(player, "pieces") == pieces) }
        #expect(members(pieces[0], "players") == [players[2], players[0], players[1]])
        #expect(members(pieces[1], "players") == players)
        #expect(context.hasChanges == saves)
        try context.save()
        let fresh = stack.newContext()
        let read = fresh.object(with: pieces[0].objectID)
        #expect(members(read, "players").map(\.objectID) == [players[2], players[0], players[1]].map(\.objectID))
    }
    /// Proves: M17
    @Test("a member comes back to its place although its neighbours are gone without undo", arguments: StoreKind.all)
    func lostNeighbours(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try book(shop, "a", "b", "c", "d", "e", "f", "g", "h")
        let all = book.chapters
        shop.context.step { all[1].book = nil }
        shop.context.step { all[6].book = nil }
        shop.context.undoManager?.disableUndoRegistration()
        for gone in [0, 2, 3, 4, 5] { shop.context.delete(all[gone]) }
        shop.context.processPendingChanges()
        shop.context.undoManager?.enableUndoRegistration()
        shop.context.undo()
        #expect(headings(book) == ["g", "h"])
        shop.context.undo()
        #expect(headings(book) == ["b", "g", "h"])
        try shop.context.save()
        #expect(stored(book, shop) == ["b", "g", "h"])
    }

    /// Proves: M17, C20
    @Test("a deleted member comes back to its place, where delete rules wait for the save", arguments: StoreKind.all)
    func lateRules(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.context.propagatesDeletesAtEndOfEvent = false
        let book = try book(shop, "a", "b", "c", "d")
        let (a, c) = (book.chapters[0], book.chapters[2])
        shop.context.refreshAllObjects()
        shop.context.step {
            shop.context.delete(a)
            shop.context.delete(c)
        }
        try shop.context.save()
        #expect(headings(book) == ["b", "d"])
        while shop.context.undoManager?.canUndo == true { shop.context.undo() }
        #expect(headings(book) == ["a", "b", "c", "d"])
        try shop.context.save()
        #expect(stored(book, shop) == ["a", "b", "c", "d"])
        while shop.context.undoManager?.canRedo == true { shop.context.redo() }
        try shop.context.save()
        #expect(stored(book, shop) == ["b", "d"])
    }
}
