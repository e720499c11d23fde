// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which objects undo keeps alive, and when it releases them.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Lifetime of undo records") struct UndoLifetimeSpecification {
    /// The numbers of living objects.
    private struct Watch {
        private struct Cell { weak var object: AnyObject? }
        private var cells: [Cell] = []

        mutating func add(_ object: AnyObject) { cells.append(Cell(object: object)) }

        var living: Int { cells.count { $0.object != nil } }
    }

    /// Ten books. A step inserts each book, the next one changes it, a third one deletes it, and all is saved.
    private func work(_ shop: Bookshop) throws -> Watch {
        var watch = Watch()
        for number in 0..<10 {
            let author = shop.author("Author \(number)")
            var book: Book?
            shop.context.step { book = shop.book("Book \(number)") }
            shop.context.step { book?.author = author }
            if let book {
                watch.add(book)
                shop.context.step { shop.context.delete(book) }
            }
            watch.add(author)
        }
        try shop.context.save()
        return watch
    }

    /// Proves: L5
    @Test("the manager holds the objects of its stacks until they are removed", arguments: StoreKind.all)
    func removal(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let manager = UndoManager()
        manager.groupsByEvent = true
        shop.context.undoManager = manager
        var watch = try work(shop)
        #expect(watch.living == 20)
        manager.removeAllActions()
        shop.context.refreshAllObjects()
        #expect(watch.living == 0)
        #expect(shop.context.registeredObjects.isEmpty)
        watch = try work(shop)
        while manager.canUndo { manager.undo() }
        try shop.context.save()
        #expect(watch.living == 20)
        manager.removeAllActions()
        shop.context.refreshAllObjects()
        #expect(watch.living == 0)
    }

    /// Proves: L5, L10
    @Test("a group beyond the levels of undo is released", arguments: StoreKind.all)
    func levels(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let manager = try shop.context.startRecording()
        manager.levelsOfUndo = 2
        var watch = Watch()
        for number in 0..<10 {
            func insert() { watch.add(shop.book("Book \(number)")) }
            shop.context.step { insert() }
            try shop.context.save()
        }
        #expect(watch.living == 2)
    }

    /// Proves: L5
    @Test("the manager is released with its context, unless it has another owner", arguments: StoreKind.all)
    func withContext(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        var watch = Watch()
        weak var gone: UndoManager?
        var kept: UndoManager?
        func work(keeping: Bool) {
            let context = shop.stack.newContext()
            let manager = UndoManager()
            context.undoManager = manager
            gone = manager
            kept = keeping ? manager : nil
            watch.add(context)
            watch.add(shop.book("Dune", in: context))
            context.processPendingChanges()
        }
        work(keeping: false)
        #expect(gone == nil)
        #expect(watch.living == 0)
        work(keeping: true)
        #expect(gone != nil)
        #expect(watch.living == 0)
        #expect(kept?.canUndo == false)
    }

    /// Proves: L9, L10
    @Test("a context has no manager until one is set, and keeps no records", arguments: StoreKind.all)
    func none(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        #expect(shop.context.undoManager == nil)
        let watch = try work(shop)
        #expect(watch.living == 0)
        let book = shop.book("Dune")
        shop.context.undo()
        #expect(book.isInserted)
        shop.context.undoManager = UndoManager()
        #expect(shop.context.undoManager?.canUndo == false)
        shop.context.undo()
        #expect(book.isInserted)
    }

    /// Proves: L9
    @Test("setting none stops recording; recorded groups stay with the manager", arguments: StoreKind.all)
    func switchingOff(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        let manager = try shop.context.startRecording()
        shop.context.step { book.pages = 2 }
        shop.context.undoManager = nil
        book.title = "Emma"
        shop.context.processPendingChanges()
        shop.context.undo()
        #expect(book.pages == 2)
        shop.context.undoManager = manager
        #expect(manager.undoCount == 1)
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Emma")
    }
}
