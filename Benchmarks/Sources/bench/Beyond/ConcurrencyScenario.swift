// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of several readers while one writes, and the cost of a read at the same time as others.

import CoreData
import Synchronization

enum ConcurrencyScenario: Scenario {
    static let name = "readers beside a writer"
    private static let owners = 100
    /// The time between two saves of the writer.
    private static let pause: TimeInterval = 0.02

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = try stage.library(owners: owners, itemsEach: 100)
        let coordinator = try stage.coordinator(file)
        let reads = stage.size(5_000)
        var rounds: [Round] = []
        for _ in 0..<stage.repetitions {
            let alone = try measure(stage, coordinator, readers: 1, reads: reads, writes: false)
            rounds.append(
                Round(
                    alone: alone,
                    beside: try [1, 2, 4].map {
                        try measure(stage, coordinator, readers: $0, reads: reads, writes: true)
                    }))
        }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return [1, 2, 4].enumerated().flatMap { place, readers in
            let share = Double(min(cores, readers)) / Double(readers)
            return [
                finding(
                    "processor time of a read, \(readers) of them and a writer, to one reader alone",
                    median(rounds) { $0.beside[place].processor / $0.alone.processor }, "×", atMost: 1.1,
                    because: "a context and a connection each: readers share the row cache and the pool for moments"),
                finding(
                    "time of all reads by the clock, \(readers) of them and a writer, to one alone, by processors",
                    median(rounds) { $0.beside[place].clock * share / $0.alone.clock }, "×",
                    atMost: readers < cores ? 1.3 : 1.5,
                    because: "no reader waits for another; the writer takes a part of a processor"),
            ]
        }
    }

    /// The time of the reads of each reader, in milliseconds.
    private struct Cost {
        let processor: Double
        let clock: Double
    }

    private struct Round {
        let alone: Cost
        let beside: [Cost]
    }

    private static func median(_ rounds: [Round], _ value: (Round) -> Double) -> Double {
        Statistics.median(rounds.map(value)) ?? .nan
    }

    private static func measure(
        _ stage: Stage, _ coordinator: NSPersistentStoreCoordinator, readers: Int, reads: Int, writes: Bool
    ) throws -> Cost {
        let times = Mutex<[Double]>([])
        let ended = Atomic<Int>(0)
        let watch = Stopwatch()
        for reader in 0..<readers {
            let context = stage.context(coordinator)
            Thread.detachNewThread {
                // `performAndWait` works on this thread.
                let before = threadMilliseconds
                let sum = read(context, reads, first: reader * 37)
                let time = threadMilliseconds - before
                times.withLock { if sum != nil { $0.append(time) } }
                ended.add(1, ordering: .releasing)
            }
        }
        let writer = stage.context(coordinator)
        var round = 0
        while ended.load(ordering: .acquiring) < readers {
            if writes {
                round += 1
                try write(writer, round)
            }
            Thread.sleep(forTimeInterval: writes ? pause : 0.001)
        }
        let clock = watch.sample.wall
        let found = times.withLock { $0 }
        guard found.count == readers else { throw BenchmarkFailure("a reader beside a writer has failed") }
        return Cost(processor: found.reduce(0, +) / Double(readers), clock: clock)
    }

    /// Fetches the hundred items of an owner and reads their values, one owner after the other.
    ///
    /// - Returns: nil if a read has failed.
    private static func read(_ context: NSManagedObjectContext, _ reads: Int, first: Int) -> Int? {
        context.performAndWait {
            guard let all = try? context.all(Owner.self), all.count == owners else { return nil }
            var sum = 0
            for number in 0..<reads {
                let request = NSFetchRequest<Item>(entityName: "Item")
                request.predicate = NSPredicate(format: "owner == %@", all[(first + number) % owners])
                guard let items = try? context.fetch(request), items.count == 100 else { return nil }
                for item in items { sum &+= Int(item.number) &+ item.text.utf8.count }
            }
            return sum
        }
    }

    /// Ten changes of items of ten owners in one save.
    private static func write(_ context: NSManagedObjectContext, _ round: Int) throws {
        try context.performAndWait {
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.predicate = NSPredicate(format: "number IN %@", (0..<10).map { ($0 * 997 + round) % 10_000 })
            for item in try context.fetch(request) { item.text = "round \(round)" }
            try context.save()
        }
    }

    private static var threadMilliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
