// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that random typed predicates find the same models in stores as their evaluation.

import Foundation
import SwiftData
import Testing
import TypedPredicates

@Suite("Typed predicates of models have one meaning") struct RandomTypedPredicateTests {
    /// The number of predicates for each kind of store. The environment's COREDATA_TYPED_PREDICATES sets a greater one,
    /// COREDATA_RANDOM_SEED another seed.
    private static let count =
        ProcessInfo.processInfo.environment["COREDATA_TYPED_PREDICATES"].flatMap(Int.init) ?? 1_500
    private static let seed =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 20_261_127

    /// Proves: S39, S40, S41, S42, S43, S44, S46
    @Test(
        "random predicates find what they hold for: among unsaved models, in the store, and among changed models",
        arguments: [true, false])
    func differential(inMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let container = try ModelContainer(
            for: Schema([Shipment.self]),
            configurations: inMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file))
        let context = ModelContext(container)
        ShipmentCatalogue.fill(context, parcels: 30, seed: Self.seed)
        try compare("unsaved", context, count: Self.count / 4)
        try context.save()
        let reading = ModelContext(container)
        try compare("saved", reading, count: Self.count)
        for parcel in try reading.fetch(FetchDescriptor<Shipment>()) { parcel.name += "x" }
        try compare("changed", reading, count: Self.count / 4)
    }

    /// - Parameter count: the number of predicates.
    private func compare(_ state: String, _ context: ModelContext, count: Int) throws {
        var random = RandomTypedPredicates(seed: Self.seed, ShipmentCatalogue.leaves)
        let all = try context.fetch(FetchDescriptor<Shipment>(sortBy: [SortDescriptor(\.number)]))
        try #require(all.count == 30)
        var differences = 0
        for round in 0..<count where differences < 10 {
            let predicate = random.predicate()
            let expected = try all.filter { try predicate.evaluate($0) }.map(\.number)
            let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
            let found = Result { try context.fetch(descriptor).map(\.number) }
            // Without an order a predicate of comparisons is not converted.
            let unsorted = Result { try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted() }
            if (try? found.get()) != expected || (try? unsorted.get()) != expected { differences += 1 }
            #expect(try found.get() == expected, "\(state), \(round): \(type(of: predicate.expression))")
            #expect(try unsorted.get() == expected, "\(state), \(round): \(type(of: predicate.expression))")
        }
    }
}
