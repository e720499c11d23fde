// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how values are kept unique.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Uniqueness constraints") struct ConstraintSpecification {
    private typealias Tag = CoreDataTestSupport.Tag

    /// Proves: C23, F89
    @Test("a value that another record has fails the save unless another policy is set", arguments: StoreKind.all)
    func errorPolicy(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let old = shop.tag("sf")
        try shop.context.save()
        let context = shop.stack.newContext()
        let new = tag("sf", in: context)
        let error = try #require(context.saveFailure())
        #expect(error.code == NSManagedObjectConstraintMergeError)
        let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.constraint == ["name"])
        #expect(conflicts.first?.constraintValues["name"] as? String == "sf")
        #expect(conflicts.first?.databaseObject?.objectID == old.objectID)
        #expect(conflicts.first?.conflictingObjects == [new])
        #expect(new.isInserted)
        new.name = "fantasy"
        #expect(context.saveFailure() == nil)
    }

    /// Proves: F139
    @Test("a refused insertion stays pending, and rollback removes only it", arguments: StoreKind.all)
    func rollback(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        do { shop.book("Dune").tags = [shop.tag("sf")] }
        try shop.context.save()
        #expect(shop.context.registeredObjects.count == 2)
        shop.tag("sf")
        #expect(shop.context.saveFailure()?.code == NSManagedObjectConstraintMergeError)
        #expect(shop.context.insertedObjects.count == 1)
        shop.context.rollback()
        #expect(!shop.context.hasChanges)
        #expect(shop.context.registeredObjects.count == 2)
        #expect(shop.context.registeredObjects.allSatisfy { !$0.hasChanges && !$0.isInserted })
    }

    /// Proves: C23
    @Test("a value that its record gave up, by a change or by its deletion, is free", arguments: StoreKind.all)
    func freeValues(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let (changed, deleted) = (shop.tag("sf"), shop.tag("fantasy"))
        try shop.context.save()
        changed.name = "science fiction"
        shop.context.delete(deleted)
        try shop.context.save()
        let context = shop.stack.newContext()
        for name in ["sf", "fantasy"] { _ = tag(name, in: context) }
        #expect(context.saveFailure() == nil)
        #expect(try shop.stack.newContext().count(for: NSFetchRequest<Tag>(entityName: "Tag")) == 3)
    }

    /// Proves: C23
    @Test("two new objects with one value are a separate conflict", arguments: StoreKind.all)
    func amongInsertions(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.tag("sf")
        shop.tag("sf")
        let error = try #require(shop.context.saveFailure())
        #expect(error.code == NSManagedObjectConstraintMergeError)
        #expect(try shop.stack.newContext().count(for: NSFetchRequest<Tag>(entityName: "Tag")) == 0)
    }

    /// Proves: C23
    @Test("store trump: the record in the store stays, the new object goes", arguments: StoreKind.all)
    func storeTrump(store: StoreKind) throws {
        let (shop, old) = try collision(store, .mergeByPropertyStoreTrump)
        #expect(shop.context.saveFailure() == nil)
        #expect(!shop.context.hasChanges)
        #expect(try stored(shop) == [old])
    }

    /// Proves: C23
    @Test("object trump: the new object wins, one record remains", arguments: StoreKind.all)
    func objectTrump(store: StoreKind) throws {
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            let (shop, _) = try collision(store, policy)
            #expect(shop.context.saveFailure() == nil)
            #expect(!shop.context.hasChanges)
            #expect(try stored(shop).count == 1)
            let book = try #require(try shop.context.fetch(Book.request()).first)
            #expect(book.tags.map(\.name) == ["sf"])
        }
    }

    /// Proves: C23, F90
    @Test("a custom policy may resolve the conflict", arguments: StoreKind.all)
    func ownPolicy(store: StoreKind) throws {
        let (shop, _) = try collision(store, .error)
        let policy = RecordingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        shop.context.mergePolicy = policy
        #expect(shop.context.saveFailure() == nil)
        #expect(policy.constraintConflicts == 1)
        #expect(policy.lockingConflicts == 0)
        #expect(try stored(shop).count == 1)
    }

    /// Decided by `save()` of two objects whose unique attribute is nil.
    /// Proves: C23
    @Test("objects without a value are not in conflict", .tags(.assumed), arguments: StoreKind.all)
    func nulls(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(isUnique: true))
        for _ in 0..<2 { _ = stack.insert("Named") }
        #expect(stack.context.saveFailure() == nil)
    }

    /// Proves: C23
    @Test("values that differ only in their normal form are two, even with another conflict", arguments: StoreKind.all)
    func normalForms(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.tag("sf")
        try shop.context.save()
        let context = shop.stack.newContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        for name in ["sf", "\u{e9}", "e\u{301}"] { _ = tag(name, in: context) }
        try context.save()
        let reader = shop.stack.newContext()
        let names = try reader.fetch(NSFetchRequest<Tag>(entityName: "Tag")).compactMap(\.name)
        #expect(Set(names.map { Array($0.utf8) }) == [Array("sf".utf8), [0xC3, 0xA9], [0x65, 0xCC, 0x81]])
        withExtendedLifetime(reader) {}
    }

    /// A tag "sf" in the store, and a new one on a book in the context.
    private func collision(_ store: StoreKind, _ policy: NSMergePolicy) throws -> (Bookshop, NSManagedObjectID) {
        let shop = try Bookshop(in: store)
        let other = shop.stack.newContext()
        let old = tag("sf", in: other)
        try other.save()
        shop.context.mergePolicy = policy
        shop.book("Dune").tags = [shop.tag("sf")]
        return (shop, old.objectID)
    }

    private func tag(_ name: String, in context: NSManagedObjectContext) -> Tag {
        let tag = Tag(context: context)
        tag.name = name
        return tag
    }

    private func stored(_ shop: Bookshop) throws -> [NSManagedObjectID] {
        try shop.stack.newContext().fetch(NSFetchRequest<Tag>(entityName: "Tag")).map(\.objectID)
    }
}
