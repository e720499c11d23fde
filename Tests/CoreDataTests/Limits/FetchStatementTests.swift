// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits on the number of statements of a fetch and of the reads after it.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: C8
@Suite("Statements of a fetch") struct FetchStatementTests {
    private let shop: Bookshop
    private let counter: StatementCounter

    init() throws {
        let shop = try Bookshop(in: .sqlite)
        let tags = (0..<5).map { shop.tag("Tag \($0)") }
        for number in 0..<60 {
            let book = shop.book("Book \(number)", pages: number, by: shop.author("Author \(number)"))
            book.tags = [tags[number % 5], tags[(number + 1) % 5]]
        }
        try shop.context.save()
        try shop.stack.reopen()
        counter = try StatementCounter(shop.stack.store)
        self.shop = shop
    }

    private func request(_ change: (NSFetchRequest<Book>) -> Void = { _ in }) -> NSFetchRequest<Book> {
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        change(request)
        return request
    }

    private var selects: Int { counter.statements.count { $0.hasPrefix("SELECT") } }

    @Test("faults that a fetch gives have their rows with them")
    func faults() throws {
        let books = try shop.context.fetch(request())
        #expect(books.allSatisfy { $0.isFault })
        #expect(books.map(\.pages) == Array(0..<60))
        #expect(selects == 1)
    }

    @Test("without property values the rows are not read; firing together takes one statement")
    func withoutValues() throws {
        let books = try shop.context.fetch(request { $0.includesPropertyValues = false })
        #expect(selects == 1)
        #expect(counter.statements.filter { $0.hasPrefix("SELECT") }[0].contains("ZTITLE") == false)
        shop.context.realizeAll(books)
        #expect(books.map(\.pages) == Array(0..<60))
        #expect(selects == 2)
    }

    @Test("a to-one is prefetched with one statement, a to-many with two, and nothing is read afterwards")
    func prefetching() throws {
        let books = try shop.context.fetch(request { $0.relationshipKeyPathsForPrefetching = ["author"] })
        #expect(selects == 2)
        #expect(books.compactMap { $0.author?.name } == (0..<60).map { "Author \($0)" })
        #expect(selects == 2)
        _ = try shop.context.fetch(request { $0.relationshipKeyPathsForPrefetching = ["tags"] })
        #expect(selects == 5)
        #expect(books.allSatisfy { $0.tags.count == 2 && $0.tags.allSatisfy { $0.name?.hasPrefix("Tag") == true } })
        #expect(selects == 5)
    }

    @Test("each key path takes its statements once: ordered, nested, both ways, and shared beginnings")
    func prefetchedPaths() throws {
        for book in try shop.context.fetch(request()) {
            book.chapters = ["one", "two"].map { heading in
                let chapter = Chapter(context: shop.context)
                chapter.heading = heading
                return chapter
            }
        }
        try shop.context.save()
        // Rows that the fetch itself has read are not read again.
        let cases = [
            (["chapters"], 3), (["author.books"], 3), (["tags.books"], 4), (["author.books.chapters"], 5),
            (["author", "tags", "chapters"], 6),
        ]
        for (paths, count) in cases {
            try shop.stack.reopen()
            let counter = try StatementCounter(shop.stack.store)
            let books = try shop.context.fetch(request { $0.relationshipKeyPathsForPrefetching = paths })
            let made = counter.statements.count { $0.hasPrefix("SELECT") }
            #expect(made == count, "\(paths): \(counter.statements)")
            for path in paths { for book in books { _ = book.value(forKeyPath: path) } }
            if paths.contains("chapters") {
                #expect(books.allSatisfy { $0.chapters.map(\.heading) == ["one", "two"] })
            }
            #expect(counter.statements.count { $0.hasPrefix("SELECT") } == made, "\(paths)")
        }
    }

    @Test("the first count with a condition searches the table for rows without objects, later ones do not")
    func foreignRows() throws {
        for (number, format) in ["pages > 30", "pages < 30", "pages > 30 AND title != nil"].enumerated() {
            let before = selects
            _ = try shop.context.count(for: request { $0.predicate = NSPredicate(format: format) })
            #expect(selects - before == (number == 0 ? 2 : 1), "\(format)")
        }
    }

    @Test("batches are read one by one, as far as they are needed")
    func batches() throws {
        let books = try shop.context.fetch(request { $0.fetchBatchSize = 10 })
        #expect(books.count == 60)
        #expect(selects == 1)
        #expect(books[25].pages == 25)
        #expect(selects == 2)
        #expect(books[20].pages == 20)
        #expect(books[29].pages == 29)
        #expect(selects == 2)
        #expect(books.map(\.pages) == Array(0..<60))
        #expect(selects == 7)
    }

    @Test("batches are read in the context of a child, too")
    func childBatches() throws {
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let numbers = try child.performAndWait {
            let books = try child.fetch(request { $0.fetchBatchSize = 10 })
            let first = selects
            _ = books[25].pages
            let second = selects
            return (books.map(\.pages), first, second)
        }
        #expect(numbers.0 == Array(0..<60))
        #expect(numbers.1 == 1)
        #expect(numbers.2 == 2)
        #expect(selects == 7)
        #expect(parent.performAndWait { parent.registeredObjects.isEmpty })
    }

    @Test("a child asks for a batch once, however short rows may serve, and through all of its parents")
    func grandchildBatches() throws {
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        grandchild.parent = child
        parent.performAndWait { parent.stalenessInterval = 0 }
        child.performAndWait { child.stalenessInterval = 0 }
        let changed = try parent.performAndWait {
            let book = try parent.fetch(request { $0.predicate = NSPredicate(format: "pages == 22") })[0]
            book.title = "Changed"
            return book
        }
        let before = selects
        let (pages, titles) = try grandchild.performAndWait {
            grandchild.stalenessInterval = 0
            grandchild.repeatedFaultingPolicy = .strict
            let books = try grandchild.fetch(request { $0.fetchBatchSize = 10 })
            return (books.map(\.pages), books[22].title)
        }
        #expect(pages == Array(0..<60))
        #expect(titles == "Changed")
        // The keys; the row of the changed book, for its place in the order, comes from the parent.
        #expect(selects - before == 7)
        withExtendedLifetime(changed) {}
    }

    @Test("relationships in a condition outside of SQL are read for many candidates at once")
    func remainder() throws {
        let (context, predicates) = (
            shop.context,
            [
                // The candidates, and their authors.
                ("FUNCTION(author.name, 'length') > 8", 2),
                // The candidates, the keys of their tags, and the tags.
                ("SUBQUERY(tags, $t, FUNCTION($t.name, 'length') > 4)[0] != nil", 3),
                (
                    "SUBQUERY(tags, $t, FUNCTION($t.name, 'length') > 4)[0] != nil AND FUNCTION(author.name, 'length') > 8",
                    4
                ),
            ]
        )
        for (format, count) in predicates {
            guard let predicate = try? NSPredicate.parsing(format) else {
                Issue.record("\(format) is no predicate")
                continue
            }
            let before = selects
            let found = try context.fetch(request { $0.predicate = predicate })
            #expect(!found.isEmpty, "\(format)")
            #expect(selects - before == count, "\(format): \(counter.statements[before...])")
            context.reset()
        }
    }

    @Test("wrong names are found before a statement runs")
    func wrongNames() throws {
        let wrong: [(NSFetchRequest<Book>) -> Void] = [
            { $0.predicate = NSPredicate(format: "titel == 'x'") },
            { $0.sortDescriptors = [NSSortDescriptor(key: "tags.name", ascending: true)] },
            { $0.relationshipKeyPathsForPrefetching = ["title"] },
            { $0.relationshipKeyPathsForPrefetching = ["author.boks"] },
        ]
        for change in wrong {
            let request = request(change)
            #expect(throws: CocoaError.self) { try shop.context.fetch(request) }
        }
        #expect(selects == 0)
    }
}
