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

    @Test("a fetch sees the other save") func fetch() throws {
        let counts = try inBlock { [try count(), try context.fetch(Book.request()).count] }
        #expect(counts == ([1, 1], [2, 2]))
    }

    @Test("a look-up that was made before sees the other save") func lookup() throws {
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == %d", 2)
        let counts = try inBlock { try (0..<3).map { _ in try context.fetch(request).count } }
        #expect(counts == ([0, 0, 0], [1, 1, 1]))
    }

    @Test("each of several saves in one block is seen") func severalSaves() throws {
        let counts = try context.performAndWait {
            try (1...5).map { pages in
                try saveElsewhere(pages: pages)
                return try count()
            }
        }
        #expect(counts == [2, 3, 4, 5, 6])
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

    @Test("a to-many that is read sees the other save") func members() throws {
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

    @Test("the fetch of a child, and of a grandchild, sees the other save", arguments: [1, 2])
    func descendant(generations: Int) throws {
        var descendant = context
        for _ in 0..<generations {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = descendant
            descendant = child
        }
        let counts = try inBlock { try descendant.performAndWait { try descendant.count(for: Book.request()) } }
        #expect(counts == (1, 2))
    }
}
