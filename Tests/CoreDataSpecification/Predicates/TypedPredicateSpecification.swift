// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that typed key paths and typed predicates equal names in requests.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Typed key paths in requests") struct TypedPredicateSpecification {
    private func library(_ kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        let herbert = shop.author("Herbert")
        let dune = shop.book("Dune", pages: 412, by: herbert)
        shop.book("Messiah", pages: 256, by: herbert)
        shop.book("Ubik", pages: 202, by: shop.author("Dick"))
        shop.book("Edda", pages: 301)
        dune.tags = [shop.tag("sand"), shop.tag("spice")]
        try shop.context.save()
        return shop
    }

    private func titles(
        _ shop: Bookshop, _ predicate: NSPredicate? = nil, sortedBy descriptors: NSSortDescriptor...
    ) throws -> [String] {
        let request = Book.request()
        request.predicate = predicate
        request.sortDescriptors =
            descriptors.isEmpty ? [NSSortDescriptor(keyPath: \Book.title, ascending: true)] : descriptors
        return try shop.titles(request, in: shop.stack.newContext())
    }

    @Test("typed key paths sort: optional, of other objects, and with unsaved changes", arguments: StoreKind.all)
    func sorting(kind: StoreKind) throws {
        let shop = try library(kind)
        #expect(
            try titles(shop, sortedBy: NSSortDescriptor(keyPath: \Book.pages, ascending: false))
                == ["Dune", "Edda", "Messiah", "Ubik"])
        let byAuthor = NSSortDescriptor(keyPath: \Book.author?.name, ascending: true)
        let byTitle = NSSortDescriptor(keyPath: \Book.title, ascending: false)
        #expect(try titles(shop, sortedBy: byAuthor, byTitle) == ["Edda", "Ubik", "Messiah", "Dune"])
        #expect(byAuthor.key == "author.name")
        #expect(
            try titles(shop, sortedBy: NSSortDescriptor(SortDescriptor(\Book.pages)))
                == ["Ubik", "Messiah", "Edda", "Dune"])
        shop.book("Valis", pages: 250, by: shop.author("Dick"))
        let request = Book.request()
        request.sortDescriptors = [byAuthor, byTitle]
        #expect(try shop.titles(request) == ["Edda", "Valis", "Ubik", "Messiah", "Dune"])
    }

    @Test("typed predicates find the matching objects", arguments: StoreKind.all)
    func predicates(kind: StoreKind) throws {
        let shop = try library(kind)
        #expect(try titles(shop, .converting(#Predicate<Book> { $0.pages > 300 })) == ["Dune", "Edda"])
        #expect(
            try titles(shop, .converting(#Predicate<Book> { $0.author?.name == "Herbert" && $0.pages < 300 }))
                == ["Messiah"])
        #expect(try titles(shop, .converting(#Predicate<Book> { $0.author == nil })) == ["Edda"])
        #expect(
            try titles(shop, .converting(#Predicate<Book> { $0.tags.contains { $0.name == "spice" } })) == ["Dune"])
        #expect(try titles(shop, .converting(#Predicate<Book> { $0.tags.isEmpty })) == ["Edda", "Messiah", "Ubik"])
        #expect(
            try titles(shop, .converting(#Predicate<Book> { $0.title?.contains("u") ?? false })) == ["Dune"])
        #expect(
            try titles(shop, .converting(#Predicate<Book> { (200...260).contains($0.pages) })) == ["Messiah", "Ubik"])
        let herbert = try #require(NSPredicate(#Predicate<Author> { $0.books.count == 2 }))
        let authors = NSFetchRequest<Author>(entityName: "Author")
        authors.predicate = herbert
        #expect(try shop.context.fetch(authors).map(\.name) == ["Herbert"])
        let author = try #require(try shop.context.fetch(authors).first)
        #expect(try titles(shop, NSPredicate(format: "%K == %@", \Book.author, author)) == ["Dune", "Messiah"])
    }

    @Test("typed key paths make expressions", arguments: StoreKind.all)
    func expressions(kind: StoreKind) throws {
        let shop = try library(kind)
        #expect(CoreData.NSExpression(forKeyPath: \Book.author?.books.count).keyPath == "author.books.@count")
        let predicate = CoreData.NSComparisonPredicate(
            leftExpression: .init(forKeyPath: \Book.author?.name), rightExpression: .init(forConstantValue: "Dick"),
            modifier: .direct, type: .equalTo)
        #expect(try titles(shop, predicate) == ["Ubik"])
    }

    @Test("steps of one class after another, inherited properties, and subclasses", arguments: StoreKind.all)
    func steps(kind: StoreKind) throws {
        let company = try Company(in: kind)
        #expect(
            NSSortDescriptor(keyPath: \Employee.manager?.manager?.name, ascending: true).key == "manager.manager.name")
        #expect(NSSortDescriptor(keyPath: \Manager.department?.name, ascending: true).key == "department.name")
        #expect(NSSortDescriptor(keyPath: \Person.name, ascending: true).key == "name")
        #expect(CoreData.NSExpression(forKeyPath: \Manager.reports).keyPath == "reports")
        #expect(company.context.insertedObjects.isEmpty)
    }

    @Test("a Swift property outside of the model has no name", arguments: StoreKind.all)
    func unnamed(kind: StoreKind) throws {
        let shop = try library(kind)
        #expect(NSSortDescriptor(keyPath: \Book.title?.count, ascending: true).key == nil)
        #expect(NSSortDescriptor(keyPath: \Book.objectID.description, ascending: true).key == nil)
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title?.count, ascending: true)]
        #expect(throws: CocoaError.self) { try shop.context.fetch(request) }
        #expect(throws: PredicateConversionError.self) {
            try NSPredicate.converting(#Predicate<Book> { $0.isFault })
        }
    }
}
