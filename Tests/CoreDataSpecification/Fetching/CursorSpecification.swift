// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States pages with cursors: their order, their ends, unsaved changes, and the statement behind them.

// Apple's framework has no such feature.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Pages with cursors") struct CursorSpecification {
        private func request(_ keys: (String, Bool)...) -> NSFetchRequest<Book> {
            let request = Book.request()
            request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
            return request
        }

        private func shop(_ kind: StoreKind, books count: Int) throws -> Bookshop {
            let shop = try Bookshop(in: kind)
            for number in 0..<count { shop.book("Book \(number)", pages: number / 3) }
            try shop.context.save()
            return shop
        }

        /// The ids of all pages.
        private func walk(
            _ request: NSFetchRequest<Book>, _ context: NSManagedObjectContext, size: Int, key: Data? = nil
        ) throws -> [[NSManagedObjectID]] {
            var pages: [[NSManagedObjectID]] = []
            var next: FetchCursor?
            repeat {
                let page = try context.page(request, after: next, size: size, signedWith: key)
                pages.append(page.results.map(\.objectID))
                next = page.next
            } while next != nil && pages.count < 1_000
            return pages
        }

        @Test("the pages are the list of a fetch, in its order", arguments: StoreKind.all)
        func order(kind: StoreKind) throws {
            let shop = try shop(kind, books: 23)
            for book in try shop.context.fetch(Book.request()) where book.pages % 2 == 0 {
                book.setValue(Double(book.pages), forKey: "rating")
                book.setValue(Date(timeIntervalSinceReferenceDate: 0.1 * Double(book.pages)), forKey: "published")
                book.setValue(NSDecimalNumber(string: "0.\(book.pages)"), forKey: "price")
                book.setValue(UUID(), forKey: "identifier")
                book.setValue(URL(string: "https://example.org/\(book.pages)"), forKey: "page")
                book.author = shop.author("Author \(book.pages)")
                book.setValue(false, forKey: "inPrint")
            }
            try shop.context.save()
            let orders: [[(String, Bool)]] = [
                [("pages", true)], [("pages", false)], [("rating", true)], [("rating", false)],
                [("published", false), ("pages", true)], [("pages", true), ("rating", false), ("title", false)],
                [("price", false)], [("identifier", true)], [("page", false)], [("inPrint", true), ("price", true)],
                [("author.name", true)], [("author.name", false), ("title", true)],
            ]
            for order in orders {
                let request = request()
                request.sortDescriptors = order.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
                let expected = try shop.context.fetch(request).map(\.objectID)
                for size in [1, 4, 23, 100] {
                    let pages = try walk(request, shop.context, size: size)
                    #expect(pages.flatMap { $0 } == expected, "\(order), \(size) at a time")
                    #expect(pages.dropLast().allSatisfy { $0.count == size }, "\(order)")
                }
            }
        }

        @Test("without descriptors the order is that of the first save", arguments: StoreKind.all)
        func creation(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            let books = (0..<7).map { shop.book("\(7 - $0)", pages: $0) }
            for book in books { try shop.context.obtainPermanentIDs(for: [book]) }
            try shop.context.save()
            books[2].pages = 100
            try shop.context.save()
            #expect(try walk(request(), shop.context, size: 2).flatMap { $0 } == books.map(\.objectID))
        }

        @Test("texts are in the order of the descriptor's selector", arguments: StoreKind.all)
        func selectors(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            for title in ["b", "B", "a10", "a9", "Ä", "ä", "A", "z", "a9"] { shop.book(title) }
            try shop.context.save()
            for selector in ["compare:", "caseInsensitiveCompare:", "localizedStandardCompare:"] {
                for ascending in [true, false] {
                    let request = request()
                    request.sortDescriptors = [
                        NSSortDescriptor(key: "title", ascending: ascending, selector: Selector(selector))
                    ]
                    let expected = try shop.context.fetch(request).map(\.objectID)
                    #expect(try walk(request, shop.context, size: 2).flatMap { $0 } == expected, "\(selector)")
                }
            }
        }

        @Test("a request without results has one empty page", arguments: StoreKind.all)
        func empty(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            let page = try shop.context.page(request(("pages", true)), size: 3)
            #expect(page.results.isEmpty)
            #expect(page.next == nil)
        }

        @Test("the last page has no cursor, also if it is full", arguments: StoreKind.all)
        func fullLastPage(kind: StoreKind) throws {
            let shop = try shop(kind, books: 6)
            let request = request(("pages", true))
            let first = try shop.context.page(request, size: 3)
            let cursor = try #require(first.next)
            let last = try shop.context.page(request, after: cursor, size: 3)
            #expect(last.results.count == 3)
            #expect(last.next == nil)
        }

        @Test("unsaved changes are on the pages, before and after they are saved", arguments: StoreKind.all)
        func unsaved(kind: StoreKind) throws {
            let shop = try shop(kind, books: 9)
            let books = try shop.context.fetch(request(("pages", true), ("title", true)))
            books[0].pages = 2
            books[8].pages = 0
            shop.context.delete(books[4])
            for number in 0..<3 { shop.book("New \(number)", pages: 1) }
            for order in [true, false] {
                let request = request(("pages", order))
                let expected = try shop.context.fetch(request).map(\.objectID)
                #expect(try walk(request, shop.context, size: 2).flatMap { $0 } == expected)
                #expect(try walk(request, shop.context, size: 1).flatMap { $0 } == expected)
            }
            let request = request(("pages", true))
            let all = try shop.context.fetch(request)
            // The cursor is at an unsaved object, and the save gives it a key.
            let first = try shop.context.page(request, size: 6)
            #expect(first.results.last?.objectID.isTemporaryID == true)
            try shop.context.save()
            let rest = try shop.context.page(request, after: first.next, size: 50)
            #expect(first.results + rest.results == all)
        }

        @Test("unsaved changes of parents are on the pages of a child", arguments: StoreKind.all)
        func nested(kind: StoreKind) throws {
            let shop = try shop(kind, books: 8)
            let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            parent.persistentStoreCoordinator = shop.stack.coordinator
            try parent.performAndWait {
                for book in try parent.fetch(Book.request()) where book.pages == 1 { book.pages = 9 }
                _ = shop.book("New", pages: 1, in: parent)
            }
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            for keys in [[("pages", false)], [("author.name", true), ("pages", true)]] {
                let request = request()
                request.sortDescriptors = keys.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
                let (expected, pages) = try child.performAndWait {
                    (try child.fetch(request).map(\.objectID), try walk(request, child, size: 2))
                }
                #expect(expected.count == 9)
                #expect(pages.flatMap { $0 } == expected)
            }
        }

        @Test("the stores of a coordinator have one list", arguments: StoreMixture.all)
        func severalStores(mixture: StoreMixture) throws {
            let shop = try ManyStores(mixture)
            for number in 0..<7 {
                let book = Book(context: shop.context)
                book.title = "\(number % 2)"
                shop.context.assign(book, to: shop.stores[number % shop.stores.count])
            }
            try shop.context.save()
            for ascending in [true, false] {
                let request = request(("title", ascending))
                let expected = try shop.context.fetch(request).map(\.objectID)
                #expect(try walk(request, shop.context, size: 2).flatMap { $0 } == expected)
            }
        }

        @Test("objects of a page have the store's values, unsaved ones their own", arguments: StoreKind.all)
        func refreshed(kind: StoreKind) throws {
            let shop = try shop(kind, books: 6)
            let held = try shop.context.fetch(request(("title", true)))
            #expect(held.map(\.pages) == [0, 0, 0, 1, 1, 1])
            let other = shop.stack.newContext()
            for book in try other.fetch(Book.request()) { book.pages += 10 }
            try other.save()
            held[0].pages = 3
            let page = try shop.context.page(request(("title", true)), size: 2)
            #expect(page.results.map(\.pages) == [3, 10])
        }

        @Test("a predicate with code filters pages", arguments: StoreKind.all)
        func code(kind: StoreKind) throws {
            let shop = try shop(kind, books: 12)
            let request = request(("pages", false))
            request.predicate = NSPredicate { object, _ in (object as? Book)?.title?.hasSuffix("1") ?? false }
            let expected = try shop.context.fetch(request).map(\.objectID)
            #expect(expected.count == 2)
            #expect(try walk(request, shop.context, size: 1).flatMap { $0 } == expected)
        }

        @Test("SQLite reads a range of an index, in order", arguments: [true, false])
        func plan(ascending: Bool) throws {
            let model = BookshopModel.make()
            let book = try #require(model.entitiesByName["Book"])
            book.indexes = try ["pages", "rating"].map { name in
                let property = try #require(book.propertiesByName[name])
                return NSFetchIndexDescription(
                    name: name, elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
            }
            let stack = try Stack(.sqlite, model)
            for number in 0..<20 {
                let book = Book(context: stack.context)
                (book.title, book.pages) = ("\(number)", number)
                if number % 2 == 0 { book.setValue(Double(number), forKey: "rating") }
            }
            try stack.context.save()
            for key in ["pages", "rating"] {
                let request = request((key, ascending))
                request.predicate = NSPredicate(format: "\(key) != nil")
                let first = try stack.context.page(request, size: 3)
                let explanation = try request.explainPage(after: first.next, size: 3, in: stack.context)
                #expect(explanation.isAnsweredBySQL)
                let plan = explanation.stores[0].queryPlan
                let symbol = ascending ? ">" : "<"
                #expect(plan.count == 1, "\(plan)")
                #expect(plan[0].contains("USING INDEX"), "\(plan)")
                #expect(plan[0].contains("Z\(key.uppercased())\(symbol)?"), "\(plan)")
            }
            let byKey = try stack.context.page(request(), size: 3)
            let plan = try request().explainPage(after: byKey.next, size: 3, in: stack.context).stores[0].queryPlan
            #expect(plan.count == 1)
            #expect(plan[0].contains("INTEGER PRIMARY KEY (rowid>?)"), "\(plan)")
        }

        @Test("the explanation names a position that is compared in memory")
        func positionInMemory() throws {
            let shop = try shop(.inMemory, books: 5)
            let first = try shop.context.page(request(("pages", true)), size: 2)
            let store = try request(("pages", true)).explainPage(after: first.next, size: 2, in: shop.context).stores[0]
            #expect(store.inMemory.map(\.kind) == [.order, .position])
            #expect(store.inMemory.map(\.subject) == ["pages", "pages"])
        }
    }
#endif
