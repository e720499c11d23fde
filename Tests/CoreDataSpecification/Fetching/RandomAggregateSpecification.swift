// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that random queries have the same answer from every store, with and without unsaved changes, as plain Swift.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    extension Book {
        fileprivate var price: Decimal? { value(forKey: "price") as? Decimal }
        fileprivate var rating: Double? { value(forKey: "rating") as? Double }
        fileprivate var published: Date? { value(forKey: "published") as? Date }
    }

    @Suite("Random aggregates") struct RandomAggregateSpecification {
        /// The answer for one group.
        private struct Answer: Equatable {
            var key: String?
            var count: Int
            var rated: Int
            var pages: Int
            var price: Decimal
            var least: Decimal?
            var newest: Date?
            var last: String?
            var rating: Double?
        }

        private func fill(_ book: Book, _ authors: [Author], _ random: inout SeededGenerator) {
            func some(_ value: Any) -> Any? { random.chance(0.7) ? value : nil }
            let number = Int.random(in: -5..<50, using: &random)
            book.title = ["b", "B", "a10", "é", "z"].randomElement(using: &random)
            book.pages = number
            let cents = Int.random(in: 0..<100, using: &random)
            book.setValue(some(NSDecimalNumber(string: "\(number).\(cents)")), forKey: "price")
            // Quarters add up exactly in any order.
            book.setValue(some(Double(number) / 4), forKey: "rating")
            book.setValue(some(Date(timeIntervalSinceReferenceDate: Double(number) * 1_000)), forKey: "published")
            book.author = random.chance(0.8) ? authors.randomElement(using: &random) : nil
        }

        private func expected(_ books: [Book], above pages: Int) -> [Answer] {
            let groups = Dictionary(grouping: books.filter { $0.pages > pages }) { $0.author?.name }
            return groups.map { name, books in
                let ratings = books.compactMap(\.rating)
                return Answer(
                    key: name, count: books.count, rated: ratings.count, pages: books.map(\.pages).reduce(0, +),
                    price: books.compactMap(\.price).reduce(0, +), least: books.compactMap(\.price).min(),
                    newest: books.compactMap(\.published).max(),
                    last: books.compactMap(\.title).max { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) },
                    rating: ratings.isEmpty ? nil : ratings.reduce(0, +) / Double(ratings.count))
            }
            .sorted { ($0.key ?? "") < ($1.key ?? "") }
        }

        private func answers(_ context: NSManagedObjectContext, above pages: Int) throws -> [Answer] {
            try context.aggregate(Book.self, where: #Predicate { $0.pages > pages }, by: \.author?.name) { group in
                Answer(
                    key: nil, count: group.count, rated: group.count(\.rating), pages: group.sum(\.pages),
                    price: group.sum(\.price), least: group.min(\.price), newest: group.max(\.published),
                    last: group.max(\.title), rating: group.average(\.rating))
            }
            .map { group in
                var answer = group.value
                answer.key = group.key
                return answer
            }
        }

        @Test("the answers are those of a loop over all objects", arguments: StoreKind.all)
        func random(kind: StoreKind) throws {
            for seed in 0..<(kind.isOnServer ? 4 : 10) as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                let shop = try Bookshop(in: kind)
                let authors = ["A", "B", "C"].map { shop.author($0) }
                for _ in 0..<60 { fill(shop.book(""), authors, &random) }
                try shop.context.save()
                for step in 0..<4 {
                    let books = try shop.context.fetch(Book.request())
                    let pages = Int.random(in: -6..<50, using: &random)
                    let answers = try answers(shop.context, above: pages)
                    #expect(answers == expected(books, above: pages), "seed \(seed), \(step)")
                    for book in books.prefix(8) { fill(book, authors, &random) }
                    if let book = books.last { shop.context.delete(book) }
                    fill(shop.book(""), authors, &random)
                    authors[step % 3].name = ["A", "B", "C", "D"].randomElement(using: &random)
                    if step == 2 { try shop.context.save() }
                }
            }
        }
    }
#endif
