// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `withObservationTracking` on models: which changes are announced, and which reads are not tracked.

import Foundation
import SwiftData
import Testing

@Suite("Changes of models are observed")
struct ObservedModelTests {
    /// Whether a change is announced to a reader of a model.
    private func isTold<Value>(_ read: () -> Value, _ change: () throws -> Void) rethrows -> Bool {
        let flag = Flag()
        withObservationTracking {
            _ = read()
        } onChange: {
            flag.raise()
        }
        try change()
        return flag.isRaised
    }

    private func library() throws -> (ModelContext, Book, Author) {
        let context = try Stack.library()
        let book = try #require(
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Lists" })).first)
        return (context, book, try #require(book.author))
    }

    /// Proves: S11
    @Test("by setters, of values, structures, enumerations, arrays and both ends of relationships") func setters()
        throws
    {
        let (context, book, author) = try library()
        defer { withExtendedLifetime(context) {} }
        #expect(isTold({ book.title }) { book.title = "a" })
        #expect(isTold({ book.genre }) { book.genre = .poem })
        #expect(isTold({ book.address }) { book.address = Address(city: "Oslo") })
        #expect(isTold({ book.words }) { book.words.append("a") })
        #expect(isTold({ author.books.count }) { book.author = nil })
        #expect(isTold({ book.author }) { author.books.append(book) })
        #expect(!isTold({ book.title }) { book.pages += 1 })
    }

    /// Proves: S11
    @Test("by undo, rollback, merges and deletions; not by reading") func others() throws {
        let (context, book, author) = try library()
        book.title = "changed"
        #expect(isTold({ book.title }) { context.rollback() })
        context.undoManager = UndoManager()
        context.undoManager?.groupsByEvent = false
        context.undoManager?.beginUndoGrouping()
        book.title = "changed"
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
        #expect(isTold({ book.title }) { context.undoManager?.undo() })
        #expect(book.title == "Lists")
        context.undoManager = nil
        try context.save()

        let other = ModelContext(context.container)
        let same = try #require(other.model(for: book.persistentModelID) as? Book)
        #expect(!isTold({ same.persistentModelID }) { _ = same.title })
        same.title = "elsewhere"
        #expect(
            try isTold({ book.title }) {
                try other.save()
                _ = context.hasChanges
            })
        #expect(book.title == "elsewhere")
        #expect(
            try isTold({ author.books.count }) {
                context.delete(book)
                try context.save()
            })
        #expect(author.books.count == 1)
    }
}

private final class Flag: @unchecked Sendable {
    private(set) var isRaised = false
    func raise() { isRaised = true }
}
