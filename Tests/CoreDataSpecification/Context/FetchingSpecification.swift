// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of a fetch, with changes pending.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Fetching") struct FetchingSpecification {
    /// Proves: C1, C2, F28
    @Test("without a predicate all objects are found, as registered faults", arguments: StoreKind.all)
    func all(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ids = Set([shop.book("Dune"), shop.book("Emma")].map { $0 })
        try shop.context.save()
        let context = shop.stack.newContext()
        let books = try context.fetch(Book.request())
        #expect(Set(books.map(\.objectID)) == Set(ids.map(\.objectID)))
        #expect(books.filter(\.isFault).count == 2)
        #expect(context.registeredObjects == Set(books))
    }

    /// Proves: C1
    @Test("a predicate chooses; nothing found is an empty list", arguments: StoreKind.all)
    func predicate(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune", pages: 412)
        shop.book("Emma", pages: 300)
        try shop.context.save()
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages > %@", 400)
        #expect(try shop.titles(request) == ["Dune"])
        request.predicate = NSPredicate(format: "pages > %@", 1000)
        #expect(try shop.titles(request).isEmpty)
    }

    /// Proves: C1
    @Test("subentities are found unless that is switched off", arguments: StoreKind.all)
    func subentities(store: StoreKind) throws {
        let company = try Company(in: store)
        company.employee("Ada")
        company.manager("Grace")
        try company.context.save()
        company.manager("Kurt")
        let request = NSFetchRequest<Employee>(entityName: "Employee")
        #expect(try Set(company.context.fetch(request).map(\.name)) == ["Ada", "Grace", "Kurt"])
        request.includesSubentities = false
        #expect(try company.context.fetch(request).map(\.name) == ["Ada"])
        let people = NSFetchRequest<Person>(entityName: "Person")
        #expect(try company.context.fetch(people).filter { $0 is Manager }.count == 2)
    }

    /// Proves: C1
    @Test("a fetch that cannot work throws", arguments: StoreKind.all)
    func failures(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        #expect(throws: (any Error).self) { try shop.context.fetch(NSFetchRequest<Book>(entityName: "Buch")) }
        let request = Book.request()
        request.predicate = NSPredicate(format: "nubmer == 1")
        #expect(throws: (any Error).self) { try shop.context.fetch(request) }
    }

    /// Proves: C3, M10, M14
    @Test("only its own context finds an unsaved insertion", arguments: StoreKind.all)
    func insertions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let identifier = UUID()
        let book = shop.book("Dune")
        book.setValue(identifier, forKey: "identifier")
        let request = Book.request()
        request.predicate = NSPredicate(format: "identifier == %@", identifier)
        let other = shop.stack.newContext()
        #expect(try shop.context.fetch(request) == [book])
        #expect(try other.fetch(request).isEmpty)
        try shop.context.save()
        #expect(try other.fetch(request).map(\.objectID) == [book.objectID])
    }

    /// Proves: C4
    @Test("a changed object is matched as it is now, both ways", arguments: StoreKind.all)
    func changes(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune", pages: 1)
        let emma = shop.book("Emma", pages: 2)
        try shop.context.save()
        dune.pages = 2
        emma.pages = 1
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == 1")
        #expect(try shop.context.fetch(request) == [emma])
        #expect(try shop.context.count(for: request) == 1)
        request.includesPendingChanges = false
        #expect(try shop.context.fetch(request) == [dune])
    }

    /// Proves: C4
    @Test("a changed relationship is matched as it is now", arguments: StoreKind.all)
    func changedRelationships(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let jane = shop.author("Jane")
        let dune = shop.book("Dune", by: frank)
        try shop.context.save()
        dune.author = jane
        let request = Book.request()
        request.predicate = NSPredicate(format: "author == %@", jane)
        #expect(try shop.context.fetch(request) == [dune])
        request.predicate = NSPredicate(format: "author.name == 'Frank'")
        #expect(try shop.context.fetch(request).isEmpty)
    }

    /// Proves: C5, F140
    @Test("a deleted object is not found, and comes back when the context is reset", arguments: StoreKind.all)
    func deletions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune")
        try shop.context.save()
        shop.context.delete(dune)
        #expect(try shop.context.fetch(Book.request()).isEmpty)
        #expect(try shop.context.count(for: Book.request()) == 0)
        shop.context.reset()
        #expect(try shop.titles(Book.request()) == ["Dune"])
    }

    /// Proves: C6, M20
    @Test("a fetch changes no object that has its values", arguments: StoreKind.all)
    func existing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let dune = shop.book("Dune", pages: 1)
        let emma = shop.book("Emma", pages: 1)
        try shop.context.save()
        let other = shop.stack.newContext()
        for book in try other.fetch(Book.request()) { book.pages = 9 }
        try other.save()
        dune.title = "Dune!"
        let request = Book.request()
        request.returnsObjectsAsFaults = false
        #expect(try Set(shop.context.fetch(request)) == [dune, emma])
        #expect(dune.title == "Dune!")
        #expect(dune.pages == 1)
        #expect(emma.pages == 1)
    }

    /// Proves: F28
    @Test("objects are realized on request, with changes pending as well", arguments: StoreKind.all)
    func realized(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune", pages: 412)
        shop.book("Emma", pages: 300)
        try shop.context.save()
        let context = shop.stack.newContext()
        let new = shop.book("Ulysses", pages: 700, in: context)
        let request = Book.request()
        request.returnsObjectsAsFaults = false
        request.predicate = NSPredicate(format: "pages > 100")
        let books = try context.fetch(request)
        #expect(books.count == 3)
        #expect(books.contains(new))
        #expect(books.allSatisfy { !$0.isFault })
    }

    /// Proves: M20
    @Test("results are sorted by values as they are now", arguments: StoreKind.all)
    func sorting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("a", pages: 1)
        let middle = shop.book("b", pages: 2)
        shop.book("c", pages: 3)
        try shop.context.save()
        middle.pages = 9
        shop.book("d", pages: 2)
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        #expect(try shop.titles(request) == ["a", "d", "c", "b"])
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        #expect(try shop.titles(request) == ["b", "c", "d", "a"])
    }

    /// Proves: M14
    @Test("objects and ids in a predicate mean the record", arguments: StoreKind.all)
    func objectsInPredicates(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", by: frank)
        let emma = shop.book("Emma")
        try shop.context.save()
        let request = Book.request()
        request.predicate = NSPredicate(format: "author == %@", frank.objectID)
        #expect(try shop.context.fetch(request) == [dune])
        request.predicate = NSPredicate(format: "SELF IN %@", [emma])
        #expect(try shop.context.fetch(request) == [emma])
        request.predicate = NSPredicate(format: "NOT (SELF IN %@)", [emma])
        #expect(try shop.context.fetch(request) == [dune])
    }

    /// Proves: F142
    @Test("a model gives back the request template that was set")
    func templates() throws {
        let model = BookshopModel.make()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 100")
        request.fetchLimit = 3
        model.setFetchRequestTemplate(request, forName: "long")
        let template = try #require(model.fetchRequestTemplate(forName: "long"))
        #expect(template.entityName == "Book")
        #expect(template.predicate == request.predicate)
        #expect(template.fetchLimit == 3)
        #expect(model.fetchRequestTemplate(forName: "short") == nil)
    }
}
