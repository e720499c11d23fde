// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of contexts.

import CoreDataModeling
import Foundation
import Testing

@Suite("Comments: contexts") struct ContextExamples {
    @Test("a background context inserts and saves") func background() async throws {
        let container = try await Notebook().container
        // snippet: context
        let context = container.newBackgroundContext()
        try await context.perform {
            let note = Memo(context: context)
            note.title = "Groceries"
            try context.save()
        }
        // end
        // snippet: perform
        let titles = try await context.perform {
            let notes = try context.fetch(Memo.fetchRequest())
            return notes.map(\.title)  // a value may leave the block, a managed object may not
        }
        // end
        #expect(titles == ["Groceries"])
    }

    @Test("a context without a container") func initializer() async throws {
        let coordinator = try await Notebook().container.persistentStoreCoordinator
        // snippet: init
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        // end
        let count = try await context.perform { try context.count(for: Memo.fetchRequest()) }
        #expect(count == 0)
    }

    /// Not asynchronous, so that `perform` is the form that returns at once.
    private func submit(to context: NSManagedObjectContext) {
        // snippet: callback
        context.perform {
            Memo(context: context).title = "Groceries"
            do { try context.save() } catch { print("The note is not saved: \(error)") }
        }
        // end
    }

    @Test("a block is queued") func queued() async throws {
        let context = try await Notebook().container.newBackgroundContext()
        submit(to: context)
        let count = try await context.perform(schedule: .enqueued) { try context.count(for: Memo.fetchRequest()) }
        #expect(count == 1)
    }

    @Test("a batch of insertions leaves memory with each save") func reset() async throws {
        let context = try await Notebook().container.newBackgroundContext()
        let titles = (1...250).map { "Note \($0)" }
        // snippet: reset
        try await context.perform {
            for start in stride(from: 0, to: titles.count, by: 100) {
                for title in titles[start..<min(start + 100, titles.count)] { Memo(context: context).title = title }
                try context.save()
                context.reset()  // releases the rows of the saved notes
            }
        }
        // end
        let count = try await context.perform { try context.count(for: Memo.fetchRequest()) }
        #expect(count == 250)
    }

    @Test("a save reaches another context by its notification") func merging() async throws {
        let container = try await Notebook().container
        let (importer, reader) = (container.newBackgroundContext(), container.newBackgroundContext())
        let id = try await importer.perform {
            let note = Memo(context: importer)
            note.title = "Groceries"
            try importer.save()
            return note.objectID
        }
        _ = try await reader.perform { try (reader.existingObject(with: id) as? Memo)?.title }
        // snippet: merge
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: importer, queue: nil
        ) { notification in
            reader.mergeChanges(fromContextDidSave: notification)
        }
        // end
        try await importer.perform {
            try (importer.existingObject(with: id) as? Memo)?.title = "Garden"
            try importer.save()
        }
        NotificationCenter.default.removeObserver(observer)
        let title = await reader.perform { (reader.object(with: id) as? Memo)?.title }
        #expect(title == "Garden")
    }
}

@Suite("Comments: the view context") @MainActor struct ViewContextExamples {
    private func filled() async throws -> NSManagedObjectContext {
        let context = try await Notebook().container.viewContext
        for title in ["Books", "Garden", "Groceries"] { Memo(context: context).title = title }
        try context.save()
        return context
    }

    @Test("the view context reads on the main actor") func viewContext() async throws {
        let container = try await Notebook().container
        // snippet: view
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true  // shows the saves of background contexts
        let notes = try context.fetch(Memo.fetchRequest())  // on the main actor
        // end
        #expect(notes.isEmpty)
    }

    @Test("a fetch with a condition and an order") func fetch() async throws {
        let context = try await filled()
        // snippet: fetch
        let request = Memo.fetchRequest()
        request.predicate = NSPredicate(format: "title BEGINSWITH %@", "G")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let notes = try context.fetch(request)
        // end
        #expect(notes.map(\.title) == ["Garden", "Groceries"])
        // snippet: count
        let pinned = Memo.fetchRequest()
        pinned.predicate = NSPredicate(format: "isPinned == YES")
        let count = try context.count(for: pinned)  // makes no objects
        // end
        #expect(count == 0)
    }

    @Test("a conflict is refreshed and saved again") func save() async throws {
        let container = try await Notebook().container
        let context = container.viewContext
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        let id = note.objectID
        try await container.performBackgroundTask { other in
            try (other.existingObject(with: id) as? Memo)?.text = "bread"
            try other.save()
        }
        note.title = "Grocery list"
        // snippet: save
        do {
            try context.save()
        } catch let error as CocoaError where error.code == .managedObjectMerge {
            context.refresh(note, mergeChanges: true)  // takes the newer row and keeps the changes made here
            try context.save()
        }
        // end
        #expect(note.title == "Grocery list" && note.text == "bread")
        note.title = "Unwanted"
        // snippet: refresh
        context.refresh(note, mergeChanges: false)  // the note is a fault without unsaved changes
        print(note.title)  // reads the row again
        // end
        #expect(note.title == "Grocery list")
    }

    @Test("an object in no context is inserted later") func insert() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: insert
        let note = Memo(entity: Memo.entity(), insertInto: nil)  // in no context
        note.title = "Groceries"
        if !note.title.isEmpty { context.insert(note) }
        // end
        #expect(context.insertedObjects == [note])
    }

    @Test("an id gives the object") func ids() async throws {
        let context = try await Notebook().container.viewContext
        let folder = Folder(context: context)
        folder.name = "Home"
        try context.save()
        let folderID = folder.objectID
        // snippet: object
        let note = Memo(context: context)
        note.title = "Groceries"
        note.folder = context.object(with: folderID) as? Folder  // reads no row
        // end
        #expect(note.folder == folder)
        // snippet: existing
        do {
            let folder = try context.existingObject(with: folderID) as? Folder
            print(folder?.name ?? "")
        } catch let error as CocoaError where error.code == .managedObjectReferentialIntegrity {
            print("Another context has deleted the folder.")
        }
        // end
        try context.save()
        context.delete(folder)
        try context.save()
        let error = #expect(throws: CocoaError.self) { try context.existingObject(with: folderID) }
        #expect(error?.code == .managedObjectReferentialIntegrity)
    }

    @Test("a permanent id before the save") func permanentIDs() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: permanent
        let note = Memo(context: context)
        try context.obtainPermanentIDs(for: [note])
        let uri = note.objectID.uriRepresentation()  // the save keeps it
        try context.save()
        // end
        #expect(note.objectID.uriRepresentation() == uri)
    }

    @Test("a context moves on to the newest rows") func refreshAll() async throws {
        let folder = try EmptyFolder()
        let context = try await Notebook(at: folder.url.appending(path: "Notebook.sqlite")).container.viewContext
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        // snippet: refreshAll
        try context.setQueryGenerationFrom(.current)
        context.refreshAllObjects()  // objects read the rows of the new generation
        // end
        #expect(note.isFault && note.title == "Groceries")
    }
}
