// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures pushes and pulls of one device over SQLite stores in one process, without a network.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

/// Prints seconds of the process's threads, which other programs do not prolong, and the greatest memory that the first
/// pull needed more than the process had before, the server's part of it included.
/// Memory that the pushes freed is used again and does not count, so that this is a lower bound.
package struct SyncMeasurement {
    private let count: Int

    package init(count: Int) { self.count = count }

    package func run() throws {
        let server = try MeasuredServer()
        let (app, engine) = try server.device("App")
        let saved = try seconds { try Self.insert(count, app) }
        let captured = try seconds { try engine.capture() }
        var (served, pushed) = (0.0, 0.0)
        pushed = try seconds { served = try push(engine, server) } - served
        let echoed = try seconds { try server.pull(engine) }
        let (_, second) = try server.device("Other")
        _ = try second.capture()
        let before = Self.restartPeak()
        let pulled = try seconds { try server.pull(second) }
        let growth = ProcessMemory.greatest - before
        print(
            "\(count) objects: local save \(text(saved)), capture \(text(captured)), push \(text(pushed)) and the "
                + "server's part \(text(served)), pull of the own changes \(text(echoed)), first pull of another device "
                + "\(text(pulled)) and \(growth) MB")
        print(
            String(
                format: "the client's part of the push is %.1f local saves, the pull %.1f",
                (captured + pushed) / saved, pulled / saved))
        let rounds = 300
        var small = 0.0
        let all = try seconds {
            for _ in 0..<rounds {
                try Self.insert(10, app)
                try engine.capture()
                small += try push(engine, server)
            }
        }
        print(
            "\(rounds) rounds of saving, capturing and pushing ten insertions: \(text(all)), the server's part "
                + "\(text(small)), \(Int(Double(rounds) / small)) pushes a second")
    }

    private static var processorTime: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Begins a new measurement of the greatest memory.
    ///
    /// - Returns: the present one, in MB.
    private static func restartPeak() -> Int {
        try? FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs")).write(contentsOf: Data("5".utf8))
        return ProcessMemory.resident
    }

    private func text(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Self.processorTime
        try body()
        return Self.processorTime - start
    }

    /// Saves some notes as one transaction.
    static func insert(_ count: Int, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for number in 0..<count {
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("Note \(number)", forKey: "title")
                note.setValue(number % 100, forKey: "size")
            }
            try context.save()
        }
    }

    /// - Returns: the seconds of the server's part.
    private func push(_ engine: SyncEngine, _ server: MeasuredServer) throws -> Double {
        var served = 0.0
        while let push = try engine.nextPush() {
            var answer: SyncPushAnswer?
            served += try seconds { answer = try server.service.pushAndWait(push, user: server.user) }
            if let answer { try engine.receive(answer) }
        }
        return served
    }
}
