// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 8: tests with stores in memory.

// snippet: test
import CoreDataModeling
import Testing

@Suite struct PinningTests {
    @Test func pinnedNotesComeFirst() async throws {
        let notebook = try await Notebook()  // /dev/null: a database that ends with the container
        let titles = try await notebook.container.performBackgroundTask { context in
            for (title, isPinned) in [("Groceries", false), ("Garden", true)] {
                let note = Memo(context: context)
                (note.title, note.isPinned) = (title, isPinned)
            }
            try context.save()
            let request = Memo.fetchRequest()
            request.sortDescriptors = [
                NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
            ]
            return try context.fetch(request).map(\.title)
        }
        #expect(titles == ["Garden", "Groceries"])
    }
}
// end
