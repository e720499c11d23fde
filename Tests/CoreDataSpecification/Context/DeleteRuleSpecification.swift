// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of a deletion on related objects.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Delete rules") struct DeleteRuleSpecification {
    /// Proves: C19, C20
    @Test("nullify: the others stay and let go, when the event ends", arguments: StoreKind.all)
    func nullify(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", by: frank)
        let sf = shop.tag("sf")
        dune.tags = [sf]
        try shop.context.save()
        shop.context.delete(dune)
        #expect(frank.books == [dune])
        shop.context.processPendingChanges()
        #expect(frank.books.isEmpty)
        #expect(sf.books.isEmpty)
        shop.context.delete(frank)
        try shop.context.save()
        let context = shop.stack.newContext()
        #expect(try context.count(for: NSFetchRequest<CoreDataTestSupport.Tag>(entityName: "Tag")) == 1)
    }

    /// Proves: C20
    @Test("nullify: a to-one that points at the deleted object is nil", arguments: StoreKind.all)
    func nullifyToOne(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", by: frank)
        try shop.context.save()
        shop.context.refreshAllObjects()
        shop.context.delete(frank)
        try shop.context.save()
        #expect(dune.author == nil)
        let context = shop.stack.newContext()
        #expect((context.object(with: dune.objectID) as? Book)?.author == nil)
        let orphans = Book.request()
        orphans.predicate = NSPredicate(format: "author == nil")
        #expect(try context.count(for: orphans) == 1)
    }

    /// Proves: C20, F99
    @Test("cascade: all that hangs on the object goes with it, at any depth", arguments: StoreKind.all)
    func cascade(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b", "a1", "b1", "other")
        nodes[0].children = [nodes[1], nodes[2]]
        nodes[1].children = [nodes[3]]
        nodes[2].children = [nodes[4]]
        nodes[5].next = nodes[3]
        try graph.context.save()
        graph.context.refreshAllObjects()
        graph.context.delete(nodes[0])
        graph.context.processPendingChanges()
        #expect(graph.context.deletedObjects.count == 5)
        try graph.context.save()
        let context = graph.stack.newContext()
        #expect(try context.fetch(Node.request()).map(\.name) == ["other"])
        #expect(try context.fetch(Node.request()).first?.next == nil)
    }

    /// Proves: C20
    @Test("cascade takes insertions along", arguments: StoreKind.all)
    func cascadeToInsertions(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let root = graph.nodes("root")[0]
        try graph.context.save()
        root.children = graph.nodes("a", "b")
        graph.context.delete(root)
        try graph.context.save()
        #expect(graph.context.insertedObjects.isEmpty)
        #expect(try graph.context.count(for: Node.request()) == 0)
    }

    /// Proves: C20
    @Test("no action: the other end stays unchanged", arguments: StoreKind.all)
    func noAction(store: StoreKind) throws {
        let stack = try Stack(store, OwnersModel.make(.noActionDeleteRule))
        let (one, other) = (stack.insert("Owner"), stack.insert("Thing"))
        other.setValue(one, forKey: "owner")
        try stack.context.save()
        stack.context.delete(one)
        stack.context.processPendingChanges()
        #expect(!other.hasChanges)
        try stack.context.save()
        let context = stack.newContext()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Thing")) == 1)
    }

    /// Proves: C20
    @Test("no action: a deleted object is no member of others in the store", arguments: StoreKind.all)
    func noActionOnMembers(store: StoreKind) throws {
        let stack = try Stack(store, OwnersModel.make(.noActionDeleteRule, isShared: true))
        let one = stack.insert("Owner")
        let (kept, gone) = (stack.insert("Thing"), stack.insert("Thing"))
        one.setValue(NSSet(array: [kept, gone]), forKey: "things")
        try stack.context.save()
        stack.context.delete(gone)
        try stack.context.save()
        let things = try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Owner")) { owner in
            (owner.value(forKey: "things") as? Set<NSManagedObject>)?.map(\.objectID)
        }
        #expect(things == [[kept.objectID]])
        #expect(try stack.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Thing")) == 1)
    }

    /// Proves: C20
    @Test("rules wait for the save when the context says so", arguments: StoreKind.all)
    func atSave(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a")
        nodes[0].children = [nodes[1]]
        try graph.context.save()
        graph.context.propagatesDeletesAtEndOfEvent = false
        graph.context.delete(nodes[0])
        graph.context.processPendingChanges()
        #expect(graph.context.deletedObjects == [nodes[0]])
        try graph.context.save()
        #expect(try graph.context.count(for: Node.request()) == 0)
        #expect(nodes[1].managedObjectContext == nil)
    }

    /// Decided by `processPendingChanges()` after `delete(_:)` of an insertion, with `propagatesDeletesAtEndOfEvent =
    /// false`.
    /// Proves: C20
    @Test(
        "an insertion that is deleted goes at once, so its rules do not wait",
        .tags(.assumed), arguments: StoreKind.all)
    func deletedInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, tag) = (shop.book("Dune"), shop.tag("sf"))
        try shop.context.save()
        shop.context.propagatesDeletesAtEndOfEvent = false
        let passing = shop.book("Passing")
        passing.tags = [tag]
        book.tags = [tag]
        shop.context.delete(passing)
        shop.context.processPendingChanges()
        #expect(passing.managedObjectContext == nil)
        #expect(tag.books == [book])
        try shop.context.save()
        let context = shop.stack.newContext()
        let books = context.object(with: tag.objectID).value(forKey: "books") as? Set<Book>
        #expect(books?.map(\.title) == ["Dune"])
    }

    /// Proves: F99
    @Test("a to-many shrinks when its members are deleted and saved", arguments: StoreKind.all)
    func shrinking(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        for number in 0..<100 { company.employee("Employee \(number)", in: lab) }
        try company.context.save()
        #expect(lab.employees.count == 100)
        for employee in lab.employees { company.context.delete(employee) }
        try company.context.save()
        #expect(lab.employees.isEmpty)
        company.context.refresh(lab, mergeChanges: false)
        #expect(lab.employees.isEmpty)
    }

    /// Proves: C20
    @Test("an object that was never loaded can be deleted, with all that hangs on it", arguments: StoreKind.all)
    func coldDeletion(store: StoreKind) throws {
        let graph = try Graph(in: store)
        let nodes = graph.nodes("root", "a", "b")
        nodes[0].children = [nodes[1], nodes[2]]
        try graph.context.save()
        let context = graph.stack.newContext()
        context.delete(context.object(with: nodes[0].objectID))
        try context.save()
        #expect(try context.count(for: Node.request()) == 0)
    }
}
