// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models keep their values, in no context, in one, and in a store.

import SwiftData
import Testing

@Suite("Models keep their values")
struct ModelTests {
    /// Proves: S1, S3, S53
    @Test("A model in no context has the values of its initializer, and both ends of its relationships")
    func noContext() {
        let author = Author(name: "Herbert")
        let book = Book(title: "Dune", pages: 412, author: author)
        #expect(book.title == "Dune" && book.pages == 412)
        #expect(book.author === author)
        #expect(author.books.count == 1 && author.books.first === book)
        #expect(book.modelContext == nil)
    }

    /// Proves: S18, S16, S8
    @Test("A saved model is fetched again, and in another context with the same values")
    func saved() throws {
        let container = try ModelContainer(
            for: Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let book = Book(title: "Dune", pages: 412, author: Author(name: "Herbert"), tags: [Tag("desert")])
        book.genre = .novel
        book.words = ["spice", "worm"]
        book.address = Address(city: "Arrakeen", zip: 7)
        context.insert(book)
        try context.save()
        let again = try context.fetch(FetchDescriptor<Book>())
        #expect(again.count == 1 && again.first === book)

        let elsewhere = ModelContext(container)
        let other = try #require(try elsewhere.fetch(FetchDescriptor<Book>()).first)
        #expect(other !== book)
        #expect(other.title == "Dune" && other.pages == 412 && other.genre == .novel)
        #expect(other.words == ["spice", "worm"] && other.address == Address(city: "Arrakeen", zip: 7))
        #expect(other.author?.name == "Herbert" && other.tags.map(\.name) == ["desert"])
    }
}
