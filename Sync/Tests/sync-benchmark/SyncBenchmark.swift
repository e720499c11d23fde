// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures devices against a running coredata-sync-server, with the model Sync/Tests/Models/Notes.xcdatamodeld.
import ArgumentParser
import CoreData
import CoreDataSync
import CoreDataSyncHTTPClient
import Foundation

/// Sync/Documentation/Speed.md has the figures and says how they were taken.
@main
struct SyncBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-benchmark", abstract: "Measures devices against a running server.",
        subcommands: [Fill.self, Pull.self, Load.self, Latency.self])
}

/// The model, the server and the folder of stores.
struct Place: ParsableArguments {
    @Argument(help: "The model of the notes.")
    var model: String

    @Argument(help: "The address of the server.")
    var server: String

    @Option(help: "The token.")
    var token = "token"

    func transport() throws -> HTTPTransport {
        guard let url = URL(string: server) else { throw ValidationError("The address cannot be read.") }
        let token = token
        return HTTPTransport(server: url) { token }
    }

    /// A new store in a folder.
    func container(_ folder: URL, _ name: String) async throws -> NSPersistentContainer {
        guard let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: model)) else {
            throw ValidationError("The model cannot be read.")
        }
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent(name + ".sqlite"))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        return container
    }

    /// A folder that is removed after the block.
    func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

/// Saves notes in one store, and brings them to the server.
struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Brings notes to the server.")

    @OptionGroup var place: Place

    @Option(help: "The number of notes.")
    var count = 10_000

    func run() async throws {
        try await place.inFolder { folder in
            let container = try await place.container(folder, "Fill")
            let client = try SyncClient(container: container, transport: try place.transport())
            for start in stride(from: 0, to: count, by: 10_000) {
                let numbers = start..<min(start + 10_000, count)
                try await container.performBackgroundTask { try Notes.insert(numbers, $0) }
                _ = try await client.syncNow()
            }
        }
        print("\(count) notes are on the server.")
    }
}

/// Pulls everything into a new store, and compares that with a local import of the same notes.
struct Pull: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Makes a first pull.")

    @OptionGroup var place: Place

    func run() async throws {
        try await place.inFolder { folder in
            let container = try await place.container(folder, "Pull")
            let client = try SyncClient(container: container, transport: try place.transport())
            let (before, watch) = (Process.memory, Stopwatch())
            let report = try await client.syncNow()
            print(
                "first pull of \(report.inserted) objects: \(watch.text), "
                    + "greatest memory \(before) MB before and \(Process.memory) MB after it")
            let other = try await place.container(folder, "Import")
            let second = Stopwatch()
            for start in stride(from: 0, to: report.inserted, by: 10_000) {
                let numbers = start..<min(start + 10_000, report.inserted)
                try await other.performBackgroundTask { try Notes.insert(numbers, $0) }
            }
            print("local import of the same number: \(second.text)")
        }
    }
}

/// The time from a save on one device until another device of the same user has it.
struct Latency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures the way from one device to another.")

    @OptionGroup var place: Place

    @Option(help: "The number of saves.")
    var rounds = 50

    func run() async throws {
        try await place.inFolder { folder in
            let (one, other) = (try await place.container(folder, "One"), try await place.container(folder, "Other"))
            let (first, second) = (
                try SyncClient(container: one, transport: try place.transport()),
                try SyncClient(container: other, transport: try place.transport())
            )
            // Both have everything before the first time is taken.
            for client in [first, second] { _ = try await client.syncNow() }
            first.start()
            second.start()
            try await Task.sleep(for: .seconds(3))
            let pulled = second.events()
            var events = pulled.makeAsyncIterator()
            var times: [Double] = []
            for number in 0..<rounds {
                let watch = Stopwatch()
                try await one.performBackgroundTask { try Notes.insert(number..<number + 1, $0) }
                while let event = await events.next() {
                    if case .pulled(let inserted, _, _) = event, inserted > 0 { break }
                }
                times.append(watch.seconds)
                try await Task.sleep(for: .milliseconds(100))
            }
            first.stop()
            second.stop()
            times.sort()
            print(
                String(
                    format: "device to device, %d saves: median %.0f ms, 95th of a hundred %.0f ms", rounds,
                    times[times.count / 2] * 1000, times[times.count * 95 / 100] * 1000))
        }
    }
}

enum Notes {
    static func insert(_ numbers: Range<Int>, _ context: NSManagedObjectContext) throws {
        for number in numbers {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Note \(number)", forKey: "title")
            note.setValue("The text of the note with the number \(number).", forKey: "body")
            note.setValue(number % 100, forKey: "edits")
        }
        try context.save()
    }
}
