// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that after any change a controller's results are those of its request, and its reports applicable.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Random results") struct RandomResultsSpecification {
    /// The number of steps of each run. The environment's COREDATA_RANDOM_RESULTS sets a greater one,
    /// COREDATA_RANDOM_SEED another seed.
    private static let steps =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_RESULTS"].flatMap(Int.init) ?? 300
    private static let seed =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 20_261_123

    /// Proves: R22, R23, R28, R35
    @Test(
        "results are those of the request, and reports applicable", arguments: StoreKind.forResults,
        [RandomShelves.Place.alone, .besideOthers, .child])
    func differential(store: StoreKind, place: RandomShelves.Place) throws {
        let shelves = try RandomShelves(store, place, seed: Self.seed)
        for step in 0..<Self.steps {
            let operation = try shelves.step()
            let failures = try shelves.failures()
            #expect(failures == [], "step \(step), seed \(Self.seed): \(operation)")
            if !failures.isEmpty { break }
        }
        #expect(shelves.pairs > 0)
    }
}
