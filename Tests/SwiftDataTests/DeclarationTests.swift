// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes and initializers in all the forms that programs write.

import Foundation
import SwiftData
import Testing

public enum Sea {}

extension Sea {
    @Model
    public final class Captain {
        public var name: String
        @Relationship(inverse: \Sea.Vessel.captain) public internal(set) var vessels: [Sea.Vessel] = []

        public init(name: String) { self.name = name }
    }

    @Model
    public class Vessel {
        public var name: String
        fileprivate var secret = 1
        public var captain: Captain?
        @Relationship(inverse: \Cargo.vessel) var cargo: [Cargo]? = []

        public init(name: String) { self.name = name }

        @Model
        final class Cargo {
            private(set) var weight: Int
            var vessel: Vessel?

            init(weight: Int) { self.weight = weight }
        }
    }
}

@Model
nonisolated final class Harbor {
    var name = ""
    init() {}
}

@MainActor
@Model
final class Panel {
    var title: String
    init(title: String) { self.title = title }
    func rename() { title += "!" }
}

@available(macOS 15, *)
@Model
final class Beacon {
    var range: Double
    init(range: Double) { self.range = range }
}

/// Initializers of all kinds.
@Model
class Recipe: Decodable {
    struct NoName: Error {}

    var name: String
    var portions: Int
    var minutes: Int = 10
    var source: URL?
    var steps: [String]
    var summary: String

    init(name: String, portions: Int) {
        self.portions = portions
        steps = []
        self.name = name
        // Set and read before everything else is set.
        summary = ""
        summary = "\(self.name) for \(self.portions)"
        for number in 0..<2 { steps.append("step \(number)") }
    }

    convenience init(_ name: String) {
        self.init(name: name, portions: 2)
        minutes = 5
    }

    init?(portions: Int) {
        if portions < 1 { return nil }
        name = "anything"
        self.portions = portions
        steps = []
        summary = ""
    }

    init(checked name: String) throws {
        guard !name.isEmpty else { throw NoName() }
        (self.name, portions) = (name, 4)
        steps = ["start"]
        summary = name
    }

    enum CodingKeys: CodingKey { case name, portions }

    required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        portions = try values.decode(Int.self, forKey: .portions)
        steps = []
        summary = "decoded"
    }
}

@Suite("Models are declared as in any program")
struct DeclarationTests {
    private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    /// Proves: S1
    @Test("public, nested, in extensions, nonisolated and with availability")
    func places() throws {
        let context = try context(Sea.Vessel.self, Harbor.self, Beacon.self)
        let vessel = Sea.Vessel(name: "Fram")
        vessel.captain = Sea.Captain(name: "Sverdrup")
        vessel.cargo?.append(Sea.Vessel.Cargo(weight: 7))
        context.insert(vessel)
        context.insert(Harbor())
        context.insert(Beacon(range: 2.5))
        try context.save()
        let other = ModelContext(context.container)
        let found = try #require(try other.fetch(FetchDescriptor<Sea.Vessel>()).first)
        #expect(found.captain?.name == "Sverdrup" && found.cargo?.map(\.weight) == [7] && found.secret == 1)
        #expect(found.captain?.vessels.first === found)
        #expect(try other.fetch(FetchDescriptor<Beacon>()).map(\.range) == [2.5])
        #expect(try other.fetchCount(FetchDescriptor<Harbor>()) == 1)
    }

    /// Proves: S1, S86
    @Test("on the main actor")
    @MainActor func mainActor() throws {
        let container = try ModelContainer(
            for: Panel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let panel = Panel(title: "Start")
        container.mainContext.insert(panel)
        panel.rename()
        try container.mainContext.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<Panel>())
        #expect(found.map(\.title) == ["Start!"])
    }

    /// Proves: S3
    @Test("with initializers of all kinds")
    func initializers() throws {
        #expect(Recipe(portions: 0) == nil)
        #expect(throws: Recipe.NoName.self) { try Recipe(checked: "") }
        let decoded = try JSONDecoder().decode(Recipe.self, from: Data(#"{"name": "Soup", "portions": 3}"#.utf8))
        let recipes = [
            Recipe(name: "Tart", portions: 8), Recipe("Tea"), try #require(Recipe(portions: 1)),
            try Recipe(checked: "Bread"), decoded,
        ]
        #expect(recipes.map(\.name) == ["Tart", "Tea", "anything", "Bread", "Soup"])
        let context = try context(Recipe.self)
        for recipe in recipes { context.insert(recipe) }
        try context.save()
        let other = ModelContext(context.container)
        let found = try other.fetch(FetchDescriptor<Recipe>())
        #expect(found.map(\.portions) == [8, 2, 1, 4, 3] && found.map(\.minutes) == [10, 5, 10, 10, 10])
        #expect(found.map(\.summary) == ["Tart for 8", "Tea for 2", "", "Bread", "decoded"])
        #expect(found.map(\.steps) == [["step 0", "step 1"], ["step 0", "step 1"], [], ["start"], []])
    }
}
