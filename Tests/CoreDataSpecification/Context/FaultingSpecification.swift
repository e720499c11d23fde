// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how faults are made and fired, and the errors when the record is gone.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Faulting") struct FaultingSpecification {
    /// Proves: M19
    @Test("reading one property realizes the whole object", arguments: StoreKind.all)
    func firstRead(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune", pages: 412)
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        #expect(book.isFault)
        #expect(book.title == "Dune")
        #expect(!book.isFault)
        #expect(book.pages == 412)
    }

    /// Proves: M19
    @Test("relationships are followed without a fetch, to one object for each record", arguments: StoreKind.all)
    func following(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        shop.book("Dune", by: frank)
        shop.book("Hellstrom", by: frank)
        try shop.context.save()
        let context = shop.stack.newContext()
        let books = try context.fetch(Book.request())
        let author = try #require(books[0].author)
        #expect(author.isFault)
        #expect(books[1].author === author)
        #expect(author.books == Set(books))
        #expect(author.name == "Frank")
    }

    /// Proves: M19
    @Test("a related object that is registered already arrives as it is", arguments: StoreKind.all)
    func registeredDestination(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = try savedID(shop.book("Dune", by: shop.author("Frank")))
        let context = shop.stack.newContext()
        let author = try #require(try context.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        #expect(author.name == "Frank")
        let book = try #require(context.object(with: id) as? Book)
        #expect(book.author === author)
        #expect(book.author?.isFault == false)
    }

    /// Proves: M19
    @Test("a fault of a fetch has the values that another context saved since", arguments: StoreKind.all)
    func savedSince(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune", pages: 1)
        try shop.context.save()
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        dune.pages = 2
        try shop.context.save()
        #expect(book.isFault)
        #expect(book.pages == 2)
    }

    /// Proves: C9
    @Test("the registered object for an id is given, and no other is made", arguments: StoreKind.all)
    func registeredObject(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        #expect(shop.context.registeredObject(for: book.objectID) === book)
        let context = shop.stack.newContext()
        #expect(context.registeredObject(for: book.objectID) == nil)
        let other = context.object(with: book.objectID)
        #expect(context.registeredObject(for: book.objectID) === other)
    }

    /// Proves: C10
    @Test("an object for an id is always given, as a fault", arguments: StoreKind.all)
    func objectWithID(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = try savedID(shop.book("Dune"))
        let context = shop.stack.newContext()
        let book = try #require(context.object(with: id) as? Book)
        #expect(book.isFault)
        #expect(book.objectID == id)
        #expect(book.title == "Dune")
    }

    /// Proves: C10
    @Test("a fault without a record reads as nil and is deleted", arguments: StoreKind.all)
    func inaccessible(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = try savedID(shop.book("Dune"))
        let context = shop.stack.newContext()
        let book = try #require(context.object(with: id) as? Book)
        shop.context.delete(shop.context.object(with: id))
        try shop.context.save()
        #expect(context.shouldDeleteInaccessibleFaults)
        #expect(book.title == nil)
        #expect(book.author == nil)
        #expect(book.tags.isEmpty)
        #expect(book.isDeleted)
        try context.save()
        #expect(!context.hasChanges)
    }

    /// Proves: C10
    @Test("a fault without a record traps when the context says so")
    func inaccessibleTraps() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            let book = shop.book("Dune")
            try shop.context.save()
            let context = shop.stack.newContext()
            context.shouldDeleteInaccessibleFaults = false
            let fault = context.object(with: book.objectID)
            shop.context.delete(book)
            try shop.context.save()
            _ = fault.value(forKey: "title")
        }
    }

    /// Proves: C11, F31
    @Test("an existing object is never a fault", arguments: StoreKind.all)
    func existing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = try savedID(shop.book("Dune"))
        let context = shop.stack.newContext()
        let book = try #require(try context.existingObject(with: id) as? Book)
        #expect(!book.isFault)
        #expect(book.title == "Dune")
        context.refresh(book, mergeChanges: false)
        #expect(try context.existingObject(with: id) === book)
        #expect(!book.isFault)
    }

    /// Proves: C11, F31
    @Test("asking for an existing object without a record throws", arguments: StoreKind.all)
    func missing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let id = try savedID(shop.book("Dune"))
        shop.context.delete(shop.context.object(with: id))
        try shop.context.save()
        let error = failure { _ = try shop.stack.newContext().existingObject(with: id) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        let temporary = shop.book("Emma", in: shop.stack.newContext()).objectID
        #expect(failure { _ = try shop.context.existingObject(with: temporary) }?.code == 133_000)
    }

    /// Proves: F30
    @Test("one fetch realizes a list of faults, of objects and ids", arguments: StoreKind.all)
    func batchFaulting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for number in 0..<10 { shop.book("Book \(number)") }
        try shop.context.save()
        let context = shop.stack.newContext()
        let books = try context.fetch(Book.request())
        #expect(books[3].title != nil)
        let request = Book.request()
        request.predicate = NSPredicate(format: "SELF IN %@", books.prefix(8).map { $0 as Any })
        request.returnsObjectsAsFaults = false
        #expect(try context.fetch(request).count == 8)
        #expect(books.filter(\.isFault).count == 2)
    }

    private func savedID(_ object: NSManagedObject) throws -> NSManagedObjectID {
        try object.managedObjectContext?.save()
        return object.objectID
    }

    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }
}
