// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A device in one process, which changes notes at random until it is killed; for Scripts/test-sync-http.
import ArgumentParser
import CoreData
import CoreDataSync
import CoreDataSyncHTTPClient
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
            try await RandomChanges(container: container, log: log, device: name).run()
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

/// Random changes, each in a new context.
struct RandomChanges {
    let container: NSPersistentContainer
    let log: DeviceLog
    let device: String

    func run() async throws {
        var number = log.insertions
        while true {
            switch Int.random(in: 0..<10) {
            case 0..<4:
                number += 1
                try insert("\(device)-\(number)")
            case 4..<7: try count()
            case 7..<9: try edit()
            default: try delete()
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 10...120)))
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

    private func insert(_ title: String) throws {
        try change { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            note.setValue(try list("list \(Int.random(in: 0..<5))", context), forKey: "list")
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

    private func count() throws {
        try change { context in
            guard let (note, title) = try anyNote(context) else { return nil }
            note.setValue((note.value(forKey: "views") as? Int ?? 0) + 1, forKey: "views")
            return "count \(title)"
        }
    }

    private func edit() throws {
        try change { context in
            guard let (note, title) = try anyNote(context) else { return nil }
            note.setValue("\(device) \(Int.random(in: 0..<1_000_000))", forKey: "body")
            return "edit \(title)"
        }
    }

    private func delete() throws {
        try change { context in
            guard let (note, title) = try anyNote(context, of: device) else { return nil }
            context.delete(note)
            return "delete \(title)"
        }
    }

    private func anyNote(
        _ context: NSManagedObjectContext, of device: String? = nil
    ) throws -> (note: NSManagedObject, title: String)? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        if let device { request.predicate = NSPredicate(format: "title BEGINSWITH %@", device + "-") }
        let number = try context.count(for: request)
        guard number > 0 else { return nil }
        request.fetchOffset = Int.random(in: 0..<number)
        request.fetchLimit = 1
        guard let note = try context.fetch(request).first, let title = note.value(forKey: "title") as? String else {
            return nil
        }
        return (note, title)
    }
}
