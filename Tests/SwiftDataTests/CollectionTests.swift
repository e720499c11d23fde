// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions on arrays, sets and dictionaries of values.

import Foundation
import SwiftData
import Testing

struct Price: Codable, Hashable {
    var shop: String
    var cents: Int
}

@Model
final class Ware {
    var name: String
    var words: [String]
    var codes: Set<Int>
    var prices: [Price]
    var colours: [String]?

    init(_ name: String, _ words: [String], codes: Set<Int> = [], prices: [Price] = [], colours: [String]? = nil) {
        self.name = name
        self.words = words
        self.codes = codes
        self.prices = prices
        self.colours = colours
    }
}

@Suite("Predicates look into collections of values")
struct CollectionTests {
    private func wares() throws -> ModelContext {
        let context = ModelContext(
            try ModelContainer(for: Ware.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(Ware("chair", ["wood", "seat"], codes: [1, 2], prices: [Price(shop: "a", cents: 900)]))
        context.insert(Ware("table", ["wood"], codes: [2], colours: ["red"]))
        context.insert(Ware("lamp", [], prices: [Price(shop: "b", cents: 100), Price(shop: "c", cents: 5000)]))
        try context.save()
        return context
    }

    private func names(_ predicate: Predicate<Ware>, in context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }

    /// Proves: S44
    @Test("Arrays, sets and arrays of structures")
    func kinds() throws {
        let context = try wares()
        #expect(try names(#Predicate { $0.words.contains("wood") }, in: context) == ["chair", "table"])
        #expect(try names(#Predicate { $0.words.isEmpty }, in: context) == ["lamp"])
        #expect(try names(#Predicate { $0.words.count > 1 }, in: context) == ["chair"])
        #expect(try names(#Predicate { $0.codes.contains(1) }, in: context) == ["chair"])
        #expect(try names(#Predicate { $0.prices.contains { $0.cents > 1000 } }, in: context) == ["lamp"])
        #expect(try names(#Predicate { $0.colours?.contains("red") ?? false }, in: context) == ["table"])
        #expect(
            try names(#Predicate { !$0.words.contains("wood") || $0.name == "chair" }, in: context)
                == ["chair", "lamp"])
    }

    /// Proves: S44, S34
    @Test("Windows, numbers and identifiers agree, and unsaved models count")
    func windows() throws {
        let context = try wares()
        context.insert(Ware("bench", ["wood", "long"]))
        var wooden = FetchDescriptor<Ware>(
            predicate: #Predicate { $0.words.contains("wood") && $0.name > "a" }, sortBy: [SortDescriptor(\.name)])
        #expect(try context.fetch(wooden).map(\.name) == ["bench", "chair", "table"])
        wooden.fetchOffset = 1
        wooden.fetchLimit = 1
        #expect(try context.fetch(wooden).map(\.name) == ["chair"])
        #expect(try context.fetchCount(wooden) == 1)
        #expect(try context.fetchIdentifiers(wooden) == context.fetch(wooden).map(\.persistentModelID))
        #expect(try context.fetch(wooden, batchSize: 1).map(\.name) == ["chair"])
    }

    /// Proves: S33, S44
    @Test("Without unsaved changes the store's state counts, in all kinds of fetches")
    func storedState() throws {
        let context = try wares()
        context.insert(Ware("bench", ["wood"]))
        for ware in try context.fetch(FetchDescriptor<Ware>()) where ware.name == "chair" { ware.words = [] }
        for ware in try context.fetch(FetchDescriptor<Ware>()) where ware.name == "lamp" { ware.words = ["wood"] }
        var wooden = FetchDescriptor<Ware>(
            predicate: #Predicate { $0.words.contains("wood") }, sortBy: [SortDescriptor(\.name, order: .reverse)])
        #expect(try context.fetch(wooden).map(\.name) == ["table", "lamp", "bench"])
        wooden.includePendingChanges = false
        #expect(try context.fetch(wooden).map(\.name) == ["table", "chair"])
        #expect(try context.fetchCount(wooden) == 2)
        #expect(try context.fetch(wooden, batchSize: 1).map(\.name) == ["table", "chair"])
        wooden.fetchOffset = 1
        #expect(try context.fetchIdentifiers(wooden) == context.fetch(wooden).map(\.persistentModelID))
        #expect(try context.fetch(wooden).map(\.name) == ["chair"] && context.hasChanges)
    }

    /// Proves: S44
    @Test("The store answers the rest of the predicate, and the explanation says so")
    func explained() throws {
        let context = try wares()
        let explanation = try context.explain(
            FetchDescriptor<Ware>(predicate: #Predicate { $0.name == "chair" && $0.words.contains("wood") }))
        let text = "\(explanation)"
        #expect(text.contains("ZNAME"), "\(text)")
        #expect(text.contains("calls code of the program"), "\(text)")
    }

    /// Proves: S98
    @Test("A deletion by such a condition marks the models")
    func deletion() throws {
        let context = try wares()
        try context.delete(model: Ware.self, where: #Predicate { $0.words.contains("wood") })
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Ware>()).map(\.name) == ["lamp"])
    }
}
