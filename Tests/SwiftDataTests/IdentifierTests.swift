// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifiers in predicates and orders, and those from before a save.

import Foundation
import SwiftData
import Testing

@Suite("Identifiers choose and order records")
struct IdentifierTests {
    private func library() throws -> (context: ModelContext, all: [Book]) {
        let context = try Stack.library()
        return (context, try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])))
    }

    private func titles(_ context: ModelContext, _ predicate: Predicate<Book>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    /// Proves: S40
    @Test("`id` of a class that declares none is the identifier, as such, in lists and through to-ones")
    func identifiableID() throws {
        let (context, all) = try library()
        let (id, ids) = (all[0].id, Set(all.dropFirst().map(\.id)))
        let author = try #require(all[0].author?.id)
        let (authors, name): ([PersistentIdentifier?], _) = ([author, nil], id.id)
        #expect(try titles(context, #Predicate { $0.id == id }) == ["Dune"])
        #expect(try titles(context, #Predicate { $0.id != id }) == ["Lists", "The Rose"])
        #expect(try titles(context, #Predicate { ids.contains($0.id) }) == ["Lists", "The Rose"])
        #expect(try titles(context, #Predicate { $0.author?.id == author }) == ["Dune"])
        #expect(try titles(context, #Predicate { authors.contains($0.author.flatMap { $0.id }) }) == ["Dune"])
        #expect(try titles(context, #Predicate { $0.id.id == name }) == ["Dune"])
        #expect(try titles(context, #Predicate { $0.author.flatMap { $0.id } == author }) == ["Dune"])
        #expect(try context.fetchIdentifiers(FetchDescriptor<Book>(predicate: #Predicate { $0.id == id })) == [id])
    }

    /// Proves: S37, S40
    @Test("An order by identifiers is that of creation, unsaved models last")
    func order() throws {
        let context = ModelContext(try Stack.memory())
        for title in ["a", "b"] {
            context.insert(Book(title: title, author: Author(name: title == "a" ? "z" : "y")))
            try context.save()
        }
        context.insert(Book(title: "c", author: Author(name: "x")))
        for _ in 0..<2 {
            func titles(_ order: SortDescriptor<Book>...) throws -> [String] {
                try context.fetch(FetchDescriptor<Book>(sortBy: order)).map(\.title)
            }
            #expect(try titles(SortDescriptor(\.persistentModelID)) == ["a", "b", "c"])
            #expect(try titles(SortDescriptor(\.id, order: .reverse)) == ["c", "b", "a"])
            #expect(try titles(SortDescriptor(\.id), SortDescriptor(\.title, order: .reverse)) == ["a", "b", "c"])
            #expect(try titles(SortDescriptor(\.author?.id, order: .reverse)) == ["c", "b", "a"])
            let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
            #expect(books.reversed().sorted { $0.id < $1.id }.map(\.title) == ["a", "b", "c"])
            try context.save()
        }
    }

    /// Proves: S13, S15, S40
    @Test("An identifier that was encoded before the save finds the model before the save and after it")
    func encodedBeforeTheSave() throws {
        let context = ModelContext(try Stack.memory())
        let (book, other) = (Book(title: "a"), Book(title: "b"))
        context.insert(book)
        context.insert(other)
        let data = try JSONEncoder().encode(book.persistentModelID)
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let copy = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
            let copies = [copy]
            #expect(copy == book.persistentModelID && copy.hashValue == book.persistentModelID.hashValue)
            #expect(copy != other.persistentModelID)
            #expect(try titles(context, #Predicate { $0.persistentModelID == copy }) == ["a"])
            #expect(try titles(context, #Predicate { copies.contains($0.id) }) == ["a"])
            let registered: Book? = context.registeredModel(for: copy)
            #expect(registered === book)
            #expect(context.model(for: copy) === book)
            #expect(copy.entityName == "Book" && (copy.storeIdentifier != nil) == isSaved)
        }
        let elsewhere = ModelContext(context.container)
        let copy = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        let found: Book = try elsewhere.existingModel(for: copy)
        #expect(found.title == "a")
    }

    /// Proves: S13
    @Test("An identifier of an unsaved record of another process finds nothing")
    func otherProcess() throws {
        let context = ModelContext(try Stack.memory())
        let book = Book(title: "a")
        context.insert(book)
        let text = String(decoding: try JSONEncoder().encode(book.persistentModelID), as: UTF8.self)
        let key = try #require(text.firstMatch(of: /"primaryKey":"(t[0-9]+)-/)?.1)
        let foreign = text.replacing(/"t[0-9]+-[^"]*"/, with: "\"\(key)-00000000\"")
        let copy = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(foreign.utf8))
        #expect(copy != book.persistentModelID)
        let registered: Book? = context.registeredModel(for: copy)
        #expect(registered == nil)
        #expect(try titles(context, #Predicate { $0.persistentModelID == copy }) == [])
    }
}
