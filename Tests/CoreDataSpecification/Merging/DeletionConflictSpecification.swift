// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how merge policies resolve records that one side deleted and the other side changed.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Deletions in conflict") struct DeletionConflictSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// A saved book with a chapter, which a cascade deletes with it.
    private func bookWithChapter(in store: StoreKind) throws -> (book: Book, chapter: Chapter, sides: Sides) {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let chapter = Chapter(context: shop.context)
        chapter.book = book
        try shop.context.save()
        return (book, chapter, Sides(shop.stack))
    }

    /// Decided by `save()` of a deletion after another context changed the object and its members, under each merge
    /// policy.
    /// Proves: C23
    @Test(
        "deleted here, changed there: the deletion stands unless the store's word is final", .tags(.assumed),
        arguments: StoreKind.all, Winner.allCases)
    func deletedHere(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let book = shop.book("old", by: author)
        let tag = shop.tag("sf")
        book.tags = [tag]
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect(author.books == [book])
        let theirs = try sides.their(author)
        theirs.name = "Theirs"
        let new = shop.book("new", by: theirs, in: sides.theirs)
        sides.mine.delete(author)
        #expect(try sides.save(winner) == nil)
        let stays = winner == .rollback
        #expect((author.managedObjectContext == nil) != stays)
        #expect(book.author === (stays ? author : nil))
        #expect(try sides.stored(book).author?.name == (stays ? "Theirs" : nil))
        #expect(try sides.stored(new).author?.name == (stays ? "Theirs" : nil))
        #expect(!sides.mine.hasChanges)
        if stays {
            #expect(author.name == "Theirs")
            #expect(author.books.names("title") == ["new", "old"])
        }
    }

    /// Decided by `save()` of an object that was changed and then deleted, and that another context changed, under each
    /// merge policy: the members of the objects that it belonged to.
    /// Proves: C23
    @Test(
        "changed and then deleted here, changed there: it does not come back to the object that it had left",
        .tags(.assumed), arguments: StoreKind.all, Winner.allCases)
    func changedAndDeletedHere(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let (old, my, their) = (shop.author("old"), shop.author("my"), shop.author("their"))
        let book = shop.book("Dune", by: old)
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect([old, my, their].map(\.books.count) == [1, 0, 0])
        book.author = my
        sides.mine.delete(book)
        try sides.their(book).author = sides.their(their)
        #expect(try sides.save(winner) == nil)
        let stays = winner == .rollback
        #expect((book.managedObjectContext == nil) != stays)
        #expect([old, my].allSatisfy { $0.books.isEmpty })
        #expect(their.books == (stays ? [book] : []))
        for author in [old, my, their] {
            #expect(try sides.stored(author).books.names("title") == (stays && author === their ? ["Dune"] : []))
        }
        #expect(!sides.mine.hasChanges)
        let broken = sides.mine.innerFindings
        #expect(broken.isEmpty)
    }

    /// Proves: C22, C23
    @Test(
        "changed there, deleted here together with records of another version: a conflict",
        arguments: StoreKind.all.flatMap { kind in [2, 40].map { (kind, $0) } }, [true, false])
    func versions(place: (store: StoreKind, count: Int), isFirst: Bool) throws {
        let shop = try Bookshop(in: place.store)
        let books = (0..<place.count).map { shop.book("\($0)") }
        try shop.context.save()
        // All others now have the version that this record gets by the change there.
        let stale = books[isFirst ? 0 : place.count - 1]
        for book in books where book !== stale { book.pages = 5 }
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(stale).pages = 7
        try sides.theirs.save()
        for book in books { sides.mine.delete(book) }
        #expect(sides.mine.saveFailure()?.code == NSManagedObjectMergeError)
        #expect(try sides.stored(stale).pages == 7)
    }

    /// Proves: C23
    @Test("a deletion that is taken back has its links", arguments: StoreKind.all)
    func deletionTakenBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (author, tag) = (shop.author("Ada"), shop.tag("sf"))
        let book = shop.book("Dune", by: author)
        book.tags = [tag]
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 5
        sides.mine.delete(book)
        #expect(try sides.save(.rollback) == nil)
        #expect(book.pages == 5)
        #expect(book.author === author)
        #expect(author.books == [book])
        #expect(book.tags == [tag])
        #expect(tag.books == [book])
        #expect(try sides.stored(tag).books.names("title") == ["Dune"])
        #expect(try sides.stored(author).books.names("title") == ["Dune"])
    }

    /// Proves: C23
    @Test("a restored member refers to no owner that stays deleted", arguments: StoreKind.all)
    func memberTakenBack(store: StoreKind) throws {
        let (book, chapter, sides) = try bookWithChapter(in: store)
        try sides.their(chapter).heading = "theirs"
        sides.mine.delete(book)  // a cascade deletes the chapter
        #expect(try sides.save(.rollback) == nil)
        #expect(book.managedObjectContext == nil)
        #expect(chapter.heading == "theirs")
        #expect(chapter.book == nil)
        let stored = try sides.stored(chapter)
        #expect(stored.heading == "theirs")
        #expect(stored.book == nil)
        #expect(!sides.mine.hasChanges)
    }

    /// Proves: C23
    @Test("a member keeps an owner that is taken back with it", arguments: StoreKind.all)
    func takenBackTogether(store: StoreKind) throws {
        let (book, chapter, sides) = try bookWithChapter(in: store)
        try sides.their(chapter).heading = "theirs"
        try sides.their(book).title = "Theirs"
        sides.mine.delete(book)
        #expect(try sides.save(.rollback) == nil)
        #expect(chapter.book === book)
        #expect(book.chapters == [chapter])
        #expect(try sides.stored(chapter).book?.title == "Theirs")
        #expect(try sides.stored(book).chapters.map(\.heading) == ["theirs"])
    }

    /// Proves: C23
    @Test("a reverted change refers to no object that stays deleted", arguments: StoreKind.all)
    func nullificationTakenBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let (book, tag) = (shop.book("Dune", by: author), shop.tag("sf"))
        book.tags = [tag]
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).title = "Theirs"
        sides.mine.delete(author)  // the book's author becomes nil
        sides.mine.delete(tag)
        #expect(try sides.save(.rollback) == nil)
        #expect(book.title == "Theirs")
        #expect(book.author == nil)
        #expect(book.tags.isEmpty)
        let stored = try sides.stored(book)
        #expect(stored.title == "Theirs")
        #expect(stored.author == nil)
        #expect(stored.tags.isEmpty)
        #expect(!sides.mine.hasChanges)
    }

    /// Proves: C23
    @Test("an owner that is taken back has no members that stay deleted", arguments: StoreKind.all)
    func ownerTakenBack(store: StoreKind) throws {
        let (book, chapter, sides) = try bookWithChapter(in: store)
        try sides.their(book).title = "Theirs"
        sides.mine.delete(book)
        #expect(try sides.save(.rollback) == nil)
        #expect(book.title == "Theirs")
        #expect(chapter.managedObjectContext == nil)
        #expect(book.chapters.isEmpty)
        #expect(try sides.stored(book).chapters.isEmpty)
    }

    /// Proves: C23
    @Test("changed here, deleted there: no reference is left dangling", arguments: StoreKind.all, Winner.allCases)
    func deletedThere(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let (one, two) = (shop.book("one", by: author), shop.book("two", by: author))
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect(author.books == [one, two])
        author.name = "Mine"
        sides.theirs.delete(try sides.their(author))
        let id = author.objectID
        #expect(try sides.save(winner) == nil)
        let isBack = winner == .object || winner == .overwrite
        #expect(one.author === (isBack ? author : nil))
        #expect(two.author === (isBack ? author : nil))
        #expect((author.managedObjectContext == nil) != isBack)
        for book in [one, two] { #expect(try sides.stored(book).author?.name == (isBack ? "Mine" : nil)) }
        if isBack {
            #expect(author.objectID == id)
            #expect(author.books == [one, two])
            #expect(!author.isInserted)
        }
        #expect(!sides.mine.hasChanges)
        #expect(sides.mine.saveFailure() == nil)
    }

    /// Proves: C23
    @Test(
        "a record written again has its own links, but for those to records that are gone too", arguments: StoreKind.all
    )
    func linksOfRevived(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let (kept, gone) = (shop.tag("kept"), shop.tag("gone"))
        let book = shop.book("Dune", by: author)
        book.tags = [kept, gone]
        try shop.context.save()
        let sides = Sides(shop.stack)
        #expect(book.tags.count == 2)
        book.title = "Mine"
        for object in [author, book, gone] { sides.theirs.delete(try sides.their(object)) }
        #expect(try sides.save(.object) == nil)
        #expect(book.author == nil)
        #expect(book.tags == [kept])
        let stored = try sides.stored(book)
        #expect(stored.title == "Mine")
        #expect(stored.author == nil)
        #expect(stored.tags.names("name") == ["kept"])
        #expect(try sides.stored(kept).books.names("title") == ["Mine"])
    }

    /// Proves: C23
    @Test("records that are written again together keep their links", arguments: StoreKind.all)
    func revivedTogether(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Ada")
        let book = shop.book("Dune", by: author)
        try shop.context.save()
        let sides = Sides(shop.stack)
        book.title = "Mine"
        author.name = "Ada too"
        for object in [author, book] { sides.theirs.delete(try sides.their(object)) }
        #expect(try sides.save(.object) == nil)
        #expect(book.author === author)
        #expect(try sides.stored(book).author?.name == "Ada too")
    }

    /// Proves: C23
    @Test("a dependent that is written again has no owner", arguments: StoreKind.all)
    func revivedDependent(store: StoreKind) throws {
        let (book, chapter, sides) = try bookWithChapter(in: store)
        chapter.heading = "mine"
        sides.theirs.delete(try sides.their(book))
        #expect(try sides.save(.object) == nil)
        #expect(chapter.book == nil)
        let stored = try sides.stored(chapter)
        #expect(stored.heading == "mine")
        #expect(stored.book == nil)
    }

    /// Proves: C23
    @Test("deleted here and there", arguments: StoreKind.all, Winner.allCases)
    func deletedTwice(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        let other = shop.book("other")
        try shop.context.save()
        let sides = Sides(shop.stack)
        sides.theirs.delete(try sides.their(book))
        sides.mine.delete(book)
        other.title = "changed"
        try sides.theirs.save()
        #expect(sides.mine.saveFailure()?.code == NSManagedObjectMergeError)
        #expect(sides.mine.deletedObjects == [book])
        #expect(try sides.save(winner) == nil)
        #expect(!sides.mine.hasChanges)
        #expect(book.managedObjectContext == nil)
        #expect(try sides.stored(other).title == "changed")
    }

    /// Proves: C17, C23
    @Test(
        "an unchanged object with detected conflicts takes the values of the store", arguments: StoreKind.all,
        Winner.allCases)
    func detected(store: StoreKind, winner: Winner) throws {
        let shop = try Bookshop(in: store)
        let (read, gone, written) = (shop.book("read"), shop.book("gone"), shop.book("written"))
        try shop.context.save()
        let sides = Sides(shop.stack)
        sides.mine.detectConflicts(for: read)
        sides.mine.detectConflicts(for: gone)
        written.pages = 3
        try sides.their(read).pages = 9
        sides.theirs.delete(try sides.their(gone))
        #expect(try sides.save(winner) == nil)
        #expect(read.pages == 9)
        #expect(gone.managedObjectContext == nil)
        #expect(try sides.stored(read).pages == 9)
        #expect(try sides.stored(written).pages == 3)
        #expect(try sides.theirs.count(for: Book.request()) == 2)
        #expect(!sides.mine.hasChanges)
    }

    /// Proves: C23
    @Test(
        "a link to a record that is gone, and that was never read here, is cut", arguments: StoreKind.all,
        Winner.allCases)
    func linkToMissing(store: StoreKind, winner: Winner) throws {
        let stack = try Stack(store, LinkedThings.model())
        for label in ["c", "i"] { LinkedThing(context: stack.context).setValue(label, forKey: "label") }
        try stack.context.save()
        let sides = Sides(stack)
        let ids = try LinkedThings.byLabel(in: sides.theirs).mapValues(\.objectID)
        stack.context.refreshAllObjects()
        let c = sides.mine.object(with: try #require(ids["c"]))
        let i = sides.mine.object(with: try #require(ids["i"]))
        sides.theirs.delete(sides.theirs.object(with: i.objectID))
        try sides.theirs.save()
        c.setValue(i, forKey: "parent")
        #expect(try sides.save(winner) == nil)
        #expect(c.value(forKey: "parent") == nil)
        let check = stack.newContext()
        defer { withExtendedLifetime(check) {} }
        let stored = try check.fetch(LinkedThings.request())
        let halfLinks = LinkedThings.halfLinks(of: stored)
        #expect(stored.count == 1 && halfLinks.isEmpty)
    }
}
