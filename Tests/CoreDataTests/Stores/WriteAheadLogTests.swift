// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The length of a store's write-ahead log with readers of all kinds.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

@Suite("The write-ahead log stays short") struct WriteAheadLogTests {
    private static let megabyte: Int64 = 1 << 20
    /// The length at which SQLite begins a checkpoint, 1,000 pages of 4 KB, with room for one save.
    private static let usual = 5 * megabyte

    /// A stack with a log that is emptied above 800 KB.
    private static func smallStack() throws -> Stack {
        try Stack(
            .sqlite, NamedModel.make(),
            options: [NSSQLitePragmasOption: ["wal_autocheckpoint": 100, "journal_size_limit": 800_000]])
    }

    private func logSize(_ stack: Stack) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: stack.url.path + "-wal")
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private func insert(_ context: NSManagedObjectContext, bytes: Int = 20_000) throws {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
        note.setValue(String(repeating: "x", count: bytes), forKey: "name")
        try context.save()
    }

    private func count(_ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Named"))
    }

    /// Waits until the log has been emptied, which happens on another thread.
    private func waitForShortLog(_ stack: Stack, atMost bytes: Int64) -> Int64 {
        let end = Date(timeIntervalSinceNow: 60)
        while logSize(stack) > bytes, Date() < end { usleep(5_000) }
        return logSize(stack)
    }

    @Test("when each block fetches and then saves") func fetchAndSave() throws {
        let stack = try Stack(.sqlite, NamedModel.make())
        for number in 0..<500 {
            let context = stack.newContext(.privateQueueConcurrencyType)
            let found = try context.performAndWait {
                let found = try count(context)
                try insert(context)
                return found
            }
            #expect(found == number)
        }
        #expect(logSize(stack) < Self.usual)
    }

    @Test("when each block fetches and then asks for permanent ids") func fetchAndObtainIDs() throws {
        let stack = try Stack(
            .sqlite, NamedModel.make(), options: [NSSQLitePragmasOption: ["wal_autocheckpoint": 10]])
        for _ in 0..<200 {
            let context = stack.newContext(.privateQueueConcurrencyType)
            try context.performAndWait {
                _ = try count(context)
                let note = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
                try context.obtainPermanentIDs(for: [note])
            }
        }
        #expect(logSize(stack) < Self.megabyte / 4)
    }

    @Test("after one save that is longer than the limit") func largeSave() throws {
        let stack = try Self.smallStack()
        try insert(stack.context, bytes: 3_000_000)
        #expect(logSize(stack) <= 800_000)
    }

    @Test("once a reader of an old snapshot has gone") func longReader() throws {
        let stack = try Self.smallStack()
        let reader = stack.newContext(.privateQueueConcurrencyType)
        let longest = try reader.performAndWait {
            _ = try count(reader)
            for _ in 0..<100 { try insert(stack.context) }
            return logSize(stack)
        }
        #expect(longest > 1_000_000)
        #expect(waitForShortLog(stack, atMost: 800_000) <= 800_000)
        #expect(try count(stack.context) == 100)
    }

    @Test("once the last pinned context has gone") func pinnedReader() throws {
        let stack = try Self.smallStack()
        let (first, second) = (stack.newContext(), stack.newContext())
        for context in [first, second] {
            try context.setQueryGenerationFrom(.current)
            #expect(try count(context) == 0)
        }
        for _ in 0..<100 { try insert(stack.context) }
        try first.setQueryGenerationFrom(nil)
        usleep(50_000)
        #expect(logSize(stack) > 1_000_000)
        #expect(try count(second) == 0)
        try second.setQueryGenerationFrom(nil)
        #expect(waitForShortLog(stack, atMost: 800_000) <= 800_000)
    }

    @Test("once the last of several overlapping readers has gone") func overlappingReaders() throws {
        let stack = try Self.smallStack()
        let isOver = Atomic<Bool>(false)
        let readers = DispatchGroup()
        for number in 0..<2 {
            let context = stack.newContext(.privateQueueConcurrencyType)
            DispatchQueue(label: "reader \(number)").async(group: readers) {
                if number == 1 { usleep(10_000) }
                while !isOver.load(ordering: .acquiring) {
                    context.performAndWait {
                        _ = try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Named"))
                        usleep(20_000)
                    }
                }
            }
        }
        for _ in 0..<100 { try insert(stack.context) }
        isOver.store(true, ordering: .releasing)
        readers.wait()
        #expect(waitForShortLog(stack, atMost: 800_000) <= 800_000)
        #expect(try count(stack.context) == 100)
    }

    @Test("although readers take turns without end") func readersInTurn() throws {
        let stack = try Self.smallStack()
        let isOver = Atomic<Bool>(false)
        let turns = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let readers = DispatchGroup()
        for number in 0..<2 {
            let context = stack.newContext(.privateQueueConcurrencyType)
            DispatchQueue(label: "reader \(number)").async(group: readers) {
                if number == 1 { turns[1].wait() }
                while !isOver.load(ordering: .acquiring) {
                    context.performAndWait {
                        _ = try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
                        // Each one ends when the next one has begun.
                        turns[1 - number].signal()
                        turns[number].wait()
                        usleep(1_000)
                    }
                }
                turns[1 - number].signal()
            }
        }
        defer {
            isOver.store(true, ordering: .releasing)
            readers.wait()
        }
        var longest: Int64 = 0
        for _ in 0..<400 {
            try insert(stack.context)
            longest = max(longest, logSize(stack))
        }
        // The log of all these saves would have 8 MB.
        #expect(longest < 4_000_000)
    }

    @Test("unless the store's options leave that to the program") func ownCheckpoints() throws {
        let stack = try Stack(
            .sqlite, NamedModel.make(), options: [NSSQLitePragmasOption: ["wal_autocheckpoint": 0]])
        try insert(stack.context, bytes: 20_000_000)
        #expect(logSize(stack) > 20_000_000)
    }
}
