// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A notebook for the command line: notes with tags, in a SQLite store.

import CoreData
import Foundation

let usage = "usage: Notebook add TITLE [#TAG…] | list [TEXT] | done NUMBER | remove NUMBER"
let arguments = Array(CommandLine.arguments.dropFirst())
let place = ProcessInfo.processInfo.environment["NOTEBOOK"] ?? "Notebook.sqlite"

let container = NSPersistentContainer(name: "Notebook")  // the plug-in made Notebook.momd, and the classes
container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: place))]
try await container.loadPersistentStores()

/// The notes that have a text in their title or a tag, in the order of their creation.
@Sendable func notes(_ text: String?, in context: NSManagedObjectContext) throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    if let text {
        request.predicate = NSPredicate(format: "title CONTAINS[cd] %@ OR ANY tags.name CONTAINS[cd] %@", text, text)
    }
    request.sortDescriptors = [NSSortDescriptor(key: "created", ascending: true)]
    request.relationshipKeyPathsForPrefetching = ["tags"]
    return try context.fetch(request)
}

/// The tag with a name, which is made if necessary.
@Sendable func tag(_ name: String, in context: NSManagedObjectContext) throws -> Tag {
    let request = NSFetchRequest<Tag>(entityName: "Tag")
    request.predicate = NSPredicate(format: "name == %@", name)
    if let tag = try context.fetch(request).first { return tag }
    let tag = Tag(context: context)
    tag.name = name
    return tag
}

let output: String = try await container.performBackgroundTask { context in
    let words = arguments.dropFirst()
    switch arguments.first {
    case "add" where !words.isEmpty:
        let note = Note(context: context)
        note.created = Date()
        note.title = words.filter { !$0.hasPrefix("#") }.joined(separator: " ")
        for name in words where name.hasPrefix("#") { note.addToTags(try tag(String(name.dropFirst()), in: context)) }
    case "list":
        return try notes(words.first, in: context).enumerated().map { number, note in
            let tags = (note.tags as? Set<Tag> ?? []).compactMap(\.name).sorted().map { " #\($0)" }.joined()
            return "\(number + 1) \(note.isDone ? "x" : "-") \(note.title ?? "")\(tags)"
        }.joined(separator: "\n")
    case "done", "remove":
        let all = try notes(nil, in: context)
        guard let number = words.first.flatMap({ Int($0) }), all.indices.contains(number - 1) else { return usage }
        if arguments.first == "done" { all[number - 1].isDone = true } else { context.delete(all[number - 1]) }
    default: return usage
    }
    try context.save()
    return "saved"
}
print(output)
