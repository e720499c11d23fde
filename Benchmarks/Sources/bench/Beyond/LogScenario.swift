// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of the write-ahead log's length, during fetches and saves and after a long read.

import CoreData

enum LogScenario: Scenario {
    static let name = "write-ahead log of 4,000 saves"

    static func run(_ stage: Stage) throws -> [Finding] {
        [
            finding(
                "after blocks that fetch and then save", megabytes(try blocks(stage)), "MB", atMost: 5,
                because: "SQLite moves 1,000 pages of 4 KB into the database at a time, and one save is on top"),
            finding(
                "a second after a reader of the first state has ended", megabytes(try reader(stage)), "MB", atMost: 16,
                because: "the log has a limit of 16 MB, above which it is emptied when a reader ends"),
        ]
    }

    /// The length of the log in bytes.
    private static func blocks(_ stage: Stage) throws -> Int {
        let file = stage.newFile()
        let coordinator = try stage.coordinator(file)
        for number in 0..<stage.size(4_000) {
            let context = stage.context(coordinator)
            try context.performAndWait {
                _ = try context.all(Item.self, limit: 10)
                try save(number, in: context)
            }
        }
        return length(of: file)
    }

    private static func reader(_ stage: Stage) throws -> Int {
        let file = stage.newFile()
        let coordinator = try stage.coordinator(file)
        let (reader, writer) = (stage.context(coordinator), stage.context(coordinator))
        try reader.performAndWait {
            _ = try reader.all(Item.self)
            for number in 0..<stage.size(4_000) { try writer.performAndWait { try save(number, in: writer) } }
        }
        Thread.sleep(forTimeInterval: 1)
        return length(of: file)
    }

    private static func save(_ number: Int, in context: NSManagedObjectContext) throws {
        let item = Item(context: context)
        item.number = Int64(number)
        item.text = "item number \(number)"
        try context.save()
    }

    private static func length(of file: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
