// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Backends that are killed and servers that stop at once, while several programs' worth of stores save.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Kills a server that nobody else uses: how often, and by which command it is stopped at once and started again.
private enum Kills {
    private static let environment = ProcessInfo.processInfo.environment
    static let count = environment["COREDATA_PG_KILLS"].flatMap { Int($0) } ?? 0
    static let restart = environment["COREDATA_PG_RESTART"]

    /// Kills the process of one connection, which has the server end all others.
    static func killBackend(_ sessions: Sessions) throws {
        let isKilled = eventually {
            guard let connection = try? sessions.make() else { return false }
            defer { connection.close() }
            let question = Statement(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY random() LIMIT 1",
                isReused: false)
            guard let answer = try? connection.run(question, sessions.deadline), let pid = answer.first(\.integer)
            else { return false }
            return kill(pid_t(pid), SIGKILL) == 0
        }
        try #require(isKilled)
    }

    static func restartServer() throws {
        let process = Process()
        let command = try #require(restart)
        process.executableURL = URL(filePath: command)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}

/// Saves until it is told to end: two records of one name in each save, again and again until it is acknowledged.
private final class Writer: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    private let number: Int
    private let isEnded = Atomic<Bool>(false)
    private let acknowledged = Mutex<[String]>([])
    private let failures = Atomic<Int>(0)
    private let done = DispatchSemaphore(value: 0)

    init(_ number: Int, _ coordinator: NSPersistentStoreCoordinator) {
        (self.number, self.coordinator) = (number, coordinator)
    }

    func start() {
        let thread = Thread { [self] in
            run()
            done.signal()
        }
        thread.start()
    }

    private func run() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var save = 0
        while !isEnded.load(ordering: .acquiring) {
            save += 1
            let name = "\(number) \(save)"
            context.performAndWait {
                context.transactionAuthor = name
                for _ in 0..<2 {
                    NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
                        .setValue(name, forKey: "name")
                }
                while true {
                    do {
                        try context.save()
                        return
                    } catch {
                        failures.add(1, ordering: .relaxed)
                        usleep(5_000)
                    }
                }
            }
            acknowledged.withLock { $0.append(name) }
        }
    }

    /// The names that were saved, and how often a save failed.
    func end() -> (names: [String], failures: Int) {
        isEnded.store(true, ordering: .releasing)
        done.wait()
        return (acknowledged.withLock { $0 }, failures.load(ordering: .relaxed))
    }
}

@Suite(
    "A PostgreSQL server that is killed", .needsServer,
    .enabled(if: Kills.count > 0, "It needs a server of its own: Scripts/test-postgres --kills 500.")
) struct KillTests {
    /// Proves: PostgreSQL-S1, PostgreSQL-S2, PostgreSQL-T1, PostgreSQL-T3, PostgreSQL-H2
    @Test("nothing that was acknowledged is lost, nothing is half there, nothing is there twice") func kills() throws {
        let options: [AnyHashable: Any] = [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 1,
            NSPostgreSQLAnswerTimeoutOption: 10,
        ]
        let stack = try Stack(.postgresql, NamedModel.make(), options: options)
        let sessions = try stack.server.sessions
        let writers = try (0..<3).map { Writer($0, try stack.secondCoordinator(options).0) }
        for writer in writers { writer.start() }
        for round in 0..<Kills.count {
            usleep(UInt32.random(in: 10_000...150_000))
            if round % 2 == 0 { try Kills.killBackend(sessions) } else { try Kills.restartServer() }
        }
        let ends = writers.map { $0.end() }
        let names = ends.flatMap(\.names)
        print("\(Kills.count) kills, \(names.count) saves, \(ends.map(\.failures).reduce(0, +)) of them failed first")
        var found: [NSManagedObject]?
        let isRead = eventually {
            found = try? stack.newContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Named"))
            return found != nil
        }
        try #require(isRead)
        let written = try #require(found).compactMap { $0.value(forKey: "name") as? String }
        let counts = Dictionary(grouping: written) { $0 }.mapValues(\.count)
        #expect(!names.isEmpty)
        #expect(Set(counts.keys) == Set(names))
        #expect(counts.values.allSatisfy { $0 == 2 })
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(try stack.context.execute(history) as? NSPersistentHistoryResult)
        let authors = try #require(result.result as? [NSPersistentHistoryTransaction]).compactMap(\.author)
        #expect(authors.sorted() == names.sorted())
        for writer in writers {
            for store in writer.coordinator.persistentStores { try writer.coordinator.remove(store) }
        }
    }
}
