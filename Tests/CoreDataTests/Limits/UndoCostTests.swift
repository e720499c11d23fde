// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cost of recording undo: nothing without a manager, and a bounded number of statements with one.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: L9, M17
@Suite("Cost of undo") struct UndoCostTests {
    @Test("without a manager nothing is read to record")
    func withoutManager() throws {
        #expect(try statementsOfTakingOut(from: 50, recording: false) == [])
    }

    @Test("places in ordered relationships are read with as many statements for many owners as for a few")
    func places() throws {
        let few = try statementsOfTakingOut(from: 10, recording: true)
        let many = try statementsOfTakingOut(from: 500, recording: true)
        #expect(!few.isEmpty)
        #expect(many.count == few.count)
        #expect(many.count <= 3)
    }

    /// Takes a chapter out of each of several books, by its own end.
    private func statementsOfTakingOut(from count: Int, recording: Bool) throws -> [String] {
        let shop = try Bookshop(in: .sqlite)
        let books = (0..<count).map { shop.book("Book \($0)") }
        let chapters = books.map { book in
            book.chapters = (0..<2).map { _ in Chapter(context: shop.context) }
            return book.chapters[0]
        }
        try shop.context.save()
        shop.context.refreshAllObjects()
        shop.context.realizeAll(books + chapters)
        if recording { shop.context.undoManager = UndoManager() }
        let counter = try StatementCounter(shop.stack.store)
        for chapter in chapters { chapter.book = nil }
        shop.context.processPendingChanges()
        return counter.statements
    }

    @Test("a deletion and its undoing take as many statements for many objects as for a few")
    func deletions() throws {
        let few = try statementsOfDeleting(20)
        let many = try statementsOfDeleting(400)
        #expect(many == few)
    }

    private func statementsOfDeleting(_ count: Int) throws -> Int {
        let graph = try Graph(in: .sqlite)
        let nodes = (0..<count).flatMap { graph.nodes("\($0)") }
        for (one, other) in zip(nodes, nodes.dropFirst()) {
            one.next = other
            one.neighbours = [other]
        }
        try graph.context.save()
        graph.context.refreshAllObjects()
        graph.context.undoManager = UndoManager()
        let counter = try StatementCounter(graph.stack.store)
        for node in nodes { graph.context.delete(node) }
        try graph.context.save()
        graph.context.undo()
        let statements = counter.statements.count
        try graph.context.save()
        #expect(try graph.stack.newContext().count(for: Node.request()) == count)
        return statements
    }

    @Test("a record of one new member among many keeps the one")
    func byDifference() throws {
        let shop = try Bookshop(in: .inMemory)
        let author = shop.author("Frank")
        for number in 0..<100 { shop.book("Book \(number)", by: author) }
        shop.context.processPendingChanges()
        let before = author.objectExtension?.members
        let book = shop.book("new", by: author)
        let ordinal = Int(author.table.layout[author.slot("books")].ordinal)
        let change = MembersChange(
            from: before?[ordinal], to: author.objectExtension?.members[ordinal], isOrdered: false)
        #expect(change?.gained == [book])
        #expect(change?.lost == [])
    }

    @Test("an undo takes as long among many unsaved objects as among a few")
    func amongMany() throws {
        let growth = try Growth.of(500, 5_000, limit: 4) { count in
            let shop = try Bookshop(in: .inMemory)
            shop.context.undoManager = UndoManager()
            for number in 0..<count { shop.book("Book \(number)") }
            shop.context.processPendingChanges()
            let book = shop.book("Dune", pages: 1)
            try shop.context.save()
            for object in shop.context.registeredObjects { (object as? Book)?.pages = 5 }
            shop.context.processPendingChanges()
            return {
                for pages in 0..<100 {
                    shop.context.undoManager?.beginUndoGrouping()
                    book.pages = 10 + pages
                    shop.context.undoManager?.endUndoGrouping()
                    shop.context.undoManager?.undoNestedGroup()
                }
                return book.pages == 5
            }
        }
        #expect(growth < 4)
    }
}
