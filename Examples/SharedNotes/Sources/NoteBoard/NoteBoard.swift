// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The same notes with SwiftData: another program of the same users, which shares the server with SharedNotes.
import CoreDataSync
import Foundation
import SwiftData
import SwiftDataSync

/// The entity `Note` of the model. The rule that a title is not empty is the server's.
@Model final class Note {
    var created: Date
    var isDone: Bool = false
    var title: String

    init(title: String) {
        created = Date()
        self.title = title
    }
}

@main
struct NoteBoard {
    static let usage = "usage: NoteBoard FILE SERVER TOKEN add TITLE | done TITLE | list | sync | refused"

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 4, let server = URL(string: arguments[1]) else { fatalError(usage) }
        let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[0])))
        let client = try SyncClient(container: container, server: server, credentials: .token(arguments[2]))
        let text = arguments.dropFirst(4).joined(separator: " ")
        switch arguments[3] {
        case "add": try change(container) { context, _ in context.insert(Note(title: text)) }
        case "done": try change(container) { _, notes in notes.first { $0.title == text }?.isDone = true }
        case "list":
            try change(container) { _, notes in
                for (number, note) in notes.enumerated() {
                    print("\(number + 1) \(note.isDone ? "x" : "-") \(note.title)")
                }
            }
        case "sync":
            let report = try await client.syncNow()
            print("sent \(report.sent), refused \(report.refused), new \(report.inserted), changed \(report.updated)")
        case "refused":
            for refused in try await client.refusedChanges() {
                let reasons = refused.reasons.map { "\($0.key ?? ""): \($0.text)" }
                print(refused.change.entity, reasons.joined(separator: " "))
            }
        default: print(usage)
        }
    }

    /// Changes the notes of this device. It needs no server: the next sync sends the change.
    private static func change(_ container: ModelContainer, _ body: (ModelContext, [Note]) throws -> Void) throws {
        let context = ModelContext(container)
        let order = [SortDescriptor(\Note.created), SortDescriptor(\Note.title)]
        try body(context, try context.fetch(FetchDescriptor<Note>(sortBy: order)))
        try context.save()
    }
}
