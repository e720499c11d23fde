// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Batch insertions: forms of rows, defaults, relationships, unique values.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Batch insertion") struct BatchInsertSpecification {
    /// Proves: B2, B3, B11, F103
    @Test("dictionaries become records, and the ids come in their order", arguments: StoreKind.all)
    func dictionaries(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let titles = (0..<70).map { "Book \($0)" }
        let request = NSBatchInsertRequest(entityName: "Book", objects: titles.map { ["title": $0, "pages": 7] })
        let ids = try shop.context.insertedIDs(request)
        #expect(shop.context.registeredObjects.isEmpty)
        let found = try ids.map { try #require(try shop.context.existingObject(with: $0) as? Book).title }
        #expect(found == titles)
        #expect(Set(ids).count == 70)
    }

    /// Proves: B2, F103
    @Test("the result is the status unless another form is requested", arguments: StoreKind.all)
    func status(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]])
        let result = try #require(try shop.context.execute(request) as? NSBatchInsertResult)
        #expect(result.resultType == .statusOnly)
        #expect(result.result as? Bool == true)
        #expect(result.result as? [NSManagedObjectID] == nil)
        let more = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "c"]])
        #expect(try shop.context.insertedCount(more) == 1)
        #expect(try shop.stack.count("Tag") == 3)
    }

    /// Proves: B12, F105
    @Test("a handler is called until it returns true, and that call inserts nothing", arguments: StoreKind.all)
    func handlers(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let model = shop.stack.model
        let entity = try #require(model.entitiesByName["Book"])
        var calls = 0
        let dictionaries = NSBatchInsertRequest(entity: entity) { (book: NSMutableDictionary) in
            calls += 1
            book["title"] = "D\(calls)"
            return calls == 4
        }
        #expect(try shop.context.insertedCount(dictionaries) == 3)
        var number = 0
        let objects = NSBatchInsertRequest(entity: entity) { (book: NSManagedObject) in
            number += 1
            book.setValue("O\(number)", forKey: "title")
            return number == 3
        }
        #expect(try shop.context.insertedCount(objects) == 2)
        #expect(calls == 4)
        #expect(try shop.stack.values("title", of: "Book") == ["D1", "D2", "D3", "O1", "O2"])
    }

    /// Proves: B13
    @Test("a handler's object has the entity's class, default values and no context", arguments: StoreKind.all)
    func handlerObjects(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        var seen: [String] = []
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
            let book = object as? Book
            seen.append("\(book?.pages ?? -1) \(book?.title ?? "nil") \(object.managedObjectContext == nil)")
            book?.title = "t\(number)"
            if number == 0 { book?.pages = 9 }
            number += 1
            return number == 4
        }
        #expect(try shop.context.insertedCount(request) == 3)
        #expect(seen == Array(repeating: "0 nil true", count: 4))
        #expect(try shop.stack.values("pages", of: "Book") == ["0", "0", "9"])
    }

    /// Proves: B20
    @Test("many rows need one object, and it is gone afterwards", arguments: StoreKind.builtIn)
    func boundedMemory(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        weak var kept: NSManagedObject?
        var seen: Set<ObjectIdentifier> = []
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
            kept = book
            seen.insert(ObjectIdentifier(book))
            number += 1
            book.setValue("\(number)", forKey: "title")
            return number > 2000
        }
        #expect(try shop.context.insertedCount(request) == 2000)
        #expect(kept == nil)
        #expect(seen.count == 1)
    }

    /// Proves: B14
    @Test("an absent value is the default, and NSNull is nil", arguments: StoreKind.builtIn)
    func defaults(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        let day = Date(timeIntervalSinceReferenceDate: 1000)
        let uuid = UUID()
        let values: [String: Any] = [
            "name": "x", "small": 3, "exact": Decimal(string: "1.25") as Any, "real": 2, "flag": true, "day": day,
            "bytes": Data([1, 2]), "uuid": uuid, "uri": URL(string: "https://a.org/") as Any, "list": ["a", "b"],
            "text": NSNull(), "scan": Data(repeating: 7, count: 200_000),
        ]
        _ = try museum.context.insertedIDs(NSBatchInsertRequest(entityName: "Exhibit", objects: [values]))
        let context = museum.stack.newContext()
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Exhibit")).first)
        #expect(object.value(forKey: "small") as? Int == 3)
        #expect(object.value(forKey: "medium") == nil)
        #expect((object.value(forKey: "exact") as? NSDecimalNumber)?.decimalValue == Decimal(string: "1.25"))
        #expect(object.value(forKey: "real") as? Double == 2)
        #expect(object.value(forKey: "day") as? Date == day)
        #expect(object.value(forKey: "uuid") as? UUID == uuid)
        #expect(object.value(forKey: "list") as? [String] == ["a", "b"])
        #expect(object.value(forKey: "text") == nil)
        #expect(object.value(forKey: "scan") as? Data == Data(repeating: 7, count: 200_000))
    }

    /// Proves: B15
    @Test("a to-one takes an id or an object, and both ends are right", arguments: StoreKind.all)
    func relationships(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let author = shop.author("A")
        let book = shop.book("B", by: author)
        book.chapters = [Chapter(context: shop.context)]
        book.chapters[0].heading = "first"
        try shop.context.save()
        let more = ["second", "third"].map { ["heading": $0, "book": book.objectID] as [String: Any] }
        try shop.context.execute(NSBatchInsertRequest(entityName: "Chapter", objects: more))
        try shop.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "C", "author": author]]))
        let context = shop.stack.newContext()
        let stored = try #require(try context.existingObject(with: book.objectID) as? Book)
        #expect(stored.chapters.map(\.heading) == ["first", "second", "third"])
        #expect(stored.author?.books.count == 2)
    }

    /// Proves: B15
    @Test("a one-to-one takes its destination from the record that had it", arguments: StoreKind.all)
    func oneToOne(kind: StoreKind) throws {
        let stack = try Stack(kind, GraphModel.make())
        let (one, other) = (Node(context: stack.context), Node(context: stack.context))
        (one.name, other.name) = ("one", "other")
        one.next = other
        try stack.context.save()
        let id = try #require(
            try stack.context.insertedIDs(
                NSBatchInsertRequest(entityName: "Node", objects: [["name": "new", "next": other.objectID]])
            ).first)
        let context = stack.newContext()
        let stored = try #require(try context.existingObject(with: other.objectID) as? Node)
        #expect(stored.previous?.objectID == id)
        let former = try #require(try context.existingObject(with: one.objectID) as? Node)
        #expect(former.next == nil)
    }

    /// Proves: B16
    @Test("records of a subentity are of that entity, and an abstract entity throws", arguments: StoreKind.all)
    func inheritance(kind: StoreKind) throws {
        let stack = try Stack(kind, EmployeesModel.make())
        _ = try stack.context.insertedIDs(
            NSBatchInsertRequest(entityName: "Manager", objects: [["name": "m", "bonus": 2.5]]))
        let found = try stack.stored(NSFetchRequest<Employee>(entityName: "Employee")) { $0.entity.name }
        #expect(found == ["Manager"])
        let text = message {
            try stack.context.execute(NSBatchInsertRequest(entityName: "Person", objects: [["name": "p"]]))
        }
        #expect(text.contains("'Person'"))
    }

    /// Proves: B1, B17, F104
    @Test("unique values that are taken throw 133021, and nothing is inserted", arguments: StoreKind.all)
    func uniquenessError(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.tag("a")
        try shop.context.save()
        let against = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "b"], ["name": "a"]])
        #expect(code { try shop.context.execute(against) } == NSManagedObjectConstraintMergeError)
        let within = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "c"], ["name": "d"], ["name": "c"]])
        #expect(code { try shop.context.execute(within) } == NSManagedObjectConstraintMergeError)
        #expect(try shop.stack.values("name", of: "Tag") == ["a"])
    }

    /// Proves: B18
    @Test("object trump writes the given values into the record, overwrite all", arguments: StoreKind.all)
    func upserts(kind: StoreKind) throws {
        let rows: [[String: Any]] = [
            ["code": 1, "count": 7], ["code": 2, "note": "x"], ["code": 2, "count": 2],
        ]
        let given = try StockModel.stack(kind)
        let id = try #require(
            try given.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).first?.objectID)
        given.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let ids = try given.context.insertedIDs(NSBatchInsertRequest(entityName: "Item", objects: rows))
        #expect(try StockModel.items(given) == ["1 7 old boxed", "2 2 x"])
        #expect(ids.first == id)
        #expect(ids.count == 3)
        let whole = try StockModel.stack(kind)
        whole.context.mergePolicy = NSMergePolicy.overwrite
        #expect(try whole.context.insertedCount(NSBatchInsertRequest(entityName: "Item", objects: rows)) == 3)
        #expect(try StockModel.items(whole) == ["1 7 none boxed", "2 2 none"])
    }

    /// Proves: B18
    @Test("of a handler's object the values that were set count, defaults too", arguments: StoreKind.all)
    func upsertsOfObjects(kind: StoreKind) throws {
        let stack = try StockModel.stack(kind)
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Item") { (item: NSManagedObject) in
            number += 1
            item.setValue(1, forKey: "code")
            item.setValue(1, forKey: "count")  // the default, but set
            return number == 2
        }
        #expect(try stack.context.insertedCount(request) == 1)
        #expect(try StockModel.items(stack) == ["1 1 old boxed"])
    }

    /// Proves: B19
    @Test("where the store wins the record stays, and ids name the written rows", arguments: StoreKind.all)
    func storeWins(kind: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
            let stack = try StockModel.stack(kind)
            stack.context.mergePolicy = policy
            let rows: [[String: Any]] = [["code": 1, "count": 7], ["code": 2], ["code": 2, "count": 9]]
            #expect(try stack.context.insertedIDs(NSBatchInsertRequest(entityName: "Item", objects: rows)).count == 1)
            #expect(try StockModel.items(stack) == ["1 5 old boxed", "2 1 none"])
        }
    }

    /// Proves: B8, F104
    @Test("unknown names, to-manys and values of other classes throw and are named", arguments: StoreKind.all)
    func wrongValues(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        func message(_ entity: String, _ values: [String: Any]) -> String {
            CoreDataSpecification.message {
                try shop.context.execute(NSBatchInsertRequest(entityName: entity, objects: [["title": "ok"], values]))
            }
        }
        #expect(message("Bok", [:]).contains("'Bok'"))
        #expect(message("Book", ["titel": "x"]).contains("'titel'"))
        #expect(message("Book", ["title": "x", "tags": NSSet()]).contains("Book.tags"))
        #expect(message("Book", ["title": 5]).contains("Book.title"))
        #expect(message("Book", ["title": "x", "author": "A"]).contains("Book.author"))
        #expect(message("Book", ["title": "x", "author": shop.author("A")]).contains("Book.author"))
        let tag = shop.tag("sf")
        try shop.context.save()
        #expect(message("Book", ["title": "x", "author": tag]).contains("'Author', not of 'Tag'"))
        #expect(try shop.stack.count("Book") == 0)
    }

    /// Proves: B8
    @Test("nil for a mandatory property without a default throws 1570", arguments: StoreKind.all)
    func mandatory(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"], ["title": NSNull()]])
        #expect(code { try shop.context.execute(request) } == NSValidationMissingMandatoryPropertyError)
        let lacking = NSBatchInsertRequest(entityName: "Book", objects: [["pages": 3]])
        #expect(code { try shop.context.execute(lacking) } == NSValidationMissingMandatoryPropertyError)
        try shop.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "b", "pages": NSNull()]]))
        #expect(try shop.stack.values("pages", of: "Book") == ["0"])
    }

    /// Proves: B10
    @Test("no rows are a success with count 0", arguments: StoreKind.all)
    func nothing(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        #expect(try shop.context.insertedCount(NSBatchInsertRequest(entityName: "Book", objects: [])) == 0)
        #expect(try shop.context.insertedIDs(NSBatchInsertRequest(entityName: "Book", objects: [])).isEmpty)
    }

    /// Proves: B11
    @Test("keys given out are not used again by contexts", arguments: StoreKind.all)
    func keys(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let first = shop.book("before")
        try shop.context.save()
        let ids = try shop.context.insertedIDs(NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"]]))
        let last = shop.book("after")
        try shop.context.save()
        #expect(Set(ids + [first.objectID, last.objectID]).count == 3)
        #expect(try shop.stack.count("Book") == 3)
    }
}
