// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of predicates that are evaluated on objects in memory.

import CoreData

enum PredicateScenario: Scenario {
    static let name = "predicates in memory"

    static func run(_ stage: Stage) throws -> [Finding] {
        let owners = stage.size(1_000)
        let file = try stage.library(owners: owners, itemsEach: 20)
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let owners = try context.all(Owner.self)
            let items = try context.all(Item.self)
            // Fires all faults.
            for item in items { _ = (item.number, item.owner?.name) }
            defer { withExtendedLifetime(owners) {} }
            let half = Int64(items.count / 2)
            let plain = NSPredicate(format: "number >= %ld AND text BEGINSWITH 'item'", Int(half))
            let path = NSPredicate(format: "owner.name == 'Owner 7'")
            return [
                try finding(
                    "two comparisons of attributes, for an object", microseconds(stage, items, plain), "µs", atMost: 1,
                    because: "two values are found by key, boxed and compared: four allocations and ten calls"),
                try finding(
                    "a comparison through a to-one, for an object", microseconds(stage, items, path), "µs", atMost: 1,
                    because: "the same work: two steps, one comparison"),
            ]
        }
    }

    /// The processor time of one evaluation: the least of the repetitions.
    private static func microseconds(_ stage: Stage, _ items: [Item], _ predicate: NSPredicate) throws -> Double {
        var least = Double.infinity
        for _ in 0..<stage.repetitions {
            var count = 0
            let time = stage.time {
                for _ in 0..<10 { for item in items where predicate.evaluate(with: item) { count += 1 } }
            }
            guard count > 0 else { throw CocoaError(.validationMissingMandatoryProperty) }
            least = min(least, time * 1000 / Double(items.count * 10))
        }
        return least
    }
}
