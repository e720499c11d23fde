// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Repeated work during many changes does not examine all of them each time.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: C14, C19, C20 for many changes
@Suite("Many changes", .serialized) struct PendingChangeCostTests {
    /// Ten times the changes: proportional work grows tenfold, work that examines all changes for each one a
    /// hundredfold.
    private static let limit = 40.0

    @Test("asking for changes after each insertion")
    func insertions() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let shop = try Bookshop(in: .inMemory)
            return {
                (0..<count).allSatisfy { number in
                    shop.book("\(number)")
                    return shop.context.hasChanges
                }
            }
        }
        #expect(try Growth.of(1_000, 10_000, limit: Self.limit, work) < Self.limit)
    }

    @Test("asking for changes after each change that was dropped again")
    func droppedChanges() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let shop = try Bookshop(in: .inMemory)
            let books = (0..<count).map { shop.book("\($0)") }
            try shop.context.save()
            for book in books { book.pages = 1 }
            for book in books { shop.context.refresh(book, mergeChanges: false) }
            return { books.allSatisfy { _ in !shop.context.hasChanges } }
        }
        #expect(try Growth.of(1_000, 10_000, limit: Self.limit, work) < Self.limit)
    }

    @Test("processing changes after each of them")
    func events() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let shop = try Bookshop(in: .inMemory)
            return {
                for number in 0..<count {
                    shop.book("\(number)")
                    shop.context.processPendingChanges()
                }
                return shop.context.insertedObjects.count == count
            }
        }
        #expect(try Growth.of(1_000, 10_000, limit: Self.limit, work) < Self.limit)
    }

    @Test("insertions that are deleted at once, among others that stay")
    func passingInsertions() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let shop = try Bookshop(in: .inMemory)
            for number in 0..<count { shop.book("\(number)") }
            return {
                for _ in 0..<count {
                    shop.context.delete(shop.book("passing"))
                    shop.context.processPendingChanges()
                }
                return shop.context.insertedObjects.count == count
            }
        }
        #expect(try Growth.of(1_000, 10_000, limit: Self.limit, work) < Self.limit)
    }

    @Test("taking members out of one relationship, ordered or not")
    func members() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let shop = try Bookshop(in: .inMemory)
            let (author, book) = (shop.author("Herbert"), shop.book("Dune"))
            let books = (0..<count).map { shop.book("\($0)", by: author) }
            let chapters = (0..<count).map { _ in Chapter(context: shop.context) }
            book.chapters = chapters
            return {
                for object in books + chapters { shop.context.delete(object) }
                shop.context.processPendingChanges()
                return author.books.isEmpty && book.chapters.isEmpty
            }
        }
        #expect(try Growth.of(500, 5_000, limit: Self.limit, work) < Self.limit)
    }

    @Test("deleting down a chain, one object for each round of rules")
    func chain() throws {
        func work(_ count: Int) throws -> () -> Bool {
            let graph = try Graph(in: .inMemory)
            let nodes = (0..<count).map { _ in Node(context: graph.context) }
            for (node, child) in zip(nodes, nodes.dropFirst()) { node.children = [child] }
            return {
                graph.context.delete(nodes[0])
                graph.context.processPendingChanges()
                return !graph.context.hasChanges
            }
        }
        #expect(try Growth.of(300, 3_000, limit: Self.limit, work) < Self.limit)
    }
}
