// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The scenario of remote changes: the time from a save of another process to the notification in this one.

import ArgumentParser
import CoreData
import Foundation
import Synchronization

enum RemoteScenario: Scenario {
    static let name = "remote changes"

    private static let saves = 40

    static func run(_ stage: Stage) throws -> [Finding] {
        let file = try stage.measurements(BatchModel.plain, stage.size(10_000), history: true)
        defer { stage.remove(file) }
        let delays = try delays(file).sorted()
        let because = "the specification's second; a look follows the write at once"
        return [
            finding(
                "a save of another process to its notification, median", Statistics.median(delays) ?? .nan, "ms",
                atMost: 1_000, because: because),
            finding(
                "a save of another process to its notification, slowest of 40", delays.last ?? .nan, "ms",
                atMost: 1_000, because: because),
        ]
    }

    /// In milliseconds, from the time that the transaction has: the time of its record, before its commit.
    private static func delays(_ file: URL) throws -> [Double] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BatchModel.plain)
        _ = try coordinator.addPersistentStore(
            type: .sqlite, at: file,
            options: [
                NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        let arrivals = Mutex<[(token: NSPersistentHistoryToken, time: Date)]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { notification in
            let time = Date()
            guard let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken else {
                return
            }
            arrivals.withLock { $0.append((token, time)) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let start = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try save(file)
        let end = Date(timeIntervalSinceNow: 10)
        while arrivals.withLock({ $0.count }) < saves, Date() < end { usleep(1_000) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: start))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            return try (transactions ?? []).map { transaction in
                guard let arrival = arrivals.withLock({ $0.first { $0.token == transaction.token } }) else {
                    throw BenchmarkFailure("transaction \(transaction.transactionNumber) was not noticed")
                }
                return arrival.time.timeIntervalSince(transaction.timestamp) * 1_000
            }
        }
    }

    /// Lets another process save.
    private static func save(_ file: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["save", "--file", file.path, "--saves", "\(saves)"]
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw BenchmarkFailure("the other process could not save") }
    }
}

/// The other process of `RemoteScenario`.
struct SaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Saves to a file some twenty times a second.", shouldDisplay: false)

    @Option var file: String
    @Option var saves: Int

    func run() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BatchModel.plain)
        _ = try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: file))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for number in 0..<saves {
            try context.performAndWait {
                Measurement(context: context).take(MeasurementRow(number))
                try context.save()
            }
            usleep(50_000)
        }
    }
}
