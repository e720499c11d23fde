// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collections, enumerations and structures that a new version adds.

import Foundation
import SwiftData
import Testing

enum LeafletsBefore: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Leaflet.self] }

    @Model
    final class Leaflet {
        var text: String

        init(text: String) { self.text = text }
    }
}

enum LeafletsAfter: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Leaflet.self] }

    @Model
    final class Leaflet {
        var text: String
        var words: [String] = []
        var marks: [Int] = [1, 2]
        var days: [Date]?
        var places: Set<String> = ["home"]

        init(text: String) { self.text = text }
    }
}

/// Versions with enumerations and structures.
enum ParcelsBefore: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model
    final class Parcel {
        var label: String
        var speed: Speed?

        init(label: String, speed: Speed? = nil) {
            self.label = label
            self.speed = speed
        }
    }
}

enum ParcelsAfter: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model
    final class Parcel {
        var label: String
        var speed: Speed = Speed.fast
        var state: State = State.stored
        var payment: Payment = Payment.card(7)
        var size: Size = Size(width: 3, weight: Weight(grams: 5))
        var marks: Marks = Marks()
        var chamber: Chamber

        init(label: String) {
            self.label = label
            chamber = .hall
        }
    }
}

enum Speed: String, Codable { case slow, fast }
enum State: Int, Codable { case sent = 1, stored = 2 }
enum Payment: Codable, Equatable {
    case cash
    case card(Int)
}
enum Chamber: String, Codable, CaseIterable { case hall, cellar }
struct Weight: Codable, Equatable {
    var grams: Int
}
struct Size: Codable, Equatable {
    var width: Int
    var depth: Int?
    var weight: Weight
}
struct Marks: Codable, Equatable {
    var first: String?
    var second: Int?
}

@Suite("A new version adds mandatory enumerations and structures")
struct AddedCompositeTests {
    private func old(_ file: URL) throws {
        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: ParcelsBefore.self), configurations: ModelConfiguration(url: file)))
        context.insert(ParcelsBefore.Parcel(label: "a"))
        context.insert(ParcelsBefore.Parcel(label: "b", speed: .slow))
        try context.save()
    }

    private func new(_ file: URL) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: ParcelsAfter.self), configurations: ModelConfiguration(url: file)))
    }

    /// Proves: S74, S110, S46
    @Test("Records of the old version have the initial values, for predicates too")
    func initialValues() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        let context = try new(file)
        let all = try context.fetch(FetchDescriptor<ParcelsAfter.Parcel>(sortBy: [SortDescriptor(\.label)]))
        #expect(all.map(\.speed) == [.fast, .slow])
        #expect(all.map(\.state) == [.stored, .stored] && all.map(\.payment) == [.card(7), .card(7)])
        #expect(all.map(\.size) == Array(repeating: Size(width: 3, weight: Weight(grams: 5)), count: 2))
        #expect(all.map(\.marks) == [Marks(), Marks()] && all.map(\.chamber) == [.hall, .hall])
        let (fast, stored) = (Speed.fast, State.stored)
        #expect(
            try context.fetchCount(
                FetchDescriptor<ParcelsAfter.Parcel>(predicate: #Predicate { $0.speed == fast && $0.state == stored }))
                == 1)
        #expect(
            try context.fetchCount(FetchDescriptor<ParcelsAfter.Parcel>(predicate: #Predicate { $0.size.width == 3 }))
                == 2)
    }

    /// Proves: S74, S22
    @Test("They are saved with another change, and nothing is lost")
    func saved() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file)
        do {
            let context = try new(file)
            for parcel in try context.fetch(FetchDescriptor<ParcelsAfter.Parcel>()) { parcel.label += "!" }
            try context.save()
        }
        let context = try new(file)
        let all = try context.fetch(FetchDescriptor<ParcelsAfter.Parcel>(sortBy: [SortDescriptor(\.label)]))
        #expect(all.map(\.label) == ["a!", "b!"] && all.map(\.speed) == [.fast, .slow])
        #expect(all.allSatisfy { $0.payment == .card(7) && $0.size.weight.grams == 5 })
    }

    /// Proves: S8, S22
    @Test("A structure with no value in any member is saved, fetched and saved again")
    func emptyStructure() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        do {
            let context = try new(file)
            context.insert(ParcelsAfter.Parcel(label: "a"))
            try context.save()
        }
        let context = try new(file)
        let parcel = try #require(try context.fetch(FetchDescriptor<ParcelsAfter.Parcel>()).first)
        #expect(parcel.marks == Marks())
        parcel.label = "b"
        try context.save()
        #expect(!context.hasChanges)
    }
}

@Suite("A new version adds collections")
struct AddedPropertyTests {
    /// Proves: S74, S110, S8
    @Test("Records of the old version have the initial values, and can be changed")
    func initialValues() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        do {
            let old = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: LeafletsBefore.self), configurations: ModelConfiguration(url: file)))
            old.insert(LeafletsBefore.Leaflet(text: "a"))
            try old.save()
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: LeafletsAfter.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let note = try #require(try context.fetch(FetchDescriptor<LeafletsAfter.Leaflet>()).first)
        #expect(note.words == [] && note.marks == [1, 2] && note.days == nil && note.places == ["home"])
        note.text = "b"
        note.words = ["x"]
        try context.save()
        let again = ModelContext(container)
        let found = try again.fetch(FetchDescriptor<LeafletsAfter.Leaflet>())
        #expect(found.map(\.text) == ["b"] && found.map(\.words) == [["x"]] && found.map(\.marks) == [[1, 2]])
    }
}
