// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 5: several contexts.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 5: several contexts") struct SeveralContexts {
    @Test("an id finds the object in another context") @MainActor func ids() async throws {
        let container = try await Notebook().container
        // snippet: ids
        let view = container.viewContext
        view.automaticallyMergesChangesFromParent = true

        let note = Memo(context: view)
        note.title = "Groceries"
        try view.save()
        let id = note.objectID  // an id may go to any thread, an object may not

        try await container.performBackgroundTask { context in
            guard let same = try context.existingObject(with: id) as? Memo else { return }
            same.title = "Grocery list"
            try context.save()
        }
        // end
        for _ in 0..<400 where note.title != "Grocery list" { try await Task.sleep(for: .milliseconds(5)) }
        #expect(note.title == "Grocery list")
    }

    @Test("two changes of one object are a conflict") func conflict() async throws {
        let container = try await Notebook().container
        // snippet: conflict
        let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
        let id = try await one.perform {
            let note = Memo(context: one)
            note.title = "Groceries"
            try one.save()
            return note.objectID
        }
        try await other.perform {
            (try other.existingObject(with: id) as? Memo)?.text = "bread"
        }
        try await one.perform {
            (try one.existingObject(with: id) as? Memo)?.title = "Grocery list"
            try one.save()
        }
        do {
            try await other.perform { try other.save() }
        } catch let error as CocoaError {
            print(error.code == .managedObjectMerge)  // true: the record has changed since it was read
        }
        // end
        let error = await #expect(throws: CocoaError.self) { try await other.perform { try other.save() } }
        #expect(error?.code == .managedObjectMerge)
        // snippet: policy
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // both changes stay: they touch two properties
        try await other.perform { try other.save() }
        // end
        let (title, text) = try await container.performBackgroundTask { context in
            let note = try context.existingObject(with: id) as? Memo
            return (note?.title, note?.text)
        }
        #expect(title == "Grocery list" && text == "bread")
    }

    @Test("a child context is a draft") @MainActor func child() async throws {
        let context = try await Notebook().container.viewContext
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        // snippet: child
        let draft = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        draft.parent = context
        let copy = try draft.existingObject(with: note.objectID) as? Memo
        copy?.title = "Grocery list"  // note.title is "Groceries" still
        try draft.save()  // note.title is "Grocery list"; the store learns it when the parent saves
        try context.save()
        // end
        #expect(note.title == "Grocery list")
    }
}
