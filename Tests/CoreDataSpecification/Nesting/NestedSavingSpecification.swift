// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of a child's save on its parent, and when changes reach the store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: P1, P2, F3, F4, F37, F63
@MainActor @Suite("Saving into parents") struct NestedSavingSpecification {
    @Test("a save goes one level up, and only the root's reaches the store", arguments: StoreKind.all)
    func levels(store: StoreKind) throws {
        let family = try Family(in: store)
        let outsider = family.outsider()
        let author = family.shop.author("Herbert", in: family.grandchild)
        family.shop.book("Dune", pages: 412, by: author, in: family.grandchild)
        try family.grandchild.save()
        #expect(!family.grandchild.hasChanges)
        #expect(family.child.insertedObjects.count == 2)
        #expect(!family.root.hasChanges)
        try family.child.save()
        #expect(family.root.insertedObjects.count == 2)
        #expect(try outsider.count(for: Book.request()) == 0)
        try family.root.save()
        let stored = try #require(try outsider.fetch(Book.request()).first)
        #expect(stored.title == "Dune")
        #expect(stored.pages == 412)
        #expect(stored.author?.name == "Herbert")
        #expect(stored.author?.books == [stored])
    }

    @Test("updates, links and deletions go up with it", arguments: StoreKind.all)
    func changes(store: StoreKind) throws {
        let family = try Family(in: store)
        let author = family.shop.author("Austen", in: family.root)
        let emma = family.shop.book("Emma", by: author, in: family.root)
        let gone = family.shop.book("Gone", by: author, in: family.root)
        let chapters = (1...3).map { number in
            let chapter = Chapter(context: family.root)
            chapter.heading = "\(number)"
            return chapter
        }
        emma.chapters = chapters
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: emma.objectID) as? Book)
        theirs.title = "Emma II"
        theirs.chapters = [theirs.chapters[2], theirs.chapters[0]]
        let tag = Tag(context: family.child)
        tag.name = "classic"
        theirs.tags = [tag]
        family.child.delete(family.child.object(with: gone.objectID))
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: family.root)
        try family.child.save()
        #expect(log.count == 1)
        #expect(log.objects(NSInsertedObjectsKey).map { $0.entity.name } == ["Tag"])
        #expect(log.objects(NSDeletedObjectsKey) == [gone])
        #expect(log.objects(NSUpdatedObjectsKey).isSuperset(of: [emma, author]))
        #expect(emma.title == "Emma II")
        #expect(emma.chapters.map(\.heading) == ["3", "1"])
        #expect(chapters[1].book == nil)
        #expect(emma.tags.map(\.name) == ["classic"])
        #expect(emma.tags.first?.books == [emma])
        #expect(author.books == [emma])
        #expect(gone.isDeleted)
        try family.root.save()
        let outsider = family.outsider()
        let stored = try #require(try outsider.existingObject(with: emma.objectID) as? Book)
        #expect(stored.title == "Emma II")
        #expect(stored.chapters.map(\.heading) == ["3", "1"])
        #expect(stored.tags.map(\.name) == ["classic"])
        #expect(try outsider.count(for: Book.request()) == 1)
        #expect(try outsider.count(for: NSFetchRequest<Chapter>(entityName: "Chapter")) == 3)
    }

    @Test("ids stay temporary until the root has saved, then they are permanent everywhere", arguments: StoreKind.all)
    func ids(store: StoreKind) throws {
        let family = try Family(in: store)
        let author = family.shop.author("Lem", in: family.grandchild)
        let book = family.shop.book("Solaris", by: author, in: family.grandchild)
        let log = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: family.grandchild)
        try family.grandchild.save()
        let ids = log.ids(NSInsertedObjectIDsKey)
        #expect(ids == [author.objectID, book.objectID])
        #expect(ids.filter(\.isTemporaryID).count == 2)
        try family.child.save()
        #expect(book.objectID.isTemporaryID)
        try family.root.save()
        #expect(!book.objectID.isTemporaryID)
        let stored = try #require(try family.root.fetch(Book.request()).first)
        #expect(stored.objectID == book.objectID)
        #expect(book.author === author)
        #expect(family.grandchild.object(with: stored.objectID) === book)
        #expect(try family.grandchild.fetch(Book.request()) == [book])
        let between = try #require(try family.child.fetch(Book.request()).first)
        #expect(between.objectID == stored.objectID)
        #expect(between.author?.objectID == author.objectID)
    }

    @Test("a child goes on with objects that its parent has saved", arguments: StoreKind.all)
    func goingOn(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Eden", pages: 1, in: family.child)
        for pages in 2...5 {
            try family.child.save()
            try family.root.save()
            book.pages = pages
            let author = family.shop.author("Author \(pages)", in: family.child)
            book.author = author
        }
        try family.child.save()
        try family.root.save()
        let outsider = family.outsider()
        let stored = try #require(try outsider.fetch(Book.request()).first)
        #expect(stored.pages == 5)
        #expect(stored.author?.name == "Author 5")
    }

    @Test("permanent ids can be obtained at any level before anything is saved", arguments: StoreKind.all)
    func permanentIDs(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Fiasco", in: family.grandchild)
        let author = family.shop.author("Lem", in: family.child)
        let theirs = try #require(try family.grandchild.existingObject(with: author.objectID) as? Author)
        book.author = theirs
        try family.grandchild.obtainPermanentIDs(for: [book, theirs])
        #expect(!book.objectID.isTemporaryID)
        #expect(book.isInserted)
        #expect(!theirs.objectID.isTemporaryID)
        #expect(theirs.objectID == author.objectID)
        let id = book.objectID
        for context in [family.grandchild, family.child, family.root] { try context.save() }
        let outsider = family.outsider()
        let stored = try #require(try outsider.existingObject(with: id) as? Book)
        #expect(stored.author?.objectID == author.objectID)
        #expect(stored.author?.name == "Lem")
    }

    /// Proves: F3, F4
    @Test("transient values go up with a save, and no new look from below sees them", arguments: StoreKind.all)
    func transients(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", in: family.root)
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        theirs.setValue("look again", forKey: "note")
        #expect(family.child.hasChanges)
        #expect(!theirs.hasPersistentChangedValues)
        try family.child.save()
        #expect(book.value(forKey: "note") as? String == "look again")
        #expect(family.root.hasChanges)
        #expect(!book.hasPersistentChangedValues)
        #expect(theirs.value(forKey: "note") as? String == "look again")
        let inserted = family.shop.book("New", in: family.child)
        inserted.setValue("on top", forKey: "note")
        try family.child.save()
        let above = try #require(family.root.registeredObject(for: inserted.objectID))
        #expect(above.value(forKey: "note") as? String == "on top")
        // The root has not saved yet.
        let early = family.sibling()
        let found = try early.fetch(Book.request())
        #expect(Set(found.map(\.title)) == ["Dune", "New"])
        #expect(found.allSatisfy { $0.value(forKey: "note") == nil })
        let read = try #require(try early.existingObject(with: book.objectID) as? Book)
        early.refresh(read, mergeChanges: false)
        #expect(read.value(forKey: "note") == nil)
        try family.root.save()
        #expect(book.value(forKey: "note") as? String == "look again")
        let sibling = family.sibling()
        let fresh = try #require(try sibling.existingObject(with: book.objectID) as? Book)
        #expect(fresh.value(forKey: "note") == nil)
    }

    @Test("an insertion that the child deletes again after its save goes away in the parent", arguments: StoreKind.all)
    func deletedInsertion(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Draft", in: family.child)
        try family.child.save()
        #expect(family.root.insertedObjects.count == 1)
        family.child.delete(book)
        try family.child.save()
        #expect(family.root.insertedObjects.isEmpty)
        #expect(!family.root.hasChanges)
        try family.root.save()
        #expect(try family.outsider().count(for: Book.request()) == 0)
    }

    @Test("delete rules reach objects that only the parent has", arguments: StoreKind.all)
    func deleteRules(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", in: family.root)
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        #expect(theirs.chapters.isEmpty)
        let chapter = Chapter(context: family.root)
        chapter.heading = "unknown to the child"
        chapter.book = book
        let author = family.shop.author("Herbert", in: family.root)
        book.author = author
        family.child.delete(theirs)
        try family.child.save()
        #expect(book.isDeleted)
        #expect(chapter.managedObjectContext == nil)
        #expect(author.books.isEmpty)
        try family.root.save()
        #expect(try family.outsider().count(for: NSFetchRequest<Chapter>(entityName: "Chapter")) == 0)
    }

    @Test("each level validates its own; a refused save leaves all levels as they were", arguments: StoreKind.all)
    func validation(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = Book(context: family.child)
        let failure = try #require(family.child.saveFailure())
        #expect(failure.code == CocoaError.Code.validationMissingMandatoryProperty.rawValue)
        #expect(book.isInserted)
        #expect(!family.root.hasChanges)
        book.title = "Named"
        try family.child.save()
        let above = try #require(family.root.registeredObject(for: book.objectID) as? Book)
        above.title = nil
        #expect(family.root.saveFailure()?.code == CocoaError.Code.validationMissingMandatoryProperty.rawValue)
        #expect(above.isInserted)
        above.title = "Named again"
        try family.root.save()
        #expect(try family.titles(in: family.outsider()) == ["Named again"])
    }

    @Test("letting go of a child discards its edits", arguments: StoreKind.all)
    func discarding(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", in: family.root)
        try family.root.save()
        var sibling: NSManagedObjectContext? = family.sibling()
        (sibling?.object(with: book.objectID) as? Book)?.title = "Edited"
        if let sibling { family.shop.book("Thrown away", in: sibling) }
        sibling = nil
        #expect(!family.root.hasChanges)
        #expect(try family.titles(in: family.root) == ["Dune"])
    }

    @Test("a child's save is one step of undo in the parent", arguments: StoreKind.all)
    func undo(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        family.root.undoManager = UndoManager()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        theirs.pages = 2
        theirs.title = "Dune II"
        theirs.author = family.shop.author("Herbert", in: family.child)
        try family.child.save()
        #expect(book.pages == 2)
        family.root.undo()
        #expect(book.pages == 1)
        #expect(book.title == "Dune")
        #expect(book.author == nil)
        #expect(!family.root.hasChanges)
        family.root.redo()
        #expect(book.pages == 2)
        #expect(book.author?.name == "Herbert")
        try family.root.save()
        #expect(try family.titles(in: family.outsider()) == ["Dune II"])
    }

    @Test("life-cycle calls: a record is awakened from insertion once, in the context that made it")
    func lifeCycle() throws {
        let stack = try Stack(.inMemory, DiaryModel.make())
        let root = stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = root
        let entry = Entry(context: child)
        entry.text = "x"
        try child.save()
        let above = try #require(root.registeredObject(for: entry.objectID) as? Entry)
        #expect(above.calls.contains("awakeFromInsert") == false)
        try root.save()
        #expect(above.calls.filter { $0 == "willSave" }.count == 1)
        #expect(above.calls.filter { $0 == "didSave" }.count == 1)
    }

    @Test("a save takes members away from both ends in the parent", arguments: StoreKind.all)
    func removedMembers(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", in: family.root)
        let (kept, removed) = (family.shop.tag("kept", in: family.root), family.shop.tag("removed", in: family.root))
        book.tags = [kept, removed]
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        theirs.tags = theirs.tags.filter { $0.name == "kept" }
        try family.child.save()
        #expect(book.tags == [kept])
        #expect(kept.books == [book] && removed.books.isEmpty)
        try family.root.save()
        let outsider = family.outsider()
        let stored = try #require(try outsider.existingObject(with: book.objectID) as? Book)
        #expect(stored.tags.map(\.name) == ["kept"])
    }
}
