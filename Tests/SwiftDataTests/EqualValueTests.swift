// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Properties that are set to their present value.

import Foundation
import SwiftData
import Testing

@Suite("A value that equals the present one is no change")
struct EqualValueTests {
    /// Sets properties to equal values.
    enum Setting: CaseIterable {
        case text, number, unsetOptional, enumeration, structure, words, toOne, toMany, noToOne
        case boolean, float, date, data, decimal, url, uuid

        func callAsFunction(_ book: Book, _ kind: AllKinds) {
            switch self {
            case .text: book.title = "Du" + "ne"
            case .number: book.pages = 412
            case .unsetOptional: kind.text = nil
            case .enumeration: book.genre = .novel
            case .structure: book.address = Address(city: "Arrakeen", zip: 7)
            case .words: book.words = book.words
            case .toOne: book.author = book.author
            case .toMany: book.tags = book.tags
            case .noToOne: kind.other = nil
            case .boolean: kind.isOn = true
            case .float: kind.float = 1.5
            case .date: kind.date = Date(timeIntervalSinceReferenceDate: 1)
            case .data: kind.data = Data([1, 2])
            case .decimal: kind.decimal = Decimal(string: "1.50") ?? 0
            case .url: kind.url = URL(string: "https://example.org/a")
            case .uuid: kind.uuid = AllKinds.uuid
            }
        }
    }

    private func saved() throws -> (ModelContext, Book, AllKinds) {
        let context = ModelContext(
            try ModelContainer(
                for: Book.self, AllKinds.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let book = Book(title: "Dune", pages: 412, author: Author(name: "Herbert"), tags: [Tag("desert")])
        book.genre = .novel
        book.address = Address(city: "Arrakeen", zip: 7)
        book.words = ["sand", "spice"]
        let kind = AllKinds()
        context.insert(book)
        context.insert(kind)
        try context.save()
        return (context, book, kind)
    }

    /// Proves: S20
    @Test("of every kind of property, in the context of the insertion and in another one", arguments: Setting.allCases)
    func equal(_ set: Setting) throws {
        let (context, book, kind) = try saved()
        set(book, kind)
        #expect(!context.hasChanges && !book.hasChanges && !kind.hasChanges)
        #expect(context.changedModelsArray.isEmpty)
        let other = ModelContext(context.container)
        let fetched = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        let fetchedKind = try #require(try other.fetch(FetchDescriptor<AllKinds>()).first)
        set(fetched, fetchedKind)
        #expect(!other.hasChanges && !fetched.hasChanges)
    }

    /// Proves: S20
    @Test("another value is a change, also nil; the present value after it is no change for the file")
    func different() throws {
        let (context, book, kind) = try saved()
        book.pages = 413
        #expect(context.hasChanges && book.hasChanges)
        try context.save()
        book.genre = nil
        kind.text = ""
        #expect(book.hasChanges && kind.hasChanges)
        try context.save()
        let other = ModelContext(context.container)
        let fetched = try #require(try other.fetch(FetchDescriptor<Book>()).first)
        #expect(fetched.pages == 413 && fetched.genre == nil)
        #expect(try other.fetch(FetchDescriptor<AllKinds>()).first?.text == "")
        fetched.address?.zip = 8
        fetched.words.append("worm")
        #expect(fetched.hasChanges)
        try other.save()
        #expect(book.address?.zip == 7)
        _ = context.hasChanges
        #expect(book.address?.zip == 8 && book.words == ["sand", "spice", "worm"])
    }
}

@Model
final class AllKinds {
    static let uuid = UUID()
    var text: String?
    var isOn = true
    var float: Float = 1.5
    var date = Date(timeIntervalSinceReferenceDate: 1)
    var data = Data([1, 2])
    var decimal: Decimal = Decimal(string: "1.5") ?? 0
    var url = URL(string: "https://example.org/a")
    var uuid: UUID = AllKinds.uuid
    @Relationship(inverse: nil) var other: AllKinds?

    init() {}
}
