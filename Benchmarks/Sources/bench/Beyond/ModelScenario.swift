// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of SwiftData's models: unique values, deletions by a condition, and growth.

import CoreData
import SwiftData

@Model
final class Measured {
    @Attribute(.unique) var number: Int
    var text: String
    var value: Double

    init(number: Int, round: Int) {
        self.number = number
        text = "sample \(round) number \(number)"
        value = Double(number + round) / 3
    }
}

enum ModelScenario: Scenario {
    static let name = "models of SwiftData"

    static func run(_ stage: Stage) throws -> [Finding] {
        let upserts = try stage.ratio {
            try withContext(stage, full: stage.size(10_000)) { context in
                try stage.time { try insert(stage.size(10_000), round: 2, in: context) }
            }
        } to: {
            try withContext(stage, full: 0) { context in
                try stage.time { try insert(stage.size(10_000), in: context) }
            }
        }
        return [
            finding(
                "10,000 models that update records by a unique value, to plain insertions", upserts, "×", atMost: 2,
                because: "S64: each record is found by its index, and written as often as an insertion"),
            try deletions(stage), try growth(stage),
        ]
    }

    private static func deletions(_ stage: Stage) throws -> Finding {
        let count = stage.size(100_000)
        let ratio = try stage.ratio {
            try withContext(stage, full: count) { context in
                try stage.time {
                    try context.delete(model: Measured.self, where: #Predicate { $0.number < count / 2 })
                    try context.save()
                }
            }
        } to: {
            try withContext(stage, full: count) { context in
                let below = context.managedObjectContext
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Measured")
                request.predicate = NSPredicate(format: "number < %ld", count / 2)
                return try stage.time { _ = try below.execute(NSBatchDeleteRequest(fetchRequest: request)) }
            }
        }
        return finding(
            "a deletion of 50,000 by a condition with its save, to the batch request", ratio, "×", atMost: 1.25,
            because: "S98: it is one statement; the save posts the identifiers")
    }

    /// Insertions, a fetch that reads everything, and deletions one by one.
    private static func growth(_ stage: Stage) throws -> Finding {
        func rounds(_ count: Int) throws -> Double {
            try withContext(stage, full: 0) { context in
                try stage.time {
                    try insert(count, in: context)
                    let other = ModelContext(context.container)
                    var sum = 0.0
                    for sample in try other.fetch(FetchDescriptor<Measured>()) { sum += sample.value }
                    for sample in try other.fetch(FetchDescriptor<Measured>()) { other.delete(sample) }
                    try other.save()
                    if sum < 0 { throw BenchmarkFailure("a wrong sum") }
                }
            }
        }
        let ratio = try stage.ratio {
            try rounds(stage.size(100_000))
        } to: {
            try rounds(stage.size(10_000))
        }
        return finding(
            "insertions, reads and deletions of 100,000, to ten times those of 10,000", ratio / 10, "×", atMost: 2,
            because: "S100: work that grows with the square would be 10; caches of the processor hold less")
    }

    /// - Parameter round: other values for the same numbers.
    private static func insert(_ count: Int, round: Int = 1, in context: ModelContext) throws {
        for number in 0..<count { context.insert(Measured(number: number, round: round)) }
        try context.save()
    }

    /// A context of a new file with samples; closed and removed afterwards.
    private static func withContext(
        _ stage: Stage, full count: Int, _ body: (ModelContext) throws -> Double
    ) throws -> Double {
        let file = stage.newFile()
        let container = try ModelContainer(for: Measured.self, configurations: ModelConfiguration(url: file))
        if count > 0 { try insert(count, in: ModelContext(container)) }
        let time = try body(ModelContext(container))
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        stage.remove(file)
        return time
    }
}
