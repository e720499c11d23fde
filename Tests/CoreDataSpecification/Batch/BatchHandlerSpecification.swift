// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what a handler may do with the object that it fills, and how nil in mandatory properties is treated.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Handlers of batch insertions") struct BatchHandlerSpecification {
    /// Proves: B3, B13, B15
    @Test("a handler's object may refer to saved ones, and both ends are right in the store", arguments: StoreKind.all)
    func toOnes(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune", by: shop.author("Frank"))
        let first = Chapter(context: shop.context)
        first.heading = "first"
        book.chapters = [first]
        try shop.context.save()
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Chapter") { (object: NSManagedObject) in
            let chapter = object as? Chapter
            chapter?.heading = "more \(number)"
            // The object is reused, without the values of the last call.
            if number % 2 == 0 { chapter?.book = book }
            number += 1
            return number == 5
        }
        #expect(try shop.context.insertedCount(request) == 4)
        #expect(book.chapters.map(\.heading) == ["first"])
        #expect(!shop.context.hasChanges)
        let context = shop.stack.newContext()
        let stored = try #require(try context.existingObject(with: book.objectID) as? Book)
        #expect(stored.chapters.map(\.heading) == ["first", "more 0", "more 2"])
        #expect(stored.chapters.allSatisfy { $0.book === stored })
        #expect(try shop.stack.count("Chapter") == 5)
    }

    /// Proves: B1, B8, B15
    @Test(
        "an unsaved destination and one of another store throw, and nothing is inserted", arguments: StoreKind.builtIn)
    func refused(kind: StoreKind) throws {
        let (shop, elsewhere) = (try Bookshop(in: kind), try Bookshop(in: kind))
        let stranger = elsewhere.author("Jane")
        try elsewhere.context.save()
        let unsaved = shop.author("Frank")
        for author in [unsaved, stranger] {
            var number = 0
            let request = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
                number += 1
                (object as? Book)?.title = "t\(number)"
                if number == 2 { (object as? Book)?.author = author }
                return number == 4
            }
            let text = message { try shop.context.execute(request) }
            #expect(text.contains(author === unsaved ? "never saved" : "Book.author"))
            #expect(try shop.stack.count("Book") == 0)
        }
        #expect(unsaved.books.isEmpty)
        #expect(stranger.books.isEmpty)
    }

    /// Proves: B8, B14, B21
    @Test(
        "nil in a mandatory property with a default: an insertion takes the default, an update throws 1570",
        arguments: StoreKind.all)
    func mandatory(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        try shop.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "Dune", "pages": NSNull()]]))
        #expect(try shop.stack.values("pages", of: "Book") == ["0"])
        try shop.context.execute(NSBatchUpdateRequest("Book", ["pages": 7]))
        let failure = code { try shop.context.execute(NSBatchUpdateRequest("Book", ["pages": NSNull()])) }
        #expect(failure == NSValidationMissingMandatoryPropertyError)
        #expect(try shop.stack.values("pages", of: "Book") == ["7"])
    }

    /// Proves: B5
    @Test("a batch request raises the versions of the rows that it writes, not of their destinations")
    func versions() throws {
        let shop = try Bookshop(in: .sqlite)
        let author = shop.author("Frank")
        let book = shop.book("Dune")
        try shop.context.save()
        let (bookContext, authorContext) = (shop.stack.newContext(), shop.stack.newContext())
        let copy = try #require(try bookContext.existingObject(with: book.objectID) as? Book)
        let owner = try #require(try authorContext.existingObject(with: author.objectID) as? Author)
        try shop.context.execute(NSBatchUpdateRequest("Book", ["author": author.objectID]))
        owner.name = "Herbert"
        try authorContext.save()
        copy.title = "Emma"
        #expect(bookContext.saveFailure()?.code == NSManagedObjectMergeError)
    }
}
