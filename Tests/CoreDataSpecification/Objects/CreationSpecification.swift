// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the properties of a new object.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Creation") struct CreationSpecification {
    /// Proves: L11
    @Test("an object is made by class or by the name of its entity", arguments: StoreKind.all)
    func making(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = Book(context: shop.context)
        let other = NSEntityDescription.insertNewObject(forEntityName: "Book", into: shop.context)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Author", in: shop.context))
        let author = Author(entity: entity, insertInto: shop.context)
        #expect(other is Book)
        #expect(author.entity === entity)
        #expect(shop.context.insertedObjects == [book, other, author])
        #expect(shop.context.registeredObjects == [book, other, author])
        #expect(book.managedObjectContext === shop.context)
    }

    /// Proves: L11
    @Test("the name of no entity traps, and the message has the names that there are")
    func unknownName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shop = try Bookshop(in: .inMemory)
            _ = NSEntityDescription.insertNewObject(forEntityName: "Buch", into: shop.context)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for name in ["Buch", "Author", "Book", "Chapter", "Tag"] { #expect(text.contains(name)) }
    }

    /// Proves: L11
    @Test("a class that no entity has traps, and the message has the names that there are")
    func unknownClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let shop = try Bookshop(in: .inMemory)
            _ = Entry(context: shop.context)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for name in ["'Entry'", "Author", "Book", "Chapter", "Tag"] { #expect(text.contains(name)) }
    }

    /// Decided by `entity()` of a class that no model names: its log, and the properties.
    @Test("the entity of a class that no model has is logged, and has no properties", .tags(.assumed))
    func entityOfUnknownClass() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let entity = Entry.entity()
            precondition(entity.properties.isEmpty && entity.name == "Entry")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("No model in use has an entity with the class 'Entry'"))
    }

    /// Proves: L11
    @Test("no object of an abstract entity is made")
    func abstractEntity() async {
        await #expect(processExitsWith: .failure) {
            let company = try Company(in: .inMemory)
            _ = NSEntityDescription.insertNewObject(forEntityName: "Person", into: company.context)
        }
    }

    /// Proves: F9, F10
    @Test("defaults are there in awakeFromInsert, which is called once", arguments: StoreKind.all)
    func defaults(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = Entry(context: diary.context)
        #expect(entry.textAtInsertion == "untitled")
        #expect(entry.text == "untitled")
        #expect(entry.newCalls() == ["awakeFromInsert"])
        try diary.context.save()
        #expect(!entry.calls.contains("awakeFromInsert"))
        #expect(!entry.calls.contains("awakeFromFetch"))
    }

    /// Proves: F5
    @Test("a new object has no changed and no committed values before the first is set", arguments: StoreKind.all)
    func noValuesYet(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = Book(context: shop.context)
        #expect(book.changedValues().isEmpty)
        book.title = "Dune"
        #expect(book.changedValues()["title"] as? String == "Dune")
        #expect(book.committedValues(forKeys: ["title"]).isEmpty)
        #expect(book.committedValues(forKeys: nil).isEmpty)
        try shop.context.save()
        #expect(book.committedValues(forKeys: ["title", "pages"])["title"] as? String == "Dune")
    }

    /// Proves: F17, M11, M22
    @Test("a new object has a temporary id until it is saved", arguments: StoreKind.all)
    func temporaryID(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        #expect(book.isInserted)
        #expect(book.objectID.isTemporaryID)
        #expect(book.objectID.persistentStore == nil)
        try shop.context.save()
        #expect(!book.isInserted)
        #expect(!book.hasChanges)
        #expect(!book.objectID.isTemporaryID)
        #expect(book.objectID.persistentStore === shop.stack.store)
    }

    /// Proves: M11
    @Test("relationships know an object before and after it gets its permanent id", arguments: StoreKind.all)
    func identityAcrossSave(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = shop.author("Frank")
        let books = author.mutableSetValue(forKey: "books")
        let dune = shop.book("Dune", by: author)
        let held: Set<NSManagedObject> = [dune, author]
        try shop.context.save()
        #expect(author.books.contains(dune))
        #expect(books.contains(dune))
        #expect(held.contains(dune))
        #expect(dune.author === author)
    }

    /// Proves: F20
    @Test("an object without an entity is in no context and has no properties", arguments: StoreKind.all)
    func plain(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (one, other) = (NSManagedObject(), NSManagedObject())
        #expect(one.managedObjectContext == nil)
        #expect(one.entity.properties.isEmpty)
        #expect(one.objectID.isTemporaryID)
        #expect(one.objectID != other.objectID)
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
        #expect([one: "one", other: "other"][one] == "one")
        #expect([one, other].firstIndex(of: other) == 1)
        #expect(NSSet(array: [one, other]).contains(other))
        #expect(!one.hasChanges)
        #expect(shop.context.registeredObjects.isEmpty)
    }

    /// Decided by `NSManagedObject()` of a subclass without a context, then a property.
    /// Proves: F20
    @Test("a class with a known entity may be made without a context", .tags(.assumed), arguments: StoreKind.all)
    func plainSubclass(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = Book()
        book.title = "Dune"
        #expect(book.managedObjectContext == nil)
        #expect(book.pages == 0)
        #expect(!shop.context.hasChanges)
    }

    /// Proves: F20
    @Test("reading, setting and inserting an object without an entity traps", arguments: PlainMisuse.allCases)
    func plainMisuse(_ misuse: PlainMisuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [misuse = misuse as PlainMisuse] in
            let shop = try Bookshop(in: .inMemory)
            let object = NSManagedObject()
            switch misuse {
            case .reading: _ = object.value(forKey: "title")
            case .setting: object.setValue("Dune", forKey: "title")
            case .inserting: shop.context.insert(object)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains(misuse == .inserting ? "has no entity 'NSManagedObject'" : "has no property 'title'"))
    }

    enum PlainMisuse: String, Codable, CaseIterable { case reading, setting, inserting }

    /// Proves: F20
    @Test("an object without a context has none, and can be kept in collections", arguments: StoreKind.all)
    func withoutContext(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let entity = try #require(shop.stack.model.entitiesByName["Book"])
        let book = Book(entity: entity, insertInto: nil)
        let other = Book(entity: entity, insertInto: nil)
        #expect(book.managedObjectContext == nil)
        #expect(Set([book, other]).count == 2)
        #expect([book, other].contains(other))
        book.title = "Dune"
        #expect(book.title == "Dune")
        #expect(!shop.context.hasChanges)
        shop.context.insert(book)
        #expect(book.managedObjectContext === shop.context)
        #expect(shop.context.insertedObjects == [book])
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Dune"])
    }
}
