// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that look-ups without a conversion of their predicate find the same models as the conversion.

import CoreDataTestSupport
import Foundation
@testable import SwiftData
import Testing

/// Draws look-ups: several key paths, operators and kinds of values have predicates of one type.
private struct RandomLookUps {
    typealias Condition = any StandardPredicateExpression<Bool>
    typealias Path<Value> = any KeyPath<Shipment, Value> & Sendable
    typealias Variable = PredicateExpressions.Variable<Shipment>
    private typealias Nodes = PredicateExpressions

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// One to three comparisons, joined by `&&`.
    mutating func predicate() -> Predicate<Shipment> {
        var random = self.random
        defer { self.random = random }
        return Predicate { variable in
            var condition = Self.comparison(variable, &random)
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                condition = Self.joined(condition, Self.comparison(variable, &random))
            }
            return condition
        }
    }

    private static func joined(
        _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> Condition { Nodes.build_Conjunction(lhs: one, rhs: other) }

    private static func comparison(_ variable: Variable, _ random: inout SeededGenerator) -> Condition {
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: return ordered(\.number, [-1, 0, 1, 2, 5, .max, .min], variable, &random)
        case 2: return ordered(\.weight, [-1.5, -0.0, 0, 2, .infinity, .nan], variable, &random)
        case 3: return ordered(\.name, texts, variable, &random)
        case 4: return ordered(\.sent, dates, variable, &random)
        case 5: return equal(\.stock, [-1, 0, 1, 2, nil], variable, &random)
        case 6: return equal(\.height, [-1.5, 0, 0.5, .nan, nil], variable, &random)
        case 7: return equal(\.note, texts + [nil], variable, &random)
        case 8: return equal(\.opened, dates + [nil], variable, &random)
        case 9: return equal(\.isSent, [true, false], variable, &random)
        default: return others(variable, &random)
        }
    }

    /// Comparisons of other kinds of values, which have to be converted.
    private static func others(_ variable: Variable, _ random: inout SeededGenerator) -> Condition {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: equal(\.small, [-3, 0, 1, 2, nil], variable, &random)
        case 1: equal(\.ratio, [-1.5, 0, 0.5, nil], variable, &random)
        case 2: equal(\.urgency, [Urgency.some, .great, nil], variable, &random)
        case 3: equal(\.genre, Genre.allCases, variable, &random)
        case 4: equal(\.isPaid, [true, false, nil], variable, &random)
        case 5: equal(\.price, [0, 0.5, 2, nil], variable, &random)
        default:
            Nodes.build_Equal(
                lhs: Nodes.build_KeyPath(
                    root: Nodes.build_KeyPath(root: variable, keyPath: \.wrapping), keyPath: \.title),
                rhs: Nodes.build_Arg(texts[Int.random(in: 0..<texts.count, using: &random)]))
        }
    }

    private static let texts = ["", "a", "A", "ab", "b a", "é", "straße", "a%b", "1"]
    private static let dates = [-1000.25, 0, 0.5, 3600].map { Date(timeIntervalSinceReferenceDate: $0) }

    private static func equal<Value: Codable & Equatable & Sendable>(
        _ path: Path<Value>, _ values: [Value], _ variable: Variable, _ random: inout SeededGenerator
    ) -> Condition {
        let property = Nodes.build_KeyPath(root: variable, keyPath: path)
        let value = Nodes.build_Arg(values[Int.random(in: 0..<values.count, using: &random)])
        return random.chance(0.7)
            ? Nodes.build_Equal(lhs: property, rhs: value) : Nodes.build_NotEqual(lhs: property, rhs: value)
    }

    private static func ordered<Value: Codable & Comparable & Sendable>(
        _ path: Path<Value>, _ values: [Value], _ variable: Variable, _ random: inout SeededGenerator
    ) -> Condition {
        if random.chance(0.4) { return equal(path, values, variable, &random) }
        let property = Nodes.build_KeyPath(root: variable, keyPath: path)
        let value = Nodes.build_Arg(values[Int.random(in: 0..<values.count, using: &random)])
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Nodes.build_Comparison(lhs: property, rhs: value, op: .lessThan)
        case 1: return Nodes.build_Comparison(lhs: property, rhs: value, op: .lessThanOrEqual)
        case 2: return Nodes.build_Comparison(lhs: property, rhs: value, op: .greaterThan)
        default: return Nodes.build_Comparison(lhs: property, rhs: value, op: .greaterThanOrEqual)
        }
    }
}

@Suite("A look-up finds the same models without a conversion of its predicate") struct LookUpTests {
    /// The number of predicates for each kind of store. The environment's COREDATA_TYPED_PREDICATES sets a greater one,
    /// COREDATA_RANDOM_SEED another seed.
    private static let count =
        ProcessInfo.processInfo.environment["COREDATA_TYPED_PREDICATES"].flatMap(Int.init) ?? 1_000
    private static let seed =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 20_261_129

    /// A context with random models, and the file that the caller removes.
    private func shipments(inMemory: Bool = false) throws -> (context: ModelContext, file: URL) {
        let file = Stack.file()
        let container = try ModelContainer(
            for: Schema([Shipment.self]),
            configurations: inMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file))
        let context = ModelContext(container)
        ShipmentCatalogue.fill(context, parcels: 30, seed: Self.seed)
        return (context, file)
    }

    /// Proves: SwiftData-P8
    @Test(
        "random look-ups find what their evaluation and their request find: unsaved, saved, changed and deleted models",
        arguments: [true, false])
    func differential(inMemory: Bool) throws {
        let (context, file) = try shipments(inMemory: inMemory)
        defer { Stack.remove(file) }
        try compare("unsaved", context, count: Self.count / 4)
        try context.save()
        let reading = ModelContext(context.container)
        try compare("saved", reading, count: Self.count)
        for (number, parcel) in try reading.fetch(FetchDescriptor<Shipment>()).enumerated() {
            parcel.number += 1
            if number % 3 == 0 { parcel.stock = nil }
            if number % 4 == 0 { parcel.name = "a" }
            if number % 7 == 0 { reading.delete(parcel) }
        }
        try compare("changed", reading, count: Self.count / 4)
        try reading.save()
        try compare("saved again", reading, count: Self.count / 4)
    }

    private func compare(_ state: String, _ context: ModelContext, count: Int) throws {
        var random = RandomLookUps(seed: Self.seed)
        let all = Array(try context.fetch(FetchDescriptor<Shipment>(), batchSize: 100))
        try #require(all.count > 20)
        var (differences, short) = (0, 0)
        for round in 0..<count where differences < 10 {
            let predicate = random.predicate()
            var descriptor = FetchDescriptor(predicate: predicate)
            if round % 5 == 0 { descriptor.fetchLimit = 3 }
            if round % 7 == 0 { descriptor.fetchOffset = 2 }
            if try context.lookUp(descriptor) != nil { short += 1 }
            let found = try context.fetch(descriptor).map(\.persistentModelID)
            // Batches are always fetched by a request.
            let requested = try context.fetch(descriptor, batchSize: 100).map(\.persistentModelID)
            descriptor.fetchLimit = nil
            descriptor.fetchOffset = nil
            let whole = Set(try context.fetch(descriptor).map(\.persistentModelID))
            let expected = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
            if found != requested || whole != expected { differences += 1 }
            #expect(found == requested, "\(state), \(round): \(type(of: predicate.expression))")
            #expect(whole == expected, "\(state), \(round): \(type(of: predicate.expression))")
        }
        // Other kinds of values, nil and NaN are converted, and so is the first look-up of a shape.
        #expect(short > count / 10)
        #expect(short < count)
    }

    /// Proves: SwiftData-P8
    @Test("predicates of one type with other key paths, operators and values are other look-ups")
    func equalTypes() throws {
        let (context, file) = try shipments()
        defer { Stack.remove(file) }
        for (number, parcel) in try context.fetch(FetchDescriptor<Shipment>()).enumerated() {
            parcel.number = number
            parcel.stock = 30 - number
            parcel.height = Double(number)
        }
        try context.save()
        func find(_ predicate: Predicate<Shipment>) throws -> [Int] {
            try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
        }
        func predicate(_ path: any KeyPath<Shipment, Int?> & Sendable, _ value: Int?) -> Predicate<Shipment> {
            Predicate {
                PredicateExpressions.build_Equal(
                    lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: path),
                    rhs: PredicateExpressions.build_Arg(value))
            }
        }
        for value in [3, 7, 3] {
            #expect(try find(#Predicate { $0.number == value }) == [value])
            #expect(try find(#Predicate { $0.number != value }).count == 29)
            #expect(try find(#Predicate { $0.number < value }) == Array(0..<value))
            #expect(try find(#Predicate { $0.number <= value }) == Array(0...value))
            #expect(try find(predicate(\.stock, value)) == [30 - value])
            #expect(try find(predicate(\.stock, nil)) == [])
        }
    }

    /// Proves: SwiftData-P8
    @Test("only comparisons of attributes with values that stores compare as they are need no conversion")
    func limits() throws {
        let (context, file) = try shipments()
        defer { Stack.remove(file) }
        try context.save()
        func isShort(_ descriptor: FetchDescriptor<Shipment>) throws -> Bool {
            _ = try context.fetch(descriptor)
            return try context.lookUp(descriptor) != nil
        }
        func isShort(_ predicate: Predicate<Shipment>) throws -> Bool {
            try isShort(FetchDescriptor(predicate: predicate))
        }
        let (number, text, urgency) = (3, "a", Urgency.some)
        let (nothing, unknown) = (String?.none, Double.nan)
        #expect(try isShort(#Predicate { $0.number == number && $0.name != text && $0.isSent == true }))
        #expect(try isShort(#Predicate { $0.stock == 3 }))
        #expect(try !isShort(#Predicate { $0.note == nothing }))
        #expect(try !isShort(#Predicate { $0.weight == unknown }))
        #expect(try !isShort(#Predicate { $0.number == number || $0.name == text }))
        #expect(try !isShort(#Predicate { $0.urgency == urgency }))
        #expect(try !isShort(#Predicate { $0.depot?.name == text }))
        #expect(try !isShort(#Predicate { $0.wrapping.title == text }))
        #expect(try !isShort(#Predicate { number == $0.number }))
        var sorted = FetchDescriptor<Shipment>(predicate: #Predicate { $0.number == number })
        #expect(try isShort(sorted))
        sorted.sortBy = [SortDescriptor(\.name)]
        #expect(try !isShort(sorted))
    }

    /// Proves: SwiftData-P8
    @Test("a look-up for a subclass finds its models only, by inherited properties too")
    func subclasses() throws {
        let context = ModelContext(try Stack.memory())
        for name in ["a", "b"] {
            context.insert(Animal(name: name))
            context.insert(Dog(name: name, breed: name))
        }
        for _ in 0..<2 {
            let name = "a"
            let animals = try context.fetch(FetchDescriptor<Animal>(predicate: #Predicate { $0.name == name }))
            let dogs = try context.fetch(FetchDescriptor<Dog>(predicate: #Predicate { $0.name == name }))
            #expect(animals.count == 2)
            #expect(dogs.count == 1)
            #expect(dogs.first?.breed == "a")
            try context.save()
        }
    }

    /// Proves: SwiftData-P8
    @Test("a look-up throws the error of a property that no store has")
    func computed() throws {
        let (context, file) = try shipments()
        defer { Stack.remove(file) }
        try context.save()
        // Twice zero is zero, and the empty text has no small letters: each gives a simple value back.
        let predicates: [Predicate<Shipment>] = [
            #Predicate { $0.successor == 4 }, #Predicate { $0.double == 4 }, #Predicate { $0.shouted == "A" },
            #Predicate { $0.isNamed == true },
        ]
        for predicate in predicates + predicates {
            let error = #expect(throws: ModelError.self) {
                try context.fetch(FetchDescriptor<Shipment>(predicate: predicate))
            }
            #expect(error.map { SwiftDataError.unsupportedKeyPath ~= $0 } == true)
        }
    }

    /// Proves: SwiftData-P8
    @Test("a look-up without the unsaved changes finds the saved models")
    func storedOnly() throws {
        let (context, file) = try shipments()
        defer { Stack.remove(file) }
        for (number, parcel) in try context.fetch(FetchDescriptor<Shipment>()).enumerated() {
            parcel.number = number
        }
        try context.save()
        var descriptor = FetchDescriptor<Shipment>(predicate: #Predicate { $0.number == 100 })
        for parcel in try context.fetch(FetchDescriptor<Shipment>()) { parcel.number += 100 }
        #expect(try context.fetch(descriptor).count == 1)
        descriptor.includePendingChanges = false
        #expect(try context.fetch(descriptor).isEmpty)
        descriptor.predicate = #Predicate { $0.number == 3 }
        #expect(try context.fetch(descriptor).map(\.number) == [103])
    }
}

extension Shipment {
    fileprivate var successor: Int { number + 1 }
    fileprivate var double: Int { number * 2 }
    fileprivate var shouted: String { name.uppercased() }
    fileprivate var isNamed: Bool { !name.isEmpty }
}
