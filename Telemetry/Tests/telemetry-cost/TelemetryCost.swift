// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures look-ups and saves without telemetry and with it: Scripts/test-telemetry --cost.

import CoreData
import CoreDataTelemetry
import Foundation
import Metrics

/// Job J3 of the benchmarks, smaller: many fetches `badge == x`, each with a new request, and a save for each hundred.
///
///     telemetry-cost off|observed|metrics ROUNDS
///
/// Prints the milliseconds of processor time of each round.
@main struct TelemetryCost {
    private static let people = 10_000
    private static let lookUps = 10_000

    /// An observer that does nothing.
    private struct Nothing: StoreObserver {
        func begin(_ operation: StoreOperation) -> StoreOperation.End? { nil }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let rounds = Int(arguments[2]) else {
            print("usage: telemetry-cost off|observed|metrics ROUNDS")
            exit(2)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try opened(folder.appending(path: "Store.sqlite"), arguments[1])
        try context.performAndWait { try fill(context) }
        for _ in 0..<rounds {
            let before = clock()
            try context.performAndWait { try round(context) }
            print(Double(clock() - before) * 1000 / Double(CLOCKS_PER_SEC))
        }
    }

    private static func opened(_ url: URL, _ mode: String) throws -> NSManagedObjectContext {
        let badge = NSAttributeDescription()
        (badge.name, badge.attributeType, badge.isOptional) = ("badge", .integer64AttributeType, false)
        badge.defaultValue = 0
        let name = NSAttributeDescription()
        (name.name, name.attributeType) = ("name", .stringAttributeType)
        let person = NSEntityDescription()
        person.name = "Person"
        person.properties = [badge, name]
        person.indexes = [
            NSFetchIndexDescription(
                name: "byBadge", elements: [NSFetchIndexElementDescription(property: badge, collationType: .binary)])
        ]
        let model = NSManagedObjectModel()
        model.entities = [person]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        switch mode {
        case "observed": coordinator.storeObservers = [Nothing()]
        case "metrics": StoreTelemetry(tracer: nil, metricsFactory: Atomics()).observe(coordinator)
        default: break
        }
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private static func fill(_ context: NSManagedObjectContext) throws {
        for number in 0..<people {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(number, forKey: "badge")
            person.setValue("Person \(number)", forKey: "name")
        }
        try context.save()
    }

    private static func round(_ context: NSManagedObjectContext) throws {
        for number in 0..<lookUps {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "badge == %d", (number * 7919) % people)
            let found = try context.fetch(request)
            guard found.count == 1 else { fatalError("A look-up found \(found.count) people.") }
            if number % 100 == 0 {
                found[0].setValue("Person \(number) again", forKey: "name")
                try context.save()
            }
        }
    }
}

/// The cheapest metrics that count anything, as a real back end has them: a lock and a number.
private final class Atomics: MetricsFactory {
    private final class Sum: CounterHandler, TimerHandler, RecorderHandler, Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var sum: Int64 = 0

        func increment(by amount: Int64) { lock.withLock { sum &+= amount } }
        func reset() { lock.withLock { sum = 0 } }
        func recordNanoseconds(_ duration: Int64) { lock.withLock { sum &+= duration } }
        func record(_ value: Int64) { lock.withLock { sum &+= value } }
        func record(_ value: Double) { lock.withLock { sum &+= Int64(value) } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Sum() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { Sum() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Sum() }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
