// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how changes of the same record by two contexts are resolved.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Conflicts") struct ConflictSpecification {
    /// Proves: C23, F82, F83
    @Test(
        "a conflict fails the save unless another policy is set, and the error has all its details",
        arguments: StoreKind.all)
    func errorPolicy(store: StoreKind) throws {
        let duel = try Duel(store)
        let error = try #require(duel.mine.managedObjectContext?.saveFailure())
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSManagedObjectMergeError)
        let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
        let conflict = try #require(conflicts.first)
        #expect(conflicts.count == 1)
        #expect(conflict.sourceObject === duel.mine)
        #expect(conflict.newVersionNumber == conflict.oldVersionNumber + 1)
        #expect(conflict.objectSnapshot?["title"] as? String == "Dune")
        #expect(conflict.cachedSnapshot?["title"] as? String == "Theirs")
        #expect(conflict.persistedSnapshot == nil)
        #expect(duel.mine.title == "Mine")
        #expect(duel.mine.hasChanges)
    }

    /// Proves: C23, F84
    @Test("store trump: the store wins where both changed, other changes stay", arguments: StoreKind.all)
    func storeTrump(store: StoreKind) throws {
        let duel = try Duel(store)
        #expect(duel.save(.mergeByPropertyStoreTrump) == nil)
        #expect(try duel.stored() == ["Theirs", "1", "false"])
        #expect(duel.mine.title == "Theirs")
        #expect(duel.mine.value(forKey: "inPrint") as? Bool == false)
    }

    /// Proves: C23, F85
    @Test("object trump: local changes win, everything else is the store's", arguments: StoreKind.all)
    func objectTrump(store: StoreKind) throws {
        let duel = try Duel(store)
        #expect(duel.save(.mergeByPropertyObjectTrump) == nil)
        #expect(try duel.stored() == ["Mine", "1", "false"])
        #expect(duel.mine.pages == 1)
    }

    /// Proves: C23, F86
    @Test("overwrite: the whole object wins", arguments: StoreKind.all)
    func overwrite(store: StoreKind) throws {
        let duel = try Duel(store)
        #expect(duel.save(.overwrite) == nil)
        #expect(try duel.stored() == ["Mine", "100", "false"])
    }

    /// Proves: C23, F87
    @Test("rollback: the store's record wins, local changes go", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let duel = try Duel(store)
        #expect(duel.save(.rollback) == nil)
        #expect(try duel.stored() == ["Theirs", "1", "true"])
        #expect(duel.mine.changedValues().isEmpty)
        #expect(duel.mine.title == "Theirs")
        #expect(duel.mine.managedObjectContext?.hasChanges == false)
    }

    /// Proves: F88
    @Test("changes of different objects are no conflict", arguments: StoreKind.all)
    func disjoint(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let one = shop.book("one")
        let two = shop.book("two")
        try shop.context.save()
        let other = shop.stack.newContext()
        (other.object(with: two.objectID) as? Book)?.pages = 2
        one.pages = 1
        try other.save()
        #expect(shop.context.saveFailure() == nil)
    }

    /// Proves: C23
    @Test("after a refresh there is no conflict any more", arguments: StoreKind.all)
    func refreshed(store: StoreKind) throws {
        let duel = try Duel(store)
        let context = try #require(duel.mine.managedObjectContext)
        #expect(context.saveFailure() != nil)
        context.refresh(duel.mine, mergeChanges: true)
        #expect(context.saveFailure() == nil)
        #expect(try duel.stored() == ["Mine", "1", "false"])
    }

    /// Proves: C18, C23, C26
    @Test("a conflict about equal values leaves nothing changed, and later values come in", arguments: StoreKind.all)
    func equalValues(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let mine = shop.book("Dune", pages: 1)
        try shop.context.save()
        let other = shop.stack.newContext()
        let theirs = try #require(try other.existingObject(with: mine.objectID) as? Book)
        mine.pages = 2
        theirs.pages = 2
        try other.save()
        shop.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(shop.context.saveFailure() == nil)
        #expect(!shop.context.hasChanges)
        theirs.pages = 3
        try other.save()
        shop.context.refresh(mine, mergeChanges: true)
        #expect(mine.pages == 3)
        #expect(mine.changedValues().isEmpty)
    }

    /// Proves: C23
    @Test(
        "a record that was deleted underneath: it stays deleted or is written again",
        arguments: StoreKind.all)
    func deletedUnderneath(store: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
            let (shop, book) = try deletedByOther(store)
            shop.context.mergePolicy = policy
            #expect(shop.context.saveFailure() == nil)
            #expect(try shop.stack.newContext().count(for: Book.request()) == 0)
            #expect(!shop.context.hasChanges)
            #expect(book.managedObjectContext == nil)
        }
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            let (shop, book) = try deletedByOther(store)
            let id = book.objectID
            shop.context.mergePolicy = policy
            #expect(shop.context.saveFailure() == nil)
            #expect(book.objectID == id)
            #expect(try (shop.stack.newContext().existingObject(with: id)).objectID == id)
            #expect(try shop.titles(Book.request(), in: shop.stack.newContext()) == ["Mine"])
        }
    }

    /// Proves: C23
    @Test("a record that was deleted underneath has the version 0", arguments: StoreKind.all)
    func deletedUnderneathError(store: StoreKind) throws {
        let (shop, book) = try deletedByOther(store)
        let error = try #require(shop.context.saveFailure())
        #expect(error.code == NSManagedObjectMergeError)
        let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
        #expect(conflicts.first?.newVersionNumber == 0)
        #expect(conflicts.first?.sourceObject === book)
    }

    /// Proves: C17
    @Test("an unchanged object can be made to fail the save when it was changed underneath", arguments: StoreKind.all)
    func detection(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let read = shop.book("read")
        let written = shop.book("written")
        try shop.context.save()
        shop.context.detectConflicts(for: read)
        written.pages = 1
        #expect(shop.context.saveFailure() == nil)

        shop.context.detectConflicts(for: read)
        written.pages = 2
        let other = shop.stack.newContext()
        (other.object(with: read.objectID) as? Book)?.pages = 9
        try other.save()
        #expect(shop.context.saveFailure()?.code == NSManagedObjectMergeError)
    }

    /// Proves: C23, F90
    @Test("a custom policy resolves conflicts", arguments: StoreKind.all)
    func ownPolicy(store: StoreKind) throws {
        let duel = try Duel(store)
        let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        #expect(duel.save(policy) == nil)
        #expect(policy.lockingConflicts == 1)
        #expect(policy.constraintConflicts == 0)
        #expect(try duel.stored() == ["Mine", "1", "false"])
    }

    private func deletedByOther(_ store: StoreKind) throws -> (Bookshop, Book) {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let other = shop.stack.newContext()
        other.delete(other.object(with: book.objectID))
        try other.save()
        book.title = "Mine"
        return (shop, book)
    }
}

/// Counts the conflicts of each kind, and resolves them by a built-in policy.
final class RecordingPolicy: NSMergePolicy, @unchecked Sendable {  // used by a single test
    var lockingConflicts = 0
    var constraintConflicts = 0

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        lockingConflicts += list.count
        try super.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        constraintConflicts += list.count
        try super.resolve(constraintConflicts: list)
    }
}

/// A book that two contexts changed. Both changed the title, the other one the pages, this one whether it is in print.
/// The other context has saved.
private struct Duel {
    let shop: Bookshop
    let mine: Book

    init(_ store: StoreKind) throws {
        shop = try Bookshop(in: store)
        mine = shop.book("Dune", pages: 100)
        try shop.context.save()
        let other = shop.stack.newContext()
        let theirs = try #require(other.object(with: mine.objectID) as? Book)
        mine.title = "Mine"
        mine.setValue(false, forKey: "inPrint")
        theirs.title = "Theirs"
        theirs.pages = 1
        try other.save()
    }

    func save(_ policy: NSMergePolicy) -> NSError? {
        shop.context.mergePolicy = policy
        return shop.context.saveFailure()
    }

    /// Title, pages and whether it is in print, as a new context sees them.
    func stored() throws -> [String] {
        let context = shop.stack.newContext()
        let book = try #require(try context.fetch(Book.request()).first)
        return [book.title ?? "", "\(book.pages)", "\(book.value(forKey: "inPrint") as? Bool ?? true)"]
    }
}
