// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A library with rows that cannot be migrated to the next version of its model.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Of ten books, two lack their title, two repeat the code of another one, and one has too many pages. Chapters need a
/// book, and notes a chapter.
struct QuarantineLibrary {
    static func old() -> NSManagedObjectModel { model(isNew: false, byObjects: false) }

    /// - Parameter byObjects: whether an entity moves below another root, which statements cannot do.
    static func new(byObjects: Bool = false) -> NSManagedObjectModel { model(isNew: true, byObjects: byObjects) }

    private static func model(isNew: Bool, byObjects: Bool) -> NSManagedObjectModel {
        version { model in
            let shelf = model.entity("Shelf") { $0.attribute("name", .stringAttributeType) }
            let book = model.entity("Book") {
                $0.attribute("title", .stringAttributeType, optional: !isNew)
                $0.attribute("code", .integer32AttributeType)
                $0.attribute("pages", isNew ? .integer16AttributeType : .integer32AttributeType)
                $0.attribute("cover", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
                if isNew { $0.uniquenessConstraints = [["code"]] }
            }
            model.entity("Novel", parent: book) { $0.attribute("genre", .stringAttributeType) }
            let keyword = model.entity("Keyword") { $0.attribute("text", .stringAttributeType) }
            let chapter = model.entity("Chapter") { $0.attribute("text", .stringAttributeType) }
            let note = model.entity("Note") { $0.attribute("text", .stringAttributeType) }
            shelf.relate("books", .ordered, to: book, inverse: "shelf", .one)
            book.relate("keywords", .many, to: keyword, inverse: "books", .many)
            book.relate("chapters", .many, to: chapter, inverse: "book", .one)
            chapter.relate("notes", .many, to: note, inverse: "chapter", .one)
            book.relate("sequel", .one, to: book, inverse: "prequel", .one)
            chapter.relationshipsByName["book"]?.isOptional = !isNew
            note.relationshipsByName["chapter"]?.isOptional = !isNew
            let thing = model.entity("Thing")
            model.entity("Stamp", parent: byObjects ? thing : nil) { $0.attribute("text", .stringAttributeType) }
        }
    }

    static func fill(_ context: NSManagedObjectContext) throws {
        let shelf = context.make("Shelf", ["name": "A"])
        let keywords = ["sea", "war"].map { context.make("Keyword", ["text": $0]) }
        let titles: [String?] = ["a", nil, "c", "d", nil, "f", "g", "h", "i", "j"]
        let codes = [1, 2, 1, 4, 5, 6, 7, 6, 9, 10]
        var books: [NSManagedObject] = []
        for number in 0..<10 {
            let book = context.make(
                number % 4 == 3 ? "Novel" : "Book",
                [
                    "code": codes[number], "pages": number == 6 ? 100_000 : number,
                    "cover": Data(repeating: UInt8(number), count: 150_000), "keywords": Set([keywords[number % 2]]),
                ])
            book.setValue(titles[number], forKey: "title")
            books.append(book)
            // Keys are given in the order of saving.
            try context.save()
        }
        shelf.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
        for (one, next) in zip(books, books.dropFirst()) { one.setValue(next, forKey: "sequel") }
        for (number, book) in books.enumerated() {
            let chapter = context.make("Chapter", ["text": "c\(number)", "book": book])
            context.make("Note", ["text": "n\(number)", "chapter": chapter])
        }
        context.make("Stamp", ["text": "s"])
    }

    /// The numbers of the books that are migrated.
    static let kept = [0, 3, 5, 8, 9]
    static let titles = ["a", "d", "f", "i", "j"]

    static func store(_ kind: StoreKind) throws -> MigratingStore { try MigratingStore(old(), in: kind, fill) }

    static func options(_ further: [AnyHashable: Any] = [:]) -> [AnyHashable: Any] {
        let own: [AnyHashable: Any] = [MigrationOption.quarantine: true, MigrationOption.versions: [old()]]
        return MigratingStore.migrating.merging(own) { $1 }.merging(further) { $1 }
    }
}
