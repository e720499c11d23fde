// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Batch deletions: selections, delete rules, links.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Batch deletion") struct BatchDeleteSpecification {
    private func shop(_ kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        let author = shop.author("A")
        let tag = shop.tag("t")
        for (number, title) in ["a", "b", "c", "d"].enumerated() {
            let book = shop.book(title, pages: number, by: author)
            book.tags = [tag]
            book.chapters = (0..<2).map { _ in Chapter(context: shop.context) }
        }
        try shop.context.save()
        return shop
    }

    /// Proves: B2, B25, F103
    @Test("by fetch request: predicate, order with limit and offset", arguments: StoreKind.all)
    func byFetch(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest("Book", where: "title == 'a'")) == 1)
        let window = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        window.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        window.fetchLimit = 1
        window.fetchOffset = 1
        #expect(try shop.context.deletedIDs(NSBatchDeleteRequest(fetchRequest: window)).count == 1)
        #expect(try shop.stack.values("title", of: "Book") == ["b", "d"])
        let typed = NSBatchDeleteRequest(fetchRequest: Book.request())
        #expect(try shop.context.execute(typed) is NSBatchDeleteResult)
        #expect(try shop.stack.count("Book") == 0)
    }

    /// Proves: B25, F106
    @Test("subentities are included unless unset", arguments: StoreKind.all)
    func subentities(kind: StoreKind) throws {
        let stack = try Stack(kind, EmployeesModel.make())
        for type in ["Employee", "Manager", "Manager"] {
            NSEntityDescription.insertNewObject(forEntityName: type, into: stack.context).setValue(type, forKey: "name")
        }
        try stack.context.save()
        let alone = NSFetchRequest<any NSFetchRequestResult>(entityName: "Employee")
        alone.includesSubentities = false
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest(fetchRequest: alone)) == 1)
        #expect(try stack.count("Employee") == 2)
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest("Person")) == 2)
        #expect(try stack.count("Employee") == 0)
    }

    /// Proves: B25
    @Test("by ids of any entities; those without a record do not count", arguments: StoreKind.all)
    func byIDs(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let books = try shop.context.fetch(Book.request())
        let tags = try shop.context.fetch(NSFetchRequest<CoreDataTestSupport.Tag>(entityName: "Tag"))
        let ids = books.prefix(2).map(\.objectID) + tags.map(\.objectID)
        #expect(Set(try shop.context.deletedIDs(NSBatchDeleteRequest(objectIDs: ids))) == Set(ids))
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest(objectIDs: ids)) == 0)
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest(objectIDs: [])) == 0)
        #expect(try shop.stack.count("Book") == 2)
        #expect(try shop.stack.count("Tag") == 0)
    }

    /// Proves: B26, B27
    @Test("nullify ends relationships, cascade deletes the records below", arguments: StoreKind.all)
    func rules(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest("Book", where: "title IN {'a', 'b'}")) == 2)
        #expect(try shop.stack.count("Chapter") == 4)
        let counts = try shop.stack.stored(NSFetchRequest<CoreDataTestSupport.Tag>(entityName: "Tag")) {
            $0.books.count
        }
        #expect(counts == [2])
        #expect(try shop.stack.stored(NSFetchRequest<Author>(entityName: "Author")) { $0.books.count } == [2])
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest("Author")) == 1)
        #expect(try shop.stack.stored(Book.request()) { $0.author == nil } == [true, true])
    }

    /// Proves: B26
    @Test("a cascade deletes every record below, at any depth", arguments: StoreKind.all)
    func deepCascade(kind: StoreKind) throws {
        let stack = try Stack(kind, GraphModel.make())
        func make(_ name: String, below parent: Node?) -> Node {
            let node = Node(context: stack.context)
            node.name = name
            node.parent = parent
            return node
        }
        var last: Node?
        for level in 0..<6 {
            last = make("\(level)", below: last)
            _ = make("side \(level)", below: last)
        }
        let apart = make("apart", below: nil)
        apart.next = last
        apart.neighbours = [try #require(last), apart]
        try stack.context.save()
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest("Node", where: "name == '0'")) == 1)
        #expect(try stack.values("name", of: "Node") == ["apart"])
        let rest = try stack.stored(NSFetchRequest<Node>(entityName: "Node")) {
            "\($0.next == nil) \($0.neighbours.count)"
        }
        #expect(rest == ["true 1"])
    }

    /// Proves: B26
    @Test("deny throws 1600 with nothing deleted, unless all in the way go too", arguments: StoreKind.all)
    func deny(kind: StoreKind) throws {
        let stack = try Stack(kind, EmployeesModel.make())
        let (full, empty) = (Department(context: stack.context), Department(context: stack.context))
        (full.name, empty.name) = ("full", "empty")
        let employee = Employee(context: stack.context)
        employee.name = "e"
        employee.department = full
        try stack.context.save()
        #expect(
            code { try stack.context.execute(NSBatchDeleteRequest("Department")) }
                == NSValidationRelationshipDeniedDeleteError)
        #expect(try stack.count("Department") == 2)
        let ids = [full.objectID, employee.objectID]
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest(objectIDs: ids)) == 2)
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest("Department")) == 1)
    }

    /// Proves: B26
    @Test(
        "a mandatory to-one that would become nil throws 1570, unless its record goes as well", arguments: StoreKind.all
    )
    func mandatory(kind: StoreKind) throws {
        let model = OwnersModel.make(.nullifyDeleteRule)
        model.entitiesByName["Thing"]?.relationshipsByName["owner"]?.isOptional = false
        let stack = try Stack(kind, model)
        let (person, cat) = (stack.insert("Owner"), stack.insert("Thing"))
        cat.setValue(person, forKey: "owner")
        try stack.context.save()
        #expect(
            code { try stack.context.execute(NSBatchDeleteRequest("Owner")) }
                == NSValidationMissingMandatoryPropertyError)
        #expect(try stack.count("Owner") == 1)
        let ids = [person.objectID, cat.objectID]
        #expect(try stack.context.deletedCount(NSBatchDeleteRequest(objectIDs: ids)) == 2)
        #expect(try stack.count("Thing") == 0)
    }

    /// Proves: B27
    @Test("orders close up, and keys are not used again", arguments: StoreKind.all)
    func orders(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let book = try #require(try shop.context.fetch(Book.request()).first)
        for (number, chapter) in book.chapters.enumerated() { chapter.heading = "\(number)" }
        let third = Chapter(context: shop.context)
        third.heading = "2"
        book.chapters.append(third)
        try shop.context.save()
        let gone = book.chapters[1].objectID
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest(objectIDs: [gone, third.objectID])) == 2)
        let ids = try shop.context.insertedIDs(
            NSBatchInsertRequest(entityName: "Chapter", objects: [["heading": "new", "book": book.objectID]]))
        #expect(!ids.contains(gone) && !ids.contains(third.objectID))
        let context = shop.stack.newContext()
        let stored = try #require(try context.existingObject(with: book.objectID) as? Book)
        #expect(stored.chapters.map(\.heading) == ["0", "new"])
    }

    /// Proves: B27
    @Test("external files go once the deletion is durable")
    func externalFiles() throws {
        let museum = try Museum(in: .sqlite)
        let data = Data(repeating: 1, count: 150_000)
        let rows = ["a", "b"].map { ["name": $0, "scan": data] as [String: Any] }
        try museum.context.execute(NSBatchInsertRequest(entityName: "Exhibit", objects: rows))
        let folder = museum.place(".Store_SUPPORT/_EXTERNAL_DATA").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        #expect(try museum.context.deletedCount(NSBatchDeleteRequest("Exhibit", where: "name == 'a'")) == 1)
        try museum.stack.reopen()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        let scans = try museum.stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Exhibit")) {
            $0.value(forKey: "scan") as? Data
        }
        #expect(scans == [data])
    }

    /// Proves: B10
    @Test("no match is a success with count 0", arguments: StoreKind.all)
    func nothing(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        #expect(try shop.context.deletedCount(NSBatchDeleteRequest("Book", where: "pages > 99")) == 0)
    }

    /// Proves: B28
    @Test("objects of deleted records in contexts follow the rules for missing records", arguments: StoreKind.all)
    func objectsInContexts(kind: StoreKind) throws {
        let shop = try self.shop(kind)
        let books = try shop.context.fetch(Book.request())
        #expect(books.map(\.title).count == 4)  // they have their values
        let context = shop.stack.newContext()
        let fault = try #require(context.object(with: books[0].objectID) as? Book)
        let ids = try shop.context.deletedIDs(NSBatchDeleteRequest("Book"))
        #expect(fault.title == nil)
        #expect(books[1].title != nil)
        books[1].pages = 99
        #expect(shop.context.saveFailure()?.code == NSManagedObjectMergeError)
        shop.context.rollback()
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectIDsKey: ids], into: [shop.context])
        #expect(books.allSatisfy { $0.isDeleted })
        #expect(try shop.context.fetch(Book.request()).isEmpty)
    }
}
