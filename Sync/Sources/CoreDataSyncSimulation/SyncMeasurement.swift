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
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = SimulationModel.make()
        let server = try SimulationModel.container(
            "Server", try .syncServer(of: model), folder.appendingPathComponent("Server.sqlite"))
        let service = try SyncService(container: server, authority: OpenAuthority())
        let app = try SimulationModel.container("App", model, folder.appendingPathComponent("App.sqlite"))
        let engine = try SyncEngine(coordinator: app.persistentStoreCoordinator)
        let user = SyncUser(id: "user")
        let saved = try seconds { try Self.insert(count, app) }
        let captured = try seconds { try engine.capture() }
        let pushed = try seconds { try push(engine, service, user) }
        let echoed = try seconds { try pull(engine, service, user) }
        let other = try SimulationModel.container("Other", model, folder.appendingPathComponent("Other.sqlite"))
        let second = try SyncEngine(coordinator: other.persistentStoreCoordinator)
        _ = try second.capture()
        let before = Self.restartPeak()
        let pulled = try seconds { try pull(second, service, user) }
        let growth = ProcessMemory.greatest - before
        print(
            "\(count) objects: local save \(text(saved)), capture \(text(captured)), push \(text(pushed)), "
                + "pull of the own changes \(text(echoed)), first pull of another device \(text(pulled)) "
                + "and \(growth) MB")
        let rounds = 300
        var served = 0.0
        let small = try seconds {
            for _ in 0..<rounds {
                try Self.insert(10, app)
                try engine.capture()
                while let push = try engine.nextPush() {
                    var answer: SyncPushAnswer?
                    served += try seconds { answer = try service.pushAndWait(push, user: user) }
                    if let answer { try engine.receive(answer) }
                }
            }
        }
        print(
            "\(rounds) rounds of saving, capturing and pushing ten insertions: \(text(small)), the server's part "
                + "\(text(served)), \(Int(Double(rounds) / served)) pushes a second")
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

    private func push(_ engine: SyncEngine, _ service: SyncService, _ user: SyncUser) throws {
        while let push = try engine.nextPush() { try engine.receive(try service.pushAndWait(push, user: user)) }
    }

    private func pull(_ engine: SyncEngine, _ service: SyncService, _ user: SyncUser) throws {
        repeat {
            var request = try engine.beginPull()
            while let present = request {
                request = engine.receive(try service.pullAndWait(present, user: user), for: present)
            }
            _ = try engine.apply()
        } while try engine.isSettingUp()
    }
}
