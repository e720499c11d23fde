// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches with texts that contain ranges, or are reused: they find the same objects as evaluation in memory.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Texts of fetches on a PostgreSQL server", .needsServer) struct FetchTextTests {
    private func expectSame(_ predicate: NSPredicate, _ shop: Bookshop) throws {
        let all = try shop.context.fetch(Book.request())
        let request = Book.request()
        request.predicate = predicate
        let found = Set(try shop.context.fetch(request).map(\.objectID))
        let wanted = Set(all.filter { predicate.evaluate(with: $0) }.map(\.objectID))
        #expect(found == wanted, "\(predicate)")
    }

    @Test(
        "the beginning of a pattern finds stored texts of every form",
        arguments: [
            "K", "Ke", "a;", "a`", "a", "e", "ea", "caf", "cafe", "caf\u{e9}", "cafe\u{301}", "e\u{301}", "100%", "_",
            "",
        ])
    func beginnings(_ beginning: String) throws {
        let shop = try Bookshop(in: .postgresql)
        for title in [
            "Kelvin", "\u{212a}elvin", "kelvin", "a;b", "a\u{37e}b", "a`b", "a\u{1fef}b", "a", "A", "ea", "\u{e9}a",
            "e\u{301}a", "cafe", "caf\u{e9}", "cafe\u{301}", "cafe\u{301}s", "100%", "100", "_", "",
        ] {
            shop.book(title, pages: 1)
        }
        try shop.context.save()
        try expectSame(NSPredicate(format: "title BEGINSWITH %@", beginning), shop)
        try expectSame(NSPredicate(format: "title LIKE %@", beginning + "*"), shop)
        try expectSame(NSPredicate(format: "title LIKE %@", beginning + "?*"), shop)
        try expectSame(NSPredicate(format: "title LIKE %@", beginning), shop)
    }

    @Test("a reused text has the values of the new request") func values() throws {
        let shop = try Bookshop(in: .postgresql)
        for number in 0..<6 {
            let book = shop.book("Book \(number)", pages: number)
            book.setValue(Double(number) / 2, forKey: "rating")
            book.setValue(UUID(), forKey: "identifier")
        }
        try shop.context.save()
        for number in 0..<6 {
            try expectSame(NSPredicate(format: "pages == %d", number), shop)
            try expectSame(NSPredicate(format: "pages == %lf", Double(number) + 0.5), shop)
            try expectSame(NSPredicate(format: "pages > %d AND rating < %lf", number / 2, Double(number) / 2), shop)
            try expectSame(NSPredicate(format: "pages > %d AND pages < %d", 5 - number, 5), shop)
            try expectSame(NSPredicate(format: "rating == %d", number), shop)
        }
        try expectSame(NSPredicate(format: "rating < %lf", 1.0), shop)
        try expectSame(NSPredicate(format: "rating < %lf", Double.nan), shop)
        try expectSame(NSPredicate(format: "rating < %lf", Double.infinity), shop)
        for book in try shop.context.fetch(Book.request()) {
            let identifier = try #require(book.value(forKey: "identifier") as? UUID)
            try expectSame(NSPredicate(format: "identifier == %@", identifier as NSUUID), shop)
        }
    }

    @Test("limit and offset of a reused text are those of the new request") func windows() throws {
        let shop = try Bookshop(in: .postgresql)
        for number in 0..<10 { shop.book("Book \(number)", pages: number) }
        try shop.context.save()
        for (limit, offset) in [(2, 0), (3, 0), (2, 1), (2, 4), (0, 3), (0, 0)] {
            let request = Book.request()
            request.predicate = NSPredicate(format: "pages > %d", 1)
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
            (request.fetchLimit, request.fetchOffset) = (limit, offset)
            let end = limit == 0 ? 10 : min(10, 2 + offset + limit)
            #expect(try shop.context.fetch(request).map(\.pages) == Array(2 + offset..<end))
        }
    }
}
