// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of 10,000 faults: fired one by one, prefetched, and in batches.

import CoreData

enum FaultScenario: Scenario {
    static let name = "10,000 faults"

    static func run(_ stage: Stage) throws -> [Finding] {
        let owners = 10
        let file = try stage.library(owners: owners, itemsEach: stage.size(10_000) / owners)
        let raw = try RawDatabase(file, tuning: .asFramework)
        func byHand() throws -> Double { try stage.time { try readByHand(raw, stage.size(10_000)) } }
        return [
            finding(
                "one by one, to raw look-ups", try stage.ratio({ try oneByOne(stage, file) }, to: byHand), "×",
                atMost: 3,
                because:
                    "the look-up and the object are those by hand; knowing who is registered, keeping the row for others and the way there may cost as much twice"
            ),
            finding(
                "prefetched, to raw look-ups", try stage.ratio({ try prefetched(stage, file) }, to: byHand), "×",
                atMost: 2,
                because: "one walk spares the look-ups; making the sets of members takes what that saves"),
            finding(
                "in batches of 100, to raw look-ups", try stage.ratio({ try batched(stage, file) }, to: byHand), "×",
                atMost: 2,
                because:
                    "a statement for 100 rows spares the look-ups; the keys were fetched before, so each row is met twice"
            ),
        ]
    }

    private final class RawItem {
        let number: Int64
        let text: String

        init(_ row: RawStatement) {
            number = row.integer(0)
            text = row.text(1)
        }
    }

    private static func readByHand(_ raw: RawDatabase, _ count: Int) throws {
        let statement = try raw.prepare("SELECT ZNUMBER, ZTEXT FROM ZITEM WHERE Z_PK = ?")
        var items: [Int64: RawItem] = [:]
        try raw.reading {
            for key in 1...Int64(count) {
                statement.bind(key, 1)
                if try statement.step() { items[key] = RawItem(statement) }
                statement.reset()
            }
        }
        precondition(items.values.reduce(0) { $0 + Int($1.number) + $1.text.utf8.count } > 0)
    }

    private static func oneByOne(_ stage: Stage, _ file: URL) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
            request.resultType = .managedObjectIDResultType
            let ids = try context.fetch(request)
            var sum = 0
            return stage.time {
                for id in ids { sum += read(context.object(with: id) as? Item) }
                precondition(sum > 0)
            }
        }
    }

    private static func prefetched(_ stage: Stage, _ file: URL) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let request = NSFetchRequest<Owner>(entityName: "Owner")
            request.relationshipKeyPathsForPrefetching = ["items"]
            var sum = 0
            return try stage.time {
                for owner in try context.fetch(request) { for item in owner.items { sum += read(item) } }
                precondition(sum > 0)
            }
        }
    }

    private static func batched(_ stage: Stage, _ file: URL) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.fetchBatchSize = 100
            var sum = 0
            return try stage.time {
                for item in try context.fetch(request) { sum += read(item) }
                precondition(sum > 0)
            }
        }
    }

    private static func read(_ item: Item?) -> Int { item.map { Int($0.number) + $0.text.utf8.count } ?? 0 }
}
