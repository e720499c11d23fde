// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Types of Foundation and of programs that encode themselves in unusual forms.

import Foundation
import SwiftData
import Testing

struct Flags: OptionSet, Codable, Hashable {
    let rawValue: Int
    static let read = Flags(rawValue: 1)
    static let write = Flags(rawValue: 2)
}

struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
    var first: First
    var second: Second
}

struct Settings: Codable, Equatable {
    var name: String
    var limits: ClosedRange<Int>
    var flags: Flags
}

/// An enumeration that encodes itself by hand, as JSON of a server often needs it.
enum Figure: Codable, Equatable {
    case circle(Double)
    case label(String)

    private enum CodingKeys: CodingKey { case kind, value }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(String.self, forKey: .kind) {
        case "circle": self = .circle(try members.decode(Double.self, forKey: .value))
        default: self = .label(try members.decode(String.self, forKey: .value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .circle(let radius):
            try members.encode("circle", forKey: .kind)
            try members.encode(radius, forKey: .value)
        case .label(let text):
            try members.encode("label", forKey: .kind)
            try members.encode(text, forKey: .value)
        }
    }
}

/// Reads members, and writes one text.
struct Version: Codable, Equatable {
    var major: Int
    var minor: Int

    init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

    private enum CodingKeys: CodingKey { case major, minor }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            let numbers = text.split(separator: ".").compactMap { Int($0) }
            (major, minor) = (numbers[0], numbers[1])
        } else {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            major = try members.decode(Int.self, forKey: .major)
            minor = try members.decode(Int.self, forKey: .minor)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode("\(major).\(minor)")
    }
}

/// Members with the names that every object has.
struct Item: Codable, Equatable {
    var description: String
    var hash: Int
    var objectID: String?
}

/// Coding keys that are no names in a model.
struct Hours: Codable, Equatable {
    var day: Int
    var label: String

    private enum CodingKeys: String, CodingKey {
        case day = "24h"
        case label = "the label"
    }
}

enum Grade: String, Codable { case low, high }

/// Contains itself, in the case that comes first.
indirect enum Term: Codable, Equatable {
    case sum(Term, Term)
    case number(Int)
}

/// Contains itself.
final class Chain: Codable, Equatable {
    let name: String
    let next: Chain?

    init(_ name: String, next: Chain? = nil) { (self.name, self.next) = (name, next) }

    static func == (one: Chain, other: Chain) -> Bool { one.name == other.name && one.next == other.next }
}

/// A structure with a leaf of each form.
struct Travel: Codable, Equatable {
    var when: DateComponents
    var distance: Measurement<UnitLength>
    var stops: Pair<String, Range<Double>>
    var flags: Flags?
    var locale: Locale?
}

@Model
final class Unusual {
    var closed: ClosedRange<Int> = 1...2
    var halfOpen: Range<Double> = 0..<1
    var from: PartialRangeFrom<Int> = 3...
    var locale = Locale(identifier: "en_GB")
    var zone = TimeZone.gmt
    var calendar = Calendar(identifier: .gregorian)
    var components = DateComponents(year: 2026, month: 2)
    var interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 0), duration: 1)
    var length = Measurement(value: 1, unit: UnitLength.meters)
    var indices = IndexSet(integer: 4)
    var characters = CharacterSet(charactersIn: "a")
    var person = PersonNameComponents()
    var path = IndexPath(indexes: [1, 2])
    var point = CGPoint(x: 1, y: 2)
    var rectangle = CGRect(x: 1, y: 2, width: 3, height: 4)
    var vector = SIMD3<Float>(1, 2, 3)
    var flags: Flags = Flags.read
    var pair = Pair(first: 1, second: "one")
    var nested = Pair(first: Pair(first: 1, second: true), second: [1, 2])
    @Attribute(.codable) var settings = Settings(name: "a", limits: 0...1, flags: .read)
    @Attribute(.codable) var texts: [String] = ["a"]
    @Attribute(.codable) var grade: Grade = Grade.low
    @Attribute(.codable) var maybeGrade: Grade?
    @Attribute(.codable) var shape: Shape = Shape.dot
    @Attribute(.codable) var number: Int = 1
    @Attribute(.codable) var link: URL?
    var travel: Travel?
    var figure: Figure = Figure.label("none")
    var version = Version(major: 1, minor: 0)
    var term: Term = Term.number(1)
    var chain: Chain?
    var item = Item(description: "a", hash: 1)
    var hours = Hours(day: 24, label: "day")
    var maybeClosed: ClosedRange<Int>?
    var maybeLocale: Locale?
    var maybeComponents: DateComponents?
    var maybeLength: Measurement<UnitLength>?
    var maybeFlags: Flags?
    var maybePair: Pair<Int, String?>?
    @Attribute(.codable) var maybeSettings: Settings?

    init() {}
}

@Suite("Attributes of unusual types")
struct UnusualTypeTests {
    private func fill(_ model: Unusual) {
        (model.closed, model.halfOpen, model.from) = (-3...7, 0.5..<2.5, 9...)
        (model.locale, model.maybeLocale) = (Locale(identifier: "de_CH"), Locale(identifier: "fr_FR"))
        model.zone = TimeZone(identifier: "Europe/Zurich") ?? model.zone
        model.calendar = Calendar(identifier: .iso8601)
        model.components = DateComponents(hour: 3, minute: 4)
        model.interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 5), duration: 60)
        model.length = Measurement(value: 2.5, unit: .kilometers)
        model.indices = IndexSet([1, 5, 9])
        model.characters = CharacterSet(charactersIn: "xyz")
        model.person.givenName = "Ada"
        model.path = [3, 2, 1]
        (model.point, model.rectangle) = (CGPoint(x: 0.5, y: -1), CGRect(x: 0, y: 1, width: 2, height: 3))
        model.vector = SIMD3(0.5, 0.25, -1)
        (model.flags, model.maybeFlags) = ([.read, .write], [])
        (model.pair, model.maybePair) = (Pair(first: 2, second: "two"), Pair(first: 3, second: nil))
        model.nested = Pair(first: Pair(first: 4, second: false), second: [])
        model.settings = Settings(name: "b", limits: 2...3, flags: [.write])
        model.maybeSettings = model.settings
        model.texts = ["b", "c"]
        (model.grade, model.maybeGrade, model.shape) = (.high, .low, .box(width: 1, height: nil))
        (model.number, model.link) = (7, URL(string: "https://example.org"))
        model.travel = Travel(
            when: DateComponents(year: 2027), distance: Measurement(value: 3, unit: .miles),
            stops: Pair(first: "x", second: 0..<9), flags: .write, locale: Locale(identifier: "it"))
        (model.figure, model.version) = (.circle(0.5), Version(major: 2, minor: 7))
        model.term = .sum(.number(1), .sum(.number(2), .number(3)))
        model.item = Item(description: "b", hash: 2, objectID: "c")
        model.hours = Hours(day: 12, label: "half a day")
        model.chain = Chain("a", next: Chain("b"))
        (model.maybeClosed, model.maybeComponents) = (0...0, DateComponents(day: 1))
        model.maybeLength = Measurement(value: 7, unit: .feet)
    }

    /// Proves: S8
    @Test("come back in another container, one by one and together", arguments: [true, false])
    func together(inMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        func container() throws -> ModelContainer {
            try ModelContainer(
                for: Unusual.self,
                configurations: inMemory
                    ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file))
        }
        let first = try container()
        let context = ModelContext(first)
        let (filled, plain) = (Unusual(), Unusual())
        fill(filled)
        context.insert(filled)
        context.insert(plain)
        try context.save()

        let other = ModelContext(inMemory ? first : try container())
        let found = try other.fetch(FetchDescriptor<Unusual>())
        try #require(found.count == 2)
        for (copy, original) in zip(found, [filled, plain]) { expectEqual(copy, original) }
    }

    /// Proves: S8
    @Test("numbers that JSON lacks come back: an endless range, an infinite vector") func endless() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        func context() throws -> ModelContext {
            ModelContext(try ModelContainer(for: Unusual.self, configurations: ModelConfiguration(url: file)))
        }
        let writer = try context()
        let model = Unusual()
        (model.halfOpen, model.figure) = (0..<Double.infinity, .circle(-Double.infinity))
        model.vector = SIMD3(.infinity, -.infinity, .nan)
        model.settings = Settings(name: "NaN", limits: 0...1, flags: .read)
        writer.insert(model)
        try writer.save()
        let reader = try context()
        let found = try #require(try reader.fetch(FetchDescriptor<Unusual>()).first)
        #expect(found.halfOpen == 0..<Double.infinity && found.figure == .circle(-Double.infinity))
        #expect(found.vector.x == .infinity && found.vector.y == -.infinity && found.vector.z.isNaN)
        #expect(found.settings.name == "NaN")
    }

    /// Proves: S42
    @Test("members with the names that every object has are used in predicates") func takenNames() throws {
        let context = ModelContext(
            try ModelContainer(for: Unusual.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for (text, hash) in [("a", 1), ("b", 2)] {
            let model = Unusual()
            model.item = Item(description: text, hash: hash)
            context.insert(model)
        }
        try context.save()
        let found = try context.fetch(FetchDescriptor<Unusual>(predicate: #Predicate { $0.item.description == "b" }))
        #expect(found.map(\.item.hash) == [2])
        let other = FetchDescriptor<Unusual>(predicate: #Predicate { $0.item.hash < 2 })
        #expect(try context.fetch(other).map(\.item.description) == ["a"])
    }

    /// Proves: S99, S45
    @Test("a batch update writes '.codable' attributes, and a predicate finds their members") func batches() throws {
        let context = ModelContext(
            try ModelContainer(for: Unusual.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let model = Unusual()
        context.insert(model)
        try context.save()
        let settings = Settings(name: "batch", limits: 0...9, flags: .write)
        #expect(try context.update(model: Unusual.self, set: \.settings, to: settings) == 1)
        #expect(try context.update(model: Unusual.self, set: \.grade, to: .high) == 1)
        #expect(model.settings == settings && model.grade == .high)
        let name = "batch"
        let found = try context.fetch(FetchDescriptor<Unusual>(predicate: #Predicate { $0.settings.name == name }))
        #expect(found.map(\.settings) == [settings])
    }

    private func expectEqual(_ copy: Unusual, _ original: Unusual) {
        #expect(copy.closed == original.closed && copy.halfOpen == original.halfOpen)
        #expect(copy.from.lowerBound == original.from.lowerBound)
        #expect(copy.locale == original.locale && copy.zone == original.zone && copy.calendar == original.calendar)
        #expect(copy.components == original.components && copy.interval == original.interval)
        #expect(copy.length == original.length && copy.indices == original.indices)
        #expect(copy.characters == original.characters && copy.person == original.person)
        #expect(copy.path == original.path && copy.point == original.point)
        #expect(copy.rectangle == original.rectangle && copy.vector == original.vector)
        #expect(copy.flags == original.flags && copy.pair == original.pair && copy.nested == original.nested)
        #expect(copy.settings == original.settings && copy.texts == original.texts && copy.travel == original.travel)
        #expect(copy.figure == original.figure && copy.version == original.version)
        #expect(copy.grade == original.grade && copy.maybeGrade == original.maybeGrade)
        #expect(copy.shape == original.shape && copy.number == original.number && copy.link == original.link)
        #expect(copy.item == original.item && copy.hours == original.hours)
        #expect(copy.term == original.term && copy.chain == original.chain)
        #expect(copy.maybeClosed == original.maybeClosed && copy.maybeLocale == original.maybeLocale)
        #expect(copy.maybeComponents == original.maybeComponents && copy.maybeLength == original.maybeLength)
        #expect(copy.maybeFlags == original.maybeFlags && copy.maybePair == original.maybePair)
        #expect(copy.maybeSettings == original.maybeSettings)
    }
}
