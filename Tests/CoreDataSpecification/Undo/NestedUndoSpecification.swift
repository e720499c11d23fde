// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States undo in parents and children.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo in nested contexts")
@MainActor struct NestedUndoSpecification {
    private func family(_ store: StoreKind) throws -> (Family, Book, Author) {
        let family = try Family(in: store)
        let author = family.shop.author("Frank", in: family.root)
        let book = family.shop.book("Dune", pages: 1, by: author, in: family.root)
        try family.root.save()
        return (family, book, author)
    }

    /// Proves: P1, M17
    @Test("a save of a child is one step of its parent", arguments: StoreKind.all)
    func savedChild(store: StoreKind) throws {
        let (family, book, author) = try family(store)
        let manager = try family.root.startRecording()
        manager.groupsByEvent = true
        let there = try #require(family.child.object(with: book.objectID) as? Book)
        there.pages = 2
        there.author = nil
        family.shop.book("Emma", in: family.child)
        try family.child.save()
        #expect(manager.undoCount == 1)
        #expect(book.pages == 2)
        family.root.undo()
        #expect(book.pages == 1)
        #expect(book.author === author)
        #expect(!family.root.hasChanges)
        #expect(try family.titles(in: family.root) == ["Dune"])
        family.root.redo()
        #expect(try family.titles(in: family.root) == ["Dune", "Emma"])
        try family.root.save()
        #expect(try family.titles(in: family.outsider()) == ["Dune", "Emma"])
    }

    /// Proves: P2, M17
    @Test("a child undoes its own steps, saved to its parent or not", arguments: StoreKind.all)
    func inChild(store: StoreKind) throws {
        let (family, book, _) = try family(store)
        let child = family.child
        try child.startRecording()
        let there = try #require(child.object(with: book.objectID) as? Book)
        var made: Book?
        child.step { there.pages = 2 }
        child.step { made = family.shop.book("Emma", in: child) }
        child.step { child.delete(there) }
        try child.save()
        #expect(try family.titles(in: family.root) == ["Emma"])
        child.undo()
        try child.save()
        #expect(try family.titles(in: family.root) == ["Dune", "Emma"])
        #expect(book.pages == 2)
        child.undo()
        try child.save()
        #expect(try family.titles(in: family.root) == ["Dune"])
        #expect(made?.managedObjectContext == nil)
        child.undo()
        try child.save()
        #expect(book.pages == 1)
        while child.undoManager?.canRedo == true { child.redo() }
        try child.save()
        try family.root.save()
        #expect(try family.titles(in: family.outsider()) == ["Emma"])
    }

    /// Proves: P2, M17
    @Test("a child's deletion comes back after the root has saved it", arguments: StoreKind.all)
    func savedByRoot(store: StoreKind) throws {
        let (family, book, author) = try family(store)
        let child = family.child
        try child.startRecording()
        let there = try #require(child.object(with: book.objectID) as? Book)
        let authorThere = try #require(child.object(with: author.objectID) as? Author)
        #expect(authorThere.books == [there])
        var made: Book?
        child.step { child.delete(there) }
        child.step { made = family.shop.book("Emma", in: child) }
        try child.save()
        try family.root.save()
        child.undo()
        child.undo()
        #expect(authorThere.books == [there])
        #expect(made?.isDeleted == true)
        try child.save()
        try family.root.save()
        #expect(try family.titles(in: family.outsider()) == ["Dune"])
        let fresh = family.outsider()
        let read = try #require(try fresh.fetch(Book.request()).first)
        #expect(read.author?.books == [read])
    }
}
