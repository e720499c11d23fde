// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models and objects of the golden store of SwiftData. They never change.

public import CoreData
import Foundation
public import SwiftData

@Model public final class GoldenPerson {
    @Attribute(.unique) public var name: String
    public var born: Date?
    public var nicknames: [String]
    public var home: GoldenHome?
    public var mood: GoldenMood
    @Attribute(.externalStorage) public var picture: Data?
    @Relationship(deleteRule: .cascade, inverse: \GoldenPet.owner) public var pets: [GoldenPet] = []

    public init(name: String, mood: GoldenMood) {
        (self.name, self.mood) = (name, mood)
        nicknames = []
    }
}

@Model public final class GoldenPet {
    public var name: String
    public var weight: Double
    public var owner: GoldenPerson?

    public init(name: String, weight: Double) { (self.name, self.weight) = (name, weight) }
}

public struct GoldenHome: Codable, Sendable {
    public var street: String
    public var floor: Int?
}

public enum GoldenMood: String, Codable, Sendable { case calm, cheerful }

public enum GoldenHousehold {
    public static let fileName = "swiftData.sqlite"

    /// Opens the store in a file.
    public static func container(at url: URL) throws -> ModelContainer {
        try ModelContainer(for: GoldenPerson.self, GoldenPet.self, configurations: ModelConfiguration(url: url))
    }

    /// Writes the store, and closes it.
    public static func write(in folder: URL) throws {
        let container = try container(at: folder.appendingPathComponent(fileName))
        let context = ModelContext(container)
        for (number, name) in ["Ada", "Ben", "Zoë"].enumerated() {
            let person = GoldenPerson(name: name, mood: number == 1 ? .calm : .cheerful)
            context.insert(person)
            person.nicknames = Array(["a", "b"].prefix(number))
            if number > 0 {
                person.born = Date(timeIntervalSinceReferenceDate: Double(number) * 1000.5)
                person.home = GoldenHome(street: "Mill Road \(number)", floor: number == 1 ? nil : number)
            }
            person.pets = (0..<number).map { GoldenPet(name: "\(name)'s pet \($0)", weight: Double($0) + 0.5) }
        }
        try context.save()
        try close(container)
    }

    /// Makes changes of each kind, and saves.
    public static func change(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        let people = try context.fetch(FetchDescriptor<GoldenPerson>(sortBy: [SortDescriptor(\.name)]))
        people[0].nicknames = ["new"]
        people[0].pets.append(contentsOf: people[1].pets)
        people[1].home?.floor = 9
        context.delete(people[2])
        context.insert(GoldenPerson(name: "New", mood: .calm))
        try context.save()
    }

    public static func close(_ container: ModelContainer) throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
