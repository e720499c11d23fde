// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes in contexts: saves, rollbacks, merges.

import Foundation
import SwiftData
import Testing

@Suite("Contexts follow changes, and save all or nothing")
struct ContextTests {
    /// Proves: S20, S22
    @Test("Unsaved models are listed, and an equal save does nothing")
    func lists() throws {
        let context = try Stack.library()
        #expect(!context.hasChanges)
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        book.pages += 1
        #expect(context.hasChanges && book.hasChanges)
        #expect(context.changedModelsArray.count == 1 && context.insertedModelsArray.isEmpty)
        try context.save()
        #expect(!context.hasChanges && !book.hasChanges)
    }

    /// Proves: S21, S55, S19
    @Test("A deleted model reads as it last was, without a context")
    func deletion() throws {
        let context = try Stack.library()
        let book = try #require(
            try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Dune" })).first)
        #expect(book.author?.name == "Herbert")
        context.delete(book)
        #expect(book.isDeleted && context.deletedModelsArray.count == 1)
        try context.save()
        #expect(book.isDeleted && book.modelContext == nil)
        #expect(book.title == "Dune" && book.pages == 412)
        #expect(book.author == nil && book.tags.isEmpty)
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
    }

    /// Proves: S20, S22, S31
    @Test("A deletion that another context saved is no change here")
    func mergedDeletion() throws {
        let context = try Stack.library()
        let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        let other = ModelContext(context.container)
        try other.delete(model: Book.self, where: #Predicate { $0.title == "Dune" })
        try other.save()
        #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
        #expect(books[0].isDeleted && !books[0].hasChanges && books[0].title == "Dune")
        let posts = Posts(context)
        try context.save()
        #expect(posts.count == 0 && books[0].isDeleted && books[0].modelContext == nil)
        books[1].pages = 1
        #expect(context.hasChanges)
        try context.save()
        #expect(posts.count == 1)
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 2)
    }

    /// Proves: S51
    @Test("Cascades delete through both ends")
    func cascade() throws {
        let context = try Stack.library()
        let eco = try #require(
            try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Eco" })).first)
        context.delete(eco)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["Dune"])
    }

    /// Proves: S24
    @Test("A rollback forgets insertions, deletions and changes")
    func rollback() throws {
        let context = try Stack.library()
        let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        books[0].title = "Other"
        context.delete(books[1])
        context.insert(Tag("new"))
        context.rollback()
        #expect(!context.hasChanges)
        #expect(
            try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title)
                == ["Dune", "Lists", "The Rose"])
        #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    }

    /// Proves: S23
    @Test("A missing value makes the save throw, with entity and property, and the changes stay")
    func validation() throws {
        let context = ModelContext(
            try ModelContainer(
                for: Strict.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let strict = Strict()
        context.insert(strict)
        let error = #expect(throws: ModelError.self) { try context.save() }
        #expect(error?.kind == .modelValidationFailure)
        #expect(error?.entityName == "Strict" && error?.propertyName == "parts")
        #expect(context.hasChanges)
    }

    /// Proves: S25
    @Test("A transaction saves at its end, and not when its block throws")
    func transaction() throws {
        let context = try Stack.library()
        try context.transaction { context.insert(Tag("kept")) }
        #expect(!context.hasChanges)
        #expect(throws: CancellationError.self) {
            try context.transaction {
                context.insert(Tag("pending"))
                throw CancellationError()
            }
        }
        #expect(context.hasChanges)
    }

    /// Proves: S31, S30
    @Test("Another context sees the saved changes at its next call")
    func merging() throws {
        let context = try Stack.library()
        let other = ModelContext(context.container)
        let mine = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        let theirs = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        mine.title = "New"
        theirs.pages = 1
        try context.save()
        _ = other.hasChanges
        #expect(theirs.title == "New" && theirs.pages == 1)
        try other.save()
        _ = context.hasChanges
        #expect(mine.pages == 1)
    }

    /// Proves: S28
    @Test("Saves are posted with permanent identifiers")
    func notifications() throws {
        let context = try Stack.library()
        let posted = Posted()
        let token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { posted.take($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        let tag = Tag("new")
        context.insert(tag)
        try context.save()
        #expect(posted.inserted == [tag.persistentModelID])
        #expect(posted.inserted.first?.storeIdentifier != nil)
    }

    /// Proves: S27
    @Test("Changes are undone and redone")
    func undo() throws {
        let context = try Stack.library()
        #expect(context.undoManager == nil)
        context.undoManager = UndoManager()
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        book.title = "Other"
        context.processPendingChanges()
        context.undoManager?.undo()
        #expect(book.title == "Dune")
        context.undoManager?.redo()
        #expect(book.title == "Other")
    }

    /// Proves: S98, S99
    @Test("Models are deleted and set by a condition")
    func batches() throws {
        let context = try Stack.library()
        let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        #expect(try context.update(model: Book.self, set: \.pages, to: 5, where: #Predicate { $0.pages < 100 }) == 1)
        #expect(all[1].pages == 5)
        try context.delete(model: Book.self, where: #Predicate { $0.pages == 5 })
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
        #expect(try context.delete(immediately: Book.self, where: #Predicate { $0.pages > 450 }) == 1)
        #expect(all[2].isDeleted)
    }
}

@Model
final class Strict {
    @Relationship(minimumModelCount: 1) var parts: [Part] = []

    init() {}
}

@Model
final class Part {
    var name = "part"
    var whole: Strict?

    init() {}
}

private final class Posted: @unchecked Sendable {
    private(set) var inserted: [PersistentIdentifier] = []

    func take(_ notification: Notification) {
        let key = ModelContext.NotificationKey.insertedIdentifiers.rawValue
        inserted = notification.userInfo?[key] as? [PersistentIdentifier] ?? []
    }
}

/// Counts the saves of a context.
private final class Posts: @unchecked Sendable {
    private(set) var count = 0
    private var token: (any NSObjectProtocol)?

    init(_ context: ModelContext) {
        token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
            [weak self] _ in self?.count += 1
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}
