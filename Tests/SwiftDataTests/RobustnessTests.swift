// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deleted models, undo over saves, writers at the same time, and files that are no stores.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("Models, contexts and containers are robust")
struct RobustnessTests {
    private var byTitle: FetchDescriptor<Book> { FetchDescriptor(sortBy: [SortDescriptor(\.title)]) }

    /// Proves: S57, S55
    @Test("a model that is gone cannot be related: a to-one stays nil, and a to-many leaves it out")
    func relatingGone() throws {
        let context = try Stack.library()
        let books = try context.fetch(byTitle)
        let author = try #require(books[0].author)
        let tag = Tag("new")
        context.insert(tag)
        try context.save()
        context.delete(tag)
        context.delete(author)
        try context.save()
        let book = Book(title: "Alone")
        context.insert(book)
        book.author = author
        book.tags = [tag, Tag("kept")]
        author.name = "nobody"
        author.books = [book]
        tag.books.append(book)
        #expect(book.author == nil && book.tags.map(\.name) == ["kept"])
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(byTitle).first?.tags.map(\.name) == ["kept"])
        #expect(try other.fetchCount(FetchDescriptor<Author>()) == 1)
        let unsaved = Book(title: "In no context")
        unsaved.author = author
        #expect(unsaved.author == nil && unsaved.modelContext == nil)
    }

    /// Proves: S57
    @Test("a new model that was deleted before it was saved cannot be related either", arguments: [true, false])
    func relatingForgotten(_ isByCondition: Bool) throws {
        let context = try Stack.library()
        let (tag, author) = (Tag("never"), Author(name: "never"))
        context.insert(tag)
        context.insert(author)
        if isByCondition {
            try context.delete(model: Tag.self, where: #Predicate { $0.name == "never" })
            try context.delete(model: Author.self, where: #Predicate { $0.name == "never" })
            try context.save()
        } else {
            context.delete(tag)
            context.delete(author)
        }
        #expect(tag.isDeleted && author.isDeleted)
        let book = try #require(try context.fetch(byTitle).first)
        book.tags = [tag, Tag("kept")]
        book.author = author
        #expect(book.tags.map(\.name) == ["kept"] && book.author == nil)
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Tag>()).allSatisfy { $0.name != "never" })
        #expect(try other.fetchCount(FetchDescriptor<Author>()) == 2)
    }

    @Test("a new model that was deleted and inserted again can be related after a rollback")
    func relatingInsertedAgain() throws {
        let context = try Stack.library()
        let tag = Tag("twice")
        context.insert(tag)
        context.delete(tag)
        context.insert(tag)
        context.rollback()
        #expect(!tag.isDeleted)
        let book = try #require(try context.fetch(byTitle).first)
        book.tags = [tag]
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(byTitle).first?.tags.map(\.name) == ["twice"])
    }

    /// Proves: S27, S22
    @Test("undo reaches over saves, and its result is saved")
    func undo() throws {
        let context = try Stack.library()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let book = try #require(try context.fetch(byTitle).first)
        manager.beginUndoGrouping()
        book.title = "Changed"
        book.author = nil
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        manager.beginUndoGrouping()
        context.delete(book)
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(byTitle) == 2)
        manager.undo()
        context.processPendingChanges()
        try context.save()
        let between = ModelContext(context.container)
        let titles = try between.fetch(byTitle).map(\.title)
        #expect(titles == ["Changed", "Lists", "The Rose"])
        manager.undo()
        try context.save()
        let other = ModelContext(context.container)
        let found = try other.fetch(byTitle)
        #expect(found.map(\.title) == ["Dune", "Lists", "The Rose"] && found[0].author?.name == "Herbert")
    }

    /// Proves: S30, S31, S87
    @Test("actors that change one record at the same time lose no save")
    func counters() async throws {
        let container = try Stack.memory()
        let context = ModelContext(container)
        let tags = (0..<8).map { Tag("\($0)") }
        for tag in tags { context.insert(tag) }
        let book = Book(title: "Shared")
        context.insert(book)
        try context.save()
        let (id, ids) = (book.persistentModelID, tags.map(\.persistentModelID))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for tag in ids {
                let worker = Tagger(modelContainer: container)
                group.addTask { for _ in 0..<4 { try await worker.add(tag, to: id) } }
            }
            try await group.waitForAll()
        }
        let other = ModelContext(container)
        let found = try #require(try other.fetch(byTitle).first)
        #expect(Set(found.tags.map(\.name)) == Set((0..<8).map { "\($0)" }))
        #expect((1...32).contains(found.pages) && !found.title.isEmpty)
    }

    /// Proves: S71
    @Test("a file that is no store makes opening throw, with its path, and stays as it is", arguments: BadFile.allCases)
    func badFile(_ kind: BadFile) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try kind.make(file)
        let before = try? Data(contentsOf: file)
        let error = #expect(throws: ModelError.self) {
            try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: file))
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(error?.kind == .loadIssueModelContainer && text.contains(file.lastPathComponent), "\(text)")
        #expect((try? Data(contentsOf: file)) == before)
    }

    /// Proves: S104, S105, S30
    @Test("both interfaces change one store at the same time")
    func bothInterfaces() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.insert(Book(title: "Dune", pages: 1))
        try context.save()
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Book.self]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file,
            options: [NSPersistentHistoryTrackingKey: true])
        let below = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        below.persistentStoreCoordinator = coordinator
        below.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let book = try #require(try context.fetch(byTitle).first)
        for number in 1...5 {
            try below.performAndWait {
                let row = try #require(
                    try below.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
                row.setValue("Dune \(number)", forKey: "title")
                try below.save()
            }
            book.pages = number * 10
            try context.save()
        }
        let other = ModelContext(try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: file)))
        let found = try other.fetch(byTitle)
        #expect(found.map(\.title) == ["Dune 5"] && found.map(\.pages) == [50])
    }
}

@ModelActor
private actor Tagger {
    func add(_ tag: PersistentIdentifier, to book: PersistentIdentifier) throws {
        guard let book = self[book, as: Book.self], let tag = self[tag, as: Tag.self] else { return }
        if !book.tags.contains(where: { $0 === tag }) { book.tags.append(tag) }
        book.pages += 1
        try modelContext.save()
    }
}

enum BadFile: CaseIterable {
    case text, headAlone, otherDatabase, folder

    func make(_ file: URL) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch self {
        case .text: try Data("This is no database, but a long text about books.".utf8).write(to: file)
        case .headAlone: try Data("SQLite format 3\0".utf8).write(to: file)
        case .otherDatabase:
            let database = folder.appending(path: "other.store")
            _ = try ModelContainer(for: Ware.self, configurations: ModelConfiguration(url: database))
            var bytes = try Data(contentsOf: database)
            for position in 100..<min(bytes.count, 4096) { bytes[position] = 0xFF }
            try bytes.write(to: file)
        case .folder: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        }
    }
}
