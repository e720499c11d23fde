// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notes that several devices share through a server, for the command line.
import CoreData
import CoreDataSync
import Foundation

let usage = "usage: SharedNotes FILE SERVER TOKEN add TITLE | done NUMBER | remove NUMBER | list | sync | watch"
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4, let server = URL(string: arguments[1]) else { fatalError(usage) }
let token = arguments[2]
let words = arguments.dropFirst(4)

// An ordinary store with a history. Sync keeps its data in a second file.
let container = NSPersistentContainer(name: "Notes")
let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: arguments[0]))
description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
container.persistentStoreDescriptions = [description]
try await container.loadPersistentStores()
let client = try SyncClient(container: container, server: server, credentials: .token(token))

@Sendable func notes(in context: NSManagedObjectContext) throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [
        NSSortDescriptor(key: "created", ascending: true), NSSortDescriptor(key: "title", ascending: true),
    ]
    return try context.fetch(request)
}

/// The notes as lines.
@Sendable func list() async throws -> String {
    try await container.performBackgroundTask { context in
        try notes(in: context).enumerated().map { number, note in
            "\(number + 1) \(note.isDone ? "x" : "-") \(note.title ?? "")"
        }.joined(separator: "\n")
    }
}

/// Changes the notes of this device. It needs no server: the next sync sends the change.
@Sendable func change(_ body: @escaping @Sendable (NSManagedObjectContext, [Note]) throws -> Void) async throws {
    try await container.performBackgroundTask { context in
        try body(context, notes(in: context))
        try context.save()
    }
}

let number = words.first.flatMap { Int($0) } ?? 0
switch arguments[3] {
case "add":
    let title = words.joined(separator: " ")
    try await change { context, _ in
        let note = Note(context: context)
        note.created = Date()
        note.title = title
    }
case "done": try await change { _, notes in if notes.indices.contains(number - 1) { notes[number - 1].isDone = true } }
case "remove":
    try await change { context, notes in
        if notes.indices.contains(number - 1) { context.delete(notes[number - 1]) }
    }
case "list": print(try await list())
case "sync":
    let report = try await client.syncNow()
    print("sent \(report.sent), refused \(report.refused), new \(report.inserted), changed \(report.updated)")
case "watch":
    client.start()
    for await event in client.events() {
        if case .pulled = event { print(try await list(), "", separator: "\n") }
    }
default: print(usage)
}
