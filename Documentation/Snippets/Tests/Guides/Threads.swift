// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to threads and actors.

import CoreDataModeling
import Foundation
import Testing

// snippet: summary
/// The values of a note that may leave its context.
struct NoteSummary: Sendable {
    let id: NSManagedObjectID
    let title: String

    init(_ note: Memo) { (id, title) = (note.objectID, note.title) }
}
// end

// snippet: actor
/// Imports notes; its context is used on the context's queue only.
actor Importer {
    private let context: NSManagedObjectContext

    init(_ container: NSPersistentContainer) { context = container.newBackgroundContext() }

    func add(_ titles: [String]) async throws -> Int {
        try await context.perform { [context] in
            for title in titles { Memo(context: context).title = title }
            try context.save()
            context.reset()  // lets go of the objects
            return try context.count(for: Memo.fetchRequest())
        }
    }
}
// end

@Suite("Guide: threads and actors") struct Threads {
    @Test("values leave a context, objects do not") func values() async throws {
        let container = try await Notebook().container
        let count = try await Importer(container).add(["Groceries", "Garden"])
        #expect(count == 2)
        // snippet: values
        let summaries = try await container.performBackgroundTask { context in
            let request = Memo.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).map { NoteSummary($0) }
        }
        // end
        #expect(summaries.map(\.title) == ["Garden", "Groceries"])
        let id = try #require(summaries.first?.id)
        // snippet: wait
        let context = container.newBackgroundContext()
        let title = try context.performAndWait {  // for code that is not asynchronous
            try (context.existingObject(with: id) as? Memo)?.title
        }
        // end
        #expect(title == "Garden")
    }
}
