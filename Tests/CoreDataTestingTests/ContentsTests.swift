// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what the text of a store's contents promises: equal texts for equal contents, in every kind of store.

import CoreData
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Testing

/// Proves: Testing-S1 to S5
@Suite("Contents of stores as text") struct ContentsTests {
    @Test("an object is its entity, its name, and its values by name")
    func form() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune \"1\"", pages: 412, by: shop.author("Frank Herbert"))
        book.setValue(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "published")
        book.setValue(Data(repeating: 9, count: 40), forKey: "cover")
        book.setValue(NSDecimalNumber(string: "9.90"), forKey: "price")
        try shop.context.save()
        let contents = try StoreContents(of: shop.stack.coordinator)
        try contents.verify(
            """
            Author "Frank Herbert"
              books: Book "Dune \\"1\\""
              name: "Frank Herbert"
            Book "Dune \\"1\\""
              author: Author "Frank Herbert"
              cover: 40 bytes, hash 5416199d1983e19d
              inPrint: true
              pages: 412
              price: 9.9
              published: 2001-01-01T00:00:00.25Z
              title: "Dune \\"1\\""
            """)
        #expect(contents.description == contents.text)
    }

    @Test("stores of all kinds with equal contents have one text", arguments: StoreKind.all)
    func kinds(kind: StoreKind) throws {
        let text = try filled(kind, reversed: false)
        #expect(text == (try filled(.sqlite, reversed: true)))
        #expect(
            text.text.contains("chapters: [Chapter #1, Chapter #2]") || text.text.contains("Chapter #2, Chapter #1"))
    }

    /// The same objects, inserted in one order or the other, so that their keys differ.
    private func filled(_ kind: StoreKind, reversed: Bool) throws -> StoreContents {
        let shop = try Bookshop(in: kind)
        let numbers = reversed ? Array((0..<6).reversed()) : Array(0..<6)
        let tags = ["b", "a"].map { name in
            let tag = Tag(context: shop.context)
            tag.name = name
            return tag
        }
        for number in numbers {
            // Books with one title, whose chapters differ.
            let book = shop.book("Book \(number / 2)", pages: 7)
            book.tags = number % 2 == 0 ? Set(tags) : []
            book.chapters = (0..<2).map { _ in Chapter(context: shop.context) }
            if number == 3 { book.chapters[1].heading = "end" }
        }
        try shop.context.save()
        return try StoreContents(of: shop.stack.coordinator)
    }

    @Test("every type of value, large data and every form of relationship are read", arguments: StoreKind.all)
    func museum(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill(exhibits: 10, scans: 120_000)
        let text = try StoreContents(of: museum.coordinator, leavingOut: ["uuid"]).text
        #expect(text.contains("scan: 120000 bytes, hash "))
        for name in MuseumModel.types.map(\.0) where name != "uuid" { #expect(text.contains("\n  \(name): ")) }
        #expect(text.contains("stops: [") && text.contains("guests: ") && text.contains("neighbour: "))
        let other = try Museum(in: .sqlite)
        try other.fill(exhibits: 10, scans: 120_000)
        #expect(try StoreContents(of: other.coordinator, leavingOut: ["Exhibit.uuid"]).text == text)
    }

    @Test("objects without names that only their relationships distinguish are in a fixed order")
    func order() throws {
        let texts = try Set([[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]].map(Self.chain))
        #expect(texts.count == 1)
    }

    /// Books with one title in a chain of authors.
    private static func chain(_ order: [Int]) throws -> String {
        let shop = try Bookshop(in: .inMemory)
        var authors: [Int: Author] = [:]
        for number in order { authors[number] = shop.author("same") }
        for number in order {
            for _ in 0...number { shop.book("same", by: authors[number]) }
        }
        try shop.context.save()
        return try StoreContents(of: shop.stack.coordinator).text
    }

    @Test("unsaved changes are in the text of a context, not in that of the store")
    func unsaved() throws {
        let shop = try Bookshop(in: .sqlite)
        shop.book("Dune")
        #expect(try StoreContents(of: shop.context).text.contains("Dune"))
        #expect(try StoreContents(of: shop.stack.coordinator).text == "")
    }

    @Test("a difference has the lines that differ, under their objects")
    func difference() throws {
        let shop = try Bookshop(in: .sqlite)
        let dune = shop.book("Dune", pages: 412)
        shop.book("Emma")
        try shop.context.save()
        let before = try StoreContents(of: shop.stack.coordinator)
        dune.pages = 500
        shop.author("Jane Austen")
        try shop.context.save()
        let after = try StoreContents(of: shop.stack.coordinator)
        #expect(
            after.difference(from: before) == [
                "+ Author \"Jane Austen\"", "+   name: \"Jane Austen\"", "Book \"Dune\"", "-   pages: 412",
                "+   pages: 500",
            ])
        let error = #expect(throws: ContentsDifference.self) { try after.verify(before) }
        #expect(error?.description.hasSuffix("-   pages: 412\n+   pages: 500") == true)
        #expect(before.difference(from: before) == [])
    }
}
