// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The backing data of a model, stored constants, and contexts that are used on a wrong thread.

import Foundation
import SwiftData
import Testing

@Model
final class Coin {
    static let mint = "Bern"
    let serial: UUID
    let year: Int
    lazy var label = "\(year)"
    var isOld: Bool { year < 1900 }

    init(year: Int) {
        serial = UUID()
        self.year = year
    }
}

@Model
class Money {
    let id = UUID()
    let printed: Date = .now
    var value: Int

    init(value: Int) { self.value = value }
}

@Model
final class Banknote: Money {
    let number = "\(UUID())"
    var isTorn = false

    override init(value: Int) { super.init(value: value) }
}

@Suite("Backing data of models")
struct BackingTests {
    /// Proves: S12
    @Test("Code of other macros reads and writes by key path")
    func keyPaths() throws {
        let book = Book(title: "Dune", pages: 412)
        #expect(book.getValue(forKey: \.title) == "Dune")
        book.setValue(forKey: \.pages, to: 500)
        #expect(book.pages == 500)
        #expect(book.persistentBackingData.getValue(forKey: \.pages) == 500)
        book._$backingData.setValue(forKey: \.author, to: Author(name: "Herbert"))
        #expect(book.author?.name == "Herbert")
        #expect(book.persistentBackingData.persistentModelID == book.persistentModelID)
    }

    /// Proves: S12
    @Test("New values make a model, which is saved as any other")
    func creation() throws {
        let values: any BackingData<Book> = Book.createBackingData()
        values.setValue(forKey: \.title, to: "Lists")
        values.setValue(forKey: \.genre, to: .essay)
        let context = ModelContext(try Stack.memory())
        let book = Book(backingData: values)
        context.insert(book)
        try context.save()
        let fresh = ModelContext(context.container)
        let found = try fresh.fetch(FetchDescriptor<Book>())
        #expect(found.map(\.title) == ["Lists"] && found.map(\.genre) == [.essay])
    }

    /// Proves: S2
    @Test("Constants are properties; static, lazy and computed ones are not")
    func constants() throws {
        let container = try ModelContainer(
            for: Coin.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let entity = try #require(container.schema.entity(for: Coin.self))
        #expect(Set(entity.attributesByName.keys) == ["serial", "year"])
        let context = ModelContext(container)
        let coin = Coin(year: 1850)
        context.insert(coin)
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Coin>()).first)
        #expect(found.serial == coin.serial && found.year == 1850 && found.isOld && found.label == "1850")
    }

    /// Proves: S2, S3
    @Test("A constant with an initial value has that of its record, in subclasses too")
    func constantsWithValues() throws {
        let container = try ModelContainer(
            for: Banknote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let notes = [Banknote(value: 5), Banknote(value: 10)]
        for note in notes { context.insert(note) }
        #expect(notes[0].id != notes[1].id)
        try context.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<Banknote>(sortBy: [SortDescriptor(\.value)]))
        #expect(found.map(\.id) == notes.map(\.id) && found.map(\.printed) == notes.map(\.printed))
        #expect(found.map(\.number) == notes.map(\.number))
        let id = notes[1].id
        #expect(try other.fetch(FetchDescriptor<Banknote>(predicate: #Predicate { $0.id == id })).map(\.value) == [10])
    }

    /// Proves: S59
    @Test("The main context off the main actor stops the program with a sentence")
    func ownership() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = Lent(value: try await Lent.main())
            await Task.detached { _ = context.value.hasChanges }.value
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("is used off its queue: it belongs to the main queue"), "\(text)")
    }

    /// Proves: S59
    @Test("So does a model of the main context")
    func modelOwnership() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = Lent(value: try await Lent.main())
            let tag = await MainActor.run { Lent(value: insertedTag(context.value)) }
            await Task.detached { tag.value.name = "b" }.value
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("is used off its queue: it belongs to the main queue"), "\(text)")
    }
}

private func insertedTag(_ context: ModelContext) -> Tag {
    let tag = Tag("a")
    context.insert(tag)
    return tag
}

/// Breaks the rule of the tests above.
private struct Lent<Value>: @unchecked Sendable {
    let value: Value
}

extension Lent where Value == ModelContext {
    static func main() async throws -> ModelContext {
        let container = try Stack.memory()
        return await MainActor.run { Lent(value: container.mainContext) }.value
    }
}
