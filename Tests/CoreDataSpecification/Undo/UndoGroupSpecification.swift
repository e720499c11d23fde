// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the limits of a step of undo: events, groups, and disabled registration.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Steps of undo") struct UndoGroupSpecification {
    /// Proves: M18
    @Test("a group holds the changes before it is closed, processed or not", arguments: StoreKind.all)
    func groups(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        manager.beginUndoGrouping()
        book.pages = 2
        shop.context.processPendingChanges()
        book.pages = 3
        manager.endUndoGrouping()
        manager.beginUndoGrouping()
        book.pages = 4
        manager.endUndoGrouping()
        #expect(manager.undoCount == 2)
        manager.undo()
        #expect(book.pages == 3)
        manager.undo()
        #expect(book.pages == 1)
        #expect(!manager.canUndo)
        manager.redo()
        #expect(book.pages == 3)
    }

    /// Proves: M18
    @Test("the manager's undo and redo include pending changes, as the context's do", arguments: StoreKind.all)
    func pending(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        let manager = UndoManager()
        shop.context.undoManager = manager
        book.pages = 2
        manager.undo()
        #expect(book.pages == 1)
        #expect(manager.canRedo)
        book.pages = 3
        #expect(!manager.canRedo)
        manager.redo()
        #expect(book.pages == 3)
    }

    /// Proves: M18
    @Test("a nested group is taken back by itself", arguments: StoreKind.all)
    func nested(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        manager.beginUndoGrouping()
        book.pages = 2
        manager.beginUndoGrouping()
        book.title = "Emma"
        manager.endUndoGrouping()
        manager.undoNestedGroup()
        #expect(book.title == "Dune")
        #expect(book.pages == 2)
        manager.endUndoGrouping()
        manager.undo()
        #expect(book.pages == 1)
    }

    /// Proves: M17
    @Test("changes that cancel out within an event are no step", arguments: StoreKind.all)
    func cancelling(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let book = shop.book("Dune", pages: 1, by: frank)
        let (sf, old) = (shop.tag("sf"), shop.tag("old"))
        book.tags = [sf]
        let manager = try shop.context.startRecording()
        shop.context.step {
            book.pages = 2
            book.author = jane
            book.tags = [old]
            book.pages = 1
            book.author = frank
            book.tags = [sf]
        }
        shop.context.step { shop.context.delete(shop.book("short-lived", by: frank)) }
        #expect(!manager.canUndo)
    }

    /// Proves: M18, F77
    @Test("process, disable, change, process, enable leaves the change without undo", arguments: StoreKind.all)
    func disabled(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        shop.context.processPendingChanges()
        manager.disableUndoRegistration()
        let other = shop.book("Emma")
        book.title = "Dune Messiah"
        shop.context.processPendingChanges()
        manager.enableUndoRegistration()
        #expect(manager.undoCount == 1)
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Dune Messiah")
        #expect(other.isInserted)
        shop.context.redo()
        #expect(book.pages == 2)
        #expect(book.title == "Dune Messiah")
    }

    /// Proves: M18
    @Test(
        "a relationship that was changed without undo stays in step with undone changes", arguments: StoreKind.all)
    func disabledRelationship(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (frank, jane, iain) = (shop.author("Frank"), shop.author("Jane"), shop.author("Iain"))
        let book = shop.book("Dune", by: frank)
        let manager = try shop.context.startRecording()
        shop.context.step { book.author = jane }
        manager.disableUndoRegistration()
        book.author = iain
        shop.context.processPendingChanges()
        manager.enableUndoRegistration()
        shop.context.undo()
        #expect(book.author === frank)
        #expect(frank.books == [book])
        #expect(jane.books.isEmpty)
        #expect(iain.books.isEmpty)
    }

    /// Proves: L10, M17
    @Test("a manager has no limit until it is given one", arguments: StoreKind.all)
    func levels(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 0)
        let manager = try shop.context.startRecording()
        #expect(manager.levelsOfUndo == 0)
        for number in 1...300 { shop.context.step { book.pages = number } }
        #expect(manager.undoCount == 300)
        manager.levelsOfUndo = 3
        for _ in 0..<10 { shop.context.undo() }
        #expect(book.pages == 297)
    }

    /// Proves: M17, M18
    @Test("without a program's groups an asynchronous block is a step", arguments: StoreKind.all)
    func blocks(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.privateQueueConcurrencyType)
        await context.perform { context.undoManager = UndoManager() }
        for pages in 1...3 {
            await context.perform {
                let book = (try? context.fetch(Book.request()))?.first ?? Book(context: context)
                book.title = "Dune"
                book.pages = pages
            }
        }
        let pages = await context.perform {
            context.undo()
            context.undo()
            return (try? context.fetch(Book.request()))?.first?.pages
        }
        #expect(pages == 1)
        let count = await context.perform {
            context.undo()
            return try? context.count(for: Book.request())
        }
        #expect(count == 0)
    }

    /// Proves: M17, M18
    @Test("without a program's groups a turn of the main queue is a step", arguments: StoreKind.all)
    @MainActor func turns(store: StoreKind) async throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext(.mainQueueConcurrencyType)
        context.undoManager = UndoManager()
        let book = shop.book("Dune", pages: 1, in: context)
        await nextTurn()
        book.pages = 2
        book.title = "Emma"
        await nextTurn()
        #expect(context.undoManager?.undoCount == 2)
        context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Dune")
    }

    @MainActor private func nextTurn() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        }
    }

    /// Proves: M17
    @Test("changes of willSave are undone as well, although no group was opened for them", arguments: StoreKind.all)
    func willSave(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("one")
        let manager = try diary.context.startRecording()
        entry.inWillSave = { $0.stamp = 7 }
        diary.context.step { entry.text = "two" }
        try diary.context.save()
        #expect(manager.undoCount == 2)
        diary.context.undo()
        #expect(entry.stamp == nil)
        #expect(entry.text == "two")
        diary.context.undo()
        #expect(entry.text == "one")
    }

    /// Proves: M18
    @Test("a change outside of all groups, where none may open by itself, stops the program")
    func noGroup() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            try shop.context.startRecording()
            shop.book("Dune")
            shop.context.processPendingChanges()
        }
    }
}
