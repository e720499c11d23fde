// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how deletions are taken back, with the effects of delete rules and of saves after them.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undoing deletions") struct UndoneDeletionSpecification {
    /// Proves: M17, C20
    @Test("nullified and cascaded objects come back", arguments: StoreKind.all, [false, true])
    func rules(store: StoreKind, saves: Bool) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let (frank, sf) = (shop.author("Frank"), shop.tag("sf"))
        let book = shop.book("Dune", by: frank)
        book.tags = [sf]
        book.chapters = ["one", "two", "three"].map { heading in
            let chapter = Chapter(context: context)
            chapter.heading = heading
            return chapter
        }
        try context.startRecording()
        context.refreshAllObjects()
        context.step { context.delete(book) }
        #expect(context.deletedObjects.count == 4)
        if saves { try context.save() }
        context.undo()
        #expect(book.author === frank)
        #expect(frank.books == [book])
        #expect(sf.books == [book])
        #expect(book.tags == [sf])
        #expect(book.chapters.map(\.heading) == ["one", "two", "three"])
        #expect(book.chapters.allSatisfy { $0.book === book })
        #expect(context.hasChanges == saves)
        try context.save()
        let fresh = shop.stack.newContext()
        let read = try #require(try fresh.fetch(Book.request()).first)
        #expect(read.author?.books == [read])
        #expect(read.tags.first?.books == [read])
        #expect(read.chapters.map(\.heading) == ["one", "two", "three"])
        context.redo()
        #expect(context.deletedObjects.count == 4)
        try context.save()
        #expect(try context.count(for: Book.request()) == 0)
        #expect(frank.books.isEmpty)
    }

    /// Proves: M17, C20
    @Test("rules that are put off to the save are taken back too", arguments: StoreKind.all)
    func putOff(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        context.propagatesDeletesAtEndOfEvent = false
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        try context.startRecording()
        context.step { context.delete(book) }
        try context.save()
        #expect(frank.books.isEmpty)
        while context.undoManager?.canUndo == true { context.undo() }
        #expect(frank.books == [book])
        #expect(book.author === frank)
    }

    /// Proves: M17, C20, F97
    @Test("a deletion that a Deny rule forbids is taken back", arguments: StoreKind.all)
    func denied(store: StoreKind) throws {
        let company = try Company(in: store)
        let context = company.context
        let sales = company.department("Sales")
        let ann = company.employee("Ann", in: sales)
        try context.startRecording()
        context.step { context.delete(sales) }
        #expect(context.saveFailure()?.code == NSValidationRelationshipDeniedDeleteError)
        context.undo()
        #expect(!context.hasChanges)
        #expect(sales.employees == [ann])
        context.step {
            context.delete(sales)
            context.delete(ann)
        }
        try context.save()
        context.undo()
        #expect(sales.employees == [ann])
        #expect(ann.department === sales)
        try context.save()
        let fresh = company.stack.newContext()
        let read = try #require(try fresh.fetch(NSFetchRequest<Employee>(entityName: "Employee")).first)
        #expect(read.department?.employees == [read])
    }

    /// Proves: M17
    @Test("changes in the event of the deletion are taken back with it", arguments: StoreKind.all, [false, true])
    func changedFirst(store: StoreKind, saves: Bool) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let (frank, jane) = (shop.author("Frank"), shop.author("Jane"))
        let (sf, old) = (shop.tag("sf"), shop.tag("old"))
        let book = shop.book("Dune", pages: 1, by: frank)
        book.tags = [sf]
        try context.startRecording()
        context.refreshAllObjects()
        context.step {
            book.pages = 2
            book.author = jane
            book.tags = [old]
            context.delete(book)
        }
        if saves { try context.save() }
        context.undo()
        #expect(book.pages == 1)
        #expect(book.author === frank)
        #expect(frank.books == [book])
        #expect(jane.books.isEmpty)
        #expect(book.tags == [sf])
        #expect(sf.books == [book])
        #expect(old.books.isEmpty)
        #expect(context.updatedObjects.allSatisfy { !$0.hasPersistentChangedValues } == !saves)
        #expect(context.insertedObjects == (saves ? [book] : []))
    }

    /// Proves: M17
    @Test("an insertion that was deleted in a later event comes back", arguments: StoreKind.all)
    func unsavedInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        try context.startRecording()
        var made: Book?
        context.step { made = shop.book("Dune", by: frank) }
        let book = try #require(made)
        context.step { context.delete(book) }
        #expect(book.managedObjectContext == nil)
        try context.save()
        context.undo()
        #expect(book.isInserted)
        #expect(book.title == "Dune")
        #expect(frank.books == [book])
        context.undo()
        #expect(frank.books.isEmpty)
        #expect(!context.hasChanges)
        context.redo()
        try context.save()
        let fresh = shop.stack.newContext()
        #expect(try fresh.fetch(Book.request()).first?.author?.name == "Frank")
    }

    /// Proves: M17, C23
    @Test(
        "a record that is written again goes on counting its versions: a reader of the old one meets a conflict",
        arguments: StoreKind.all)
    func versions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune", pages: 1)
        try context.startRecording()
        let other = shop.stack.newContext()
        let known = try #require(try other.fetch(Book.request()).first)
        #expect(known.pages == 1)
        context.step { book.pages = 2 }
        context.step { context.delete(book) }
        try context.save()
        context.undo()
        try context.save()
        known.title = "Emma"
        let failure = other.saveFailure()
        #expect(failure?.code == CocoaError.managedObjectMerge.rawValue)
        other.refresh(known, mergeChanges: true)
        #expect(known.pages == 2)
        try other.save()
        let fresh = shop.stack.newContext()
        #expect(try fresh.fetch(Book.request()).first?.title == "Emma")
    }

    /// Proves: M17
    @Test("a unique value that another record has taken since is given back", arguments: StoreKind.all)
    func uniqueness(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let sf = shop.tag("sf")
        let book = shop.book("Dune")
        book.tags = [sf]
        try context.startRecording()
        var made: CoreDataTestSupport.Tag?
        context.step {
            context.delete(sf)
            made = shop.tag("sf")
            made?.books = [book]
        }
        try context.save()
        context.undo()
        try context.save()
        #expect(book.tags == [sf])
        let fresh = shop.stack.newContext()
        let read = try #require(try fresh.fetch(Book.request()).first)
        #expect(read.tags.map(\.objectID) == [sf.objectID])
        context.redo()
        try context.save()
        #expect(book.tags.map(\.objectID) == [made?.objectID])
        context.undo()
        context.undoManager = nil
        shop.tag("sf")
        #expect(context.saveFailure()?.code == CocoaError.managedObjectConstraintMerge.rawValue)
    }

    /// Proves: M17
    @Test("external data comes back although a save removed its file", arguments: StoreKind.all)
    func files(store: StoreKind) throws {
        let stack = try Stack(store, OrchestraModel.make())
        let context = stack.context
        let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
        let (first, second) = (Data(repeating: 1, count: 200_000), Data(repeating: 2, count: 300_000))
        player.setValue(first, forKey: "portrait")
        try context.startRecording()
        context.refreshAllObjects()
        context.step { player.setValue(second, forKey: "portrait") }
        try context.save()
        context.refreshAllObjects()
        context.step { context.delete(player) }
        try context.save()
        context.undo()
        #expect(player.value(forKey: "portrait") as? Data == second)
        context.undo()
        #expect(player.value(forKey: "portrait") as? Data == first)
        try context.save()
        let fresh = stack.newContext()
        let read = fresh.object(with: player.objectID)
        #expect(read.value(forKey: "portrait") as? Data == first)
    }

    /// Proves: M17, L1
    @Test(
        "an object that was read while its record was gone gives way to the one that comes back",
        arguments: StoreKind.all)
    func ghost(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune")
        try context.startRecording()
        let id = book.objectID
        context.step { context.delete(book) }
        try context.save()
        let ghost = context.object(with: id)
        #expect(ghost !== book)
        context.undo()
        #expect(context.object(with: id) === book)
        #expect(ghost.managedObjectContext == nil)
        #expect(ghost.value(forKey: "title") == nil)
        try context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Dune"])
    }

    /// Proves: M17
    @Test("relationships without an inverse come back", arguments: StoreKind.all, [false, true])
    func oneWay(store: StoreKind, saves: Bool) throws {
        let stack = try Stack(store, OrchestraModel.make())
        let context = stack.context
        let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
        let badges = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Badge", into: context) }
        player.setValue(NSSet(array: badges), forKey: "badges")
        player.setValue(badges[0], forKey: "front")
        try context.startRecording()
        context.refreshAllObjects()
        context.step { context.delete(player) }
        if saves { try context.save() }
        context.undo()
        #expect(player.value(forKey: "badges") as? NSSet == NSSet(array: badges))
        #expect(player.value(forKey: "front") as? NSManagedObject === badges[0])
        try context.save()
        let fresh = stack.newContext()
        let read = fresh.object(with: player.objectID)
        #expect((read.value(forKey: "badges") as? NSSet)?.count == 2)
        #expect((read.value(forKey: "front") as? NSManagedObject)?.objectID == badges[0].objectID)
    }
}
