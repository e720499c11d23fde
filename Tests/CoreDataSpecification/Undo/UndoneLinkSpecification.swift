// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that undo restores links to objects with an unsaved deletion, where the deletion leaves links unchanged.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Undo of links to deleted objects") struct UndoneLinkSpecification {
    private func undoAll(_ context: NSManagedObjectContext) {
        while context.undoManager?.canUndo == true { context.undo() }
    }

    private func redoAll(_ context: NSManagedObjectContext) {
        while context.undoManager?.canRedo == true { context.redo() }
    }

    private func employees(_ company: Company) throws -> [String: String] {
        let fresh = company.stack.newContext()
        let all = try fresh.fetch(NSFetchRequest<Employee>(entityName: "Employee"))
        return Dictionary(uniqueKeysWithValues: all.map { ($0.name ?? "", $0.department?.name ?? "-") })
    }

    /// Decided by `undo()` and `redo()` around a deletion that a Deny rule refuses at `save()`.
    /// Proves: M17, C20, F97
    @Test("to a department whose deletion a Deny rule blocks", .tags(.assumed), arguments: StoreKind.all)
    func denied(store: StoreKind) throws {
        let company = try Company(in: store)
        let context = company.context
        let (sales, costs) = (company.department("Sales"), company.department("Costs"))
        let ann = company.employee("Ann", in: sales)
        try context.startRecording()
        context.step { context.delete(sales) }
        context.step { ann.department = costs }
        context.undo()
        #expect(ann.department === sales)
        #expect(sales.isDeleted)
        #expect(costs.employees.isEmpty)
        #expect(context.saveFailure()?.code == NSValidationRelationshipDeniedDeleteError)
        context.redo()
        #expect(ann.department === costs)
        undoAll(context)
        #expect(sales.employees == [ann])
        #expect(ann.department === sales)
        #expect(!context.hasChanges)
        redoAll(context)
        try context.save()
        #expect(try employees(company) == ["Ann": "Costs"])
    }

    /// Decided by `undo()` of the deletion of both ends of a relationship, before and after a `save()`.
    /// Proves: M17, C20
    @Test(
        "from an object that went as well, saved before or not", .tags(.assumed), arguments: StoreKind.all,
        [false, true])
    func bothDeleted(store: StoreKind, isSaved: Bool) throws {
        let company = try Company(in: store)
        let context = company.context
        let sales = company.department("Sales")
        try context.startRecording()
        var made: Employee?
        context.step { made = company.employee("Ann", in: sales) }
        let ann = try #require(made)
        if isSaved { try context.save() }
        context.step { context.delete(sales) }
        context.step {
            ann.department = nil
            context.delete(ann)
        }
        context.undo()
        #expect(!ann.isDeleted)
        #expect(ann.department === sales)
        context.undo()
        #expect(sales.employees == [ann])
        #expect(context.hasChanges == !isSaved)
        try context.save()
        #expect(try employees(company) == ["Ann": "Sales"])
        redoAll(context)
        try context.save()
        #expect(try employees(company) == [:])
        undoAll(context)
        #expect(sales.employees.isEmpty)
        try context.save()
        #expect(try employees(company) == [:])
    }

    /// Decided by `undo()` of a deletion in the event that had linked the object to a deleted one.
    /// Proves: M17, C20
    @Test("and a deleted object that was linked to a deleted one is linked to it no more", arguments: StoreKind.all)
    func linkedAndDeleted(store: StoreKind) throws {
        let company = try Company(in: store)
        let context = company.context
        let (sales, costs) = (company.department("Sales"), company.department("Costs"))
        let ann = company.employee("Ann", in: costs)
        try context.startRecording()
        context.step { context.delete(sales) }
        context.step {
            ann.department = sales
            context.delete(ann)
        }
        context.undo()
        #expect(ann.department === costs && costs.employees == [ann])
        #expect(sales.isDeleted && sales.employees.isEmpty)
        context.undo()
        #expect(sales.employees.isEmpty)
        #expect(!context.hasChanges)
        #expect(context.brokenInvariants(bothEnds: true) == [])
    }

    /// Decided by `undo()` of a change of a to-many with a deleted member that No Action has left.
    /// Proves: M17, C20
    @Test("that No Action leaves among the members of others", .tags(.assumed), arguments: StoreKind.all)
    func noAction(store: StoreKind) throws {
        let stack = try Stack(store, OwnersModel.make(.noActionDeleteRule, isShared: true))
        let context = stack.context
        let one = stack.insert("Owner")
        let (kept, gone) = (stack.insert("Thing"), stack.insert("Thing"))
        one.setValue(NSSet(array: [kept, gone]), forKey: "things")
        try context.startRecording()
        context.step { context.delete(gone) }
        context.step { one.setValue(NSSet(object: kept), forKey: "things") }
        context.undo()
        #expect(one.value(forKey: "things") as? NSSet == NSSet(array: [kept, gone]))
        context.redo()
        #expect(one.value(forKey: "things") as? NSSet == NSSet(object: kept))
        #expect((gone.value(forKey: "owners") as? NSSet)?.count == 0)
        undoAll(context)
        #expect(gone.value(forKey: "owners") as? NSSet == NSSet(object: one))
        #expect(one.value(forKey: "things") as? NSSet == NSSet(array: [kept, gone]))
        #expect(!context.hasChanges)
        redoAll(context)
        try context.save()
        let fresh = stack.newContext()
        let read = try fresh.existingObject(with: one.objectID)
        #expect((read.value(forKey: "things") as? NSSet)?.count == 1)
    }

    /// Decided by `undo()` and `redo()` with `propagatesDeletesAtEndOfEvent = false`.
    /// Proves: M17, C20
    @Test("while delete rules wait for the save", .tags(.assumed), arguments: StoreKind.all)
    func waiting(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        context.propagatesDeletesAtEndOfEvent = false
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        try context.startRecording()
        context.step { context.delete(frank) }
        context.step { book.author = nil }
        context.undo()
        #expect(book.author === frank)
        context.undo()
        #expect(frank.books == [book])
        #expect(!context.hasChanges)
        context.redo()
        try context.save()
        #expect(book.author == nil)
        #expect(try context.count(for: NSFetchRequest<Author>(entityName: "Author")) == 0)
    }

    /// Proves: M17, C20
    @Test("not where the deletion has cut the link", arguments: StoreKind.all)
    func cut(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        try context.startRecording()
        context.step { book.author = nil }
        context.undoManager?.disableUndoRegistration()
        context.delete(frank)
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        context.undo()
        #expect(book.author == nil)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<Author>(entityName: "Author")) == 0)
    }

    /// Proves: M17, C20
    @Test("not to a member that was deleted without undo", arguments: StoreKind.all)
    func cutMember(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        let (gone, kept) = (shop.book("Dune", by: frank), shop.book("Emma", by: frank))
        try context.startRecording()
        context.step { frank.books = [] }
        context.undoManager?.disableUndoRegistration()
        context.delete(gone)
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        context.undo()
        #expect(frank.books == [kept])
        #expect(context.brokenInvariants(bothEnds: true) == [])
        try context.save()
        #expect(frank.books == [kept] && kept.author === frank)
        let fresh = shop.stack.newContext()
        #expect(try shop.titles(Book.request(), in: fresh) == ["Emma"])
    }

    /// Proves: M17
    @Test(
        "an unsaved member of a deleted object is its member once when the deletion is undone", arguments: StoreKind.all
    )
    func unsavedMember(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        try context.startRecording()
        var made: Book?
        context.step { made = shop.book("Dune", by: frank) }
        let book = try #require(made)
        #expect(frank.books == [book])
        context.step { context.delete(frank) }
        #expect(book.author == nil)
        context.undo()
        #expect(book.author === frank)
        #expect(frank.value(forKeyPath: "books.@count") as? Int == 1)
        #expect(context.brokenInvariants(bothEnds: true) == [])
        context.step { book.author = nil }
        #expect(frank.books.isEmpty)
        context.undo()
        try context.save()
        let fresh = shop.stack.newContext()
        let read = try #require(try fresh.fetch(Book.request()).first)
        #expect(read.author?.books == [read])
    }

    /// Proves: M17
    @Test("an insertion may lead again to a deleted object that its delete rules cut off", arguments: StoreKind.all)
    func deletedDestination(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        try context.startRecording()
        var made: Book?
        context.step { made = shop.book("Dune", by: frank) }
        let book = try #require(made)
        context.step { context.delete(frank) }
        context.step { book.author = frank }
        #expect(frank.value(forKeyPath: "books.@count") as? Int == 1)
        context.undo()
        context.undo()
        #expect(frank.value(forKeyPath: "books.@count") as? Int == 1)
        #expect(book.author === frank)
    }

    /// Proves: M17
    @Test("a refreshed insertion is the member once of the object it referred to before", arguments: StoreKind.all)
    func refreshedInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let frank = shop.author("Frank")
        let book = shop.book("Dune", by: frank)
        context.processPendingChanges()
        context.refresh(book, mergeChanges: false)
        book.title = "Dune"
        book.author = frank
        #expect(frank.value(forKeyPath: "books.@count") as? Int == 1)
        try context.save()
        #expect(frank.books == [book])
    }
}
