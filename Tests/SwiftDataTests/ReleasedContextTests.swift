// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models of a context that the program has released.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("Models outlive their context")
struct ReleasedContextTests {
    private var byTitle: FetchDescriptor<Book> { FetchDescriptor(sortBy: [SortDescriptor(\.title)]) }

    /// - Parameter file: nil for a container in memory.
    private func library(_ file: URL?) throws -> ModelContainer {
        guard let file else { return try Stack.library().container }
        let container = try ModelContainer(
            for: Schema([Author.self, Animal.self, Dog.self]), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let eco = Author(name: "Eco")
        context.insert(Book(title: "Dune", pages: 412, author: Author(name: "Herbert"), tags: [Tag("desert")]))
        context.insert(Book(title: "Lists", pages: 90, author: eco))
        context.insert(Book(title: "The Rose", pages: 500, author: eco))
        try context.save()
        return container
    }

    private func firstBook(_ container: ModelContainer) throws -> Book? {
        try ModelContext(container).fetch(byTitle).first
    }

    /// Proves: S29
    @Test("models of a released context read attributes and relationships", arguments: [true, false])
    func reading(isInMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let container = try library(isInMemory ? nil : file)
        let titles = try ModelContext(container).fetch(byTitle).map(\.title)
        let books = try ModelContext(container).fetch(byTitle)
        let dune = try firstBook(container)
        #expect(titles == ["Dune", "Lists", "The Rose"])
        #expect(books.map(\.title) == titles)
        #expect(books.compactMap(\.author?.name) == ["Herbert", "Eco", "Eco"])
        #expect(books[0].tags.map(\.name) == ["desert"])
        #expect(Set(books[1].author?.books.map(\.title) ?? []) == ["Lists", "The Rose"])
        #expect(books[1].author?.books.contains { $0 === books[2] } == true)
        #expect(books[1].author === books[2].author)
        #expect(dune?.pages == 412 && dune?.author?.books.first === dune)
    }

    /// Proves: S29
    @Test("a model keeps the store of a released container open") func container() throws {
        var context: ModelContext? = try Stack.library()
        weak let coordinator = context?.container.persistentStoreCoordinator
        var author = try context?.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).first
        context = nil
        #expect(author?.books.map(\.title).sorted() == ["Lists", "The Rose"])
        #expect(coordinator != nil)
        author = nil
        #expect(coordinator == nil)
    }

    /// Proves: S29
    @Test("unsaved changes end with their context: values are those of the record, and insertions are new models")
    func unsaved() throws {
        let container = try Stack.library().container
        var context: ModelContext? = ModelContext(container)
        let books = try #require(try context?.fetch(byTitle))
        let new = Book(title: "New", author: books[0].author)
        books[0].title = "Changed"
        books[0].author = books[1].author
        context?.insert(new)
        context?.delete(books[2])
        context = nil
        #expect(books.map(\.title) == ["Dune", "Lists", "The Rose"])
        #expect(books[0].author?.name == "Herbert" && !books[2].isDeleted)
        #expect(books.allSatisfy { !$0.hasChanges })
        #expect(new.title == "New" && new.modelContext == nil)
        let other = ModelContext(container)
        other.insert(new)
        try other.save()
        #expect(try ModelContext(container).fetch(byTitle).map(\.title) == ["Dune", "Lists", "New", "The Rose"])
    }

    /// How models without a handle refer to one another, or have changes.
    enum Tie: CaseIterable {
        case none, circle, change, insertion, laterHandle, sharedRow

        func callAsFunction(_ book: Book) throws {
            switch self {
            case .none: break
            case .circle: _ = book.author?.books.first?.author?.books.count
            case .change: book.title = "Changed"
            case .insertion: book.tags.append(Tag("new"))
            case .laterHandle:
                let context = try #require(book.modelContext)
                book.title = "Changed"
                context.insert(Book(title: "New", author: book.author))
                _ = try context.fetch(FetchDescriptor<Author>())
            case .sharedRow:
                let context = try #require(book.modelContext)
                let author = Author(name: book.author?.name ?? "")
                author.books = book.author?.books ?? []
                context.insert(author)
                try context.save()
                author.born = Date(timeIntervalSinceReferenceDate: 1)
            }
        }
    }

    /// Proves: S29
    @Test(
        "the end of the last model ends the engine of a released context, also with changes and circles",
        arguments: Tie.allCases)
    func noLeak(_ tie: Tie) throws {
        weak var coordinator: NSPersistentStoreCoordinator?
        weak var engine: NSManagedObjectContext?
        var later: Book?
        do {
            let context = try Stack.library()
            coordinator = context.container.persistentStoreCoordinator
            engine = context.managedObjectContext
            later = try context.fetch(byTitle).first
            // The circle is read before the context is released, too.
            _ = later?.author?.books.first?.author
        }
        #expect(coordinator != nil && engine != nil)
        try tie(try #require(later))
        #expect(later?.author?.name == "Herbert")
        later = nil
        #expect(engine == nil)
        #expect(coordinator == nil)
    }

    /// Proves: S29
    @Test("a context without models ends at once, with its changes") func withoutModels() throws {
        let container = try Stack.library().container
        weak var engine: NSManagedObjectContext?
        do {
            let context = ModelContext(container)
            engine = context.managedObjectContext
            for book in try context.fetch(byTitle) { book.author?.books.first?.pages += 1 }
            context.insert(Author(name: "New"))
        }
        #expect(engine == nil)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 2)
    }

    /// Proves: S29
    @Test("the last model may end on another thread, and in a release of thousands") func otherThread() throws {
        let container = try Stack.memory()
        let maker = ModelContext(container)
        for number in 0..<3000 { maker.insert(Tag("\(number)")) }
        try maker.save()
        weak var engine: NSManagedObjectContext?
        let box = TagBox()
        do {
            let context = ModelContext(container)
            engine = context.managedObjectContext
            box.tags = try context.fetch(FetchDescriptor<Tag>())
        }
        #expect(Set(box.tags.map(\.name)).count == 3000)
        let thread = Thread { box.tags = [] }
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        #expect(engine == nil)
    }

    private final class TagBox: @unchecked Sendable {  // used by one thread after another
        var tags: [Tag] = []
    }

    /// Proves: S29
    @Test("a model gives a context in the place of the released one, which saves changes and deletions")
    func laterHandle() throws {
        let container = try Stack.library().container
        let book = try #require(try firstBook(container))
        let context = try #require(book.modelContext)
        #expect(context === book.modelContext && context === book.author?.modelContext)
        #expect(context.container === container)
        book.title = "Arrakis"
        try book.modelContext?.save()
        #expect(try ModelContext(container).fetch(byTitle).map(\.title) == ["Arrakis", "Lists", "The Rose"])
        book.modelContext?.delete(book)
        try book.modelContext?.save()
        #expect(book.isDeleted && book.modelContext == nil && book.title == "Arrakis")
        #expect(try ModelContext(container).fetchCount(byTitle) == 2)
    }

    /// Proves: S29, S31
    @Test("a context in the place of a released one has the later saves of others; without it models read as before")
    func savesOfOthers() throws {
        let container = try Stack.library().container
        let books = try ModelContext(container).fetch(byTitle)
        #expect(books.map(\.pages) == [412, 90, 500])
        let other = ModelContext(container)
        let others = try other.fetch(byTitle)
        others[0].pages = 1
        other.delete(others[1])
        try other.save()
        #expect(books.map(\.pages) == [412, 90, 500])
        let context = try #require(books[0].modelContext)
        #expect(try context.fetch(byTitle).map(\.pages) == [1, 500])
        #expect(books[0].pages == 1 && books[1].isDeleted)
        others[2].pages = 2
        try other.save()
        #expect(try context.fetch(byTitle).map(\.pages) == [1, 2])
        #expect(books[2].pages == 2)
    }

    /// Proves: S29
    @Test("results in batches are read after their context has gone") func batches() throws {
        let container = try Stack.library().container
        let books = try ModelContext(container).fetch(byTitle, batchSize: 1)
        #expect(books.map(\.title) == ["Dune", "Lists", "The Rose"])
        #expect(books.compactMap(\.author?.name) == ["Herbert", "Eco", "Eco"])
    }

    /// Proves: S105
    @Test("the context below goes on with its changes, if the program holds it") func contextBelow() throws {
        let container = try Stack.library().container
        var context: ModelContext? = ModelContext(container)
        let below = try #require(context?.managedObjectContext)
        let book = try #require(try context?.fetch(byTitle).first)
        book.title = "Arrakis"
        context = nil
        #expect(book.title == "Arrakis" && below.hasChanges)
        try below.save()
        #expect(try ModelContext(container).fetch(byTitle).map(\.title) == ["Arrakis", "Lists", "The Rose"])
    }

    /// Decided by `ModelContext.delete(_:)` of SwiftData with a model of another context: a trap, or no effect.
    /// Proves: S54
    @Test("a model of another context cannot be deleted: the program stops with a sentence", .tags(.assumed))
    func foreignDeletion() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let container = try Stack.library().container
            let books = try ModelContext(container).fetch(FetchDescriptor<Book>())
            ModelContext(container).delete(books[0])
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("belongs to another context: delete it there, or `context.model(for:"))
    }
}
