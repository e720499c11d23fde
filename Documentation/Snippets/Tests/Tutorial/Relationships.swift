// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 3: relationships.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 3: relationships") @MainActor struct Relationships {
    @Test("both ends change at once") func inverses() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: inverse
        let folder = Folder(context: context)
        folder.name = "Home"
        let note = Memo(context: context)
        note.title = "Groceries"
        note.folder = folder  // folder.notes has the note now

        let tag = Tag(context: context)
        tag.name = "weekly"
        note.tags.insert(tag)  // tag.notes has the note now
        try context.save()
        // end
        #expect(folder.notes == [note] && tag.notes == [note])
    }

    @Test("a delete rule decides about the objects at the other end") func deletion() async throws {
        let context = try await Notebook().container.viewContext
        let (folder, note, tag) = (Folder(context: context), Memo(context: context), Tag(context: context))
        (folder.name, note.title, tag.name) = ("Home", "Groceries", "weekly")
        note.folder = folder
        note.tags = [tag]
        try context.save()
        // snippet: delete
        context.delete(folder)  // Folder.notes has the rule cascade: its notes go, too
        try context.save()  // Memo.tags has the rule nullify: the tag stays, without the note
        // end
        #expect(try context.count(for: Memo.fetchRequest()) == 0)
        #expect(try context.count(for: Tag.fetchRequest()) == 1)
        #expect(tag.notes.isEmpty)
    }

    @Test("paths along relationships") func paths() async throws {
        let context = try await Notebook().container.viewContext
        let folder = Folder(context: context)
        folder.name = "Home"
        for name in ["a", "b"] {
            let note = Memo(context: context)
            note.title = name
            note.folder = folder
            let tag = Tag(context: context)
            tag.name = "tag \(name)"
            note.tags = [tag]
        }
        try context.save()
        // snippet: paths
        let request = Memo.fetchRequest()
        request.predicate = NSPredicate(format: "folder.name == %@ AND ANY tags.name == %@", "Home", "tag b")
        let notes = try context.fetch(request)

        let folders = Folder.fetchRequest()
        folders.predicate = NSPredicate(format: "notes.@count > 1")
        let large = try context.fetch(folders)
        // end
        #expect(notes.map(\.title) == ["b"])
        #expect(large == [folder])
    }

    @Test("prefetching reads the other ends at once") func prefetching() async throws {
        let context = try await Notebook().container.viewContext
        for name in ["a", "b"] {
            let (folder, note) = (Folder(context: context), Memo(context: context))
            (folder.name, note.title, note.folder) = (name, name, folder)
        }
        try context.save()
        context.reset()
        // snippet: prefetch
        let request = Memo.fetchRequest()
        request.relationshipKeyPathsForPrefetching = ["folder", "tags"]
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let names = try context.fetch(request).map { $0.folder?.name }  // reads no further row
        // end
        #expect(names == ["a", "b"])
    }
}
