// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Scenarios of stores: many readers with a writer, and many entities.

import CoreData
import Synchronization

enum ReaderScenario: Scenario {
    static let name = "eight contexts read while one writes"
    private static let readers = 8

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = try stage.library(owners: 1, itemsEach: stage.size(10_000))
        let coordinator = try stage.coordinator(file)
        // A writer with an open transaction, like an unfinished save: a reader that waits for it never ends.
        let writer = try RawDatabase(file, tuning: .none)
        try writer.execute("BEGIN IMMEDIATE; UPDATE ZITEM SET ZTEXT = 'unfinished'")
        let finished = Atomic<Int>(0)
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<readers {
            let context = stage.context(coordinator)
            Thread.detachNewThread {
                context.performAndWait {
                    let items = (try? context.all(Item.self)) ?? []
                    if items.contains(where: { $0.text != "unfinished" }) { finished.add(1, ordering: .relaxed) }
                }
                done.signal()
            }
        }
        for _ in 0..<readers where done.wait(timeout: .now() + 10) == .timedOut { break }
        let waiting = readers - finished.load(ordering: .relaxed)
        try writer.execute("ROLLBACK")
        return [
            finding(
                "readers that had to wait for the writer's end", Double(waiting), "readers", atMost: 0,
                because: "in write-ahead mode a reader has its own view, and a connection of its own"),
            finding(
                "slowest of 200 reads beside saves, to the slowest save", try latency(stage, coordinator), "×",
                atMost: 4,
                because:
                    "none waits for a save; eight readers share two processors with it, so each may be put off four times as long"
            ),
        ]
    }

    private static func latency(_ stage: Stage, _ coordinator: NSPersistentStoreCoordinator) throws -> Double {
        let slowest = Mutex<Double>(0)
        let ended = Atomic<Int>(0)
        for _ in 0..<readers {
            let context = stage.context(coordinator)
            Thread.detachNewThread {
                for _ in 0..<25 {
                    let watch = Stopwatch()
                    context.performAndWait { _ = try? context.all(Item.self, limit: 100) }
                    let wall = watch.sample.wall
                    slowest.withLock { $0 = max($0, wall) }
                }
                ended.add(1, ordering: .relaxed)
            }
        }
        let context = stage.context(coordinator)
        var slowestSave = 0.0
        var round = 0
        while ended.load(ordering: .relaxed) < readers || round == 0 {
            round += 1
            let watch = Stopwatch()
            try context.performAndWait {
                for item in try context.all(Item.self) { item.text = "round \(round)" }
                try context.save()
            }
            slowestSave = max(slowestSave, watch.sample.wall)
        }
        return slowest.withLock { $0 } / slowestSave
    }
}

enum OpeningScenario: Scenario {
    static let name = "a store with 300 entities"

    static func run(_ stage: Stage) throws -> [Finding] {
        let entities = stage.size(300)
        let file = stage.newFile()
        _ = try stage.coordinator(file, LibraryModel.wide(entities: entities))
        let time = try stage.median {
            let model = LibraryModel.wide(entities: entities)
            return try stage.time {
                let context = stage.context(try stage.coordinator(file, model))
                try context.performAndWait {
                    _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entity7"))
                }
            }
        }
        return [
            finding(
                "from model to first fetch, for each property", time * 1_000 / Double(entities * 10), "µs", atMost: 20,
                because:
                    "a property is checked, hashed for its entity's version, given a slot and found in the file's schema: four times a few microseconds"
            )
        ]
    }
}
