// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of inserting a deleted object again. Apple's documentation says of `insert(_:)` that it registers,
// and of delete rules that they remove relationships; only undo puts those back.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Decided by `insert(_:)` after `delete(_:)`: relationships, `isDeleted` and `hasChanges` of the context.
@Suite("Inserting deleted objects", .tags(.assumed)) struct ReinsertionSpecification {
    /// Proves: C12, C13
    @Test("before its delete rules have run an object comes back as it was", arguments: StoreKind.all)
    func sameEvent(store: StoreKind) throws {
        let (shop, frank, dune, sf) = try scene(store)
        shop.context.delete(dune)
        shop.context.insert(dune)
        shop.context.processPendingChanges()
        #expect(!dune.isDeleted)
        #expect(dune.author === frank)
        #expect(frank.books == [dune])
        #expect(dune.tags == [sf])
        #expect(sf.books == [dune])
        #expect(!shop.context.hasChanges)
    }

    /// Proves: C12, M2
    @Test("relationships that the rules have ended stay ended afterwards, at both ends", arguments: StoreKind.all)
    func nullified(store: StoreKind) throws {
        let (shop, frank, dune, sf) = try scene(store)
        shop.context.delete(dune)
        shop.context.processPendingChanges()
        shop.context.insert(dune)
        #expect(!dune.isDeleted)
        #expect(dune.author == nil)
        #expect(frank.books.isEmpty)
        #expect(dune.tags.isEmpty)
        #expect(sf.books.isEmpty)
        #expect(dune.isUpdated)
        dune.tags = [sf]
        try shop.context.save()
        let context = shop.stack.newContext()
        let read = try #require(try context.fetch(Book.request()).first)
        #expect(read.title == "Dune")
        #expect(read.author == nil)
        #expect(read.tags.map(\.name) == ["sf"])
        #expect(read.tags.first?.books == [read])
    }

    /// Proves: C12, C20
    @Test("an object deleted in the same event is cut off by its own rules", arguments: StoreKind.all)
    func sameEventAsOthers(store: StoreKind) throws {
        let (shop, frank, dune, sf) = try scene(store)
        shop.context.delete(dune)
        shop.context.delete(frank)
        shop.context.insert(dune)
        #expect(dune.author === frank)
        shop.context.processPendingChanges()
        #expect(dune.author == nil)
        #expect(dune.tags == [sf])
        try shop.context.save()
        #expect(sf.books == [dune])
    }

    /// Proves: C12, C20
    @Test("cascaded objects stay deleted, until they are inserted themselves", arguments: StoreKind.all)
    func cascaded(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b")
        nodes[0].children = [nodes[1], nodes[2]]
        try graph.context.save()
        graph.context.delete(nodes[0])
        graph.context.processPendingChanges()
        graph.context.insert(nodes[0])
        #expect(nodes[0].children.isEmpty)
        #expect(graph.context.deletedObjects == [nodes[1], nodes[2]])
        graph.context.insert(nodes[2])
        #expect(nodes[2].parent == nil)
        nodes[0].children = [nodes[2]]
        try graph.context.save()
        let context = graph.stack.newContext()
        let names = try context.fetch(Node.request()).map { "\($0.name ?? "") \($0.children.map(\.name))" }
        #expect(Set(names) == ["root [Optional(\"b\")]", "b []"])
    }

    /// Proves: C12, C20
    @Test("relationships that no rule has touched are there at both ends", arguments: StoreKind.all)
    func untouched(store: StoreKind) throws {
        let stack = try Stack(store, OwnersModel.make(.noActionDeleteRule))
        let (one, other) = (stack.insert("Owner"), stack.insert("Thing"))
        other.setValue(one, forKey: "owner")
        try stack.context.save()
        stack.context.delete(one)
        stack.context.processPendingChanges()
        stack.context.insert(one)
        #expect(one.value(forKey: "things") as? NSSet == NSSet(object: other))
        #expect(other.value(forKey: "owner") as? NSManagedObject === one)
        #expect(!stack.context.hasChanges)
    }

    /// Proves: C12, C13, F10
    @Test("an insertion that went comes back as one, without links and second awakening", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let (one, other) = (diary.entry("one"), diary.entry("other"))
        one.setValue(NSSet(object: other), forKey: "quotes")
        _ = one.newCalls()
        diary.context.delete(one)
        diary.context.processPendingChanges()
        #expect(one.managedObjectContext == nil)
        diary.context.insert(one)
        #expect(one.isInserted)
        #expect(one.newCalls() == ["prepareForDeletion"])
        #expect((one.value(forKey: "quotes") as? NSSet)?.count == 0)
        #expect((other.value(forKey: "quotedBy") as? NSSet)?.count == 0)
        try diary.context.save()
        #expect(try diary.stack.newContext().count(for: Entry.request()) == 2)
    }

    /// Proves: C12, C13
    @Test("when its deletion is saved an object comes back as a new record", arguments: StoreKind.all)
    func saved(store: StoreKind) throws {
        let (shop, frank, dune, sf) = try scene(store)
        let old = dune.objectID
        shop.context.delete(dune)
        try shop.context.save()
        shop.context.insert(dune)
        #expect(dune.isInserted)
        #expect(dune.objectID.isTemporaryID)
        #expect(dune.title == "Dune")
        #expect(dune.author == nil)
        #expect(dune.tags.isEmpty)
        frank.mutableSetValue(forKey: "books").add(dune)
        try shop.context.save()
        #expect(dune.objectID != old)
        #expect(sf.books.isEmpty)
        let context = shop.stack.newContext()
        #expect(try context.fetch(Book.request()).map(\.author?.name) == ["Frank"])
    }

    /// A book with an author and a tag, saved.
    private func scene(_ store: StoreKind) throws -> (Bookshop, Author, Book, CoreDataTestSupport.Tag) {
        let shop = try Bookshop(in: store)
        let (frank, sf) = (shop.author("Frank"), shop.tag("sf"))
        let dune = shop.book("Dune", by: frank)
        dune.tags = [sf]
        try shop.context.save()
        return (shop, frank, dune, sf)
    }
}
