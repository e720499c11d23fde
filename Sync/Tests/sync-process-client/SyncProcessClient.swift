// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A device in one process, which changes notes at random until it is killed; for Scripts/test-sync-http.
import ArgumentParser
import CoreData
import CoreDataSync
import CoreDataSyncHTTPClient
import CoreDataSyncProtocol
import Foundation

/// Writes each change to a log before and after its save, so that a check can say what must not be lost.
@main
struct SyncProcessClient: AsyncParsableCommand {
    @Argument(help: "The model of the notes.")
    var model: String

    @Argument(help: "The folder of the store and the log.")
    var folder: String

    @Argument(help: "The address of the server.")
    var server: String

    @Argument(help: "The token.")
    var token: String

    @Argument(help: "The name of the device; its notes begin with it.")
    var name: String

    @Option(help: "The seed of the changes.")
    var seed: UInt64 = 1

    @Flag(help: "Change nothing: sync until nothing is left to do, and print the notes.")
    var finish = false

    func run() async throws {
        guard let url = URL(string: server), let model = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: model))
        else { throw ValidationError("The address or the model cannot be read.") }
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let place = URL(fileURLWithPath: folder).appendingPathComponent("Notes.sqlite")
        let description = NSPersistentStoreDescription(url: place)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let token = token
        let transport = HTTPTransport(server: url) { token }
        let client = try SyncClient(container: container, transport: transport)
        if finish {
            try await settle(client)
            try await print(container, client)
        } else {
            let log = try DeviceLog(URL(fileURLWithPath: folder).appendingPathComponent("log"))
            client.start()
            var changes = RandomChanges(
                container: container, log: log, device: name, random: Randomness(state: seed))
            try await changes.run()
        }
    }

    private func settle(_ client: SyncClient) async throws {
        for _ in 0..<100 {
            let report = try await client.syncNow()
            if report.sent + report.inserted + report.updated + report.deleted == 0 { return }
        }
        throw ValidationError("The device does not come to rest.")
    }

    private func print(_ container: NSPersistentContainer, _ client: SyncClient) async throws {
        let refused = try await client.refusedChanges().count
        let notes = try await container.performBackgroundTask { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map(Self.line).sorted()
        }
        for note in notes { Swift.print(note) }
        Swift.print("refused \(refused)")
    }
}

extension SyncProcessClient {
    /// A note as one line of JSON.
    private static func line(_ note: NSManagedObject) throws -> String {
        let tags = note.value(forKey: "tags") as? Set<NSManagedObject> ?? []
        let list = note.value(forKey: "list") as? NSManagedObject
        let values: [String: Any] = [
            "title": note.value(forKey: "title") ?? "", "body": note.value(forKey: "body") ?? "",
            "views": note.value(forKey: "views") ?? 0, "list": list?.value(forKey: "name") ?? "",
            "photo": (note.value(forKey: "photo") as? Data).map(SyncDigest.text) ?? "",
            "tags": tags.compactMap { $0.value(forKey: "name") as? String }.sorted(),
        ]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: values, options: .sortedKeys), as: UTF8.self)
    }
}

/// Lines that are in the file when a call returns, whatever happens to the process then.
struct DeviceLog {
    private let file: FileHandle
    /// The number of insertions that were begun, by earlier processes too.
    let insertions: Int

    init(_ url: URL) throws {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        let text = try String(contentsOf: url, encoding: .utf8)
        insertions = text.split(separator: "\n").count { $0.hasPrefix("try insert") }
        file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
    }

    func write(_ line: String) throws { try file.write(contentsOf: Data((line + "\n").utf8)) }
}

/// Numbers of a seed.
struct Randomness: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Random changes, each in a new context.
struct RandomChanges {
    let container: NSPersistentContainer
    let log: DeviceLog
    let device: String
    var random: Randomness

    mutating func run() async throws {
        var number = log.insertions
        while true {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                number += 1
                try insert("\(device)-\(number)")
            case 4..<7: try count()
            case 7: try edit()
            case 8: try photograph()
            default: try delete()
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 10...120, using: &random)))
        }
    }

    /// Saves a change between its two lines in the log. A conflict with a save of sync undoes it.
    private func change(_ body: (NSManagedObjectContext) throws -> String?) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            guard let line = try body(context) else { return }
            try log.write("try " + line)
            do { try context.save() } catch {
                try log.write("not " + line)
                return
            }
            try log.write("did " + line)
        }
    }

    private mutating func insert(_ title: String) throws {
        let name = "list \(Int.random(in: 0..<5, using: &random))"
        try change { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            note.setValue(try list(name, context), forKey: "list")
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("tag \(title)", forKey: "name")
            note.setValue([tag] as Set<NSManagedObject>, forKey: "tags")
            return "insert \(title)"
        }
    }

    /// The list with a name. Each device makes its own, and the server merges them.
    private func list(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "List")
        request.predicate = NSPredicate(format: "name == %@", name)
        if let list = try context.fetch(request).first { return list }
        let list = NSEntityDescription.insertNewObject(forEntityName: "List", into: context)
        list.setValue(name, forKey: "name")
        return list
    }

    private mutating func count() throws {
        let number = random.next()
        try change { context in
            guard let (note, title) = try anyNote(number, context) else { return nil }
            note.setValue((note.value(forKey: "views") as? Int ?? 0) + 1, forKey: "views")
            return "count \(title)"
        }
    }

    private mutating func edit() throws {
        let (number, text) = (random.next(), "\(device) \(Int.random(in: 0..<1_000_000, using: &random))")
        try change { context in
            guard let (note, title) = try anyNote(number, context) else { return nil }
            note.setValue(text, forKey: "body")
            return "edit \(title)"
        }
    }

    /// A photo of up to 3 MB, which travels in parts from 256 KiB on.
    private mutating func photograph() throws {
        let (number, size) = (random.next(), Int.random(in: 1...12, using: &random) << 18)
        var source = random
        let photo = Data((0..<size / 8).flatMap { _ in withUnsafeBytes(of: source.next()) { Array($0) } })
        try change { context in
            guard let (note, title) = try anyNote(number, context) else { return nil }
            note.setValue(photo, forKey: "photo")
            return "edit \(title)"
        }
    }

    private mutating func delete() throws {
        let number = random.next()
        try change { context in
            guard let (note, title) = try anyNote(number, context, of: device) else { return nil }
            context.delete(note)
            return "delete \(title)"
        }
    }

    private func anyNote(
        _ choice: UInt64, _ context: NSManagedObjectContext, of device: String? = nil
    ) throws -> (note: NSManagedObject, title: String)? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        if let device { request.predicate = NSPredicate(format: "title BEGINSWITH %@", device + "-") }
        let number = try context.count(for: request)
        guard number > 0 else { return nil }
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchOffset = Int(choice % UInt64(number))
        request.fetchLimit = 1
        guard let note = try context.fetch(request).first, let title = note.value(forKey: "title") as? String else {
            return nil
        }
        return (note, title)
    }
}
