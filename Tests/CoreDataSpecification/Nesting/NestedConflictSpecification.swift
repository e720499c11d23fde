// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the conflicts when parent and child, or a context outside of the family, changed the same object.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: C17, C23, F98, P1
@MainActor @Suite("Conflicts between parents and children") struct NestedConflictSpecification {
    private struct Contest {
        let family: Family
        let above: Book
        let below: Book

        init(_ store: StoreKind) throws {
            family = try Family(in: store)
            above = family.shop.book("Dune", pages: 1, in: family.root)
            try family.root.save()
            below = try #require(try family.child.existingObject(with: above.objectID) as? Book)
        }
    }

    @Test("different properties are merged without asking", arguments: StoreKind.all)
    func disjoint(store: StoreKind) throws {
        let contest = try Contest(store)
        contest.above.pages = 2
        contest.below.title = "Dune, annotated"
        try contest.family.child.save()
        #expect(contest.above.pages == 2)
        #expect(contest.above.title == "Dune, annotated")
        try contest.family.root.save()
        #expect(try contest.family.titles(in: contest.family.outsider()) == ["Dune, annotated"])
    }

    @Test("the same property changed on both sides is a conflict; nothing is taken over", arguments: StoreKind.all)
    func contested(store: StoreKind) throws {
        let contest = try Contest(store)
        contest.above.pages = 2
        contest.below.pages = 3
        contest.family.shop.book("Not to be seen yet", in: contest.family.child)
        let failure = try #require(contest.family.child.saveFailure())
        #expect(failure.code == CocoaError.Code.managedObjectMerge.rawValue)
        let conflict = try #require((failure.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(conflict.sourceObject === contest.below)
        #expect(conflict.objectSnapshot?["pages"] as? Int == 1)
        #expect(conflict.cachedSnapshot?["pages"] as? Int == 2)
        #expect(conflict.persistedSnapshot == nil)
        #expect(contest.above.pages == 2)
        #expect(contest.below.pages == 3)
        #expect(contest.family.root.insertedObjects.isEmpty)
        #expect(contest.family.child.insertedObjects.count == 1)
        contest.family.child.refresh(contest.below, mergeChanges: true)
        try contest.family.child.save()
        #expect(contest.above.pages == 3)
    }

    @Test(
        "the child's merge policy decides",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, 2, "Dune, annotated"),
            (.mergeByPropertyObjectTrumpMergePolicyType, 3, "Dune, annotated"),
            (.overwriteMergePolicyType, 3, "Dune, annotated"),
            (.rollbackMergePolicyType, 2, "Dune"),
        ])
    func policies(policy: NSMergePolicyType, pages: Int, title: String) throws {
        let contest = try Contest(.sqlite)
        contest.family.child.mergePolicy = NSMergePolicy(merge: policy)
        contest.above.pages = 2
        contest.below.pages = 3
        contest.below.title = "Dune, annotated"
        try contest.family.child.save()
        #expect(contest.above.pages == pages)
        #expect(contest.above.title == title)
        #expect(contest.below.pages == pages)
        #expect(contest.below.title == title)
        #expect(!contest.below.hasChanges)
    }

    @Test("a record that the parent deletes is a conflict with new version 0", arguments: StoreKind.all)
    func deletedAbove(store: StoreKind) throws {
        let contest = try Contest(store)
        contest.family.root.delete(contest.above)
        contest.family.root.processPendingChanges()
        contest.below.pages = 3
        let failure = try #require(contest.family.child.saveFailure())
        let conflict = try #require((failure.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        #expect(conflict.newVersionNumber == 0)
        contest.family.child.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try contest.family.child.save()
        #expect(!contest.above.isDeleted)
        #expect(contest.above.pages == 3)
        try contest.family.root.save()
        #expect(try contest.family.titles(in: contest.family.outsider()) == ["Dune"])
    }

    @Test("a deletion that the parent has saved is overruled or stays, as the policy says", arguments: StoreKind.all)
    func deletedBelow(store: StoreKind) throws {
        for (policy, titles) in [(NSMergeByPropertyStoreTrumpMergePolicy, []), (NSOverwriteMergePolicy, ["Dune II"])] {
            let contest = try Contest(store)
            contest.family.root.delete(contest.above)
            try contest.family.root.save()
            contest.below.title = "Dune II"
            contest.family.child.mergePolicy = policy
            try contest.family.child.save()
            try contest.family.root.save()
            #expect(try contest.family.titles(in: contest.family.outsider()) == titles)
        }
    }

    @Test("a foreign save conflicts with the root when it saves changes from below", arguments: StoreKind.all)
    func outsider(store: StoreKind) throws {
        let contest = try Contest(store)
        let deep = try #require(try contest.family.grandchild.existingObject(with: contest.above.objectID) as? Book)
        deep.pages = 3
        let outsider = contest.family.outsider()
        (outsider.object(with: contest.above.objectID) as? Book)?.pages = 9
        try outsider.save()
        try contest.family.grandchild.save()
        try contest.family.child.save()
        let failure = try #require(contest.family.root.saveFailure())
        #expect(failure.code == CocoaError.Code.managedObjectMerge.rawValue)
        #expect(contest.above.pages == 3)
        contest.family.root.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try contest.family.root.save()
        outsider.refreshAllObjects()
        #expect((outsider.object(with: contest.above.objectID) as? Book)?.pages == 3)
    }

    @Test("a uniqueness constraint is met where the family meets the store", arguments: StoreKind.all)
    func uniqueness(store: StoreKind) throws {
        let family = try Family(in: store)
        let old = CoreDataTestSupport.Tag(context: family.root)
        old.name = "classic"
        try family.root.save()
        let new = CoreDataTestSupport.Tag(context: family.grandchild)
        new.name = "classic"
        try family.grandchild.save()
        try family.child.save()
        #expect(family.root.saveFailure()?.code == CocoaError.Code.managedObjectConstraintMerge.rawValue)
        #expect(family.root.insertedObjects.count == 1)
        family.root.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
        try family.root.save()
        #expect(try family.outsider().count(for: NSFetchRequest<CoreDataTestSupport.Tag>(entityName: "Tag")) == 1)
    }

    @Test("a value that the parent's own save has changed is no conflict with the child that gave it")
    func hooks() throws {
        let stack = try Stack(.sqlite, DiaryModel.make())
        let root = stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = root
        let entry = Entry(context: child)
        entry.inWillSave = { if $0.stamp == nil { $0.stamp = 1 } }
        try child.save()
        let above = try #require(root.registeredObject(for: entry.objectID) as? Entry)
        above.inWillSave = { if $0.stamp == 1 { $0.stamp = 2 } }
        try root.save()
        #expect(above.stamp == 2)
        #expect(entry.stamp == 1)
        entry.stamp = 7
        try child.save()
        #expect(above.stamp == 7)
        try root.save()
        #expect(above.stamp == 7)
    }

    @Test("conflicts can be looked for where nothing changed", arguments: StoreKind.all)
    func detection(store: StoreKind) throws {
        let contest = try Contest(store)
        contest.family.child.detectConflicts(for: contest.below)
        contest.family.shop.book("Another", in: contest.family.child)
        contest.above.pages = 2
        #expect(contest.family.child.saveFailure()?.code == CocoaError.Code.managedObjectMerge.rawValue)
        contest.above.pages = 1
        try contest.family.child.save()
        #expect(contest.family.root.insertedObjects.count == 1)
    }

    @Test("links that both sides changed end up the same at both ends", arguments: StoreKind.all)
    func links(store: StoreKind) throws {
        let contest = try Contest(store)
        let (family, book) = (contest.family, contest.above)
        let authors = ["A", "B", "C"].map { family.shop.author($0, in: family.root) }
        book.author = authors[0]
        try family.root.save()
        family.child.refreshAllObjects()
        let theirs = try #require(try family.child.existingObject(with: authors[2].objectID) as? Author)
        contest.below.author = theirs
        book.author = authors[1]
        #expect(family.child.saveFailure()?.code == CocoaError.Code.managedObjectMerge.rawValue)
        family.child.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try family.child.save()
        #expect(book.author === authors[2])
        #expect(authors.map(\.books) == [[], [], [book]])
        try family.root.save()
        let outsider = family.outsider()
        let stored = try #require(try outsider.existingObject(with: book.objectID) as? Book)
        #expect(stored.author?.name == "C")
    }

    @Test("a value that the parent changed before its save is a conflict, also where the save changed it again")
    func changedTwice() throws {
        let stack = try Stack(.sqlite, DiaryModel.make())
        let root = stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = root
        let above = Entry(context: root)
        above.stamp = 1
        try root.save()
        let entry = try #require(try child.existingObject(with: above.objectID) as? Entry)
        #expect(entry.stamp == 1)
        above.stamp = 2
        above.inWillSave = { if $0.stamp == 2 { $0.stamp = 3 } }
        try root.save()
        #expect(above.stamp == 3)
        entry.stamp = 7
        #expect(child.saveFailure()?.code == CocoaError.Code.managedObjectMerge.rawValue)
        #expect(above.stamp == 3)
    }
}
