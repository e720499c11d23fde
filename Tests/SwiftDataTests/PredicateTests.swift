// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// All operations of `#Predicate`, evaluated by a store, on unsaved models, and on models in memory.

import Foundation
import SwiftData
import Testing

/// A predicate and the titles of the books that it finds.
struct PredicateCase: CustomTestStringConvertible {
    let testDescription: String
    let predicate: Predicate<Book>
    let titles: [String]

    init(_ description: String, _ titles: [String], _ predicate: Predicate<Book>) {
        testDescription = description
        self.titles = titles
        self.predicate = predicate
    }
}

/// Dune: 412 pages, by Herbert. Lists: 90 pages, The Rose: 500 pages, by Eco. (`Stack.library`)
enum PredicateCases {
    private static let day = Date(timeIntervalSinceReferenceDate: 0)
    private static let past = Date.distantPast
    private static let wanted = ["Dune", "Lists"]
    private static let range = 100...450

    static var all: [PredicateCase] { numbers + texts + optionals + members + arrays + captured }

    private static let numbers = [
        PredicateCase("arithmetic", ["Dune", "The Rose"], #Predicate { $0.pages * 2 + 10 > 800 }),
        PredicateCase("remainder", ["The Rose"], #Predicate { $0.pages % 100 == 0 }),
        PredicateCase("whole division", ["Dune"], #Predicate { $0.pages / 100 == 4 }),
        PredicateCase("negation", ["The Rose"], #Predicate { -$0.pages < -450 }),
        PredicateCase("ternary", ["Lists"], #Predicate { ($0.pages > 400 ? $0.title : "short") == "short" }),
        PredicateCase("closed range", ["Dune"], #Predicate { (100...450).contains($0.pages) }),
        PredicateCase("half-open range", ["Lists"], #Predicate { (90..<412).contains($0.pages) }),
        PredicateCase("not", ["Lists"], #Predicate { !($0.pages > 100) }),
        PredicateCase("true", ["Dune", "Lists", "The Rose"], #Predicate { _ in true }),
        PredicateCase("false", [], #Predicate { _ in false }),
    ]

    private static let texts = [
        PredicateCase("contains", ["Lists", "The Rose"], #Predicate { $0.title.contains("s") }),
        PredicateCase("starts", ["The Rose"], #Predicate { $0.title.starts(with: "The") }),
        PredicateCase("localized contains", ["The Rose"], #Predicate { $0.title.localizedStandardContains("rOSE") }),
        PredicateCase("empty", [], #Predicate { $0.title.isEmpty }),
        PredicateCase("count", ["Dune"], #Predicate { $0.title.count == 4 }),
        PredicateCase("order", ["Lists", "The Rose"], #Predicate { $0.title > "Eco" }),
    ]

    private static let optionals = [
        PredicateCase("chain", ["Lists", "The Rose"], #Predicate { $0.author?.name == "Eco" }),
        PredicateCase("forced", ["Dune"], #Predicate { $0.author!.name == "Herbert" }),
        PredicateCase(
            "coalescing", ["Lists", "The Rose"],
            #Predicate { ($0.author?.born ?? day) != day || $0.author?.born == nil }),
        PredicateCase("not nil", ["Dune"], #Predicate { $0.author?.born != nil }),
        PredicateCase("date", ["Dune"], #Predicate { ($0.author?.born ?? past) >= day }),
        PredicateCase(
            "if let", ["Lists", "The Rose"],
            #Predicate { book in
                if let author = book.author { author.name == "Eco" } else { false }
            }),
        PredicateCase(
            "if else", ["Dune", "Lists"],
            #Predicate { book in
                if book.pages > 450 { false } else if book.pages > 400 { true } else { book.title == "Lists" }
            }),
        PredicateCase("flatMap", ["Lists", "The Rose"], #Predicate { $0.author.flatMap { $0.name } == "Eco" }),
        PredicateCase("member of a structure", ["Dune"], #Predicate { ($0.address?.zip ?? 0) == 7 }),
    ]

    private static let members = [
        PredicateCase("contains where", ["Dune"], #Predicate { $0.tags.contains { $0.name == "desert" } }),
        PredicateCase(
            "all satisfy", ["Dune", "Lists", "The Rose"], #Predicate { $0.tags.allSatisfy { $0.name == "desert" } }),
        PredicateCase("filter", ["Dune"], #Predicate { $0.tags.filter { $0.name == "desert" }.count == 1 }),
        PredicateCase("count", ["Dune"], #Predicate { $0.tags.count == 1 }),
        PredicateCase("members of a to-one", ["Lists", "The Rose"], #Predicate { ($0.author?.books.count ?? 0) == 2 }),
        PredicateCase(
            "condition on members of a to-one", ["Lists", "The Rose"],
            #Predicate { $0.author?.books.contains { $0.pages == 500 } == true }),
        PredicateCase(
            "both", ["The Rose"],
            #Predicate { book in book.author?.books.contains { $0.pages < book.pages } ?? false }),
    ]

    private static let arrays = [
        PredicateCase("contains", ["Dune"], #Predicate { $0.words.contains("spice") }),
        PredicateCase("empty", ["Lists", "The Rose"], #Predicate { $0.words.isEmpty }),
        PredicateCase("largest", ["Dune"], #Predicate { $0.words.max() == "worm" }),
        PredicateCase("smallest", ["Dune"], #Predicate { $0.words.min() == "spice" }),
    ]

    private static let captured = [
        PredicateCase("array", ["Dune", "Lists"], #Predicate { wanted.contains($0.title) }),
        PredicateCase("range", ["Dune"], #Predicate { range.contains($0.pages) }),
        PredicateCase("literal", ["Lists", "The Rose"], #Predicate { [90, 500].contains($0.pages) }),
    ]
}

@Suite("Every operation of `#Predicate` is translated")
struct PredicateTests {
    private func library() throws -> ModelContext {
        let context = try Stack.library()
        try #require(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Dune" })).first)
            .words = ["spice", "worm"]
        try context.save()
        return context
    }

    /// Proves: S39, S41, S42, S43, S44, S46
    @Test("by a store, over unsaved models, and by itself", arguments: PredicateCases.all)
    func meaning(_ example: PredicateCase) throws {
        let context = try library()
        let descriptor = FetchDescriptor(predicate: example.predicate, sortBy: [SortDescriptor(\.title)])
        #expect(try context.fetch(descriptor).map(\.title) == example.titles)
        let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        #expect(try all.filter { try example.predicate.evaluate($0) }.map(\.title) == example.titles)
        // Every model is changed, so the store's result is not used.
        for book in all { book.note = "changed" }
        #expect(try context.fetch(descriptor).map(\.title) == example.titles)
        #expect(try context.fetchCount(descriptor) == example.titles.count)
    }

    /// Proves: S9, S39
    @Test("Classes and properties of subclasses")
    func classes() throws {
        let context = ModelContext(try Stack.memory())
        for name in ["Rex", "Ada"] { context.insert(Dog(name: name, breed: name == "Rex" ? "Collie" : "Pug")) }
        context.insert(Animal(name: "Tom"))
        try context.save()
        func names(_ predicate: Predicate<Animal>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
        }
        #expect(try names(#Predicate { $0 is Dog }) == ["Ada", "Rex"])
        #expect(try names(#Predicate { !($0 is Dog) }) == ["Tom"])
        #expect(try names(#Predicate { ($0 as? Dog)?.breed == "Pug" }) == ["Ada"])
        #expect(try names(#Predicate { ($0 as? Dog)?.isGood ?? false }) == ["Ada", "Rex"])
        #expect(try names(#Predicate { $0.legs == 4 && ($0 as? Dog)?.breed != "Pug" }) == ["Rex", "Tom"])
    }
}
