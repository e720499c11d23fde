// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the versions of the shared model and its generated classes.

import CoreData
import Foundation
import SharedModel
import Testing

@Suite("Notebook", .serialized) @MainActor struct NotebookTests {
    @Test("the bundle has the model with all versions") func versions() throws {
        let url = try #require(Notebook.modelURL)
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".mom") }
        #expect(names.sorted() == ["Notebook 2.mom", "Notebook 3.mom", "Notebook.mom"])
        let current = try #require(NSManagedObjectModel(contentsOf: url))
        #expect(current.versionIdentifiers == ["3"])
        let first = try #require(NSManagedObjectModel(contentsOf: url.appendingPathComponent("Notebook.mom")))
        #expect(first.entities.map(\.name) == ["Note"])
        #expect(NSManagedObjectModel.mergedModel(from: [Notebook.bundle])?.entities.count == 3)
        #expect(NSPersistentContainer(name: "Notebook").managedObjectModel.entities.count == 3)
    }

    @Test("written notes are read again, with every kind of property") func roundTrip() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: url) }
        let context = try Notebook.container(at: url).viewContext
        let note = Note(context: context)
        note.title = "Shopping"
        note.kind = .list
        note.colour = Colour(red: 1, green: 2, blue: 3)
        for number in 1...3 {
            let page = Page(context: context)
            page.number = Int32(number)
            note.addToPages(page)
        }
        let first = Page(context: context)
        first.text = "Cover"
        note.insertIntoPages(first, at: 0)
        note.removeFromPages(at: 3)
        let tag = Tag(context: context)
        tag.name = "home"
        note.addToTags(tag)
        try context.save()

        let other = try Notebook.container(at: url).viewContext
        let found = try #require(try other.fetch(Note.request(tagged: "home")).first)
        #expect(found.title == "Shopping" && found.kind == .list)
        #expect(found.created == note.created)
        #expect(found.colour == Colour(red: 1, green: 2, blue: 3))
        let pages = (found.pages?.array ?? []).compactMap { $0 as? Page }
        #expect(pages.map(\.number) == [0, 1, 2] && pages.map(\.isEmpty) == [false, true, true])
        #expect(pages.first?.note === found)
        #expect(found.tags.map(\.name) == ["home"])
        let tags = try other.fetch(Tag.fetchRequest())
        #expect(tags.count == 1 && tags.first?.notes?.contains(found) == true)
        tags.first?.removeFromNotes(found)
        #expect(found.tags.isEmpty)
    }
}
