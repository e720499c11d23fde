// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which changes of an event undo takes back if the event also merged changes of others.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo with refreshes and merges") struct UndoBesideRefreshSpecification {
    private struct Scene {
        let shop: Bookshop
        let book: Book
        let context: NSManagedObjectContext

        /// Another context has saved 9 pages; the book here still has 1.
        init(_ store: StoreKind) throws {
            shop = try Bookshop(in: store)
            context = shop.context
            book = shop.book("Dune", pages: 1)
            try context.startRecording()
            let other = shop.stack.newContext()
            let theirs = try other.existingObject(with: book.objectID) as? Book
            theirs?.pages = 9
            try other.save()
        }
    }

    /// Proves: M17, C18
    @Test("a refresh is no step", arguments: StoreKind.all, [true, false])
    func refreshAlone(store: StoreKind, merging: Bool) throws {
        let scene = try Scene(store)
        scene.context.step { scene.context.refresh(scene.book, mergeChanges: merging) }
        #expect(scene.context.undoManager?.canUndo == false)
        #expect(scene.book.pages == 9)
        #expect(!scene.book.hasChanges)
        #expect(scene.context.brokenInvariants().isEmpty)
    }

    /// Proves: M17, C18
    @Test(
        "a change after a refresh is taken back to the refreshed value", arguments: StoreKind.all, [true, false])
    func changeAfterRefresh(store: StoreKind, merging: Bool) throws {
        let scene = try Scene(store)
        var before: [String: Any] = [:]
        scene.context.step {
            scene.context.refresh(scene.book, mergeChanges: merging)
            scene.book.title = "Emma"
            scene.book.pages = 10
            before = scene.book.changedValuesForCurrentEvent()
        }
        #expect(before["pages"] as? Int == 9)
        scene.context.undo()
        #expect(scene.book.title == "Dune")
        #expect(scene.book.pages == 9)
        #expect(!scene.book.hasPersistentChangedValues)
        scene.context.redo()
        #expect(scene.book.title == "Emma" && scene.book.pages == 10)
        #expect(scene.context.brokenInvariants().isEmpty)
    }

    /// Proves: M17, C18
    @Test("a deletion after a refresh is taken back", arguments: StoreKind.all)
    func deletionAfterRefresh(store: StoreKind) throws {
        let scene = try Scene(store)
        scene.context.step {
            scene.context.refresh(scene.book, mergeChanges: true)
            scene.context.delete(scene.book)
        }
        scene.context.undo()
        #expect(!scene.book.isDeleted)
        #expect(scene.book.pages == 9)
        try scene.context.save()
        #expect(try scene.shop.titles(Book.request(), in: scene.shop.stack.newContext()) == ["Dune"])
    }

    /// Proves: M17, C26
    @Test("an insertion by others is no step; changing it is", arguments: StoreKind.all)
    func changeAfterRemoteInsertion(store: StoreKind) throws {
        let scene = try Scene(store)
        let other = scene.shop.stack.newContext()
        let theirs = Book(context: other)
        (theirs.title, theirs.pages) = ("Emma", 5)
        try other.save()
        let notice: [AnyHashable: Any] = [NSInsertedObjectIDsKey: [theirs.objectID]]
        scene.context.step {
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: notice, into: [scene.context])
        }
        #expect(scene.context.undoManager?.canUndo == false)
        let book = try #require(scene.context.existingObject(with: theirs.objectID) as? Book)
        scene.context.step { book.pages = 6 }
        scene.context.undo()
        #expect(book.pages == 5)
        #expect(!book.isDeleted && !book.isInserted)
    }

    /// Proves: M17
    @Test("without an undo manager, deleted objects come back at rollback and re-insertion", arguments: StoreKind.all)
    func withoutUndo(store: StoreKind) throws {
        let scene = try Scene(store)
        scene.context.undoManager = nil
        scene.context.refresh(scene.book, mergeChanges: true)
        scene.context.delete(scene.book)
        #expect(scene.context.brokenInvariants().isEmpty)
        scene.context.insert(scene.book)
        #expect(!scene.book.isDeleted)
        scene.book.title = "Emma"
        scene.context.delete(scene.book)
        scene.context.processPendingChanges()
        #expect(scene.context.brokenInvariants().isEmpty)
        scene.context.rollback()
        #expect(scene.book.title == "Dune" && !scene.book.isDeleted)
        scene.context.delete(scene.book)
        try scene.context.save()
        #expect(try scene.shop.titles(Book.request(), in: scene.shop.stack.newContext()).isEmpty)
    }
}
