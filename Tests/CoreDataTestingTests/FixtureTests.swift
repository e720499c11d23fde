// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what fixtures promise: believable objects, the same for a seed, that keep the rules of the model.

import CoreData
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Testing

/// Proves: Testing-F1 to F6
@Suite("Fixtures") struct FixtureTests {
    @Test("objects validate and save, in every kind of store", arguments: StoreKind.all)
    func saves(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        let fixture = Fixture(in: museum.context, seed: 3)
        try fixture.populate(["Exhibit": 30, "Painting": 10, "Room": 3, "Keyword": 5, "Tour": 2])
        try museum.context.save()
        let count = try museum.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Exhibit"))
        #expect(count == 40)
    }

    @Test("a seed repeats the objects, and another one makes others")
    func determinism() throws {
        let texts = try [5, 5, 6].map { (seed: UInt64) in
            let shop = try Bookshop(in: .inMemory)
            try Fixture(in: shop.context, seed: seed).populate(60)
            try shop.context.save()
            return try StoreContents(of: shop.stack.coordinator)
        }
        #expect(texts[0] == texts[1] && texts[0] != texts[2])
        #expect(texts[0].text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.count == 60)
    }

    @Test("a builder sets only the values that a test is about")
    func builder() throws {
        let shop = try Bookshop(in: .sqlite)
        let fixture = Fixture(in: shop.context, seed: 1)
        let book = try fixture.make(Book.self) { $0.title = "Dune" }
        let author: Author = try fixture.make { $0.books = [book] }
        #expect(book.title == "Dune" && book.pages > 0)
        #expect(author.name?.isEmpty == false && book.author == author)
        try shop.context.save()
        #expect(throws: FixtureError.noEntity("Boook")) { try fixture.make("Boook") }
    }

    @Test("given values replace those of the fixture")
    func givenValues() throws {
        let shop = try Bookshop(in: .sqlite)
        let fixture = Fixture(in: shop.context)
        fixture.values["Book.title"] = { "book \($0)" }
        fixture.values["pages"] = { _ in 7 }
        let books = try fixture.make("Book", count: 3).compactMap { $0 as? Book }
        #expect(books.map(\.title) == ["book 0", "book 1", "book 2"])
        #expect(books.map(\.pages) == [7, 7, 7])
    }

    @Test("unique values differ, also from those that the store has", arguments: StoreKind.all)
    func uniqueness(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        // As many names as there are usual ones, or more.
        for seed in [1, 1, 2] as [UInt64] {
            try Fixture(in: shop.context, seed: seed).make("Tag", count: 300)
            try shop.context.save()
            shop.context.reset()
        }
        let tags = try shop.context.fetch(NSFetchRequest<CoreDataTestSupport.Tag>(entityName: "Tag"))
        #expect(Set(tags.map(\.name)).count == 900)
    }

    @Test("values keep limits, lengths, patterns and lists", arguments: 0..<20 as Range<UInt64>)
    func rules(seed: UInt64) throws {
        let stack = try Stack(.inMemory, RuledModel.make())
        let fixture = Fixture(in: stack.context, seed: seed)
        let objects = try fixture.make("Ruled", count: 50)
        try stack.context.save()
        let codes = objects.compactMap { $0.value(forKey: "code") as? String }
        #expect(codes.count == 50 && Set(codes).count == 50)
        #expect(codes.allSatisfy { $0.wholeMatch(of: /[A-Z]{2}-\d{4}(a|bc)?/) != nil })
        let amounts = objects.compactMap { $0.value(forKey: "amount") as? Int }
        #expect(amounts.count == 50 && amounts.allSatisfy { (10...12).contains($0) })
        func texts(_ key: String) -> [String] { objects.compactMap { $0.value(forKey: key) as? String } }
        // A fixture gives a postal code five digits unless a rule wants another length.
        #expect(texts("zip").count == 50 && texts("zip").allSatisfy { $0.utf16.count > 5 })
        #expect(texts("postcode").count == 50 && texts("postcode").allSatisfy { $0.utf16.count < 3 })
        #expect(texts("sign").count == 50 && texts("sign").allSatisfy { $0.wholeMatch(of: /[^a-z]{4}/) != nil })
    }

    @Test("Fractions keep strict limits that are less than one apart, or one apart", arguments: [0.5, 1])
    func strictFractions(most: Double) throws {
        let model = RuledModel.make()
        let limits = [CoreData.NSPredicate(format: "SELF > 0"), CoreData.NSPredicate(format: "SELF < %f", most)]
        let entity = try #require(model.entitiesByName["Ruled"])
        entity.attribute("part", .doubleAttributeType, optional: false)
            .setValidationPredicates(limits, withValidationWarnings: nil)
        let stack = try Stack(.inMemory, model)
        let objects = try Fixture(in: stack.context).make("Ruled", count: 50)
        let parts = objects.compactMap { $0.value(forKey: "part") as? Double }
        #expect(parts.count == 50 && parts.allSatisfy { $0 > 0 && $0 < most })
    }

    @Test("a rule that a fixture does not understand is an error with the remedy")
    func unknownRules() throws {
        let stack = try Stack(.inMemory, RuledModel.make(rule: "SELF MATCHES '(?=a)a+'"))
        let fixture = Fixture(in: stack.context)
        let error = #expect(throws: FixtureError.self) { try fixture.make("Ruled") }
        #expect(error?.description.contains("fixture.values[\"Ruled.extra\"]") == true)
        stack.context.rollback()
        let other = Fixture(in: stack.context)
        other.values["Ruled.extra"] = { _ in "aaa" }
        try other.make("Ruled")
        try stack.context.save()
        let contradiction = try Stack(.inMemory, RuledModel.make(rule: "SELF == 'a' AND length == 5"))
        #expect(throws: FixtureError.self) { try Fixture(in: contradiction.context).make("Ruled") }
    }

    @Test("too few unique values are an error, and no endless loop")
    func exhausted() throws {
        let stack = try Stack(.inMemory, RuledModel.make(rule: "SELF IN {'a', 'b'}", unique: ["extra"]))
        let error = #expect(throws: FixtureError.self) { try Fixture(in: stack.context).make("Ruled", count: 3) }
        #expect(error == .noFreeValue(entity: "Ruled", attributes: ["extra"]))
    }

    @Test("objects of random models always validate and save", arguments: 0..<150 as Range<UInt64>)
    func randomModels(seed: UInt64) throws {
        let stack = try Stack(seed % 2 == 0 ? .sqlite : .inMemory, RandomModels.make(seed))
        let fixture = Fixture(in: stack.context, seed: seed)
        try fixture.populate(24)
        try stack.context.save()
        let first = try StoreContents(of: stack.coordinator)
        let again = try Stack(.inMemory, RandomModels.make(seed))
        try Fixture(in: again.context, seed: seed).populate(24)
        try again.context.save()
        #expect(try StoreContents(of: again.coordinator) == first)
        #expect(!first.text.isEmpty)
    }
}
