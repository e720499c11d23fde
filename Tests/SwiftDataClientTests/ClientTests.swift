// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app in language mode 5 in which all code belongs to the main actor, as new apps are set up.

import SwiftData
import Testing

enum Mood: String, Codable, CaseIterable { case calm, wild }

enum Drink: Codable, Equatable { case tea(String), water }

struct Size: Codable, Equatable {
    var width: Double
    var height: Double?
}

@Model
final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []

    init(name: String) { self.name = name }
}

@Model
class Item {
    #Index<Item>([\.title])
    #Unique<Item>([\.title, \.mood])
    let id = UUID()
    let made: Date
    var title: String
    var mood: Mood = Mood.calm
    var drink: Drink?
    var size: Size?
    var words: [String] = []
    var count = 0 {
        didSet { changes += 1 }
    }
    @Transient var changes = 0
    var shelf: Shelf?

    init(title: String) {
        self.title = title
        made = .now
    }

    func rename() { title += "!" }
}

@Model
final class Special: Item {
    var extra: String = "x"
    var kind: Mood

    override init(title: String) {
        kind = .wild
        super.init(title: title)
    }
}

@ModelActor
actor Importer {
    func add(_ name: String) throws {
        modelContext.insert(Shelf(name: name))
        try modelContext.save()
    }
}

@Suite("Code that belongs to the main actor, in language mode 5")
struct ClientTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Shelf.self, Special.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// Proves: S1
    @Test("has models with values of its types, and fetches them") func models() throws {
        let container = try container()
        let item = Special(title: "a")
        item.shelf = Shelf(name: "s")
        item.rename()
        item.count = 3
        (item.drink, item.size) = (.tea("green"), Size(width: 1, height: nil))
        container.mainContext.insert(item)
        try container.mainContext.save()
        let other = ModelContext(container)
        let found = try other.fetch(
            FetchDescriptor<Item>(
                predicate: #Predicate { $0.title == "a!" && $0.shelf?.name == "s" }, sortBy: [SortDescriptor(\.title)]))
        let same = try #require(found.first as? Special)
        #expect(same.kind == .wild && same.mood == .calm && same.drink == .tea("green") && same.size?.width == 1)
        #expect(same.id == item.id && same.made == item.made && item.changes == 1 && same.changes == 0)
    }

    /// Proves: S1, S83
    @Test("works together with actors that have separate contexts") func actors() async throws {
        let container = try container()
        try await Importer(modelContainer: container).add("new")
        #expect(try container.mainContext.fetch(FetchDescriptor<Shelf>()).map(\.name) == ["new"])
    }
}
