// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Structures that gain mandatory members, and values that can no longer be decoded.

import CoreData
import Foundation
import SwiftData
import Testing

enum HousesBefore: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [House.self] }

    struct Door: Codable, Hashable { var height: Int }
    struct Room: Codable, Hashable {
        var size: Int
        var door = Door(height: 2)
    }
    enum Access: Codable, Hashable { case open, through(Room) }

    @Model
    final class House {
        var name: String
        var access: Access = Access.open
        var hall: Room = Room(size: 0)
        var attic: Room?
        var rooms: [Room] = []
        var cellars: Set<Room> = []
        var named: [String: Room] = [:]
        @Attribute(.codable) var plan: Room = Room(size: 0)
        @Attribute(.codable) var drafts: [Room] = []

        init(name: String, _ room: Room) {
            self.name = name
            (hall, attic, rooms, cellars) = (room, room, [room], [room])
            (named, plan, drafts, access) = (["a": room], room, [room], .through(room))
        }
    }
}

enum HousesAfter: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [House.self] }

    struct Door: Codable, Hashable {
        var height: Int
        var color = "red"
    }
    struct Room: Codable, Hashable {
        var size: Int
        var door = Door(height: 2)
        var floor = 4
        var uses: [String] = ["any"]
        var owner: String?
    }
    enum Access: Codable, Hashable { case open, through(Room), closed }

    @Model
    final class House {
        var name: String
        var access: Access = Access.closed
        var hall: Room = Room(size: 0)
        var attic: Room?
        var rooms: [Room] = []
        var cellars: Set<Room> = []
        var named: [String: Room] = [:]
        @Attribute(.codable) var plan: Room = Room(size: 0)
        @Attribute(.codable) var drafts: [Room] = []

        init(name: String) { self.name = name }
    }
}

enum HousesOfOtherTypes: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [House.self] }

    /// The type with a list in place of its number.
    struct Room: Codable, Hashable { var size: [String] }

    @Model
    final class House {
        var name: String
        var rooms: [Room] = []
        var cellars: Set<Room> = []
        var named: [String: Room] = [:]
        @Attribute(.codable) var plan: Room
        @Attribute(.codable) var drafts: [Room]?

        init(name: String, plan: Room) {
            self.name = name
            self.plan = plan
        }
    }
}

@Suite("Structures gain mandatory members")
struct GrownStructureTests {
    private func context(_ version: any VersionedSchema.Type, _ file: URL) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: file)))
    }

    private func old(_ file: URL) throws {
        let context = try context(HousesBefore.self, file)
        context.insert(HousesBefore.House(name: "a", HousesBefore.Room(size: 3)))
        try context.save()
    }

    /// Proves: S82
    @Test("a new member reads as the initial value of the property has it, or as zero, in structures, lists and JSON")
    func newMembers() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        let context = try context(HousesAfter.self, file)
        let house = try #require(try context.fetch(FetchDescriptor<HousesAfter.House>()).first)
        let ofInitial = HousesAfter.Room(size: 3)
        let ofZeros = HousesAfter.Room(size: 3, door: .init(height: 2, color: ""), floor: 0, uses: [])
        #expect(house.hall == ofInitial)
        #expect(house.plan == ofInitial)
        #expect(house.attic == ofZeros)
        #expect(house.rooms == [ofZeros])
        #expect(house.cellars == [ofZeros])
        #expect(house.named == ["a": ofZeros])
        #expect(house.drafts == [ofZeros])
        #expect(house.access == .through(ofZeros))
    }

    /// Proves: S82, S74, S46
    @Test("predicates see the initial value that a new member reads as") func inPredicates() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        let context = try context(HousesAfter.self, file)
        typealias House = HousesAfter.House
        let house = try #require(try context.fetch(FetchDescriptor<House>()).first)
        let predicate = #Predicate<House> { $0.hall.floor == 4 && $0.hall.door.color == "red" }
        #expect(try predicate.evaluate(house))
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 1)
    }

    /// Proves: S82, S22
    @Test("a change of such a list keeps its members") func changed() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        do {
            let context = try context(HousesAfter.self, file)
            let house = try #require(try context.fetch(FetchDescriptor<HousesAfter.House>()).first)
            house.rooms.append(HousesAfter.Room(size: 5))
            house.named["b"] = HousesAfter.Room(size: 6)
            house.hall.size = 7
            try context.save()
        }
        let house = try #require(
            try context(HousesAfter.self, file).fetch(FetchDescriptor<HousesAfter.House>()).first)
        #expect(house.rooms.map(\.size) == [3, 5] && house.rooms.map(\.floor) == [0, 4])
        #expect(house.named.mapValues(\.size) == ["a": 3, "b": 6])
        #expect(house.hall.size == 7 && house.hall.floor == 4)
    }

    /// Proves: S58
    @Test("values that are not understood read as empty, without a trap; other changes leave the bytes as they are")
    func notUnderstood() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        do {
            let context = try context(HousesOfOtherTypes.self, file)
            let house = try #require(try context.fetch(FetchDescriptor<HousesOfOtherTypes.House>()).first)
            #expect(house.rooms == [] && house.cellars == [] && house.named == [:] && house.drafts == nil)
            #expect(house.plan == HousesOfOtherTypes.Room(size: []))
            house.name = "b"
            try context.save()
        }
        #expect(try storedSizes(file) == [3, 3, 3, 3, 3])
    }

    /// A change of an undecodable value.
    enum Overwriting: String, CaseIterable {
        case rooms, cellars, named, plan, drafts

        func callAsFunction(_ house: HousesOfOtherTypes.House) {
            let room = HousesOfOtherTypes.Room(size: ["x"])
            switch self {
            case .rooms: house.rooms.append(room)
            case .cellars: house.cellars.insert(room)
            case .named: house.named["b"] = room
            case .plan: house.plan.size.append("x")
            case .drafts: house.drafts = (house.drafts ?? []) + [room]
            }
        }
    }

    /// Proves: S58, S23
    @Test(
        "a save never writes over bytes that were not understood: it throws, with entity and property",
        arguments: Overwriting.allCases)
    func refused(_ overwrite: Overwriting) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        let context = try context(HousesOfOtherTypes.self, file)
        let house = try #require(try context.fetch(FetchDescriptor<HousesOfOtherTypes.House>()).first)
        overwrite(house)
        house.name = "b"
        let error = #expect(throws: ModelError.self) { try context.save() }
        #expect(error?.kind == .modelValidationFailure && error?.identifier == house.persistentModelID)
        #expect(error?.entityName == "House" && error?.propertyName == overwrite.rawValue)
        #expect(context.hasChanges)
        context.rollback()
        house.name = "c"
        try context.save()
        #expect(try storedSizes(file) == [3, 3, 3, 3, 3])
    }

    /// Proves: S58
    @Test("the bytes can be replaced through the managed object, and with a value that was never read")
    func replaced() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        let context = try context(HousesOfOtherTypes.self, file)
        let house = try #require(try context.fetch(FetchDescriptor<HousesOfOtherTypes.House>()).first)
        #expect(house.rooms == [])
        house.managedObject?.setValue(Data("[]".utf8), forKey: "rooms")
        house.named = [:]
        try context.save()
        house.rooms.append(HousesOfOtherTypes.Room(size: ["x"]))
        #expect(throws: ModelError.self) { try context.save() }
        context.managedObjectContext.refreshAllObjects()
        context.rollback()
        #expect(house.rooms == [])
        house.rooms.append(HousesOfOtherTypes.Room(size: ["x"]))
        try context.save()
        #expect(house.rooms.map(\.size) == [["x"]])
    }

    /// The sizes of the rooms in each property that the newest version has, as the first version wrote them.
    private func storedSizes(_ file: URL) throws -> [Int] {
        let context = try context(HousesOfOtherTypes.self, file)
        let house = try #require(try context.fetch(FetchDescriptor<HousesOfOtherTypes.House>()).first)
        let row = try #require(house.managedObject)
        func data(_ key: String) -> Data { row.value(forKey: key) as? Data ?? Data() }
        typealias Room = HousesBefore.Room
        let decoder = JSONDecoder()
        let lists = try ["rooms", "cellars", "drafts"].flatMap { try decoder.decode([Room].self, from: data($0)) }
        let named = try decoder.decode([String: Room].self, from: data("named")).values
        return (lists + named + [try decoder.decode(Room.self, from: data("plan"))]).map(\.size)
    }
}
