// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the flags of objects and contexts after undo and redo, and the notifications.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("States after undo") struct UndoStateSpecification {
    /// The flags of an object in one word each.
    private func state(_ object: NSManagedObject) -> [String] {
        var words: [String] = []
        if object.isInserted { words.append("inserted") }
        if object.isUpdated { words.append("updated") }
        if object.isDeleted { words.append("deleted") }
        if object.isFault { words.append("fault") }
        if object.hasChanges != (object.isInserted || object.isUpdated || object.isDeleted) { words.append("wrong") }
        if object.objectID.isTemporaryID { words.append("temporary") }
        if object.managedObjectContext == nil { words.append("gone") }
        return words
    }

    /// Proves: M22, C14
    @Test("of a change", arguments: StoreKind.all)
    func change(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune", pages: 1)
        try context.startRecording()
        context.step { book.pages = 2 }
        #expect(state(book) == ["updated"])
        context.undo()
        #expect(state(book) == [])
        #expect(!book.hasPersistentChangedValues)
        #expect(book.changedValues().isEmpty)
        #expect(!context.hasChanges)
        #expect(context.updatedObjects.isEmpty)
        context.redo()
        #expect(state(book) == ["updated"])
        #expect(book.changedValues() as? [String: Int] == ["pages": 2])
        #expect(book.committedValues(forKeys: ["pages"]) as? [String: Int] == ["pages": 1])
        try context.save()
        #expect(state(book) == [])
        context.undo()
        #expect(state(book) == ["updated"])
        #expect(book.hasPersistentChangedValues)
        #expect(book.changedValues() as? [String: Int] == ["pages": 1])
        #expect(book.committedValues(forKeys: ["pages"]) as? [String: Int] == ["pages": 2])
        context.redo()
        #expect(state(book) == [])
        #expect(!context.hasChanges)
    }

    /// Proves: M22, C14, C12
    @Test("of an insertion", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        try context.startRecording()
        var made: Book?
        context.step { made = shop.book("Dune") }
        let book = try #require(made)
        #expect(state(book) == ["inserted", "temporary"])
        context.undo()
        #expect(state(book) == ["temporary", "gone"])
        #expect(!context.hasChanges)
        #expect(context.registeredObjects.isEmpty)
        context.redo()
        #expect(state(book) == ["inserted", "temporary"])
        #expect(context.insertedObjects == [book])
        #expect(book.title == "Dune")
        try context.save()
        #expect(state(book) == [])
        let id = book.objectID
        context.undo()
        #expect(state(book) == ["deleted"])
        #expect(context.deletedObjects == [book])
        context.redo()
        #expect(state(book) == [])
        #expect(!context.hasChanges)
        context.undo()
        try context.save()
        #expect(state(book) == ["gone"])
        context.redo()
        #expect(state(book) == ["inserted"])
        #expect(book.objectID == id)
        try context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Dune"])
    }

    /// Proves: M22, C14
    @Test("of a deletion", arguments: StoreKind.all)
    func deletion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune")
        try context.startRecording()
        let id = book.objectID
        context.step { context.delete(book) }
        #expect(state(book) == ["deleted"])
        context.undo()
        #expect(state(book) == [])
        #expect(!context.hasChanges)
        #expect(context.deletedObjects.isEmpty)
        context.redo()
        #expect(state(book) == ["deleted"])
        try context.save()
        #expect(state(book) == ["gone"])
        context.undo()
        #expect(state(book) == ["inserted"])
        #expect(book.objectID == id)
        #expect(context.registeredObject(for: id) === book)
        #expect(context.insertedObjects == [book])
        try context.save()
        #expect(state(book) == [])
        context.redo()
        #expect(state(book) == ["deleted"])
    }

    /// Proves: M22, F1
    @Test("of a transient value", arguments: StoreKind.all)
    func transient(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.startRecording()
        shop.context.step { book.setValue("lent", forKey: "note") }
        #expect(state(book) == ["updated"])
        #expect(!book.hasPersistentChangedValues)
        shop.context.undo()
        #expect(book.value(forKey: "note") == nil)
        #expect(state(book) == [])
        shop.context.redo()
        #expect(book.value(forKey: "note") as? String == "lent")
        #expect(state(book) == ["updated"])
        try shop.context.save()
        shop.context.undo()
        #expect(book.value(forKey: "note") == nil)
        #expect(!book.hasPersistentChangedValues)
    }

    /// Proves: M23, M17
    @Test("objects get the reason when their values were put back", arguments: StoreKind.all)
    func snapshotEvents(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let context = diary.context
        let (old, other) = (diary.entry("old"), diary.entry("other"))
        try context.startRecording()
        var made: Entry?
        context.step { made = diary.entry("new") }
        context.step { old.text = "older" }
        context.step { context.delete(other) }
        let new = try #require(made)
        for entry in [old, other, new] { _ = entry.newCalls() }
        context.undo()
        #expect(other.snapshotEvents == [.undoDeletion])
        #expect(old.snapshotEvents == [])
        context.undo()
        #expect(old.snapshotEvents == [.undoUpdate])
        context.undo()
        #expect(new.snapshotEvents == [.undoInsertion])
        context.redo()
        #expect(new.snapshotEvents == [.undoInsertion, .undoDeletion])
        context.redo()
        #expect(old.snapshotEvents == [.undoUpdate, .undoUpdate])
        context.redo()
        #expect(other.snapshotEvents == [.undoDeletion, .undoInsertion])
        for entry in [old, other, new] { #expect(Set(entry.newCalls()) == ["awakeFromSnapshotEvents"]) }
    }

    /// Proves: M17, C19, C27
    @Test("one notification has the inserted, changed and deleted objects", arguments: StoreKind.all)
    func notifications(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let (old, dune) = (shop.book("old"), shop.book("Dune", pages: 1))
        let manager = try context.startRecording()
        var made: Book?
        manager.beginUndoGrouping()
        made = shop.book("new")
        context.processPendingChanges()
        dune.pages = 2
        context.processPendingChanges()
        context.delete(old)
        manager.endUndoGrouping()
        let new = try #require(made)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: context)
        context.undo()
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey) == [old])
        #expect(log.objects(NSUpdatedObjectsKey) == [dune])
        #expect(log.objects(NSDeletedObjectsKey) == [new])
        context.redo()
        #expect(log.count == 2)
        #expect(log.objects(NSInsertedObjectsKey) == [new])
        #expect(log.objects(NSUpdatedObjectsKey) == [dune])
        #expect(log.objects(NSDeletedObjectsKey) == [old])
        #expect(manager.undoCount == 1)
    }

    /// Proves: M17
    @Test("undo and redo change nothing when there is nothing to be undone", arguments: StoreKind.all)
    func nothing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.startRecording()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: shop.context)
        shop.context.undo()
        shop.context.redo()
        #expect(log.count == 0)
        #expect(state(book) == [])
    }
}
