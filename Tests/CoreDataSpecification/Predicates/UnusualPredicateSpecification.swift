// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Predicates of forms that are rarely written: a store finds the objects that they match in memory.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates of unusual forms") struct UnusualPredicateSpecification {
    private func shop(_ kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let tags = ["sf", "sand", "love"].map { shop.tag($0) }
        for (number, title) in ["Dune", "Emma", "Messiah", "Jane", "Ubik"].enumerated() {
            let book = shop.book(title, pages: 100 * number, by: number == 4 ? nil : number % 2 == 0 ? frank : jane)
            book.tags = Set(tags.prefix(number % 3))
            if number != 1 { book.setValue(Double(number), forKey: "rating") }
            if number > 2 { book.setValue(["a"], forKey: "keywords") }
            book.setValue(UUID(), forKey: "identifier")
            book.setValue(number == 3 ? nil : NSDecimalNumber(value: number), forKey: "price")
        }
        try shop.context.save()
        return shop
    }

    private static let formats = [
        "rating < nil", "NOT rating > nil", "rating <= nil", "NOT rating <= nil", "rating >= nil", "NOT rating >= nil",
        "{'Dune', 'Emma'} CONTAINS title", "NOT {'Dune', 'Emma'} CONTAINS title",
        "{'Dune', author.name} CONTAINS title", "SELF.title == 'Dune'", "author.SELF.name == 'Frank'",
        "TERNARY(keywords == nil, 1, 2) == 2", "TERNARY(author == nil, 1, 2) == 1",
        "TERNARY(rating > 1, price, 0) == 2", "author.books.@count > 1",
        "SUBQUERY(tags, $t, $t.books.@count > 2).@count > 0",
        "SUBQUERY(author.books, $b, $b.tags.@count > 0).@count >= 1",
    ]

    /// Proves: P1
    @Test("a fetch has the objects that the predicate matches, saved and unsaved", arguments: formats)
    func oneMeaning(format: String) throws {
        let shop = try shop(.sqlite)
        let predicate = NSPredicate(format: format)
        let all = try shop.context.fetch(Book.request())
        let matching = all.filter { predicate.evaluate(with: $0) }.compactMap(\.title).sorted()
        let request = Book.request()
        request.predicate = predicate
        #expect(try shop.titles(request).sorted() == matching)
        let other = shop.stack.newContext()
        #expect(try shop.titles(request, in: other).sorted() == matching)
        for book in all { book.pages += 0 }
        #expect(try shop.titles(request).sorted() == matching)
    }

    /// Proves: P1
    @Test("lists are as long as the program makes them, of every type", arguments: StoreKind.all)
    func longLists(kind: StoreKind) throws {
        let shop = try shop(kind)
        let all = try shop.context.fetch(Book.request())
        let wanted = all.filter { $0.pages > 100 }
        let names = wanted.compactMap(\.title).sorted()
        let identifiers = wanted.compactMap { $0.value(forKey: "identifier") as? UUID }
        let lists: [(String, [Any])] = [
            ("identifier", (0..<2_500).map { _ in UUID() } + identifiers),
            ("rating", (10..<2_500).map { Double($0) + 0.5 } + [Double.infinity, 2.0, 3.0, 4.0]),
            ("title", (0..<2_500).map { "no title \($0)" } + names),
            ("title", (0..<2_500).map { "Dune\u{0}\($0)" } + names),
            ("pages", (1_000..<3_500).map { $0 } + [200, 300, 400]),
        ]
        for (key, list) in lists {
            let request = Book.request()
            request.predicate = NSPredicate(format: "%K IN %@", key, list)
            #expect(try shop.titles(request).sorted() == names, "\(key)")
            let negated = NSPredicate(format: "NOT %K IN %@", key, list)
            request.predicate = negated
            let others = all.filter { negated.evaluate(with: $0) }.compactMap(\.title).sorted()
            #expect(try shop.titles(request).sorted() == others, "\(key)")
            #expect(try shop.titles(request, in: shop.stack.newContext()).sorted() == others, "\(key)")
        }
    }

    /// Proves: F53
    @Test("a condition on groups without a grouping is one on all rows together", arguments: StoreKind.all)
    func havingWithoutGroups(kind: StoreKind) throws {
        let shop = try shop(kind)
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = NSExpression(format: "sum:(pages)")
        sum.expressionResultType = .integer64AttributeType
        for (format, count) in [("sum > 10", 1), ("sum > 10000", 0)] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [sum]
            request.havingPredicate = NSPredicate(format: format)
            let rows = try shop.context.fetch(request)
            #expect(rows.count == count, "\(format)")
            #expect(rows.first == nil || rows.first?["sum"] as? Int == 1_000)
        }
    }
}
