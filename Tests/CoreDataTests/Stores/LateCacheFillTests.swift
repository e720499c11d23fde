// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which rows slow reads and saves put into the row cache of a store after others have saved.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: C22, and R1 to R7 of Documentation/Internals/Objects.md in the stores
@Suite("Rows that reach the cache late") struct LateCacheFillTests {
    private func delete(_ id: NSManagedObjectID, in stack: Stack) throws {
        let context = stack.newContext()
        context.delete(try context.existingObject(with: id))
        try context.save()
    }

    private func cachedRow(_ id: NSManagedObjectID, in stack: Stack) -> Snapshot? {
        (stack.store as? any RecordStore)?.rowCache.row(root: id.layout.rootIndex, key: id.key)
    }

    /// The value for a context that has only the object's id.
    private func fresh<T>(_ id: NSManagedObjectID, _ key: String, in stack: Stack) -> T? {
        let context = stack.newContext()
        return withExtendedLifetime(context) { context.object(with: id).value(forKey: key) as? T }
    }

    @Test("a save that is accepted after the deletion of its record leaves no ghost", arguments: StoreKind.all)
    func slowSave(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune")
        try shop.context.save()
        book.pages = 2
        let save = try SlowSave(shop.context)
        try delete(book.objectID, in: shop.stack)
        save.accept()
        #expect(cachedRow(book.objectID, in: shop.stack) == nil)
        let title: String? = fresh(book.objectID, "title", in: shop.stack)
        #expect(title == nil)
    }

    @Test("saves that are accepted in another order leave the last one's row", arguments: StoreKind.all)
    func saves(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let book = shop.book("Dune", pages: 1)
        try shop.context.save()
        book.pages = 2
        let first = try SlowSave(shop.context)
        let other = shop.stack.newContext()
        (try other.existingObject(with: book.objectID) as? Book)?.pages = 3
        try other.save()
        first.accept()
        let pages: Int? = fresh(book.objectID, "pages", in: shop.stack)
        #expect(pages == 3)
    }

    @Test(
        "derived attributes are the last save's, although their rows' versions do not show it", arguments: StoreKind.all
    )
    func derived(kind: StoreKind) throws {
        let stack = try Stack(kind, League.model)
        let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: stack.context)
        try stack.context.save()
        func hire(in context: NSManagedObjectContext) throws {
            let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            player.setValue(try context.existingObject(with: team.objectID), forKey: "team")
        }
        for order in [[0, 1], [1, 0]] {
            var saves: [SlowSave] = []
            for _ in 0..<2 {
                let context = stack.newContext()
                try hire(in: context)
                saves.append(try SlowSave(context))
            }
            for place in order { saves[place].accept() }
            let size: Int? = fresh(team.objectID, "size", in: stack)
            #expect(size == (order == [0, 1] ? 2 : 4))
        }
    }

    @Test("a read that ends after the deletion of its record leaves no ghost") func slowRead() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune")
        try shop.context.save()
        let reader = try SlowRead(book.objectID, in: shop.stack)
        try delete(book.objectID, in: shop.stack)
        reader.fill()
        #expect(reader.rows.count == 1)
        #expect(cachedRow(book.objectID, in: shop.stack) == nil)
        let title: String? = fresh(book.objectID, "title", in: shop.stack)
        #expect(title == nil)
    }

    @Test("a read that ends after a change, when the new row is released already, does not bring the old one back")
    func oldRow() throws {
        let shop = try Bookshop(in: .sqlite)
        let id = try { () throws -> NSManagedObjectID in
            let book = shop.book("Dune", pages: 1)
            try shop.context.save()
            return book.objectID
        }()
        let reader = try SlowRead(id, in: shop.stack)
        try change(id, in: shop.stack)
        (shop.stack.store as? SQLiteStore)?.rowCache.dropUnheld()
        #expect(cachedRow(id, in: shop.stack) == nil)
        reader.fill()
        #expect(cachedRow(id, in: shop.stack) == nil)
        let pages: Int? = fresh(id, "pages", in: shop.stack)
        #expect(pages == 2)
    }

    private func change(_ id: NSManagedObjectID, in stack: Stack) throws {
        let context = stack.newContext()
        (try context.existingObject(with: id) as? Book)?.pages = 2
        try context.save()
    }

    @Test("a burst of reads begins anew when the cache learns of a save") func burst() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune")
        try shop.context.save()
        let burst = SharedReadTransaction()
        let reader = try SlowRead(book.objectID, in: shop.stack, burst)
        try delete(book.objectID, in: shop.stack)
        reader.fill()
        #expect(cachedRow(book.objectID, in: shop.stack) == nil)
        let again = try SlowRead(book.objectID, in: shop.stack, burst)
        #expect(again.rows.isEmpty)
        burst.end()
    }
}

/// A save that is written but not accepted yet.
private struct SlowSave {
    private let context: NSManagedObjectContext
    private let batches: [StoreChanges]

    init(_ context: NSManagedObjectContext) throws {
        self.context = context
        let coordinator = try #require(context.persistentStoreCoordinator)
        ChangeProcessing(context.state).run(forSave: true)
        try PermanentIDs(context.state, coordinator).assignBeforeSave()
        let changes = try ChangeCollection(context.state, coordinator).collect()
        let written = coordinator.save(changes.map { ($0.store, $0.set) })
        if let failure = written.failure { throw failure }
        batches = zip(changes, written.outcomes).map { $0.with($1) }
        try #require(!batches.contains { !$0.outcome.isWritten })
    }

    func accept() {
        let state = context.state
        var acceptance = SaveAcceptance(state, [:])
        for batch in batches { acceptance.accept(batch) }
        acceptance.acceptUnwritten()
        SaveAnnouncement(state).post(acceptance.announce(by: state.notices))
    }
}

/// A read that has its rows but has not filled the cache yet.
private struct SlowRead {
    private let permit: CacheFillPermit
    let rows: [FetchedRow]

    init(_ id: NSManagedObjectID, in stack: Stack, _ burst: SharedReadTransaction? = nil) throws {
        let store = try #require(stack.store as? SQLiteStore)
        (permit, rows) = try store.read(in: burst) { filling in
            let reader = RowReader(opened: filling.opened, connection: filling.connection)
            return (filling.cache, try reader.rows([id.key], root: reader.schema.model.layouts[id.layout.rootIndex]))
        }
    }

    func fill() { permit.record(rows) }
}
