// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Scenarios of a million rows: import and traversal in bounded memory, and a save with all of them registered.

import CoreData

enum ImportScenario: Scenario {
    static let name = "import of 1,000,000 rows"
    private static let batch = 10_000

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = stage.newFile()
        defer { stage.remove(file) }
        var (times, heap): ([Double], [Int]) = ([], [])
        try rows(stage, file, stage.size(1_000_000)) { time in
            times.append(time)
            if let bytes = Heap.inUse { heap.append(bytes) }
        }
        let tenth = max(1, times.count / 10)
        let early = Statistics.median(Array(times.prefix(tenth))) ?? .nan
        let late = Statistics.median(Array(times.suffix(tenth))) ?? .nan
        var findings = [
            finding(
                "time of a batch at the end, to one at the beginning", late / early, "×", atMost: 1.5,
                because: "a row costs the same wherever it comes; the tree of the table grows by a level or two")
        ]
        if heap.count > 2 {
            findings.append(
                finding(
                    "growth of the heap behind the second batch", megabytes((heap.max() ?? 0) - heap[1]), "MB",
                    atMost: 24,
                    because:
                        "20,000 rows of the row cache before it is swept are 3 MB, 8 bytes for each key ever seen 8 MB, and room for fragments"
                ))
        }
        return findings
    }

    /// Inserts rows in batches, and saves and releases each batch.
    static func rows(_ stage: Stage, _ file: URL, _ count: Int, _ done: (Double) -> Void = { _ in }) throws {
        let context = stage.context(try stage.coordinator(file))
        for start in stride(from: 0, to: count, by: batch) {
            try context.performAndWait {
                done(
                    try stage.time {
                        for number in start..<min(start + batch, count) {
                            let item = Item(context: context)
                            item.number = Int64(number)
                            item.text = "imported row \(number)"
                        }
                        try context.save()
                        context.reset()
                    })
            }
        }
    }
}

func megabytes(_ bytes: Int) -> Double { Double(bytes) / 1_048_576 }

enum LargeContextScenario: Scenario {
    static let name = "saving one change beside clean objects"

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = stage.newFile()
        defer { stage.remove(file) }
        let full = stage.size(1_000_000)
        try ImportScenario.rows(stage, file, full)
        let many = try save(stage, file, registered: full)
        let few = try save(stage, file, registered: min(1_000, full))
        return [
            finding(
                "with 1,000,000 registered, to the same with 1,000", many / few, "×", atMost: 2,
                because: "a save looks at what changed; caches of the processor are all that many clean objects disturb"
            )
        ]
    }

    /// The duration of a save in milliseconds.
    private static func save(_ stage: Stage, _ file: URL, registered: Int) throws -> Double {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let items = try context.all(Item.self, limit: registered)
            for item in items { _ = item.number }
            var times: [Double] = []
            for round in 0..<40 {
                let item = items[(round * 7_919) % items.count]
                times.append(
                    try stage.time {
                        item.text = "changed in round \(round)"
                        try context.save()
                    })
            }
            return Statistics.median(times) ?? .nan
        }
    }
}

enum PageScenario: Scenario {
    static let name = "fetch batches over 1,000,000 rows"

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = stage.newFile()
        defer { stage.remove(file) }
        try ImportScenario.rows(stage, file, stage.size(1_000_000))
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            guard let before = Heap.inUse else { return [] }
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.fetchBatchSize = 1_000
            var (peak, sum, seen): (Int, Int64, Int) = (before, 0, 0)
            for item in try context.fetchPaged(request) {
                sum += item.number
                seen += 1
                if seen % 5_000 == 0 { peak = max(peak, Heap.inUse ?? 0) }
            }
            precondition(sum > 0)
            return [
                finding(
                    "growth of the heap, at its peak", megabytes(peak - before), "MB", atMost: 32,
                    because:
                        "a key of 8 bytes for each result, once more in the tables of the row cache, its 20,000 rows, and four pages of objects"
                )
            ]
        }
    }
}
