// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the values that undo restores if there was a save, or a refresh, since the change.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo across saves") struct UndoAcrossSavesSpecification {
    /// Proves: M17, F102
    @Test("a member comes back to its place in an order that was never read", arguments: StoreKind.all)
    func order(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("parent", "a", "b", "c", "other")
        nodes[0].children = Array(nodes[1...3])
        try record(graph.context)
        graph.context.refreshAllObjects()
        step(graph.context) { nodes[1].parent = nodes[4] }
        try graph.context.save()
        graph.context.refreshAllObjects()
        graph.context.undo()
        #expect(nodes[0].children == Array(nodes[1...3]))
        #expect(nodes[4].children.isEmpty)
        graph.context.redo()
        #expect(nodes[0].children == Array(nodes[2...3]))
        graph.context.undo()
        try graph.context.save()
        let context = graph.stack.newContext()
        #expect((context.object(with: nodes[0].objectID) as? Node)?.children.map(\.name) == ["a", "b", "c"])
    }

    /// Proves: M17, M22
    @Test("an object that was new then, and is saved now, is the same destination", arguments: StoreKind.all)
    func savedDestination(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let manager = UndoManager()
        manager.groupsByEvent = false
        shop.context.undoManager = manager
        manager.beginUndoGrouping()
        let book = shop.book("Dune", by: shop.author("Frank"))
        shop.context.processPendingChanges()
        manager.endUndoGrouping()
        step(shop.context) { book.pages = 7 }
        try shop.context.save()
        shop.context.undo()
        #expect(Set(book.changedValues().keys) == ["pages"])
        #expect(book.author?.name == "Frank")
    }

    /// Proves: M17, F1
    @Test("a transient value that is taken back is a change", arguments: StoreKind.all)
    func transient(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try record(shop.context)
        step(shop.context) { book.setValue("lent", forKey: "note") }
        try shop.context.save()
        shop.context.undo()
        #expect(book.value(forKey: "note") == nil)
        #expect(book.isUpdated)
        #expect(!book.hasPersistentChangedValues)
        #expect(shop.context.updatedObjects == [book])
    }

    /// Proves: M17, M22
    @Test("a change before a refresh to a fault is taken back and brought again as well", arguments: StoreKind.all)
    func fault(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 1)
        try record(shop.context)
        step(shop.context) { book.pages = 2 }
        try shop.context.save()
        shop.context.refreshAllObjects()
        shop.context.undo()
        #expect(book.pages == 1)
        #expect(Set(book.changedValues().keys) == ["pages"])
        #expect(book.committedValues(forKeys: ["pages"])["pages"] as? Int == 2)
        try shop.context.save()
        shop.context.refreshAllObjects()
        shop.context.redo()
        #expect(book.pages == 2)
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect((context.object(with: book.objectID) as? Book)?.pages == 2)
    }

    /// Proves: M17
    @Test("a change before a refresh to a fault in the same event goes back as well", arguments: StoreKind.all)
    func faultOfTheEvent(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        try record(shop.context)
        step(shop.context) {
            shop.context.refresh(frank, mergeChanges: false)
            book.author = nil
            frank.name = "Herbert"
        }
        shop.context.undo()
        #expect(frank.books == [book])
        #expect(frank.name == "Frank")
        #expect(frank.changedValues().isEmpty)
        #expect(!frank.hasPersistentChangedValues)
    }

    /// Saves, and keeps undo records from here on; each `step` is a group.
    private func record(_ context: NSManagedObjectContext) throws {
        try context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
    }

    private func step(_ context: NSManagedObjectContext, _ body: () -> Void) {
        context.processPendingChanges()
        context.undoManager?.beginUndoGrouping()
        body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }
}
