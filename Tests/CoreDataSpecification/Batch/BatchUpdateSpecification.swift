// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Batch updates: constants, expressions, relationships, predicates.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Batch update") struct BatchUpdateSpecification {
    private func shop(_ kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        let author = shop.author("A")
        for (number, title) in ["a", "b", "c"].enumerated() {
            let book = shop.book(title, pages: 10 * (number + 1), by: number < 2 ? author : nil)
            book.setValue(number == 0 ? nil : Double(number), forKey: "rating")
        }
        try shop.context.save()
        return shop
    }

    /// Proves: B2, B21
    @Test("constants, nil and expressions over the old values", arguments: StoreKind.all)
    func values(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let pages = try #require(shop.stack.model.entitiesByName["Book"]?.propertiesByName["pages"])
        let request = NSBatchUpdateRequest(
            "Book", where: "pages >= 20",
            [
                pages: NSExpression(format: "pages * 2 + 1"), "rating": NSNull(), "inPrint": false,
                "title": NSExpression(format: "uppercase:(title)"),
            ])
        #expect(try shop.context.updatedCount(request) == 2)
        #expect(try shop.stack.values("pages", of: "Book") == ["10", "41", "61"])
        #expect(try shop.stack.values("title", of: "Book") == ["B", "C", "a"])
        #expect(try shop.stack.values("rating", of: "Book") == ["nil", "nil", "nil"])
        try shop.context.execute(NSBatchUpdateRequest("Book", ["rating": 2.5]))
        let null = NSBatchUpdateRequest("Book", where: "pages > 10", ["rating": NSExpression(forConstantValue: nil)])
        #expect(try shop.context.updatedIDs(null).count == 2)
        #expect(try shop.stack.values("rating", of: "Book") == ["2.5", "nil", "nil"])
    }

    /// Proves: B22
    @Test("two updates of one record in one request do not see each other", arguments: StoreKind.all)
    func oldValues(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let request = NSBatchUpdateRequest(
            "Book", where: "rating != nil",
            ["pages": NSExpression(format: "pages + rating"), "rating": NSExpression(format: "pages + 0.5")])
        #expect(try shop.context.updatedCount(request) == 2)
        #expect(try shop.stack.values("pages", of: "Book") == ["10", "21", "32"])
        #expect(try shop.stack.values("rating", of: "Book") == ["20.5", "30.5", "nil"])
    }

    /// Proves: B21
    @Test("expressions follow to-ones, and read the values before the request", arguments: StoreKind.all)
    func paths(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let request = NSBatchUpdateRequest(
            "Book", where: "author != nil", ["title": NSExpression(format: "author.name")])
        #expect(try shop.context.updatedCount(request) == 2)
        #expect(try shop.stack.values("title", of: "Book") == ["A", "A", "c"])
        let stack = try Stack(kind, GraphModel.make())
        let nodes = ["1", "2", "3"].map { name in
            let node = Node(context: stack.context)
            node.name = name
            return node
        }
        (nodes[0].next, nodes[1].next) = (nodes[1], nodes[2])
        try stack.context.save()
        let moved = NSBatchUpdateRequest("Node", where: "next != nil", ["name": NSExpression(format: "next.name")])
        #expect(try stack.context.updatedCount(moved) == 2)
        #expect(try stack.values("name", of: "Node") == ["2", "3", "3"])
    }

    /// Proves: B22, F106
    @Test(
        "the predicate goes through relationships, and subentities are included unless unset", arguments: StoreKind.all)
    func predicates(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        #expect(
            try shop.context.updatedCount(NSBatchUpdateRequest("Book", where: "author.name == 'A'", ["pages": 1])) == 2)
        #expect(
            try shop.context.updatedCount(
                NSBatchUpdateRequest("Author", where: "ANY books.title == 'b'", ["name": "Z"])) == 1)
        let stack = try Stack(kind, EmployeesModel.make())
        for type in ["Employee", "Manager"] {
            NSEntityDescription.insertNewObject(forEntityName: type, into: stack.context).setValue(type, forKey: "name")
        }
        try stack.context.save()
        let alone = NSBatchUpdateRequest("Employee", ["salary": 1])
        alone.includesSubentities = false
        #expect(try stack.context.updatedCount(alone) == 1)
        #expect(try stack.context.updatedCount(NSBatchUpdateRequest("Employee", ["salary": 2])) == 2)
        #expect(try stack.context.updatedCount(NSBatchUpdateRequest("Person", ["birthday": Date()])) == 2)
    }

    /// Proves: B23
    @Test("a to-one takes an id, an object or nil, and both ends are right", arguments: StoreKind.all)
    func relationships(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let other = shop.author("O")
        let books = try shop.context.fetch(Book.request())
        for book in books { book.chapters = [Chapter(context: shop.context)] }
        try shop.context.save()
        let target = try #require(books.first { $0.title == "c" })
        try shop.context.execute(NSBatchUpdateRequest("Book", where: "title != 'c'", ["author": other.objectID]))
        try shop.context.execute(NSBatchUpdateRequest("Chapter", where: "book.title == 'a'", ["book": target]))
        try shop.context.execute(NSBatchUpdateRequest("Chapter", where: "book.title == 'b'", ["book": NSNull()]))
        let context = shop.stack.newContext()
        let stored = try context.fetch(Book.request())
        #expect(stored.filter { $0.author?.name == "O" }.compactMap(\.title).sorted() == ["a", "b"])
        #expect(stored.map { "\($0.title ?? "")\($0.chapters.count)" }.sorted() == ["a0", "b0", "c2"])
        let chapters = try #require(stored.first { $0.title == "c" }).chapters
        #expect(chapters.first?.objectID == target.chapters.first?.objectID)
        let author = try #require(try context.existingObject(with: other.objectID) as? Author)
        #expect(author.books.count == 2)
    }

    /// Proves: B1, B24
    @Test("unique values that are taken throw 133021 and change nothing, under every policy", arguments: StoreKind.all)
    func uniqueness(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        for name in ["a", "b"] { shop.tag(name) }
        try shop.context.save()
        let policies: [NSMergePolicy] = [
            .error, .overwrite, .rollback, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump,
        ]
        for policy in policies {
            shop.context.mergePolicy = policy
            let among = NSBatchUpdateRequest("Tag", ["name": "same"])
            #expect(code { try shop.context.execute(among) } == NSManagedObjectConstraintMergeError)
            let against = NSBatchUpdateRequest("Tag", where: "name == 'b'", ["name": "a"])
            #expect(code { try shop.context.execute(against) } == NSManagedObjectConstraintMergeError)
            #expect(try shop.stack.values("name", of: "Tag") == ["a", "b"])
        }
    }

    /// Proves: B24
    @Test("unique values may pass through one another", arguments: StoreKind.builtIn)
    func movingUniqueValues(kind: StoreKind) throws {
        let stack = try Stack(kind, StockModel.make())
        try stack.context.execute(NSBatchInsertRequest(entityName: "Item", objects: (1...8).map { ["code": $0] }))
        let request = NSBatchUpdateRequest("Item", ["code": NSExpression(format: "code + 1")])
        #expect(try stack.context.updatedCount(request) == 8)
        #expect(try stack.values("code", of: "Item") == (2...9).map { "\($0)" })
    }

    /// Proves: B8
    @Test("wrong names and values throw and are named", arguments: StoreKind.all)
    func wrongValues(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        func message(_ values: [AnyHashable: Any], _ entity: String = "Book") -> String {
            CoreDataSpecification.message { try shop.context.execute(NSBatchUpdateRequest(entity, values)) }
        }
        #expect(message(["title": "x"], "Bok").contains("'Bok'"))
        #expect(message(["titel": "x"]).contains("'titel'"))
        #expect(message(["title": NSExpression(format: "titel")]).contains("'titel'"))
        #expect(message(["tags": NSSet()]).contains("Book.tags"))
        #expect(message(["pages": "many"]).contains("Book.pages"))
        #expect(message(["note": "transient"]).contains("Book.note"))
        #expect(message([:]).contains("'Book'"))
        #expect(
            code { try shop.context.execute(NSBatchUpdateRequest("Book", ["title": NSNull()])) }
                == NSValidationMissingMandatoryPropertyError)
        #expect(
            code {
                try shop.context.execute(NSBatchUpdateRequest("Book", ["title": NSExpression(format: "author.name")]))
            }
                == NSValidationMissingMandatoryPropertyError)
        #expect(try shop.stack.values("title", of: "Book") == ["a", "b", "c"])
    }

    /// Proves: B10
    @Test("no match is a success with count 0", arguments: StoreKind.all)
    func nothing(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        #expect(try shop.context.updatedCount(NSBatchUpdateRequest("Book", where: "pages > 99", ["pages": 1])) == 0)
        #expect(try shop.context.updatedIDs(NSBatchUpdateRequest("Book", where: "pages > 99", ["pages": 1])).isEmpty)
    }

    /// Proves: B9, B27
    @Test("large data of each record is its own", arguments: StoreKind.builtIn)
    func largeData(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        let data = Data(repeating: 1, count: 150_000)
        _ = try museum.context.insertedIDs(
            NSBatchInsertRequest(
                entityName: "Exhibit", objects: [["name": "a", "scan": data], ["name": "b", "scan": data]]))
        let other = Data(repeating: 2, count: 160_000)
        #expect(try museum.context.updatedCount(NSBatchUpdateRequest("Exhibit", ["scan": other])) == 2)
        #expect(
            try museum.stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Exhibit")) {
                $0.value(forKey: "scan") as? Data
            } == [other, other])
    }
}
