// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what seeds promise: objects by name, references, the tool's format, and errors that name the place.

import CoreData
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Testing

/// Proves: Testing-D1 to D4
@Suite("Seeds") struct SeedTests {
    @Test("a literal names objects, and links them by their names", arguments: StoreKind.all)
    func literal(kind: StoreKind) throws {
        let seed: Seed = [
            "Book/dune": [
                "title": "Dune", "pages": 412, "price": "9.5", "rating": 4.5, "inPrint": false,
                "published": "1965-08-01T00:00:00Z", "cover": Data([1, 2]), "author": "Author/herbert",
                "tags": ["Tag/a", "Tag/b"], "chapters": ["Chapter/2", "Chapter/1"],
            ],
            "Author/herbert": ["name": "Frank Herbert", "born": Date(timeIntervalSinceReferenceDate: -2_547_331_200)],
            "Tag/a": ["name": "a"], "Tag/b": ["name": "b"],
            "Chapter/1": ["heading": "one"], "Chapter/2": ["heading": "two"],
        ]
        let shop = try Bookshop(in: kind)
        let objects = try seed.insert(into: shop.context)
        #expect(Set(objects.keys) == Set(seed.names))
        #expect((objects["Book/dune"] as? Book)?.chapters.map(\.heading) == ["two", "one"])
        try shop.context.save()
        try StoreContents(of: shop.stack.coordinator, entities: ["Book", "Author"]).verify(
            """
            Author "Frank Herbert"
              books: Book "Dune"
              born: 1920-04-13T00:00:00Z
              name: "Frank Herbert"
            Book "Dune"
              author: Author "Frank Herbert"
              cover: <0102>
              inPrint: false
              pages: 412
              price: 9.5
              published: 1965-08-01T00:00:00Z
              rating: 4.5
              title: "Dune"
            """)
    }

    /// Calls the body with a file of this text.
    private static func withFile<T>(_ text: String, _ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Seed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data([7, 8, 9]).write(to: folder.appending(path: "cover"))
        let file = folder.appending(path: "books.jsonl")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return try body(file)
    }

    @Test("a file of JSON Lines has the same objects, with names or keys, and data in files")
    func lines() throws {
        let shop = try Bookshop(in: .inMemory)
        let seed = try Self.withFile(
            """
            {"objectID": "Book/dune", "title": "Dune", "pages": 412, "author": "Author/3", "cover": {"file": "cover"}}

            {"objectID": "Author/3", "name": "Frank Herbert", "born": "1920-10-08T00:00:00Z"}
            """
        ) { file in
            let seed = try Seed(contentsOf: file)
            try seed.insert(into: shop.context)
            return seed
        }
        #expect(seed.names == ["Book/dune", "Author/3"])
        let book = try #require(try shop.context.fetch(Book.request()).first)
        #expect(book.author?.name == "Frank Herbert" && book.pages == 412)
        #expect(book.value(forKey: "cover") as? Data == Data([7, 8, 9]))
    }

    @Test(
        "an object that does not fit is named with file, line, property and reason",
        arguments: [
            (
                "{\"objectID\": \"Book/1\", \"titel\": \"Dune\"}",
                "books.jsonl:1: Book/1: 'titel': Book has no such property."
            ),
            (
                "{\"objectID\": \"Bok/1\"}",
                "books.jsonl:1: Bok/1: The model has no entity 'Bok' of which objects can be made."
            ),
            (
                "{\"objectID\": \"Book/1\", \"pages\": \"many\"}",
                "books.jsonl:1: Book/1: 'pages': 'many' is no value of the kind 'integer'."
            ),
            (
                "{\"objectID\": \"Book/1\", \"author\": \"Author/2\"}",
                "books.jsonl:1: Book/1: 'author': The seed has no object 'Author/2'."
            ),
            (
                "{\"objectID\": \"Book/1\", \"author\": \"Book/1\"}",
                "books.jsonl:1: Book/1: 'author': 'Book/1' is no Author."
            ),
            (
                "{\"objectID\": \"Book/1\", \"author\": [\"Author/1\", \"Author/2\"]}",
                "books.jsonl:1: Book/1: 'author': The value is no name of an object."
            ),
            (
                "\n{\"objectID\": \"Book/1\"}\n{\"objectID\": \"Book/1\"}",
                "books.jsonl:3: Book/1: The seed has two objects of this name."
            ),
            (
                "{\"objectID\": \"Book/1\", \"cover\": {\"file\": \"../cover\"}}",
                "books.jsonl:1: Book/1: 'cover': '../cover' is a file outside of the export."
            ),
        ])
    func misfits(text: String, message: String) throws {
        let shop = try Bookshop(in: .inMemory)
        let error = #expect(throws: SeedError.self) {
            try Self.withFile(text) { _ = try Seed(contentsOf: $0).insert(into: shop.context) }
        }
        #expect(error?.description == message)
    }

    @Test("a file that is no JSON is refused with its line")
    func hostileFile() throws {
        let error = #expect(throws: SeedError.self) {
            try Self.withFile("{\"objectID\": \"Book/1\"}\n{\"objectID\": ") { _ = try Seed(contentsOf: $0) }
        }
        #expect(error?.description.hasPrefix("books.jsonl:2: ") == true)
        #expect(throws: SeedError.self) { try Seed(contentsOf: URL(fileURLWithPath: "/nowhere/books.jsonl")) }
    }
}
