// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the contents of conflicts and of the errors that carry them.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Conflict objects") struct ConflictObjectSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// Proves: C23, F83
    @Test("snapshots have attributes and to-ones, and nothing else", arguments: StoreKind.all)
    func snapshots(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
        let book = shop.book("Dune", pages: 7, by: ada)
        book.tags = [shop.tag("sf")]
        try shop.context.save()
        let sides = Sides(shop.stack)
        book.title = "Mine"
        try sides.their(book).author = sides.their(bob)
        try sides.theirs.save()
        let conflict = try #require(conflicts(sides).first { $0.sourceObject === book })
        let before = try #require(conflict.objectSnapshot)
        let now = try #require(conflict.cachedSnapshot)
        #expect(conflict.persistedSnapshot == nil)
        #expect(before["title"] as? String == "Dune")
        #expect(before["pages"] as? Int == 7)
        #expect(before["price"] is NSNull)
        #expect(before["author"] as? NSManagedObjectID == ada.objectID)
        #expect(now["author"] as? NSManagedObjectID == bob.objectID)
        let absent = ["tags", "chapters", "note"].filter { before[$0] != nil || now[$0] != nil }
        #expect(absent.isEmpty)
        #expect((conflict.oldVersionNumber, conflict.newVersionNumber) == (1, 2))
    }

    /// Proves: C23, F83
    @Test(
        "derived values of a refused save are not in its conflicts, nor read afterwards", arguments: StoreKind.builtIn)
    func derived(store: StoreKind) throws {
        let stack = try Stack(store, League.model)
        let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: stack.context)
        try stack.context.save()
        let sides = Sides(stack)
        func hire(_ team: NSManagedObject, _ context: NSManagedObjectContext) {
            let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: context)
            player.setValue(2.0, forKey: "wage")
            player.setValue(team, forKey: "team")
        }
        hire(try sides.theirs.existingObject(with: team.objectID), sides.theirs)
        try sides.theirs.save()
        hire(team, stack.context)
        let conflict = try #require(conflicts(sides).first { $0.sourceObject === team })
        #expect(conflict.cachedSnapshot?["size"] as? Int == 1)
        #expect(conflict.cachedSnapshot?["wages"] as? Double == 2)
        let fresh = stack.newContext()
        let read = try fresh.existingObject(with: team.objectID)
        #expect(read.value(forKey: "size") as? Int == 1)
        #expect(read.value(forKey: "wages") as? Double == 2)
    }

    /// Proves: C23, F83
    @Test(
        "a write of another program is a conflict of coordinator and store",
        arguments: StoreKind.all.filter(\.isShared))
    func external(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let (coordinator, other) = try shop.stack.secondCoordinator()
        let theirs = try #require(try other.fetch(Book.request()).first)
        theirs.title = "Theirs"
        try other.save()
        book.title = "Mine"
        let conflict = try #require(try conflicts(Sides(shop.stack)).first)
        #expect(conflict.sourceObject === book)
        #expect(conflict.objectSnapshot == nil)
        #expect(conflict.cachedSnapshot?["title"] as? String == "Dune")
        #expect(conflict.persistedSnapshot?["title"] as? String == "Theirs")
        #expect((conflict.oldVersionNumber, conflict.newVersionNumber) == (1, 2))

        shop.context.refresh(book, mergeChanges: true)
        #expect(shop.context.saveFailure() == nil)
        #expect(book.title == "Mine")
        withExtendedLifetime(coordinator) {}
    }

    /// Proves: C23
    @Test("a record that another program deleted", arguments: StoreKind.all.filter(\.isShared))
    func deletedOutside(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let (coordinator, other) = try shop.stack.secondCoordinator()
        other.delete(try #require(try other.fetch(Book.request()).first))
        try other.save()
        book.title = "Mine"
        let conflict = try #require(try conflicts(Sides(shop.stack)).first)
        #expect(conflict.newVersionNumber == 0)
        #expect(conflict.oldVersionNumber == 1)
        #expect(conflict.cachedSnapshot?["title"] as? String == "Dune")
        #expect(conflict.persistedSnapshot == nil)
        withExtendedLifetime(coordinator) {}
    }

    /// Proves: C23
    @Test("a record that another context deleted has no newer row", arguments: StoreKind.all)
    func deleted(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let sides = Sides(shop.stack)
        sides.theirs.delete(try sides.their(book))
        try sides.theirs.save()
        book.title = "Mine"
        let conflict = try #require(try conflicts(sides).first)
        #expect((conflict.oldVersionNumber, conflict.newVersionNumber) == (1, 0))
        #expect(conflict.objectSnapshot?["title"] as? String == "Dune")
        #expect(conflict.cachedSnapshot == nil)
        #expect(conflict.persistedSnapshot == nil)
    }

    /// Proves: C23, F82, F89
    @Test("the error names the ids of objects in conflict", arguments: StoreKind.all)
    func ids(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (changed, doomed, tag) = (shop.book("changed"), shop.book("doomed"), shop.tag("sf"))
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(changed).pages = 1
        try sides.their(doomed).pages = 1
        try sides.theirs.save()
        changed.title = "mine"
        sides.mine.delete(doomed)
        var error = try #require(sides.mine.saveFailure())
        #expect(error.userInfo[NSUpdatedObjectsKey] as? [NSManagedObjectID] == [changed.objectID])
        #expect(error.userInfo[NSDeletedObjectsKey] as? [NSManagedObjectID] == [doomed.objectID])
        #expect(error.userInfo[NSInsertedObjectsKey] == nil)
        #expect((error as? CocoaError)?.persistentStoreSaveConflicts?.count == 2)
        sides.mine.rollback()

        let rival = shop.tag("sf")
        error = try #require(sides.mine.saveFailure())
        #expect(error.userInfo[NSInsertedObjectsKey] as? [NSManagedObjectID] == [rival.objectID])
        #expect((error as? CocoaError)?.persistentStoreSaveConflicts == nil)
        let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first
        #expect(conflict?.databaseObject === tag)
        #expect(conflict?.databaseSnapshot?["name"] as? String == "sf")
        #expect(conflict?.conflictingSnapshots.count == 1)
        #expect(conflict?.conflictingSnapshots.first?["name"] is NSNull)
    }

    /// Proves: C23
    @Test("a policy resolves conflicts that a program made", arguments: StoreKind.all)
    func madeByHand(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (ada, bob) = (shop.author("Ada"), shop.author("Bob"))
        let book = shop.book("Dune", pages: 1, by: ada)
        try shop.context.save()
        book.title = "Mine"
        book.pages = 2
        let conflict = NSMergeConflict(
            source: book, newVersion: 5, oldVersion: 1,
            cachedSnapshot: ["title": "Theirs", "author": bob.objectID, "rating": 4.5], persistedSnapshot: nil)
        #expect(conflict.objectSnapshot?["title"] as? String == "Dune")
        #expect(conflict.cachedSnapshot?["title"] as? String == "Theirs")
        #expect((conflict.oldVersionNumber, conflict.newVersionNumber) == (1, 5))
        try NSMergePolicy.mergeByPropertyStoreTrump.resolve(mergeConflicts: [conflict])
        #expect(book.title == "Theirs")
        #expect(book.pages == 2)
        #expect(book.author === bob)
        #expect(book.value(forKey: "rating") as? Double == 4.5)

        let external = NSMergeConflict(
            source: book, newVersion: 6, oldVersion: 5, cachedSnapshot: [:], persistedSnapshot: [:])
        #expect(external.objectSnapshot == nil)
    }

    /// Proves: C23
    @Test("a uniqueness conflict that a program made", arguments: StoreKind.all)
    func constraintMadeByHand(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let stored = shop.tag("sf")
        try shop.context.save()
        let new = shop.tag("sf")
        let book = shop.book("Dune")
        book.tags = [new]
        let conflict = NSConstraintConflict(
            constraint: ["name"], database: stored, databaseSnapshot: ["name": "sf"], conflicting: [new],
            conflictingSnapshots: [NSNull()])
        #expect(conflict.constraint == ["name"])
        #expect(conflict.constraintValues["name"] as? String == "sf")
        #expect(conflict.databaseSnapshot?["name"] as? String == "sf")
        #expect(conflict.conflictingObjects == [new])
        #expect(conflict.conflictingSnapshots.map(\.count) == [0])
        try NSMergePolicy.mergeByPropertyObjectTrump.resolve(constraintConflicts: [conflict])
        try shop.context.save()
        #expect(book.tags == [stored])
    }

    /// Proves: C23
    @Test("a null and an id of no object in a program's snapshot end a to-one", arguments: StoreKind.all)
    func nullByHand(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let ada = shop.author("Ada")
        let book = shop.book("Dune", by: ada)
        try shop.context.save()
        book.title = "Mine"
        let conflict = NSMergeConflict(
            source: book, newVersion: 2, oldVersion: 1,
            cachedSnapshot: ["title": "Theirs", "author": NSNull()], persistedSnapshot: nil)
        try NSMergePolicy.mergeByPropertyStoreTrump.resolve(mergeConflicts: [conflict])
        #expect(book.title == "Theirs")
        #expect(book.author == nil)
    }

    /// Proves: C23
    @Test("conflicts describe themselves with their objects", arguments: StoreKind.all)
    func descriptions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (book, stored) = (shop.book("Dune"), shop.tag("sf"))
        try shop.context.save()
        let sides = Sides(shop.stack)
        try sides.their(book).pages = 1
        try sides.theirs.save()
        book.title = "Mine"
        let version = try #require(try conflicts(sides).first)
        #expect(version.description == "<NSMergeConflict: \(book.objectID) version 1, now 2>")
        let new = shop.tag("sf")
        let unique = NSConstraintConflict(
            constraint: ["name"], database: stored, databaseSnapshot: ["name": "sf", 7: "no key"],
            conflicting: [new], conflictingSnapshots: [])
        #expect(unique.description == "<NSConstraintConflict: name, 1 objects, record \(stored.objectID)>")
        #expect(unique.databaseSnapshot?.count == 1)
        let unsaved = NSConstraintConflict(
            constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: [new, new],
            conflictingSnapshots: [])
        #expect(unsaved.description == "<NSConstraintConflict: name, 2 objects>")
    }

    private func conflicts(_ sides: Sides) throws -> [NSMergeConflict] {
        let error = try #require(sides.mine.saveFailure())
        #expect(error.code == NSManagedObjectMergeError)
        return try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])
    }
}
