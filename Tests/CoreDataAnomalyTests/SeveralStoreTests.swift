// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One of several stores is locked by another program, from the beginning of a save or at its commit.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@Suite("One of several stores is locked") struct SeveralStoreTests {
    private var impatient: [AnyHashable: Any] { [NSPersistentStoreTimeoutOption: 0.05] }
    /// Without a write-ahead log a reader keeps a writer from committing, but not from writing.
    private var rollbackJournal: [AnyHashable: Any] {
        [NSPersistentStoreTimeoutOption: 0.05, NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    }

    private func connect(_ store: NSPersistentStore) throws -> Connection {
        try Connection(url: try #require(store.url), options: .init(busyTimeout: .zero))
    }

    private func read(_ connection: Connection) throws {
        try connection.begin(.deferred)
        try connection.execute("SELECT COUNT(*) FROM ZBOOK")
    }

    private func change(_ many: ManyStores) -> [CoreDataTestSupport.Tag] {
        for book in many.books { book.title = "mine" }
        return many.stores.indices.map { many.tag("new", in: many.stores[$0], of: many.books[$0]) }
    }

    private func expectNothing(_ many: ManyStores, _ tags: [CoreDataTestSupport.Tag], _ error: NSError?) throws {
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSPersistentStoreTimeoutError, "\(String(describing: error))")
        #expect(many.context.updatedObjects == Set(many.books))
        #expect(many.context.insertedObjects == Set(tags))
        #expect(tags.map(\.objectID.isTemporaryID) == many.mixture.kinds.map { !$0.givesIDsBeforeSaving })
        #expect(many.cachedTitles() == many.untouched)
        // No store is left locked.
        for store in many.stores where store.type == NSSQLiteStoreType && store !== many.special {
            let other = try connect(store)
            try other.begin(.immediate)
            try other.close()
        }
    }

    private func expectEverything(_ many: ManyStores, _ tags: [CoreDataTestSupport.Tag]) throws {
        #expect(many.context.saveFailure() == nil)
        #expect(!many.context.hasChanges)
        #expect(try many.storedTitles() == many.stores.map { _ in "mine" })
        #expect(try many.storedTags() == tags.map { _ in "new" })
        #expect(tags.map(\.objectID.persistentStore) == many.stores)
    }

    @Test("a store that another program writes to leaves the others as they were", arguments: StoreMixture.withFile)
    func writeLock(mixture: StoreMixture) throws {
        let many = try ManyStores(mixture, options: impatient)
        let tags = change(many)
        let other = try connect(many.special)
        try other.begin(.immediate)
        try expectNothing(many, tags, many.context.saveFailure())
        #expect(try many.storedTitles() == many.untouched)
        try other.rollback()
        try other.close()
        try expectEverything(many, tags)
    }

    /// Two files, of which the special one commits first, or last.
    private func files(specialCommitsFirst: Bool) throws -> ManyStores {
        let many = try ManyStores(.init(kinds: [.sqlite, .sqlite], special: 0), options: rollbackJournal)
        // Saving-J3 and J4: the greatest UUID commits first.
        let isFirst = many.stores[0].identifier > many.stores[1].identifier
        many.mixture.special = isFirst == specialCommitsFirst ? 0 : 1
        return many
    }

    private func refuseCommit(_ many: ManyStores) throws {
        let tags = change(many)
        let other = try connect(many.special)
        try read(other)
        try expectNothing(many, tags, many.context.saveFailure())
        #expect(try many.storedTitles() == many.untouched)
        try other.rollback()
        try other.close()
        try expectEverything(many, tags)
    }

    @Test("a file with a commit that another program refuses leaves the others as they were, if it commits first")
    func commitOfTheFirst() throws { try refuseCommit(files(specialCommitsFirst: true)) }

    @Test(
        "stores in memory commit after the only file, so a refused commit leaves them as they were", arguments: [0, 1])
    func commitBeforeMemory(special: Int) throws {
        var kinds = [StoreKind.inMemory, .inMemory]
        kinds[special] = .sqlite
        try refuseCommit(ManyStores(.init(kinds: kinds, special: special), options: rollbackJournal))
    }

    @Test("a store that cannot commit after another one has is named by the error, and keeps its changes pending")
    func lateCommit() throws {
        let many = try files(specialCommitsFirst: false)
        let (late, early) = (many.mixture.special, 1 - many.mixture.special)
        let tags = change(many)
        let other = try connect(many.special)
        try read(other)
        let saved = NotificationLog(.NSManagedObjectContextDidSave, of: many.context)
        let error = try #require(many.context.saveFailure())
        #expect(error.code == NSPersistentStoreIncompleteSaveError)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSPersistentStoreTimeoutError)
        #expect(error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [many.special])
        let affected = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []
        #expect(Set(affected) == [many.contested, tags[late]])
        #expect(saved.count == 1)
        #expect(saved.objects(NSUpdatedObjectsKey) == [many.books[early]])
        #expect(saved.objects(NSInsertedObjectsKey) == [tags[early]])
        #expect(many.context.updatedObjects == [many.contested])
        #expect(many.context.insertedObjects == [tags[late]])
        #expect(tags[late].objectID.isTemporaryID && !tags[early].objectID.isTemporaryID)
        try other.rollback()
        try other.close()
        #expect(try many.storedTitles() == many.stores.indices.map { $0 == late ? "\(late)" : "mine" })
        try expectEverything(many, tags)
    }
}
