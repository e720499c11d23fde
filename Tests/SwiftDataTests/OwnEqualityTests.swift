// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Model classes that define their equality.

import Foundation
import SwiftData
import Testing

@Model
final class Copper {
    var value: Int
    var year: Int
    var purse: Purse?

    init(value: Int, year: Int) {
        self.value = value
        self.year = year
    }

    static func == (lhs: Copper, rhs: Copper) -> Bool { lhs.value == rhs.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

@Model
public class Purse: Hashable {
    var owner: String
    @Relationship(inverse: \Copper.purse) var coins: [Copper] = []

    init(owner: String) { self.owner = owner }

    public nonisolated static func == (one: Purse, other: Purse) -> Bool { one.owner == other.owner }

    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(owner) }
}

@Model
final class SmallPurse: Purse {
    var pockets: Int = 1

    init(owner: String, pockets: Int) {
        self.pockets = pockets
        super.init(owner: owner)
    }

    static func == (lhs: SmallPurse, rhs: SmallPurse) -> Bool { lhs.pockets == rhs.pockets }
}

enum Treasury {
    @Model
    final class Ingot {
        var grams: Int

        init(grams: Int) { self.grams = grams }

        static func == (lhs: Ingot, rhs: Treasury.Ingot) -> Bool { lhs.grams == rhs.grams }
    }
}

@Suite("A class may define its equality")
struct OwnEqualityTests {
    private func areEqual<Model: PersistentModel>(_ one: Model, _ other: Model) -> Bool { one == other }

    /// Proves: S7
    @Test("operators, generic functions, arrays and sets use it") func used() {
        let (old, new, other) = (
            Copper(value: 1, year: 1900), Copper(value: 1, year: 2000), Copper(value: 2, year: 2000)
        )
        #expect(old == new && old != other)
        #expect(areEqual(old, new) && !areEqual(old, other))
        #expect([old].contains(new) && ![old].contains(other) && [old, other] == [new, other])
        #expect(Set([old, new, other]).count == 2)
        #expect(Optional(old) == new)
        #expect(areEqual(Purse(owner: "Ada"), Purse(owner: "Ada")))
        #expect(areEqual(Treasury.Ingot(grams: 1), Treasury.Ingot(grams: 1)))
        #expect(!areEqual(Treasury.Ingot(grams: 1), Treasury.Ingot(grams: 2)))
    }

    /// Proves: S7, S9
    @Test("a subclass has that of its superclass where the class is not known") func inSubclasses() {
        let (one, other) = (SmallPurse(owner: "Ada", pockets: 1), SmallPurse(owner: "Ada", pockets: 2))
        #expect(!(one == other))
        #expect(areEqual(one, other))
        #expect(areEqual(one as Purse, other as Purse))
    }

    /// Proves: S7, S49
    @Test("records and relationships do not: equal models are two") func records() throws {
        let container = try ModelContainer(
            for: Purse.self, SmallPurse.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let purse = Purse(owner: "Ada")
        context.insert(purse)
        purse.coins = [Copper(value: 1, year: 1900), Copper(value: 1, year: 2000)]
        try context.save()
        #expect(purse.coins.map(\.year) == [1900, 2000])
        context.delete(purse.coins[1])
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Copper>())
        #expect(found.map(\.year) == [1900])
    }
}
