// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Scenarios of contexts with 10,000 changes: undo, saves through parents, merging.

import CoreData

enum UndoScenario: Scenario {
    static let name = "undo and redo of 10,000 changes"

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = try stage.library(owners: 1, itemsEach: stage.size(10_000))
        var (undo, redo): ([Double], [Double]) = ([], [])
        for _ in 0..<stage.repetitions {
            let times = try measure(stage, file)
            undo.append(times.undo / times.change)
            redo.append(times.redo / times.change)
        }
        let argument =
            "what was changed is changed back and told, as it was changed and told; the other way is recorded too"
        return [
            finding("undo, to the changes", Statistics.median(undo) ?? .nan, "×", atMost: 2, because: argument),
            finding("redo, to the changes", Statistics.median(redo) ?? .nan, "×", atMost: 2, because: argument),
        ]
    }

    private static func measure(_ stage: Stage, _ file: URL) throws -> (change: Double, undo: Double, redo: Double) {
        let context = stage.context(try stage.coordinator(file))
        return try context.performAndWait {
            let manager = UndoManager()
            context.undoManager = manager
            let items = try context.all(Item.self)
            for item in items { _ = item.number }
            let change = stage.time {
                for item in items { item.text = "changed" }
                context.processPendingChanges()
            }
            let undo = stage.time {
                manager.undo()
                context.processPendingChanges()
            }
            precondition(items.allSatisfy { $0.text != "changed" })
            let redo = stage.time {
                manager.redo()
                context.processPendingChanges()
            }
            precondition(items.allSatisfy { $0.text == "changed" })
            return (change, undo, redo)
        }
    }
}

enum NestingScenario: Scenario {
    static let name = "child contexts three deep"

    static func run(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(10_000)
        return [
            finding(
                "10,000 insertions saved up to the store, to the same without children",
                try stage.ratio({ try insert(stage, count, depth: 3) }, to: { try insert(stage, count, depth: 0) }),
                "×",
                atMost: 4,
                because:
                    "each of three levels makes the objects, takes their values and tells of them once, as the first did; only one writes"
            )
        ]
    }

    private static func insert(_ stage: Stage, _ count: Int, depth: Int) throws -> Double {
        let file = stage.newFile()
        defer { stage.remove(file) }
        var chain = [stage.context(try stage.coordinator(file))]
        for level in 0..<depth {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = chain[level]
            chain.append(child)
        }
        return try stage.time {
            chain[depth].performAndWait {
                for number in 0..<count {
                    let item = Item(context: chain[depth])
                    item.number = Int64(number)
                    item.text = "item number \(number)"
                }
            }
            for context in chain.reversed() { try context.performAndWait { try context.save() } }
        }
    }
}

enum MergeScenario: Scenario {
    static let name = "merge of 10,000 remote changes"

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = try stage.library(owners: 10, itemsEach: stage.size(100_000) / 10)
        let coordinator = try stage.coordinator(file)
        let reader = stage.context(coordinator), writer = stage.context(coordinator)
        let count = stage.size(10_000)
        let items = try reader.performAndWait {
            let items = try reader.all(Item.self)
            for item in items { _ = item.number }
            return TransferredItems(items)
        }
        var round = 0
        func merge() throws -> Double {
            round += 1
            let received = ReceivedNotification()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSaveObjectIDs, object: writer, queue: nil
            ) { received.set($0) }
            defer { NotificationCenter.default.removeObserver(token) }
            try change(writer, count, "round \(round)")
            guard let notification = received.value else { throw BenchmarkFailure("the save posted no notification") }
            return reader.performAndWait { stage.time { reader.mergeChanges(fromContextDidSave: notification) } }
        }
        func refetch() throws -> Double {
            round += 1
            try change(writer, count, "round \(round)")
            return try reader.performAndWait {
                let request = NSFetchRequest<Item>(entityName: "Item")
                request.fetchLimit = count
                request.shouldRefreshRefetchedObjects = true
                return try stage.time { _ = try reader.fetch(request) }
            }
        }
        return try withExtendedLifetime(items) {
            [
                finding(
                    "to a fetch that refreshes the same objects", try stage.ratio(merge, to: refetch), "×", atMost: 1.5,
                    because:
                        "both put 10,000 rows into objects and post notifications; the merge reads cached rows and looks up 10,000 ids"
                )
            ]
        }
    }

    private static func change(_ writer: NSManagedObjectContext, _ count: Int, _ text: String) throws {
        try writer.performAndWait {
            for item in try writer.all(Item.self, limit: count) { item.text = text }
            try writer.save()
        }
    }

    private final class TransferredItems: @unchecked Sendable {  // passed through, never used
        private let items: [Item]
        init(_ items: [Item]) { self.items = items }
    }

    private final class ReceivedNotification: @unchecked Sendable {  // written by one thread, then read by another
        private(set) var value: Notification?
        func set(_ notification: Notification) { value = notification }
    }
}
