// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how a results controller divides its results into sections.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Sections of results") struct ResultsSectionSpecification {
    /// Proves: R4
    @Test("one section without a key path, as many as there are names with one", arguments: StoreKind.forResults)
    func counts(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (plain, divided) = (try Shelf(shop), try Shelf(shop, sections: "pages"))
        #expect(plain.controller.sections?.map(\.numberOfObjects) == [0])
        #expect(divided.controller.sections?.count == 0)
        let books = [shop.book("A", pages: 1), shop.book("B", pages: 2)]
        #expect(plain.reports() == ["will", "insert A to 0.0", "insert B to 0.1", "did"])
        #expect(divided.sections == ["1:A", "2:B"])
        for book in books { shop.context.delete(book) }
        #expect(plain.reports() == ["will", "delete B at 0.1", "delete A at 0.0", "did"])
        #expect(plain.controller.sections?.map(\.numberOfObjects) == [0])
        #expect(divided.controller.sections?.count == 0)
    }

    /// Decided by `NSFetchedResultsSectionInfo.name` for numbers, decimals, Booleans, nil and key paths.
    /// Proves: R5
    @Test("names are values as text", .tags(.assumed), arguments: StoreKind.forResults)
    func names(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 412)
        book.setValue(4.5, forKey: "rating")
        book.setValue(NSDecimalNumber(string: "12.75"), forKey: "price")
        try shop.context.save()
        func name(_ key: String) throws -> String? { try Shelf(shop, sections: key).controller.sections?.first?.name }
        #expect(try name("title") == "Dune")
        #expect(try name("pages") == "412")
        #expect(try name("rating") == "4.5")
        #expect(try name("price") == "12.75")
        #expect(try name("inPrint") == "1")
        #expect(try name("published") == "")
        #expect(try name("author.name") == "")
    }

    /// Proves: R6
    @Test("names may come from to-one relationships and transient properties", arguments: StoreKind.forResults)
    func distant(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
        shop.book("A", by: bob)
        shop.book("B", by: ada)
        let noted = shop.book("C", by: bob)
        noted.setValue("here", forKey: "note")
        try shop.context.save()
        #expect(
            try Shelf(shop, by: ["author.name", "title"], sections: "author.name").sections == ["Ada:B", "Bob:A,C"])
        #expect(try Shelf(shop, sections: "note").sections == [":A,B", "here:C"])
        let other = shop.stack.newContext()
        let shelf = try Shelf(shop, by: ["author.name", "title"], sections: "author.name", in: other)
        #expect(shelf.sections == ["Ada:B", "Bob:A,C"])
    }

    /// Proves: R7, R8
    @Test("sections are in the order of their first objects, each name once", arguments: StoreKind.forResults)
    func order(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for (title, pages) in [("A", 3), ("B", 1), ("C", 3), ("D", 2), ("E", 1)] { shop.book(title, pages: pages) }
        let shelf = try Shelf(shop, sections: "pages")
        #expect(shelf.sections == ["3:A,C", "1:B,E", "2:D"])
        #expect(shelf.titles == ["A", "C", "B", "E", "D"])
        let first = shelf.controller.object(at: IndexPath(item: 0, section: 0))
        first.title = "Z"
        // The section of three overtakes that of one, because its first object is now C.
        #expect(shelf.reports().first == "will")
        #expect(shelf.sections == ["1:B,E", "3:C,Z", "2:D"])
    }

    /// Proves: R9
    @Test("titles of sections are capitals, or the delegate's", arguments: StoreKind.forResults)
    func titles(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for title in ["adam", "anna", "Bea", "émile"] { shop.book(title) }
        let shelf = try Shelf(shop, sections: "title")
        #expect(shelf.controller.sectionIndexTitle(forSectionName: "émile") == "É")
        #expect(shelf.controller.sections?.map(\.indexTitle) == ["B", "A", "A", "É"])
        #expect(shelf.controller.sectionIndexTitles == ["B", "A", "É"])
        let names = TitleDelegate()
        shelf.controller.delegate = names
        #expect(shelf.controller.sectionIndexTitles == ["Bea!", "adam!", "anna!", "émile!"])
        #expect(shelf.controller.sections?.first?.indexTitle == "Bea!")
    }

    private final class TitleDelegate: NSFetchedResultsControllerDelegate {
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            sectionIndexTitleForSectionName sectionName: String
        ) -> String? { sectionName + "!" }
    }

    /// Proves: R10
    @Test("a title finds its first section", arguments: StoreKind.forResults)
    func sectionOfTitle(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        for title in ["Abel", "Bea", "Bob"] { shop.book(title) }
        let shelf = try Shelf(shop, sections: "title")
        #expect(shelf.controller.section(forSectionIndexTitle: "B", at: 1) == 1)
        #expect(shelf.controller.section(forSectionIndexTitle: "A", at: 0) == 0)
    }

    /// Proves: R10
    @Test("a title of no section is a mistake of the program")
    func unknownTitle() async {
        await #expect(processExitsWith: .failure) {
            let shelf = try Shelf(try Bookshop(in: .inMemory), sections: "title")
            _ = shelf.controller.section(forSectionIndexTitle: "X", at: 0)
        }
    }
}
