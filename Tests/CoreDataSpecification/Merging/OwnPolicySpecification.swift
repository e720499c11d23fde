// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when custom merge policies are called, and with which conflicts.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Custom merge policies") struct OwnPolicySpecification {
    /// Proves: C23, F90
    @Test(
        "all conflicts go through one method, the two others get their kinds, versions first", arguments: StoreKind.all)
    func methods(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, tag) = (shop.book("Dune"), shop.tag("sf"))
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 9
        try sides.theirs.save()
        book.title = "Mine"
        let new = shop.tag("sf")
        let policy = Witness(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        sides.mine.mergePolicy = policy
        #expect(sides.mine.saveFailure() == nil)
        #expect(policy.calls == ["all 1", "locking [Dune]", "all 1", "constraints [sf]"])
        #expect((book.title, book.pages) == ("Mine", 9))
        #expect(new.managedObjectContext == nil)
        #expect(tag.managedObjectContext != nil)
    }

    /// Proves: C23
    @Test("a policy may take values from any of the versions", arguments: StoreKind.all)
    func values(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune", pages: 100)
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 130
        try sides.theirs.save()
        book.pages = 107
        sides.mine.mergePolicy = Adding(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        #expect(sides.mine.saveFailure() == nil)
        #expect(book.pages == 137)
        #expect(try sides.stored(book).pages == 137)
    }

    /// Proves: C23, F98
    @Test("an error of a policy is the error of the save, and everything stays pending", arguments: StoreKind.all)
    func throwing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 9
        try sides.theirs.save()
        book.pages = 1
        let new = shop.book("new")
        sides.mine.mergePolicy = Refusing(merge: .overwriteMergePolicyType)
        let error = try #require(sides.mine.saveFailure())
        #expect(error.domain == "Refusing")
        #expect(error.code == 7)
        #expect(sides.mine.updatedObjects == [book])
        #expect(sides.mine.insertedObjects == [new])
        #expect(book.pages == 1)
        sides.mine.mergePolicy = NSMergePolicy.overwrite
        #expect(sides.mine.saveFailure() == nil)
        #expect(try sides.stored(book).pages == 1)
    }

    /// Proves: C23
    @Test("a policy that resolves nothing does not save for ever", arguments: StoreKind.all)
    func idle(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 9
        try sides.theirs.save()
        book.pages = 1
        sides.mine.mergePolicy = Idle(merge: .overwriteMergePolicyType)
        let error = try #require(sides.mine.saveFailure())
        #expect(error.code == NSPersistentStoreSaveError)
        #expect(sides.mine.updatedObjects == [book])
    }

    /// Proves: C23
    @Test("the policies of the framework have the types of their names") func kinds() {
        let policies: [(NSMergePolicy, Any, NSMergePolicyType)] = [
            (.error, NSErrorMergePolicy, .errorMergePolicyType),
            (
                .mergeByPropertyStoreTrump, NSMergeByPropertyStoreTrumpMergePolicy,
                .mergeByPropertyStoreTrumpMergePolicyType
            ),
            (
                .mergeByPropertyObjectTrump, NSMergeByPropertyObjectTrumpMergePolicy,
                .mergeByPropertyObjectTrumpMergePolicyType
            ),
            (.overwrite, NSOverwriteMergePolicy, .overwriteMergePolicyType),
            (.rollback, NSRollbackMergePolicy, .rollbackMergePolicyType),
        ]
        for (policy, constant, type) in policies {
            #expect(policy === constant as? NSMergePolicy)
            #expect(policy.mergeType == type)
        }
    }

    /// Proves: C17, M17
    @Test("changes by a policy are no step of undo", arguments: StoreKind.all)
    func undo(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let sides = Sides(shop.stack)
        sides.mine.undoManager = UndoManager()
        try sides.their(book).pages = 9
        book.title = "Mine"
        sides.mine.processPendingChanges()
        #expect(try sides.save(.object) == nil)
        #expect((book.title, book.pages) == ("Mine", 9))
        sides.mine.undo()
        #expect(book.title == "Dune")
        #expect(sides.mine.undoManager?.canUndo == false)
    }

    /// Proves: C23, C27
    @Test(
        "observers learn that merged objects were refreshed, and the objects that a policy merged them",
        arguments: StoreKind.all)
    func notification(store: StoreKind) throws {
        let diary = try Diary(in: store)
        let entry = diary.entry("one")
        try diary.context.save()
        let sides = Sides(diary.stack)
        try sides.their(entry).stamp = 9
        try sides.theirs.save()
        entry.text = "mine"
        sides.mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        sides.mine.processPendingChanges()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: sides.mine)
        _ = entry.newCalls()
        try sides.mine.save()
        #expect(
            log.notifications.contains { ($0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject>) == [entry] })
        #expect(entry.newCalls() == ["willSave", "awakeFromSnapshotEvents", "didSave"])
        #expect(entry.stamp == 9)
    }
}

private final class Witness: NSMergePolicy, @unchecked Sendable {  // used by a single test
    var calls: [String] = []

    override func resolve(mergeConflicts list: [Any]) throws {
        calls.append("all \(list.count)")
        try super.resolve(mergeConflicts: list)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        calls.append("locking \(list.map { $0.objectSnapshot?["title"] as? String ?? "?" })".replacing("\"", with: ""))
        try super.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        calls.append(
            "constraints \(list.map { $0.constraintValues["name"] as? String ?? "?" })".replacing("\"", with: ""))
        try super.resolve(constraintConflicts: list)
    }
}

/// Adds the changes of both sides to the pages.
private final class Adding: NSMergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let sums = list.map { conflict in
            let (base, theirs) = (conflict.objectSnapshot?["pages"] as? Int, conflict.cachedSnapshot?["pages"] as? Int)
            return (conflict.sourceObject.value(forKey: "pages") as? Int ?? 0) + (theirs ?? 0) - (base ?? 0)
        }
        try super.resolve(optimisticLockingConflicts: list)
        for (conflict, sum) in zip(list, sums) { conflict.sourceObject.setValue(sum, forKey: "pages") }
    }
}

private final class Refusing: NSMergePolicy, @unchecked Sendable {
    override func resolve(mergeConflicts list: [Any]) throws { throw NSError(domain: "Refusing", code: 7) }
}

private final class Idle: NSMergePolicy, @unchecked Sendable {
    override func resolve(mergeConflicts list: [Any]) throws {}
}
