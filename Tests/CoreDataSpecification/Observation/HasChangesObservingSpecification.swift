// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when observers are notified of a context's `hasChanges`.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Observing hasChanges") struct HasChangesObservingSpecification {
    /// Proves: C14
    @Test(
        "observers hear of the first change and of the save that ends it, and of nothing between",
        arguments: StoreKind.all)
    func saving(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let log = ValueLog<Bool>()
        let token = shop.context.observe(\.hasChanges, options: .new) { _, change in change.newValue.map(log.add) }
        let book = shop.book("Dune")
        shop.tag("sf")
        #expect(log.news() == [true])
        try shop.context.save()
        #expect(log.news() == [false])
        try shop.context.save()
        #expect(log.news().isEmpty)
        book.title = "Emma"
        book.pages = 3
        #expect(log.news() == [true])
        try shop.context.save()
        shop.context.delete(book)
        #expect(log.news() == [false, true])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C14
    @Test("old and new value agree with the context", arguments: StoreKind.all)
    func oldAndNew(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let log = ValueLog<[Bool?]>()
        let token = shop.context.observe(\.hasChanges, options: [.initial, .old, .new]) { context, change in
            log.add([change.oldValue, change.newValue, context.hasChanges])
        }
        shop.book("Dune")
        try shop.context.save()
        #expect(log.values == [[nil, false, false], [false, true, true], [true, false, false]])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C14, C21
    @Test("observers hear of rollback, reset, undo and redo", arguments: StoreKind.all)
    func takingBack(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.context
        let book = shop.book("Dune")
        try context.save()
        context.undoManager = UndoManager()
        let log = ValueLog<Bool>()
        let token = context.observe(\.hasChanges, options: .new) { _, change in change.newValue.map(log.add) }
        book.title = "Emma"
        context.rollback()
        #expect(log.news() == [true, false])
        let tag = shop.tag("sf")
        context.undo()
        #expect(log.news() == [true, false])
        context.redo()
        #expect(log.news() == [true])
        context.reset()
        #expect(log.news() == [false])
        withExtendedLifetime((shop, token, tag)) {}
    }

    /// Proves: C14, C13
    @Test("an insertion that is deleted again leaves no changes", arguments: StoreKind.all)
    func deletedInsertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let log = ValueLog<Bool>()
        let token = shop.context.observe(\.hasChanges, options: .new) { _, change in change.newValue.map(log.add) }
        let book = shop.book("Dune")
        shop.context.delete(book)
        shop.context.processPendingChanges()
        #expect(log.values == [true, false])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C14, C18
    @Test("observers hear of a refresh that drops the only changes", arguments: StoreKind.all)
    func refresh(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        book.title = "Emma"
        let log = ValueLog<Bool>()
        let token = shop.context.observe(\.hasChanges, options: .new) { _, change in change.newValue.map(log.add) }
        shop.context.refresh(book, mergeChanges: false)
        #expect(!shop.context.hasChanges)
        #expect(log.values == [false])
        withExtendedLifetime((shop, token)) {}
    }

    /// Proves: C14, C22
    @Test("a save that fails changes nothing", arguments: StoreKind.all)
    func failedSave(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        book.title = nil
        let log = ValueLog<Bool>()
        let token = shop.context.observe(\.hasChanges, options: .new) { _, change in change.newValue.map(log.add) }
        #expect(shop.context.saveFailure() != nil)
        #expect(log.values.isEmpty)
        book.title = "Dune"
        try shop.context.save()
        #expect(log.values == [false])
        withExtendedLifetime((shop, token)) {}
    }

    @Test("of a context nothing else can be observed")
    func otherProperties() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            _ = shop.context.observe(\.insertedObjects) { _, _ in }
        }
    }
}
