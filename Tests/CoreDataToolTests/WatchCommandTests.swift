// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that follows a history across processes.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

/// The program watches, and this process writes.
@Suite("The history command that watches", .needsPrograms) struct WatchCommandTests {
    private struct Scene {
        let garage: Garage
        let context: NSManagedObjectContext
        let output: URL

        init() throws {
            garage = try Garage()
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try #require(NSManagedObjectModel(contentsOf: garage.model)))
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: garage.url,
                options: [NSPersistentHistoryTrackingKey: true])
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            output = garage.folder.url.appendingPathComponent("watched")
        }

        /// Saves one change.
        func save(seats: Int) throws {
            try context.performAndWait {
                context.transactionAuthor = "mechanic\(seats)"
                let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let car = try #require(try context.fetch(request).first)
                car.setValue(Int64(seats), forKey: "seats")
                try context.save()
            }
        }

        func watcher(_ arguments: String...) throws -> Process {
            let process = try ToolProgram.process(
                "coredata-tool", ["history", "Garage.sqlite", "--watch"] + arguments, in: garage.folder)
            _ = FileManager.default.createFile(atPath: output.path, contents: nil)
            process.standardOutput = try FileHandle(forWritingTo: output)
            return process
        }

        var text: String { get throws { try String(contentsOf: output, encoding: .utf8) } }

        /// Whether a text is printed within five minutes.
        func isPrinted(_ word: String, by process: Process) throws -> Bool {
            let end = ContinuousClock.now + .seconds(300)
            while ContinuousClock.now < end, process.isRunning {
                if try text.contains(word) { return true }
                usleep(10_000)
            }
            return try text.contains(word)
        }
    }

    /// Proves: H27, H30
    @Test(
        "each transaction of another process is printed as it comes, and Ctrl-C ends the text in good order",
        arguments: ["json", "table"])
    func interrupted(format: String) throws {
        let scene = try Scene()
        try scene.save(seats: 20)
        // A shell starts commands in the background with this signal ignored, and programs pass that on.
        signal(SIGINT, SIG_DFL)
        let process = try scene.watcher("--format", format)
        try ToolProgram.start(process)
        #expect(try scene.isPrinted("mechanic20", by: process))
        for seats in 21...23 {
            try scene.save(seats: seats)
            #expect(try scene.isPrinted("mechanic\(seats)", by: process))
        }
        kill(process.processIdentifier, SIGINT)
        ToolProgram.waitForEnd(of: process)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(try ToolProgram.errors(in: scene.garage.folder) == "")
        let text = try scene.text
        if format == "json" {
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            #expect(rows.map { $0["author"] as? String } == (20...23).map { "mechanic\($0)" })
            #expect(rows.allSatisfy { $0["properties"] as? String == "seats" })
        } else {
            #expect(text.hasSuffix("4 changes\n"))
            #expect(Set(text.split(separator: "\n").dropLast().map { $0.contains("mechanic") }) == [true, false])
        }
    }

    /// Proves: H30
    @Test("Ctrl-C also ends a watch that ignores the end of its terminal, as nohup starts it")
    func withoutTerminal() throws {
        let scene = try Scene()
        try scene.save(seats: 20)
        signal(SIGINT, SIG_DFL)
        signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, SIG_DFL) }
        let process = try scene.watcher("--format", "json")
        try ToolProgram.start(process)
        #expect(try scene.isPrinted("mechanic20", by: process))
        kill(process.processIdentifier, SIGHUP)
        try scene.save(seats: 21)
        #expect(try scene.isPrinted("mechanic21", by: process))
        kill(process.processIdentifier, SIGINT)
        ToolProgram.waitForEnd(of: process)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    /// Proves: H30
    @Test("a closed pipe ends the watch without a word")
    func closedPipe() throws {
        let scene = try Scene()
        try scene.save(seats: 20)
        let process = try scene.watcher("--format", "ndjson")
        let pipe = Pipe()
        process.standardOutput = pipe
        try ToolProgram.start(process)
        let start = try pipe.fileHandleForReading.read(upToCount: 10)
        #expect(start?.count == 10)
        try pipe.fileHandleForReading.close()
        try scene.save(seats: 21)
        ToolProgram.waitForEnd(of: process)
        #expect([SIGPIPE, 128 + SIGPIPE].contains(process.terminationStatus))
        #expect(try ToolProgram.errors(in: scene.garage.folder) == "")
    }

    @Test("a limit ends the watch, and a store without a history is refused")
    func ends() throws {
        let scene = try Scene()
        try scene.save(seats: 20)
        try scene.save(seats: 21)
        let folder = scene.garage.folder
        let limited = try ToolProgram.run(["history", "Garage.sqlite", "--watch", "--limit", "2"], in: folder)
        #expect(limited.status == 0 && limited.output.contains("mechanic21"))
        let plain = try Garage()
        let refused = try ToolProgram.run(["history", "Garage.sqlite", "--watch"], in: plain.folder)
        #expect(refused.status == 2 && refused.errors.contains("has no history"))
        let both = try ToolProgram.run(
            ["history", "Garage.sqlite", "--watch", "-o", "history.csv"], in: folder)
        #expect(both.status == 2)
    }
}
