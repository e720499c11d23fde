// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which reads of one block see a save of another coordinator after the block's first read.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Fresh answers inside of one block") struct FreshAnswerSpecification {
    private let shop: Bookshop
    private let context: NSManagedObjectContext
    private let id: NSManagedObjectID

    init() throws {
        shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        id = book.objectID
        context = shop.stack.newContext(.privateQueueConcurrencyType)
    }

    /// Saves another number of pages, and another book, by another coordinator.
    private func saveElsewhere(pages: Int) throws {
        let (coordinator, elsewhere) = try shop.stack.secondCoordinator()
        let theirs = try #require(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
        (try elsewhere.existingObject(with: theirs) as? Book)?.pages = pages
        let book = Book(context: elsewhere)
        book.title = "Other"
        try elsewhere.save()
    }

    private func count() throws -> Int { try context.count(for: Book.request()) }

    /// The results of one read before and after another coordinator's save, in one block.
    private func inBlock<T>(_ read: () throws -> T) throws -> (before: T, after: T) {
        try context.performAndWait {
            let before = try read()
            try saveElsewhere(pages: 2)
            return (before, try read())
        }
    }

    @Test("a fetch sees the other save when rows must not be old") func fetch() throws {
        context.stalenessInterval = 0
        let counts = try inBlock { [try count(), try context.fetch(Book.request()).count] }
        #expect(counts == ([1, 1], [2, 2]))
    }

    @Test("a look-up that was made before sees the other save when rows must not be old") func lookup() throws {
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == %d", 2)
        context.stalenessInterval = 0
        let counts = try inBlock { try (0..<3).map { _ in try context.fetch(request).count } }
        #expect(counts == ([0, 0, 0], [1, 1, 1]))
    }

    @Test("a fetch that refreshes its objects sees the other save") func refreshingFetch() throws {
        let request = Book.request()
        request.shouldRefreshRefetchedObjects = true
        let pages = try inBlock { try context.fetch(request).map(\.pages).sorted() }
        #expect(pages == ([1], [0, 2]))
    }

    @Test("a refresh reads the other save when rows must not be old", arguments: [true, false, nil])
    func refresh(mergeChanges: Bool?) throws {
        context.stalenessInterval = 0
        let pages = try inBlock {
            let book = context.object(with: id) as? Book
            if let book, let mergeChanges {
                context.refresh(book, mergeChanges: mergeChanges)
            } else {
                context.refreshAllObjects()
            }
            return book?.pages
        }
        #expect(pages == (1, 2))
    }

    @Test("a to-many that is read sees the other save when rows must not be old") func members() throws {
        context.stalenessInterval = 0
        let chapters = try context.performAndWait {
            let book = context.object(with: id) as? Book
            _ = book?.pages
            let (coordinator, elsewhere) = try shop.stack.secondCoordinator()
            let theirs = try #require(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
            let chapter = Chapter(context: elsewhere)
            chapter.book = try elsewhere.existingObject(with: theirs) as? Book
            try elsewhere.save()
            return book?.chapters.count
        }
        #expect(chapters == 1)
    }

    @Test("a child's fetch sees the other save when the child's rows must not be old") func child() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.stalenessInterval = 0
        let counts = try inBlock { try child.performAndWait { try child.count(for: Book.request()) } }
        #expect(counts == (1, 2))
    }

    @Test("a grandchild's fetch sees the other save when the grandchild's rows must not be old") func grandchild()
        throws
    {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        grandchild.stalenessInterval = 0
        let counts = try inBlock { try grandchild.performAndWait { try grandchild.count(for: Book.request()) } }
        #expect(counts == (1, 2))
    }

    @Test("any fetch sees the other save soon, in a block that waits for it") func waiting() throws {
        let counts = try inBlock {
            var found = try count()
            for _ in 0..<1_000 where found == 1 {
                usleep(20_000)
                found = try count()
            }
            return found
        }
        #expect(counts == (1, 2))
    }
}
