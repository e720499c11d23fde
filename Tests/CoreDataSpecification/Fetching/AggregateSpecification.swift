// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States typed aggregates: counts, sums and extremes, of all objects and of groups, the same from every store.

// Apple's framework has no such feature.
#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    extension Book {
        fileprivate var price: Decimal? { value(forKey: "price") as? Decimal }
        fileprivate var rating: Double? { value(forKey: "rating") as? Double }
        fileprivate var published: Date? { value(forKey: "published") as? Date }
        fileprivate var inPrint: Bool { value(forKey: "inPrint") as? Bool ?? false }
        /// No stored property.
        fileprivate var words: Int { (title ?? "").split(separator: " ").count }
    }

    extension Author {
        fileprivate var born: Date? { value(forKey: "born") as? Date }
    }

    @Suite("Typed aggregates") struct AggregateSpecification {
        private func shop(_ kind: StoreKind) throws -> Bookshop {
            let shop = try Bookshop(in: kind)
            let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
            for (number, author) in [ada, ada, bob, nil, ada].enumerated() {
                let book = shop.book("Book \(number)", pages: number * 100, by: author)
                book.setValue(NSDecimalNumber(string: "0.1"), forKey: "price")
                if number > 0 {
                    book.setValue(Double(number), forKey: "rating")
                    book.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "published")
                }
            }
            try shop.context.save()
            return shop
        }

        @Test("counts, sums, means and extremes of all objects", arguments: StoreKind.all)
        func all(kind: StoreKind) throws {
            let shop = try shop(kind)
            let result = try shop.context.aggregate(Book.self) {
                (
                    count: $0.count, rated: $0.count(\.rating), pages: $0.sum(\.pages), price: $0.sum(\.price),
                    rating: $0.average(\.rating), first: $0.min(\.title), newest: $0.max(\.published)
                )
            }
            #expect(result.count == 5)
            #expect(result.rated == 4)
            #expect(result.pages == 1_000)
            #expect(result.price == Decimal(string: "0.5"))
            #expect(result.rating == 2.5)
            #expect(result.first == "Book 0")
            #expect(result.newest == Date(timeIntervalSinceReferenceDate: 4))
        }

        @Test("no objects have a count and sums of zero, and no extremes", arguments: StoreKind.all)
        func nothing(kind: StoreKind) throws {
            let shop = try shop(kind)
            for isChanged in [false, true] {
                if isChanged { shop.book("Unsaved", pages: 1) }
                let result = try shop.context.aggregate(Book.self, where: #Predicate { $0.pages > 9_999 }) {
                    ($0.count, $0.sum(\.pages), $0.sum(\.price), $0.max(\.pages), $0.average(\.rating))
                }
                #expect(result.0 == 0)
                #expect(result.1 == 0)
                #expect(result.2 == 0)
                #expect(result.3 == nil)
                #expect(result.4 == nil)
                #expect(try shop.context.aggregate(Book.self, where: #Predicate { $0.pages > 9_999 }) { _ in 7 } == 7)
                let groups = try shop.context.aggregate(
                    Book.self, where: #Predicate { $0.pages > 9_999 }, by: \.title
                ) { $0.count }
                #expect(groups.isEmpty)
            }
        }

        @Test("groups by a key path, chosen, sorted and cut", arguments: StoreKind.all)
        func groups(kind: StoreKind) throws {
            let shop = try shop(kind)
            let groups = try shop.context.aggregate(Book.self, by: \.author?.name) {
                (count: $0.count, pages: $0.sum(\.pages))
            }
            #expect(groups.map(\.key) == [nil, "Ada", "Bob"])
            #expect(groups.map(\.value.count) == [1, 3, 1])
            #expect(groups.map(\.value.pages) == [300, 500, 200])
            let many = try shop.context.aggregate(
                Book.self, by: \.author?.name, having: { $0.count > 1 || $0.sum(\.pages) == 200 },
                sort: { [$0.count.descending] }
            ) { $0.count }
            #expect(many.map(\.key) == ["Ada", "Bob"])
            let both = try shop.context.aggregate(
                Book.self, by: \.author?.name, having: { $0.count > 0 && $0.sum(\.pages) == 200 }
            ) { $0.count }
            #expect(both.map(\.key) == ["Bob"])
            let cut = try shop.context.aggregate(
                Book.self, where: #Predicate { $0.pages >= 100 }, by: \.author?.name,
                sort: { [$0.sum(\.pages).ascending] }, limit: 2
            ) { $0.sum(\.pages) }
            #expect(cut.map(\.value) == [200, 300])
            let cheap = try shop.context.aggregate(
                Book.self, by: \.author?.name, having: { !($0.sum(\.price) >= Decimal(string: "0.3") ?? 0) }
            ) { $0.sum(\.price) }
            #expect(cheap.map(\.key) == [nil, "Bob"])
            #expect(cheap.map(\.value) == [Decimal(string: "0.1"), Decimal(string: "0.1")])
        }

        @Test("groups are chosen, sorted and cut by sums of decimals with all digits", arguments: StoreKind.all)
        func longDecimals(kind: StoreKind) throws {
            let shop = try Bookshop(in: kind)
            let rest = ["a": "0.000000012345679", "b": "0.000000012345678", "c": "0.000000012345680"]
            for (name, price) in rest {
                for price in ["12345678901234.56", price] {
                    shop.book(name, by: nil).setValue(NSDecimalNumber(string: price), forKey: "price")
                }
            }
            try shop.context.save()
            func sum(_ digits: String) -> Decimal { Decimal(string: "12345678901234.5600000123456" + digits) ?? 0 }
            let groups = try shop.context.aggregate(
                Book.self, by: \.title, sort: { [$0.sum(\.price).descending] }, limit: 2
            ) { $0.sum(\.price) }
            #expect(groups.map(\.key) == ["c", "a"])
            #expect(groups.map(\.value) == [sum("80"), sum("79")])
            let chosen = try shop.context.aggregate(
                Book.self, by: \.title, having: { $0.sum(\.price) < sum("79") }
            ) { $0.sum(\.price) }
            #expect(chosen.map(\.key) == ["b"])
        }

        @Test("without an order, a limit keeps the groups with the least keys", arguments: StoreKind.all)
        func leastKeys(kind: StoreKind) throws {
            let shop = try shop(kind)
            for isChanged in [false, true] {
                if isChanged { shop.book("Unsaved", pages: 1) }
                let two = try shop.context.aggregate(Book.self, by: \.title, limit: 2) { $0.count }
                #expect(two.map(\.key) == ["Book 0", "Book 1"])
                // The count is the same for all books, so their titles decide.
                let equal = try shop.context.aggregate(
                    Book.self, by: \.title, sort: { [$0.count.descending] }, limit: 3
                ) { $0.count }
                #expect(equal.map(\.key) == ["Book 0", "Book 1", "Book 2"])
            }
        }

        @Test("groups are chosen by the mean of decimals, alone and with other conditions", arguments: StoreKind.all)
        func chosenByMean(kind: StoreKind) throws {
            let shop = try shop(kind)
            for book in try shop.context.fetch(Book.request()) where book.author?.name == "Bob" {
                book.setValue(NSDecimalNumber(string: "0.5"), forKey: "price")
            }
            for isChanged in [false, true] {
                if !isChanged { try shop.context.save() } else { shop.book("Unsaved", pages: 1) }
                let dear = try shop.context.aggregate(
                    Book.self, by: \.author?.name, having: { $0.average(\.price) > Decimal(string: "0.2") ?? 0 }
                ) { $0.count }
                #expect(dear.map(\.key) == ["Bob"])
                let cheap = try shop.context.aggregate(
                    Book.self, by: \.author?.name,
                    having: { $0.average(\.price) < Decimal(string: "0.2") ?? 0 && $0.count > 2 }
                ) { $0.count }
                #expect(cheap.map(\.key) == ["Ada"])
            }
        }

        @Test("groups by two key paths", arguments: StoreKind.all)
        func pairs(kind: StoreKind) throws {
            let shop = try shop(kind)
            let groups = try shop.context.aggregate(Book.self, by: \.author?.name, \.inPrint) { $0.count }
            #expect(groups.map(\.key.0) == [nil, "Ada", "Bob"])
            #expect(groups.map(\.key.1) == [true, true, true])
        }

        @Test("unsaved changes count, also of related objects", arguments: StoreKind.all)
        func unsaved(kind: StoreKind) throws {
            let shop = try shop(kind)
            let books = try shop.context.fetch(Book.request())
            let ada = try #require(books.first { $0.author?.name == "Ada" }?.author)
            ada.name = "Eve"
            let names = try shop.context.aggregate(Book.self, by: \.author?.name) { $0.count }.map(\.key)
            #expect(names == [nil, "Bob", "Eve"])
            shop.book("New", pages: 7, by: ada)
            try shop.context.delete(#require(books.first { $0.pages == 400 }))
            let groups = try shop.context.aggregate(
                Book.self, where: #Predicate { $0.pages < 300 }, by: \.author?.name
            ) { ($0.count, $0.sum(\.pages)) }
            #expect(groups.map(\.key) == ["Bob", "Eve"])
            #expect(groups.map(\.value.0) == [1, 3])
            #expect(groups.map(\.value.1) == [200, 107])
        }

        @Test("a child counts the unsaved changes of its parent", arguments: StoreKind.all)
        func nested(kind: StoreKind) throws {
            let shop = try shop(kind)
            let parent = shop.stack.newContext(.privateQueueConcurrencyType)
            parent.performAndWait { _ = shop.book("New", pages: 7, in: parent) }
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            let count = try child.performAndWait { try child.aggregate(Book.self) { $0.count } }
            #expect(count == 6)
        }

        @Test("a query is one statement of SQLite, also with groups and their condition")
        func statement() throws {
            let shop = try shop(.sqlite)
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            let sum = NSExpressionDescription()
            sum.name = "aggregate 0"
            sum.expression = CoreData.NSExpression(format: "sum:(pages)")
            request.propertiesToFetch = ["author.name", sum]
            request.propertiesToGroupBy = ["author.name"]
            request.havingPredicate = NSPredicate(
                format: "%@ > 100", CoreData.NSExpression(forVariable: "aggregate 0"))
            #expect(try request.explain(in: shop.context).isAnsweredBySQL)
            #expect(shop.context.registeredObjects.allSatisfy { !$0.hasChanges })
        }

        @Test("wrong queries are errors that name entity and property")
        func errors() throws {
            let shop = try shop(.sqlite)
            let context = shop.context
            func reason(_ query: () throws -> Void) throws -> AggregateError? {
                do {
                    try query()
                    return nil
                } catch let error as AggregateError {
                    return error
                }
            }
            let unnamed = try reason { _ = try context.aggregate(Book.self) { $0.sum(\.words) } }
            #expect(unnamed?.reason == .unnamedKeyPath)
            #expect(unnamed?.entityName == "Book")
            let group = try reason { _ = try context.aggregate(Book.self, by: \.words) { $0.count } }
            #expect(group?.reason == .unnamedKeyPath)
            let limit = try reason { _ = try context.aggregate(Book.self, by: \.title, limit: -1) { $0.count } }
            #expect(limit?.reason == .invalidLimit)
            let changed = try reason {
                _ = try context.aggregate(Book.self) { $0.count > 0 ? $0.sum(\.pages) : 0 }
            }
            #expect(changed?.reason == .changedColumns)
            #expect(changed?.propertyName == "pages")
            #expect(throws: CocoaError.self) { try context.aggregate(Author.self, by: \.books) { $0.count } }
        }
    }
#endif
