// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Histories, configurations, schemas.

import Dispatch
import Foundation
import SwiftData
import Testing

@Suite("Stores have a history, and configurations are checked")
struct StoreTests {
    /// Proves: S93, S94, S95
    @Test("The history has transactions with authors and changes in order")
    func history() throws {
        let context = ModelContext(try Stack.memory())
        context.author = "tests"
        let tag = Tag("a")
        context.insert(tag)
        try context.save()
        let first = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(first.author == "tests" && first.changes.count == 1)
        tag.name = "b"
        try context.save()
        let id = tag.persistentModelID
        context.delete(tag)
        try context.save()
        let token = first.token
        let later = try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        #expect(later.count == 2)
        #expect(later.allSatisfy { $0.changes.map(\.changedPersistentIdentifier) == [id] })
        guard case .update(let update)? = later.first?.changes.first, case .delete? = later.last?.changes.first else {
            Issue.record("an update and a deletion")
            return
        }
        #expect((update as? DefaultHistoryUpdate<Tag>)?.updatedAttributes.map { $0 as AnyKeyPath } == [\Tag.name])
    }

    /// Proves: S96
    @Test("A deleted history is gone")
    func deletedHistory() throws {
        let context = try Stack.library()
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    }

    /// Proves: S96
    @Test("A token from before a deletion of the history has expired")
    func expiredToken() throws {
        let context = try Stack.library()
        let all = HistoryDescriptor<DefaultHistoryTransaction>()
        let token = try #require(try context.fetchHistory(all).last?.token)
        let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
        #expect(try context.fetchHistory(later).isEmpty)
        for name in ["a", "b"] {
            context.insert(Tag(name))
            try context.save()
        }
        #expect(try context.fetchHistory(later).count == 2)
        try context.deleteHistory(all)
        let error = try #require(#expect(throws: ModelError.self) { try context.fetchHistory(later) })
        #expect(error.kind == .historyTokenExpired)
    }

    /// Proves: S67
    @Test("A store that may not be saved is read")
    func readOnly() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let writing = ModelContext(try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file)))
        writing.insert(Tag("a"))
        try writing.save()
        let reading = ModelContext(
            try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file, allowsSave: false)))
        let tag = try #require(try reading.fetch(FetchDescriptor<Tag>()).first)
        tag.name = "b"
        #expect(throws: (any Error).self) { try reading.save() }
    }

    /// Proves: S68
    @Test("Two configurations of one name or file, long names and slashes are refused")
    func configurations() throws {
        let error = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Tag.self, configurations: ModelConfiguration("a", isStoredInMemoryOnly: true),
                ModelConfiguration("a", isStoredInMemoryOnly: true))
        }
        #expect(error?.kind == .duplicateConfiguration)
        let file = Stack.file()
        defer { Stack.remove(file) }
        let oneFile = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Tag.self, Coin.self,
                configurations: ModelConfiguration("tags", schema: Schema([Tag.self]), url: file),
                ModelConfiguration("coins", schema: Schema([Coin.self]), url: file))
        }
        #expect(oneFile?.kind == .duplicateConfiguration && oneFile?.description.contains(file.path) == true)
        let foreign = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Tag.self,
                configurations: ModelConfiguration(schema: Schema([Coin.self]), isStoredInMemoryOnly: true))
        }
        #expect(foreign?.kind == .configurationSchemaNotFoundInContainerSchema)
        #expect(foreign?.description.contains("Coin") == true)
        #expect(throws: ModelError.self) { try ModelConfiguration("a/b").validate() }
        #expect(throws: ModelError.self) { try ModelConfiguration(String(repeating: "a", count: 300)).validate() }
    }

    /// Proves: S70
    @Test("An erased container goes on with an empty store")
    func erase() throws {
        let context = try Stack.library()
        try context.container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
        context.insert(Tag("new"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    }

    /// Proves: S72, S66, S48
    @Test("A schema describes entities, inverses and constraints, and round-trips through a file")
    func schema() throws {
        let schema = Schema([Author.self])
        #expect(Set(schema.entities.map(\.name)) == ["Author", "Book", "Tag"])
        #expect(schema.entity(for: Book.self)?.relationshipsByName["author"]?.inverseName == "books")
        #expect(schema.entity(for: Tag.self)?.relationshipsByName["books"]?.inverseName == "tags")
        #expect(schema.entity(for: Author.self)?.uniquenessConstraints == [["name"]])
        #expect(schema.entity(for: Book.self)?.indices == [["title"], ["title", "pages"]])
        let file = Stack.file()
        defer { Stack.remove(file) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try schema.save(to: file)
        let read = try Schema.load(from: file)
        #expect(
            read.entitiesByName.mapValues(\.attributesByName.count)
                == schema.entitiesByName.mapValues(\.attributesByName.count))
        #expect(read.entitiesByName["Book"]?.relationships == schema.entitiesByName["Book"]?.relationships)
    }

    /// Proves: S86, S26
    @Test("The main context saves by itself")
    @MainActor
    func autosave() async throws {
        let container = try Stack.memory()
        #expect(container.mainContext.autosaveEnabled)
        container.mainContext.insert(Tag("a"))
        for _ in 0..<100 where container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!container.mainContext.hasChanges)
    }

    /// Returns when the main queue has run all that was put into it before.
    @MainActor
    private static func runMainQueue() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    /// Proves: S86, S26
    @Test("The main context saves by itself again after every later change")
    @MainActor
    func repeatedAutosave() async throws {
        let container = try Stack.memory()
        let tag = Tag("a")
        container.mainContext.insert(tag)
        for name in ["b", "c", "d"] {
            await Self.runMainQueue()
            let stored = try ModelContext(container).fetch(FetchDescriptor<Tag>())
            #expect(stored.map(\.name) == [tag.name])
            tag.name = name
        }
    }

    /// Proves: S98, S26
    @Test("The main context saves a deletion by a condition by itself, without another change")
    @MainActor
    func autosavedDeletion() async throws {
        let container = try Stack.memory()
        let other = ModelContext(container)
        for name in ["a", "b"] { other.insert(Tag(name)) }
        try other.save()
        try container.mainContext.delete(model: Tag.self, where: #Predicate { $0.name == "a" })
        await Self.runMainQueue()
        #expect(try other.fetch(FetchDescriptor<Tag>()).map(\.name) == ["b"])
    }
}
