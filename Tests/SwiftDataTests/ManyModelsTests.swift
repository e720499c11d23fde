// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches in batches, enumerations, and predicates with equal results in all of them.

import Foundation
import SwiftData
import Testing

@Suite("Many models are fetched a batch at a time")
struct ManyModelsTests {
    private func context(_ count: Int) throws -> ModelContext {
        let context = ModelContext(try Stack.memory())
        for number in 0..<count { context.insert(Book(title: "\(number % 7)", pages: number)) }
        try context.save()
        return context
    }

    private var byPages: FetchDescriptor<Book> { FetchDescriptor(sortBy: [SortDescriptor(\.pages)]) }

    /// Proves: S35
    @Test("a batched fetch is a random-access collection in which unsaved changes count") func batches() throws {
        let saved = try context(100)
        let context = ModelContext(saved.container)
        context.insert(Book(title: "new", pages: 1000))
        let books = try context.fetch(byPages, batchSize: 10)
        #expect(books.count == 101)
        #expect(books[100].title == "new" && books[57].pages == 57 && books[3].pages == 3)
        #expect(books.reversed().prefix(2).map(\.pages) == [1000, 99])
    }

    /// Proves: S38, S100
    @Test("an enumeration holds a batch of models, and keeps changes that are allowed") func enumeration() throws {
        let saved = try context(300)
        let context = ModelContext(saved.container)
        var seen: [Weak] = []
        var most = 0
        try context.enumerate(byPages, batchSize: 20) { book in
            seen.append(Weak(book: book))
            most = max(most, seen.reduce(0) { $0 + ($1.book == nil ? 0 : 1) })
        }
        #expect(seen.count == 300)
        #expect(most <= 60)
        try context.enumerate(byPages, batchSize: 20, allowEscapingMutations: true) { $0.pages += 1 }
        try context.save()
        let other = ModelContext(saved.container)
        #expect(try other.fetch(byPages).map(\.pages) == Array(1...300))
    }

    /// Proves: S98, S97, S28
    @Test("a deletion by a condition waits for the save, and reads no record") func deletion() throws {
        let saved = try context(50)
        let context = ModelContext(saved.container)
        context.author = "cleaner"
        let deleted = Deleted(context)
        try context.delete(model: Book.self, where: #Predicate { $0.pages < 40 })
        #expect(try ModelContext(saved.container).fetchCount(byPages) == 50)
        try context.save()
        #expect(context.managedObjectContext.registeredObjects.isEmpty)
        #expect(deleted.count == 40 && !context.hasChanges)
        #expect(try context.fetch(byPages).map(\.pages) == Array(40..<50))
        #expect(try saved.fetchCount(byPages) == 10)
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(last.author == "cleaner" && last.changes.count == 40)
    }

    /// Proves: S98, S33, S24
    @Test("until then fetches leave the models out, new ones stay, and a rollback takes it back") func marked() throws {
        let saved = try context(10)
        let context = ModelContext(saved.container)
        try context.delete(model: Book.self)
        #expect(context.hasChanges && context.deletedModelsArray.count == 10 && context.hasChanges)
        #expect(try context.fetchCount(byPages) == 0)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(try context.fetchCount(byPages) == 10)

        let other = ModelContext(saved.container)
        try other.delete(model: Book.self)
        other.rollback()
        try other.delete(model: Book.self, where: #Predicate { $0.pages > 900 })
        #expect(!other.hasChanges)
        try other.save()
        #expect(try other.fetchCount(byPages) == 10)
        try other.delete(model: Book.self, where: #Predicate { $0.pages > 4 })
        other.insert(Book(title: "new", pages: 100))
        try other.save()
        #expect(try saved.fetch(byPages).map(\.pages) == [0, 1, 2, 3, 4, 100])
    }

    /// Proves: S98, S51, S23
    @Test("delete rules hold, and a rule that forbids it leaves everything") func rules() throws {
        let library = try Stack.library()
        let context = ModelContext(library.container)
        try context.delete(model: Author.self, where: #Predicate { $0.name == "Eco" })
        try context.save()
        #expect(try library.fetch(byPages).map(\.title) == ["Dune"])

        let container = try ModelContainer(
            for: Harbour.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let filled = ModelContext(container)
        let harbour = Harbour(name: "Bergen")
        harbour.ships = [Ship(name: "Fram")]
        filled.insert(harbour)
        try filled.save()
        let fresh = ModelContext(container)
        try fresh.delete(model: Harbour.self)
        let error = #expect(throws: ModelError.self) { try fresh.save() }
        #expect(error?.kind == .modelValidationFailure && fresh.hasChanges)
        fresh.rollback()
        #expect(try fresh.fetchCount(FetchDescriptor<Harbour>()) == 1)
    }

    /// Proves: S38
    @Test("a change in an enumeration that does not allow it stops debug builds", .enabled(if: isDebug)) func trap()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Stack.library()
            try context.enumerate(FetchDescriptor<Book>()) { $0.pages = 1 }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("allowEscapingMutations: true"))
    }

    /// Proves: S46
    @Test("a predicate has one meaning: in a file, in memory, over unsaved models and by itself", arguments: 0..<6)
    func oneMeaning(_ seed: Int) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let schema = Schema([Author.self])
        let inFile = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: file)))
        let inMemory = ModelContext(
            try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let unsaved = ModelContext(inMemory.container)
        var models: [Book] = []
        for context in [inFile, inMemory] {
            models = fill(context, seed)
            try context.save()
        }
        for predicate in predicates(seed) {
            let expected = try models.filter { try predicate.evaluate($0) }.map(\.title).sorted()
            let descriptor = FetchDescriptor(predicate: predicate)
            for context in [inFile, inMemory, ModelContext(inFile.container), ModelContext(inMemory.container)] {
                #expect(try context.fetch(descriptor).map(\.title).sorted() == expected)
            }
        }
        try inMemory.container.erase()
        models = fill(unsaved, seed)
        for predicate in predicates(seed) {
            let expected = try models.filter { try predicate.evaluate($0) }.map(\.title).sorted()
            #expect(try unsaved.fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted() == expected)
        }
    }

    private func fill(_ context: ModelContext, _ seed: Int) -> [Book] {
        var state = UInt64(seed + 1)
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let authors = ["Eco", "Herbert", "éco"].map { Author(name: $0) }
        return (0..<40).map { number in
            let book = Book(title: "\(["Dune", "dune", "Rosé", "", "50%_"][next(5)]) \(number)", pages: next(10) - 3)
            context.insert(book)
            if next(3) > 0 { book.author = authors[next(3)] }
            if next(2) > 0 { book.genre = Genre.allCases[next(3)] }
            if next(2) > 0 {
                book.address = Address(city: ["Oslo", "Rome"][next(2)], zip: next(2) > 0 ? next(3) : nil)
            }
            book.tags = (0..<next(3)).map { Tag("t\($0)") }
            return book
        }
    }

    private func predicates(_ seed: Int) -> [Predicate<Book>] {
        let (number, genre) = (seed - 2, Genre.allCases[seed % 3])
        return [
            #Predicate { $0.pages > number && !$0.title.isEmpty },
            #Predicate { $0.title.contains("une") || $0.pages == number },
            #Predicate { $0.title.starts(with: "50%_") },
            #Predicate { $0.author?.name == "Eco" },
            #Predicate { $0.author == nil },
            #Predicate { ($0.author?.books.count ?? 0) > 12 },
            #Predicate { $0.genre == genre },
            #Predicate { $0.address?.zip == nil },
            #Predicate { $0.address?.city == "Oslo" && $0.pages < 4 },
            #Predicate { $0.tags.contains { $0.name == "t1" } },
            #Predicate { $0.tags.count == 2 },
            #Predicate { $0.pages * 2 + 1 >= number },
        ]
    }
}

@Model
final class Harbour {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Ship.harbour) var ships: [Ship] = []

    init(name: String) { self.name = name }
}

@Model
final class Ship {
    var name: String
    var harbour: Harbour?

    init(name: String) { self.name = name }
}

/// Counts the deletions that a context announces.
private final class Deleted: @unchecked Sendable {
    private(set) var count = 0
    private var token: (any NSObjectProtocol)?

    init(_ context: ModelContext) {
        token = NotificationCenter.default.addObserver(
            forName: ModelContext.didSave, object: context, queue: nil
        ) { [weak self] note in
            let key = ModelContext.NotificationKey.deletedIdentifiers.rawValue
            self?.count += (note.userInfo?[key] as? [PersistentIdentifier])?.count ?? 0
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}

private struct Weak {
    weak var book: Book?
}

private let isDebug: Bool = {
    #if DEBUG
        true
    #else
        false
    #endif
}()
