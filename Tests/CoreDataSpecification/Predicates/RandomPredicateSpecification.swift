// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that any predicate has the same matches in a store and in memory, for predicates and data drawn at random.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates have one meaning") struct RandomPredicateSpecification {
    /// The number of predicates. The environment's COREDATA_RANDOM_PREDICATES sets a greater one, COREDATA_RANDOM_SEED
    /// another seed.
    private static let count =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_PREDICATES"].flatMap(Int.init) ?? 250
    private static let seed =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 20_261_121

    @Test(
        "random predicates find the same in the store, in memory, and among changed objects", arguments: StoreKind.all)
    func differential(kind: StoreKind) throws {
        var random = RandomPredicates(seed: Self.seed)
        let firm = try Firm(in: kind, filled: false)
        try random.fill(firm, people: 30)
        let context = firm.context
        let all = try context.fetch(Firm.request("Person", sortedBy: "number"))
        random.people = all
        random.departments = try context.fetch(Firm.request("Department"))
        var differences = 0
        for round in 0..<Self.count {
            let (format, arguments) = random.predicate(depth: 2)
            let predicate = NSPredicate(format: format, argumentArray: arguments)
            let request = Firm.request("Person", predicate, sortedBy: "number")
            let stored = Firm.names(try context.fetch(request))
            let filtered = Firm.names(all.filter { predicate.evaluate(with: $0) })
            #expect(stored == filtered, "\(format) with \(arguments)")
            #expect(try context.count(for: request) == filtered.count, "\(format) with \(arguments), counted")
            if stored != filtered { differences += 1 }
            guard differences < 10 else { break }
            // The fetch itself evaluates changed objects in memory.
            guard round % 10 == 0 else { continue }
            for person in all where Bool.random(using: &random) { person.setValue(round & 7, forKey: "mark") }
            let overlaid = Firm.names(try context.fetch(request))
            #expect(overlaid == filtered, "\(format) with \(arguments), of changed objects")
            context.rollback()
        }
    }
}
