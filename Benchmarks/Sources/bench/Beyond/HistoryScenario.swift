// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of persistent history: its share of a save, and reading and purging a long one.

import CoreData
import Foundation

enum HistoryScenario: Scenario {
    static let name = "persistent history"

    static func run(_ stage: Stage) throws -> [Finding] {
        let full = stage.size(1_000_000)
        let recorded = try stage.measurements(BatchModel.plain, full, history: true)
        let unrecorded = try stage.measurements(BatchModel.plain, full)
        defer { for file in [recorded, unrecorded] { stage.remove(file) } }
        return [
            try saves(stage, unrecorded), try oneSave(stage, recorded, unrecorded), try reading(stage, recorded),
            try purge(stage, recorded),
        ]
    }

    private static func saves(_ stage: Stage, _ file: URL) throws -> Finding {
        let ratio = try stage.ratio {
            try save(stage, file, history: true, changes: stage.size(10_000))
        } to: {
            try save(stage, file, history: false, changes: stage.size(10_000))
        }
        return finding(
            "a save of 10,000 changed objects, to one without history", ratio, "×", atMost: 1.15,
            because: "a row of seven small columns for each change, 32 in a statement")
    }

    private static func oneSave(_ stage: Stage, _ long: URL, _ short: URL) throws -> Finding {
        let ratio = try stage.ratio {
            try save(stage, long, history: true, changes: 1, times: 200)
        } to: {
            try save(stage, short, history: true, changes: 1, times: 200)
        }
        return finding(
            "a save of one change after 1,000,000 recorded ones, to one after none", ratio, "×", atMost: 1.05,
            because: "a save appends, and reads nothing of the history")
    }

    /// The time of saves of some changed objects each, in a copy of a file.
    private static func save(_ stage: Stage, _ file: URL, history: Bool, changes: Int, times: Int = 1) throws -> Double
    {
        let copy = try stage.copy(file)
        defer { stage.remove(copy) }
        let context = stage.context(try stage.coordinator(copy, BatchModel.plain, history: history))
        return try context.performAndWait {
            let objects = try context.all(Measurement.self, limit: changes * times)
            for object in objects { _ = object.value }
            // The first save with a history makes its strings and statements.
            objects[0].weight = -1
            try context.save()
            return try stage.time {
                for time in 0..<times {
                    for object in objects[(time * changes)..<((time + 1) * changes)] { object.value += 1 }
                    try context.save()
                }
            }
        }
    }

    private static func reading(_ stage: Stage, _ file: URL) throws -> Finding {
        let copy = try stage.copy(file)
        defer { stage.remove(copy) }
        let coordinator = try stage.coordinator(copy, BatchModel.plain, history: true)
        let context = stage.context(coordinator)
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try context.performAndWait {
            for object in try context.all(Measurement.self, limit: 1_000) { object.value += 1 }
            try context.save()
        }
        let database = try RawMeasurements(copy)
        let ratio = try stage.ratio {
            try context.performAndWait {
                try stage.time {
                    for _ in 0..<20 {
                        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                        let result = try context.execute(request) as? NSPersistentHistoryResult
                        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                        let changes = transactions.flatMap { $0.changes ?? [] }
                        guard changes.count == min(1_000, stage.size(1_000_000)) else {
                            throw BenchmarkFailure("\(changes.count) changes were read")
                        }
                    }
                }
            }
        } to: {
            try stage.time {
                for _ in 0..<20 {
                    let statement = try database.database.prepare(
                        """
                        SELECT t.Z_PK, t.ZTIMESTAMP, c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS \
                        FROM ATRANSACTION AS t JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK WHERE t.Z_PK > 1 \
                        ORDER BY t.Z_PK, c.Z_PK
                        """)
                    var sum: Int64 = 0
                    while try statement.step() { sum += statement.integer(5) }
                    precondition(sum > 0)
                }
            }
        }
        return finding(
            "reading 1,000 changes of 1,000,000, to the joined query", ratio, "×", atMost: 1.5,
            because: "an object for each change is what it adds")
    }

    private static func purge(_ stage: Stage, _ file: URL) throws -> Finding {
        let ratio = try stage.ratio {
            let copy = try stage.copy(file)
            defer { stage.remove(copy) }
            let context = stage.context(try stage.coordinator(copy, BatchModel.plain, history: true))
            return try context.performAndWait {
                try stage.time {
                    _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
                }
            }
        } to: {
            let copy = try stage.copy(file)
            defer { stage.remove(copy) }
            let database = try RawMeasurements(copy).database
            return try stage.time {
                try database.transaction {
                    try database.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= 1")
                    try database.execute("DELETE FROM ATRANSACTION WHERE Z_PK <= 1")
                }
            }
        }
        return finding(
            "purging 1,000,000 changes, to the deletions", ratio, "×", atMost: 1.2, because: "they are those deletions")
    }
}
