// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when a context notices that faults fire one at a time, and its warning.

// Apple's framework has no such feature.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Faults that fire one at a time") struct RepeatedFaultingSpecification {
        /// Books with an author and a chapter each, without cached rows.
        private static func shop(books count: Int = 12) throws -> Bookshop {
            let shop = try Bookshop(in: .sqlite)
            for number in 0..<count {
                let book = shop.book("Book \(number)", by: shop.author("Author \(number)"))
                let chapter = Chapter(context: shop.context)
                chapter.heading = "Chapter \(number)"
                chapter.book = book
            }
            try shop.context.save()
            try shop.stack.reopen()
            return shop
        }

        private static func readAuthors(_ context: NSManagedObjectContext, prefetching: [String]? = nil) throws {
            let request = Book.request()
            request.relationshipKeyPathsForPrefetching = prefetching
            for book in try context.fetch(request) { _ = book.author?.name }
        }

        private func failure(_ body: () throws -> Void) -> NSError? {
            do {
                try body()
                return nil
            } catch {
                return error as NSError
            }
        }

        @Test("the relationship that reached them is named, once")
        func toOne() throws {
            let shop = try Self.shop()
            try Self.readAuthors(shop.context)
            #expect(shop.context.repeatedFaulting.count == 1)
            let run = try #require(shop.context.repeatedFaulting.first)
            #expect(run.entityName == "Book")
            #expect(run.keyPath == "author")
            #expect(run.destinationEntityName == "Author")
            #expect(run.count == 11)
            #expect(run.description.contains("relationshipKeyPathsForPrefetching"))
            #expect(run.description.contains("'Book.author'"))
            shop.context.reset()
            #expect(shop.context.repeatedFaulting.isEmpty)
        }

        @Test("prefetched, batched and cached objects do not count")
        func readTogether() throws {
            let shop = try Self.shop()
            try Self.readAuthors(shop.context, prefetching: ["author"])
            try Self.readAuthors(shop.stack.newContext())
            #expect(shop.context.repeatedFaulting.isEmpty)
            try shop.stack.reopen()
            let request = Book.request()
            request.fetchBatchSize = 5
            for book in try shop.context.fetch(request) { _ = book.title }
            #expect(shop.context.repeatedFaulting.isEmpty)
        }

        @Test("as many as the limit says are no run, one more is", arguments: [3, 12, 11])
        func limit(_ limit: Int) throws {
            let shop = try Self.shop()
            shop.context.repeatedFaultingPolicy = RepeatedFaultingPolicy(.warning, limit: limit)
            try Self.readAuthors(shop.context)
            #expect(shop.context.repeatedFaulting.map(\.count) == (limit < 12 ? [limit + 1] : []))
        }

        @Test("a chain of relationships is named as one key path, from where it began")
        func chain() throws {
            let shop = try Self.shop()
            let request = NSFetchRequest<Chapter>(entityName: "Chapter")
            for chapter in try shop.context.fetch(request) { _ = chapter.book?.author?.name }
            #expect(shop.context.repeatedFaulting.map(\.entityName) == ["Chapter", "Chapter"])
            #expect(shop.context.repeatedFaulting.map(\.keyPath) == ["book", "book.author"])
            try shop.stack.reopen()
            request.relationshipKeyPathsForPrefetching = ["book.author"]
            for chapter in try shop.context.fetch(request) { _ = chapter.book?.author?.name }
            #expect(shop.context.repeatedFaulting.isEmpty)
        }

        @Test("to-manys that are read one at a time are named", arguments: StoreKind.all)
        func toMany(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            for number in 0..<12 { shop.book("Book \(number)", by: shop.author("Author \(number)")) }
            try shop.context.save()
            let context = shop.stack.newContext()
            let request = NSFetchRequest<Author>(entityName: "Author")
            for author in try context.fetch(request) { #expect(author.books.count == 1) }
            #expect(context.repeatedFaulting.map(\.entityName) == ["Author"])
            #expect(context.repeatedFaulting.map(\.keyPath) == ["books"])
            #expect(context.repeatedFaulting.map(\.destinationEntityName) == ["Book"])
            let other = shop.stack.newContext()
            request.relationshipKeyPathsForPrefetching = ["books"]
            for author in try other.fetch(request) { #expect(author.books.count == 1) }
            #expect(other.repeatedFaulting.isEmpty)
        }

        @Test("faults that were not reached through a relationship are named by their entity")
        func withoutValues() throws {
            let shop = try Self.shop()
            let request = Book.request()
            request.includesPropertyValues = false
            for book in try shop.context.fetch(request) { _ = book.title }
            #expect(shop.context.repeatedFaulting.map(\.entityName) == ["Book"])
            #expect(shop.context.repeatedFaulting.map(\.keyPath) == [nil])
        }

        @Test("a block of the context is a separate event")
        func events() throws {
            let shop = try Self.shop()
            let context = shop.stack.newContext(.privateQueueConcurrencyType)
            let ids = try context.performAndWait { try context.fetch(Book.request()).map(\.objectID) }
            for id in ids {
                context.performAndWait { _ = (context.object(with: id) as? Book)?.author?.name }
            }
            #expect(context.performAndWait { context.repeatedFaulting }.isEmpty)
            let other = shop.stack.newContext(.privateQueueConcurrencyType)
            try shop.stack.reopen()
            try other.performAndWait { try Self.readAuthors(other) }
            #expect(other.performAndWait { other.repeatedFaulting }.count <= 1)
        }

        @Test("children get the warning as well")
        func children() throws {
            let shop = try Self.shop()
            let parent = shop.stack.newContext(.privateQueueConcurrencyType)
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try child.performAndWait { try Self.readAuthors(child) }
            #expect(child.performAndWait { child.repeatedFaulting.map(\.keyPath) } == ["author"])
            #expect(parent.performAndWait { parent.repeatedFaulting }.isEmpty)
        }

        @Test(
            "a strict context throws from the next fetch, count or save, once", arguments: ["fetch", "count", "save"])
        func strict(_ call: String) throws {
            let shop = try Self.shop()
            let context = shop.context
            context.repeatedFaultingPolicy = .strict
            try Self.readAuthors(context)
            shop.book("New")
            func next() throws {
                switch call {
                case "fetch": _ = try context.fetch(Book.request())
                case "count": _ = try context.count(for: Book.request())
                default: try context.save()
                }
            }
            let error = failure { try next() }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(error?.code == NSCoreDataError)
            #expect(error?.localizedDescription.contains("'Book.author'") == true)
            #expect(context.hasChanges)
            #expect(failure { try next() } == nil)
        }

        @Test("nothing is counted where it is off")
        func off() throws {
            let shop = try Self.shop()
            shop.context.repeatedFaultingPolicy = .off
            try Self.readAuthors(shop.context)
            #expect(shop.context.repeatedFaulting.isEmpty)
        }

        @Test("a warning is written once for a relationship, with any number of contexts")
        func warning() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setenv("OpenCoreData.FaultRuns", "warning", 1)
                let shop = try RepeatedFaultingSpecification.shop()
                try RepeatedFaultingSpecification.readAuthors(shop.context)
                try shop.stack.reopen()
                try RepeatedFaultingSpecification.readAuthors(shop.context)
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.components(separatedBy: "by way of 'Book.author'").count == 2, "\(text)")
            #expect(text.contains("warning"))
        }

        @Test("an argument at launch makes contexts strict")
        func setting() async {
            await #expect(processExitsWith: .success) {
                setenv("OpenCoreData.FaultRuns", "strict", 1)
                let shop = try Bookshop(in: .inMemory)
                exit(shop.context.repeatedFaultingPolicy == .strict ? 0 : 1)
            }
        }
    }
#endif
