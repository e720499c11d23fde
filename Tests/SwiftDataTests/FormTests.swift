// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The storage of properties: the model of a schema, and the columns of its file.

import Foundation
import SQLiteDriver
import SwiftData
import Testing

@testable import CoreData

enum Mood: String, Codable, CaseIterable { case calm, wild }

enum Rank: Int, Codable { case low = 1, high = 2 }

enum Drink: Codable, Equatable { case water, tea(String), mixed(String, Int) }

struct Point: Codable, Equatable {
    var x: Double
    var y: Double
}

struct Place: Codable, Equatable {
    var name: String
    var point: Point
    var labels: [String]
    var drinks: [Drink]
}

@Model
final class Sample {
    var key = UUID()
    var mood: Mood = Mood.calm
    var rank: Rank?
    var drink: Drink?
    var place: Place
    var maybePlace: Place?
    var words: [String] = []
    var numbers: [Int]?
    var points: [Point] = []
    var labels: Set<String> = []
    var scores: [String: Int] = [:]
    @Attribute(.externalStorage) var picture: Data?
    @Attribute(.spotlight, .preserveValueOnDeletion, originalName: "heading") var title: String = "none"
    @Attribute(.allowsCloudEncryption) var secret: String?
    @Attribute(.ephemeral) var passing: String?
    @Attribute(hashModifier: "2") var note: String?

    init(place: Place) { self.place = place }
}

@Suite("Properties have the form of SwiftData's own files")
struct FormTests {
    private static let place = Place(
        name: "Oslo", point: Point(x: 1, y: 2), labels: ["a", "b"], drinks: [.tea("Gin"), .water])

    private func attributes() throws -> [String: NSAttributeDescription] {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Sample.self]))
        return try #require(model.entitiesByName["Sample"]).attributesByName
    }

    /// Empty for an attribute that is no composite.
    private func elements(_ attribute: NSAttributeDescription?) -> [NSAttributeDescription] {
        (attribute as? NSCompositeAttributeDescription)?.elements ?? []
    }

    /// Proves: S111
    @Test("an enumeration with raw values is a composite with one optional element of the property's name")
    func rawValues() throws {
        let all = try attributes()
        let mood = try #require(all["mood"])
        #expect(mood.attributeType == .compositeAttributeType && !mood.isOptional)
        #expect(mood.userInfo?["EnumType"] as? Bool == true)
        #expect(elements(mood).map(\.name) == ["mood"])
        #expect(elements(mood).map(\.attributeType) == [.stringAttributeType])
        #expect(!elements(mood).contains { !$0.isOptional })
        let rank = try #require(all["rank"])
        #expect(rank.isOptional)
        #expect(elements(rank).map(\.attributeType) == [.integer64AttributeType])
    }

    /// Proves: S112
    @Test("an enumeration without raw values is a composite with an optional element for each case in declared order")
    func cases() throws {
        let drink = try #require(try attributes()["drink"])
        #expect(drink.userInfo?["EnumType"] as? Bool == true)
        #expect(drink.userInfo?["enum"] as? [String] == ["water", "tea", "mixed"])
        #expect(elements(drink).map(\.name) == ["water", "tea", "mixed"])
        #expect(
            elements(drink).map(\.attributeType)
                == [.stringAttributeType, .stringAttributeType, .binaryDataAttributeType])
        #expect(!elements(drink).contains { !$0.isOptional })
    }

    /// Proves: S113, S114
    @Test("a structure is a composite with an element for each member; arrays in it are data")
    func structures() throws {
        let all = try attributes()
        #expect(all["place"]?.isOptional == false && all["maybePlace"]?.isOptional == true)
        let members = elements(all["place"])
        #expect(members.map(\.name) == ["name", "point", "labels", "drinks"])
        #expect(
            members.map(\.attributeType)
                == [
                    .stringAttributeType, .compositeAttributeType, .binaryDataAttributeType, .binaryDataAttributeType,
                ])
        #expect(elements(members[1]).map(\.name) == ["x", "y"])
        #expect(!members.contains { !$0.isOptional })
    }

    /// Proves: S115, S116
    @Test("an array of values is an archive; arrays of structures, sets and dictionaries are data")
    func collections() throws {
        let all = try attributes()
        #expect(all["words"]?.attributeType == .transformableAttributeType)
        #expect(all["words"]?.attributeValueClassName == "Array<String>")
        #expect(all["numbers"]?.attributeValueClassName == "Array<Int>" && all["numbers"]?.isOptional == true)
        for name in ["points", "labels", "scores"] {
            #expect(all[name]?.attributeType == .binaryDataAttributeType, "\(name)")
        }
    }

    /// Proves: S117, S120
    @Test("options are the flags of attributes; an original name and a hash modifier go into the model")
    func options() throws {
        let all = try attributes()
        #expect(all["picture"]?.allowsExternalBinaryDataStorage == true)
        #expect(all["title"]?.wantsSpotlightIndex == true)
        #expect(all["title"]?.preservesValueInHistoryOnDeletion == true)
        #expect(all["title"]?.renamingIdentifier == "heading")
        #expect(all["secret"]?.allowsCloudEncryption == true)
        #expect(all["passing"]?.isTransient == true)
        #expect(all["note"]?.versionHashModifier == "2")
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Animal.self, Dog.self]))
        #expect(model.entitiesByName["Dog"]?.superentity?.name == "Animal")
    }

    /// Proves: S110, S4
    @Test("an initial value counts for each instance; the model has one, which is not in the version hash")
    func initialValues() throws {
        let (first, second) = (Sample(place: Self.place), Sample(place: Self.place))
        #expect(first.key != second.key)
        let all = try attributes()
        #expect(all["key"]?.defaultValue is UUID)
        #expect(all["title"]?.defaultValue as? String == "none")
        let key = try #require(all["key"])
        let hash = key.versionHash
        let copy = try #require(key.copy() as? NSAttributeDescription)
        copy.defaultValue = UUID()
        #expect(copy.versionHash == hash)
    }

    /// Proves: S108, S112, S114, S115, S116
    @Test("a file has its tables of history from the start, and the columns of composites")
    func columns() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let container = try ModelContainer(for: Sample.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.author = "tests"
        let sample = Sample(place: Self.place)
        sample.drink = .water
        sample.words = ["x"]
        sample.points = [Point(x: 3, y: 4)]
        context.insert(sample)
        try context.save()
        let connection = try Connection(url: file, options: .init(access: .readOnly))
        func value(_ query: String) throws -> SQLiteValue? { try connection.value(query) }
        #expect(try value("SELECT COUNT(*) FROM ATRANSACTION")?.integerValue == 1)
        #expect(try value("SELECT COUNT(*) FROM ACHANGE")?.integerValue == 1)
        #expect(try value("SELECT COUNT(*) FROM ATRANSACTIONSTRING WHERE ZNAME = 'tests'")?.integerValue == 1)
        #expect(try value("PRAGMA journal_mode") == .text("wal"))
        #expect(try value("PRAGMA auto_vacuum")?.integerValue == 2)
        #expect(try value("SELECT ZMOOD FROM ZSAMPLE") == .text("calm"))
        #expect(try value("SELECT ZWATER FROM ZSAMPLE") == .text("water"))
        #expect(try value("SELECT ZTEA FROM ZSAMPLE") == .null)
        #expect(try value("SELECT CAST(ZLABELS AS TEXT) FROM ZSAMPLE") == .text("[]"))
        let words = try #require(try value("SELECT hex(ZWORDS) FROM ZSAMPLE"))
        guard case .text(let hex) = words else {
            Issue.record("an archive")
            return
        }
        #expect(hex.hasPrefix("62706C697374"))
        try connection.close()
    }

    /// Proves: S8, S58
    @Test("values of all forms come back in another container")
    func roundTrip() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let configuration = ModelConfiguration(url: file)
        let context = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        let sample = Sample(place: Self.place)
        sample.mood = .wild
        sample.rank = .high
        sample.drink = .mixed("rum", 3)
        sample.maybePlace = Self.place
        sample.numbers = [1, 2]
        sample.labels = ["l"]
        sample.scores = ["a": 1]
        context.insert(sample)
        let plain = Sample(place: Self.place)
        plain.title = "plain"
        plain.drink = .tea("green")
        context.insert(plain)
        try context.save()
        let other = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        let all = try other.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.title)]))
        let back = try #require(all.first)
        #expect(back.key == sample.key && back.mood == .wild && back.rank == .high)
        #expect(back.drink == .mixed("rum", 3) && back.place == Self.place && back.maybePlace == Self.place)
        #expect(back.numbers == [1, 2] && back.labels == ["l"] && back.scores == ["a": 1])
        let last = try #require(all.last)
        #expect(last.drink == .tea("green") && last.maybePlace == nil && last.numbers == nil && last.rank == nil)
    }

    /// Proves: S58
    @Test("a raw value that the enumeration lacks reads as the initial value or nil; the file keeps it")
    func unknownRawValue() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let configuration = ModelConfiguration(url: file)
        let context = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        let sample = Sample(place: Self.place)
        sample.rank = .high
        context.insert(sample)
        try context.save()
        let connection = try Connection(url: file, options: .init(access: .readWrite))
        try connection.execute("UPDATE ZSAMPLE SET ZMOOD = 'asleep', ZRANK = 77")
        let other = ModelContext(try ModelContainer(for: Sample.self, configurations: configuration))
        let back = try #require(try other.fetch(FetchDescriptor<Sample>()).first)
        #expect(back.mood == .calm && back.rank == nil)
        back.note = "changed"
        try other.save()
        #expect(try connection.value("SELECT ZMOOD FROM ZSAMPLE") == .text("asleep"))
        #expect(try connection.value("SELECT ZRANK FROM ZSAMPLE")?.integerValue == 77)
        try connection.close()
    }
}
