// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pages of models with cursors.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("Pages of models")
struct PageTests {
    private func walk(_ descriptor: FetchDescriptor<Book>, _ context: ModelContext, size: Int) throws -> [Book] {
        var books: [Book] = []
        var next: FetchCursor?
        repeat {
            let page = try context.page(descriptor, after: next, size: size, signedWith: Data("secret".utf8))
            books += page.results
            next = page.next
        } while next != nil && books.count < 1_000
        return books
    }

    @Test("Pages are the list of a fetch, with unsaved models")
    func order() throws {
        let context = try Stack.library()
        for number in 0..<9 { context.insert(Book(title: "Book \(number % 4)", pages: number)) }
        let orders: [[SortDescriptor<Book>]] = [
            [], [SortDescriptor(\.title)], [SortDescriptor(\.pages, order: .reverse)],
            [SortDescriptor(\.title, order: .reverse), SortDescriptor(\.pages)], [SortDescriptor(\.author?.name)],
            [SortDescriptor(\.title, comparator: .lexical)],
        ]
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            for order in orders where isSaved || !order.isEmpty {
                let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages >= 0 }, sortBy: order)
                let expected = try context.fetch(descriptor)
                #expect(expected.count == 12)
                #expect(try walk(descriptor, context, size: 5) == expected, "\(order)")
                #expect(try walk(descriptor, context, size: 1) == expected, "\(order)")
            }
        }
    }

    @Test("Insertions between pages move no other model")
    func insertions() throws {
        let context = try Stack.library()
        let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
        let all = try context.fetch(descriptor)
        let first = try context.page(descriptor, size: 1)
        context.insert(Book(title: "A", pages: 1))
        try context.save()
        let rest = try context.page(descriptor, after: first.next, size: 50)
        #expect(first.results + rest.results == all)
        #expect(rest.next == nil)
    }

    @Test("Conditions on collections of values are evaluated on models")
    func collections() throws {
        let context = try Stack.library()
        for number in 0..<6 {
            let book = Book(title: "Book \(number)", pages: number)
            book.words = number % 2 == 0 ? ["even"] : []
            context.insert(book)
        }
        try context.save()
        let descriptor = FetchDescriptor<Book>(
            predicate: #Predicate { $0.words.contains("even") }, sortBy: [SortDescriptor(\.pages)])
        #expect(try walk(descriptor, context, size: 2).map(\.pages) == [0, 2, 4])
    }

    @Test("Cursors that do not fit, and descriptors with a window, are errors")
    func errors() throws {
        let context = try Stack.library()
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
        let cursor = try #require(try context.page(descriptor, size: 1).next)
        let other = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 1 }, sortBy: [SortDescriptor(\.title)])
        #expect(throws: FetchCursorError.self) { try context.page(other, after: cursor, size: 1) }
        #expect(throws: FetchCursorError.self) {
            try context.page(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.name)]), after: cursor, size: 1)
        }
        descriptor.fetchLimit = 1
        #expect(throws: FetchCursorError.self) { try context.page(descriptor, size: 1) }
    }
}
