// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of a results controller over 100,000 objects in 100 sections.

import CoreData
import Foundation

enum ResultsScenario: Scenario {
    static let name = "results controllers"

    static func run(_ stage: Stage) throws -> [Finding] {
        let count = stage.size(100_000)
        let file = try stage.measurements(BatchModel.plain, count)
        defer { stage.remove(file) }
        return [
            try merge(stage, file, count), try oneChange(stage, file, count), try fetch(stage, file),
        ]
    }

    private static func merge(_ stage: Stage, _ file: URL, _ count: Int) throws -> Finding {
        let coordinator = try stage.coordinator(file, BatchModel.plain, history: false)
        let (context, other) = (stage.context(coordinator), stage.context(coordinator))
        let reports = ReportCounter()
        let changes = stage.size(999) / 3 * 3
        var next = 10_000_000
        let ratio = try context.performAndWait {
            let controller = controller(context)
            controller.delegate = reports
            try controller.performFetch()
            for object in controller.fetchedObjects ?? [] { _ = object.value }
            return try stage.ratio {
                let saved = try other.performAndWait { try save(changes, &next, count, in: other) }
                let before = reports.count
                let time = stage.time {
                    context.mergeChanges(fromContextDidSave: saved)
                    context.processPendingChanges()
                }
                guard reports.count - before >= changes else {
                    throw BenchmarkFailure("\(reports.count - before) reports of \(changes) changes")
                }
                return time
            } to: {
                try stage.time { try controller.performFetch() }
            }
        }
        return finding(
            "a merge of 1,000 changes, to fetching again", ratio, "×", atMost: 0.1,
            because: "a hundredth of the objects is looked at, each at its place in the order")
    }

    /// Saves as many insertions as moves and updates.
    private static func save(
        _ changes: Int, _ next: inout Int, _ count: Int, in context: NSManagedObjectContext
    ) throws -> Notification {
        let center = NotificationCenter.default
        let saved = SavedNotice()
        let token = center.addObserver(forName: .NSManagedObjectContextDidSave, object: context, queue: nil) {
            saved.notification = $0
        }
        defer { center.removeObserver(token) }
        let request = NSFetchRequest<Measurement>(entityName: "Measurement")
        request.fetchLimit = changes / 3 * 2
        request.fetchOffset = next % (count / 2)
        for (number, object) in try context.fetch(request).enumerated() {
            if number % 2 == 0 {
                object.code = MeasurementRow.codes[(next + number) % 100]
                object.value += 1
            } else {
                object.value += 1
            }
        }
        for _ in 0..<changes / 3 {
            Measurement(context: context).take(MeasurementRow(next))
            next += 1
        }
        try context.save()
        guard let notification = saved.notification else { throw BenchmarkFailure("a save without a notification") }
        return notification
    }

    private static func oneChange(_ stage: Stage, _ file: URL, _ count: Int) throws -> Finding {
        let context = stage.context(try stage.coordinator(file, BatchModel.plain, history: false))
        let ratio = try context.performAndWait {
            let controller = controller(context)
            let reports = ReportCounter()
            controller.delegate = reports
            try controller.performFetch()
            let objects = controller.fetchedObjects ?? []
            return try stage.ratio {
                let before = reports.count
                let time = stage.time {
                    for number in 0..<200 {
                        objects[(number * 7_919) % objects.count].value += 1
                        context.processPendingChanges()
                    }
                }
                precondition(reports.count - before == 200)
                return time
            } to: {
                try stage.time {
                    for number in 0..<200 {
                        let id = objects[(number * 7_919 + 1) % objects.count].objectID
                        let request = NSFetchRequest<Measurement>(entityName: "Measurement")
                        request.predicate = NSPredicate(format: "SELF == %@", id)
                        let found = try context.fetch(request)
                        precondition(found.count == 1)
                    }
                }
            }
        }
        return finding(
            "a change of one object, to a look-up by key", ratio, "×", atMost: 20,
            because: "its place is found by two binary searches; no other object is looked at")
    }

    private static func fetch(_ stage: Stage, _ file: URL) throws -> Finding {
        let database = try RawMeasurements(file).database
        let ratio = try stage.ratio {
            let context = stage.context(try stage.coordinator(file, BatchModel.plain, history: false))
            return try context.performAndWait {
                let controller = controller(context)
                controller.fetchRequest.fetchBatchSize = 50
                return try stage.time {
                    try controller.performFetch()
                    precondition(controller.sections?.count == 100)
                }
            }
        } to: {
            try stage.time {
                let statement = try database.prepare(
                    "SELECT Z_PK, ZCODE FROM ZMEASUREMENT ORDER BY ZCODE COLLATE BINARY, ZNUMBER")
                var (keys, sections, last): ([Int64], [Int], String) = ([], [], "")
                while try statement.step() {
                    let code = statement.text(1)
                    if code != last { sections.append(keys.count) }
                    last = code
                    keys.append(statement.integer(0))
                }
                precondition(sections.count == 100)
            }
        }
        return finding(
            "a fetch with sections, batches of 50, to keys and the section's column", ratio, "×", atMost: 1.5,
            because: "a key for each object, and a comparison of names for each")
    }

    private static func controller(_ context: NSManagedObjectContext) -> NSFetchedResultsController<Measurement> {
        let request = NSFetchRequest<Measurement>(entityName: "Measurement")
        request.sortDescriptors = [
            NSSortDescriptor(key: "code", ascending: true), NSSortDescriptor(key: "number", ascending: true),
        ]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "code", cacheName: nil)
    }
}

/// Counts the reports on single objects.
private final class ReportCounter: NSFetchedResultsControllerDelegate {
    private(set) var count = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { count += 1 }
}

/// The observer of one thread puts the notification here.
private final class SavedNotice: @unchecked Sendable {
    var notification: Notification?
}
