// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a look-up that is repeated with other values has the same results as a first one.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Look-ups that are made again and again") struct RepeatedFetchSpecification {
    /// Books that differ in each property, with and without values.
    private static func shop(in kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        for number in 0..<12 {
            let book = shop.book("Book \(number % 5)", pages: number * 50)
            if number % 3 != 0 { book.setValue(Double(number) / 2, forKey: "rating") }
            if number % 4 != 0 {
                book.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "published")
            }
            book.setValue(number % 2 == 0, forKey: "inPrint")
        }
        try shop.context.save()
        return shop
    }

    private static var values: [(key: String, values: [Any])] {
        [
            ("title", ["Book 0", "Book 3", "book 3", "", "Nobody's"]),
            ("pages", [0, 100, Int64(550), NSNumber(value: 75), 100.5, -1]),
            ("rating", [0.5, 4, 5.5, Float(2), -0.0]),
            ("published", [Date(timeIntervalSinceReferenceDate: 5), Date(timeIntervalSinceReferenceDate: 11)]),
            ("inPrint", [true, false, 1, 0]),
        ]
    }

    /// Proves: C2
    @Test("one comparison with value after value equals evaluation in memory", arguments: StoreKind.all)
    func comparisons(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let everything = try shop.context.fetch(Book.request())
        let context = shop.stack.newContext()
        for (key, values) in Self.values {
            for operation in ["==", "!=", "<", "<=", ">", ">="] where key != "inPrint" || operation.hasSuffix("=") {
                for value in values {
                    let request = Book.request()
                    request.predicate = NSPredicate(format: "%K \(operation) %@", argumentArray: [key, value])
                    let predicate = try #require(request.predicate)
                    let wanted = everything.filter { predicate.evaluate(with: $0) }.map(\.objectID)
                    let found = try context.fetch(request).map(\.objectID)
                    #expect(Set(found) == Set(wanted), "\(key) \(operation) \(value)")
                    #expect(found.count == wanted.count)
                }
            }
        }
    }

    @Test("two comparisons and a limit are fetched with other values and another limit", arguments: StoreKind.all)
    func conjunctions(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let context = shop.stack.newContext()
        for (title, pages, limit) in [("Book 1", 0, 2), ("Book 1", 100, 2), ("Book 2", 0, 1), ("Book 2", 0, 0)] {
            let request = Book.request()
            request.predicate = NSPredicate(format: "title == %@ AND pages > %d", title, pages)
            request.fetchLimit = limit
            let found = try context.fetch(request)
            let all = (0..<12).filter { "Book \($0 % 5)" == title && $0 * 50 > pages }.count
            #expect(found.count == (limit == 0 ? all : min(all, limit)))
            #expect(found.allSatisfy { $0.title == title && $0.pages > pages })
        }
    }

    /// Proves: F57
    @Test("with subentities and without them", arguments: StoreKind.all)
    func subentities(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let everybody = try firm.context.fetch(Firm.request("Employee"))
        let context = firm.newContext()
        for (includes, number) in [(true, 0), (false, 0), (true, 1_000), (false, 1_000), (false, -2), (true, -2)] {
            let predicate = NSPredicate(format: "number > %d", number)
            let request = Firm.request("Employee", predicate)
            request.includesSubentities = includes
            let wanted = everybody.filter {
                (includes || $0.entity.name == "Employee") && predicate.evaluate(with: $0)
            }
            let names = Firm.names(try context.fetch(request)).sorted()
            #expect(names == Firm.names(wanted).sorted(), "\(includes) \(number)")
        }
    }

    /// Proves: C2, C6, F28
    @Test("the same objects are found, as faults, changed or not", arguments: StoreKind.all)
    func objects(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let context = shop.stack.newContext()
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == %d", 150)
        let first = try #require(try context.fetch(request).first)
        #expect(first.isFault)
        for _ in 0..<3 { #expect(try context.fetch(request).first === first) }
        #expect(first.isFault)
        first.pages = 151
        #expect(try context.fetch(request).isEmpty)
        let other = shop.book("Another", pages: 150, in: context)
        #expect(try context.fetch(request) == [other])
        try context.save()
        #expect(try context.fetch(request) == [other])
        context.delete(other)
        #expect(try context.fetch(request).isEmpty)
        context.rollback()
        #expect(try context.fetch(request) == [other])
    }

    /// Proves: C2
    @Test("a save of another context is found; values that are held stay", arguments: StoreKind.all)
    func others(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let context = shop.stack.newContext()
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == %d", 150)
        let held = try #require(try context.fetch(request).first)
        #expect(held.pages == 150)
        let changed = try #require(try shop.context.fetch(request).first)
        changed.pages = 9
        shop.book("New", pages: 150)
        try shop.context.save()
        #expect(try context.fetch(request).map(\.title) == ["New"])
        #expect(held.pages == 150)
        request.predicate = NSPredicate(format: "pages == %d", 9)
        #expect(try context.fetch(request) == [held])
    }

    @Test("children ask their parents, with their unsaved changes", arguments: StoreKind.all)
    @MainActor func children(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let parent = shop.stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == %d", 150)
        for _ in 0..<2 { #expect(try parent.fetch(request).count == 1) }
        shop.book("Unsaved", pages: 150, in: parent)
        #expect(try child.fetch(request).count == 2)
    }

    @Test("results of another class than the request says are an error, each time", arguments: StoreKind.all)
    func mismatch(kind: StoreKind) throws {
        let shop = try Self.shop(in: kind)
        let request = NSFetchRequest<Author>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages >= %d", 0)
        for _ in 0..<3 {
            let error = #expect(throws: NSError.self) { try shop.context.fetch(request) }
            #expect(error?.localizedDescription.contains("Author") == true)
        }
    }
}
