// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values a refresh keeps and which it takes from the store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Refreshing") struct RefreshSpecification {
    /// Proves: C18, M20, F22
    @Test("with merge, the store's values come in below the changes", arguments: StoreKind.all)
    func merging(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        book.title = "Local"
        try change(shop) {
            $0.title = "Theirs"; $0.pages = 9
        }
        shop.context.refresh(book, mergeChanges: true)
        #expect(!book.isFault)
        #expect(book.title == "Local")
        #expect(book.pages == 9)
        #expect(Set(book.changedValues().keys) == ["title"])
        #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "Theirs")
        try shop.context.save()
        #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Local"])
    }

    /// Proves: C18, L8, F22
    @Test("without merge, the object is a fault and the changes are gone", arguments: StoreKind.all)
    func discarding(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        book.title = "Local"
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.isFault)
        #expect(!book.hasChanges)
        #expect(!shop.context.hasChanges)
        #expect(book.title == "Dune")
        #expect(book.changedValues().isEmpty)
    }

    /// Proves: C18
    @Test("without merge, the newest values are read", arguments: StoreKind.all)
    func newest(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        try change(shop) { $0.pages = 9 }
        #expect(book.pages == 100)
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.pages == 9)
    }

    /// Proves: C18
    @Test("an unchanged object is merged as well", arguments: StoreKind.all)
    func mergingUnchanged(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        #expect(book.pages == 100)
        try change(shop) { $0.pages = 9 }
        shop.context.refresh(book, mergeChanges: true)
        #expect(book.pages == 9)
        #expect(!book.hasChanges)
    }

    /// Proves: C18, M20
    @Test("with merge, members that were added and removed here stay so", arguments: StoreKind.all)
    func mergingToMany(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let dune = shop.book("Dune", by: frank)
        try shop.context.save()
        #expect(frank.books == [dune])
        let other = shop.stack.newContext()
        shop.book("Theirs", by: other.object(with: frank.objectID) as? Author, in: other)
        try other.save()
        let mine = shop.book("Mine", by: frank)
        dune.author = nil
        shop.context.refresh(frank, mergeChanges: true)
        #expect(Set(frank.books.map(\.title)) == ["Theirs", "Mine"])
        #expect(mine.author === frank)
        try shop.context.save()
        let check = shop.stack.newContext()
        #expect(Set((check.object(with: frank.objectID) as? Author)?.books.map(\.title) ?? []) == ["Theirs", "Mine"])
    }

    /// Proves: C18, M21
    @Test("transient values stay with merge, and go without", arguments: StoreKind.all)
    func transients(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        book.setValue("lent", forKey: "note")
        try change(shop) { $0.pages = 9 }
        shop.context.refresh(book, mergeChanges: true)
        #expect(book.value(forKey: "note") as? String == "lent")
        #expect(book.pages == 9)
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.value(forKey: "note") == nil)
    }

    /// Proves: C18, F1
    @Test("with merge, a change of a transient value stays a change", arguments: StoreKind.all)
    func changedTransients(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        book.setValue("lent", forKey: "note")
        try shop.context.save()
        book.setValue(nil, forKey: "note")
        shop.context.refresh(book, mergeChanges: true)
        #expect(Set(book.changedValues().keys) == ["note"])
        #expect(book.committedValues(forKeys: ["note"])["note"] as? String == "lent")
        #expect(book.isUpdated)
    }

    /// Proves: C18, M15
    @Test("with merge, setting a value to itself is no change", arguments: StoreKind.all)
    func mergingNothing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        book.author = nil
        shop.context.refresh(book, mergeChanges: true)
        #expect(book.changedValues().isEmpty)
        #expect(!book.hasPersistentChangedValues)
    }

    /// Proves: C18, F21
    @Test(
        "a refresh of all makes faults of clean objects and keeps the changes of the others", arguments: StoreKind.all)
    func all(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let clean = shop.book("clean")
        let dirty = shop.book("dirty")
        try shop.context.save()
        dirty.pages = 7
        let new = shop.book("new")
        shop.context.refreshAllObjects()
        #expect(clean.isFault)
        #expect(!dirty.isFault)
        #expect(dirty.pages == 7)
        #expect(dirty.isUpdated)
        #expect(new.title == "new")
        #expect(new.isInserted)
    }

    /// Proves: F23
    @Test("an unsaved insertion that is refreshed is a fault until its values are read", arguments: StoreKind.all)
    func insertion(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        shop.context.refresh(book, mergeChanges: false)
        #expect(book.isFault)
        book.willAccessValue(forKey: nil)
        #expect(!book.isFault)
        #expect(book.isInserted)
    }

    /// Proves: M21, M23, F146
    @Test("with merge, an object turns into a fault and is read again", arguments: StoreKind.all)
    func callsOfMerge(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let (entry, changed) = (diary.entry("one"), diary.entry("two"))
        try diary.context.save()
        changed.stamp = 5
        let expected = ["willTurnIntoFault", "didTurnIntoFault", "awakeFromSnapshotEvents"]
        for object in [entry, changed] {
            _ = object.newCalls()
            diary.context.refresh(object, mergeChanges: true)
            #expect(object.newCalls() == expected)
            #expect(!object.isFault)
        }
        #expect(changed.stamp == 5)
        diary.context.refresh(entry, mergeChanges: false)
        #expect(entry.newCalls() == ["willTurnIntoFault", "didTurnIntoFault"])
        diary.context.refresh(entry, mergeChanges: true)
        #expect(entry.newCalls().isEmpty)
    }

    /// Decided by `refresh(_:mergeChanges: true)` of an object whose row another context deleted.
    /// Proves: M21
    @Test("a merge of an object without a record leaves it as it is", .tags(.assumed), arguments: StoreKind.all)
    func gone(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = try sharedBook(shop)
        #expect(book.title == "Dune")
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        try other.save()
        shop.context.refresh(book, mergeChanges: true)
        #expect(book.title == "Dune")
    }

    private func sharedBook(_ shop: Bookshop) throws -> Book {
        let book = shop.book("Dune")
        try shop.context.save()
        return book
    }

    /// Another context changes the first book and saves.
    private func change(_ shop: Bookshop, _ body: (Book) -> Void) throws {
        let context = shop.stack.newContext()
        body(try #require(try context.fetch(Book.request()).first))
        try context.save()
    }
}
