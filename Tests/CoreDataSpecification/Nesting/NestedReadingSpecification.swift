// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the view of a child on its parents: their unsaved state, and through them the store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: P1, P2, F63
@MainActor @Suite("Reading through parents") struct NestedReadingSpecification {
    @Test("a child fetches the objects of the store", arguments: StoreKind.all)
    func stored(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 412, in: family.root)
        try family.root.save()
        let found = try family.grandchild.fetch(Book.request())
        #expect(found.map(\.title) == ["Dune"])
        #expect(found.first?.objectID == book.objectID)
        #expect(found.first !== book)
        #expect(family.child.registeredObjects.isEmpty)
    }

    @Test("a child sees unsaved insertions, changes and deletions of its parents", arguments: StoreKind.all)
    func unsaved(store: StoreKind) throws {
        let family = try Family(in: store)
        let changed = family.shop.book("Changed", in: family.root)
        let deleted = family.shop.book("Deleted", in: family.root)
        family.shop.book("Untouched", in: family.root)
        try family.root.save()
        changed.title = "Changed twice"
        family.root.delete(deleted)
        let inserted = family.shop.book("Inserted", pages: 7, in: family.root)
        #expect(try family.titles(in: family.grandchild) == ["Changed twice", "Inserted", "Untouched"])
        #expect(try family.grandchild.count(for: Book.request()) == 3)
        let request = Book.request()
        request.predicate = NSPredicate(format: "title == %@", "Inserted")
        let found = try #require(try family.grandchild.fetch(request).first)
        #expect(found.objectID == inserted.objectID)
        #expect(found.pages == 7)
        #expect(!found.isInserted)
        #expect(!found.hasChanges)
        request.predicate = NSPredicate(format: "title == %@", "Changed")
        #expect(try family.child.fetch(request).isEmpty)
        request.resultType = .managedObjectIDResultType
        request.predicate = nil
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try Set(family.grandchild.fetch(ids)).contains(inserted.objectID))
    }

    @Test("a fault of a child takes the parent's unsaved values when it fires", arguments: StoreKind.all)
    func faults(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Emma", in: family.root)
        try family.root.save()
        let fault = try #require(try family.grandchild.fetch(Book.request()).first)
        #expect(fault.isFault)
        book.title = "Emma, second edition"
        #expect(fault.title == "Emma, second edition")
        book.title = "Emma, third edition"
        #expect(fault.title == "Emma, second edition")
        family.grandchild.refresh(fault, mergeChanges: true)
        #expect(fault.title == "Emma, third edition")
    }

    @Test("relationships have the parents' unsaved members, in order", arguments: StoreKind.all)
    func relationships(store: StoreKind) throws {
        let family = try Family(in: store)
        let author = family.shop.author("Austen", in: family.root)
        let emma = family.shop.book("Emma", by: author, in: family.root)
        try family.root.save()
        let sanditon = family.shop.book("Sanditon", by: author, in: family.root)
        let chapters = ["one", "two", "three"].map { heading in
            let chapter = Chapter(context: family.root)
            chapter.heading = heading
            return chapter
        }
        sanditon.chapters = chapters
        emma.chapters = [chapters[1]]
        let theirs = try #require(try family.grandchild.existingObject(with: author.objectID) as? Author)
        #expect(Set(theirs.books.map(\.title)) == ["Emma", "Sanditon"])
        let copy = try #require(theirs.books.first { $0.title == "Sanditon" })
        #expect(copy.chapters.map(\.heading) == ["one", "three"])
        #expect(copy.author === theirs)
        #expect(copy.chapters.allSatisfy { $0.book === copy })
    }

    @Test("a predicate over relationships and a sort find unsaved parents' objects", arguments: StoreKind.all)
    func predicates(store: StoreKind) throws {
        let family = try Family(in: store)
        let author = family.shop.author("Lem", in: family.root)
        for (title, pages) in [("Solaris", 200), ("Eden", 300), ("Fiasco", 400)] {
            family.shop.book(title, pages: pages, by: author, in: family.root)
        }
        try family.root.save()
        family.shop.book("Katar", pages: 250, by: author, in: family.root)
        let theirs = try #require(try family.child.existingObject(with: author.objectID) as? Author)
        family.shop.book("Return", pages: 350, by: theirs, in: family.child)
        let request = Book.request()
        request.predicate = NSPredicate(format: "author == %@ AND author.name BEGINSWITH 'L'", theirs)
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        request.fetchOffset = 1
        request.fetchLimit = 3
        #expect(try family.shop.titles(request, in: family.child) == ["Return", "Eden", "Katar"])
        #expect(try family.shop.titles(request, in: family.grandchild) == ["Return", "Eden", "Katar"])
        #expect(try family.grandchild.count(for: request) == 3)
        request.includesPendingChanges = false
        #expect(try family.shop.titles(request, in: family.child) == ["Eden", "Katar", "Solaris"])
    }

    @Test("batches, prefetching and realized results work through parents", arguments: StoreKind.all)
    func kinds(store: StoreKind) throws {
        let family = try Family(in: store)
        for number in 0..<25 {
            let author = family.shop.author("Author \(number)", in: family.root)
            family.shop.book("Book \(number)", pages: number, by: author, in: family.root)
        }
        try family.root.save()
        let late = family.shop.book("Book 99", pages: 99, in: family.root)
        let request = Book.request()
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        request.fetchBatchSize = 10
        #expect(try family.grandchild.fetch(request).map(\.pages) == Array(0..<25) + [99])
        family.grandchild.reset()
        request.fetchBatchSize = 0
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = ["author"]
        let books = try family.grandchild.fetch(request)
        #expect(books.allSatisfy { !$0.isFault })
        #expect(books.dropLast().allSatisfy { $0.author?.name == "Author \($0.pages)" })
        #expect(books.last?.objectID == late.objectID)
    }

    @Test("existing objects, and objects by id, come from the parents", arguments: StoreKind.all)
    func byID(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Persuasion", in: family.root)
        let found = try #require(try family.grandchild.existingObject(with: book.objectID) as? Book)
        #expect(found.title == "Persuasion")
        #expect(family.grandchild.registeredObject(for: book.objectID) === found)
        #expect(family.grandchild.object(with: book.objectID) === found)
        family.root.delete(book)
        family.root.processPendingChanges()
        #expect(throws: CocoaError.self) { try family.child.existingObject(with: book.objectID) }
    }

    @Test("a child does not change with its parent, nor the parent with the child", arguments: StoreKind.all)
    func apart(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Dune", pages: 1, in: family.root)
        try family.root.save()
        let theirs = try #require(try family.child.existingObject(with: book.objectID) as? Book)
        book.pages = 2
        #expect(theirs.pages == 1)
        theirs.pages = 3
        family.shop.book("Inserted by the child", in: family.child)
        #expect(book.pages == 2)
        #expect(try family.titles(in: family.root) == ["Dune"])
        family.child.rollback()
        #expect(theirs.pages == 1)
        #expect(try family.titles(in: family.child) == ["Dune"])
    }

    @Test("a record that a parent is about to delete does not exist for a child", arguments: StoreKind.all)
    func deletedAbove(store: StoreKind) throws {
        let family = try Family(in: store)
        let book = family.shop.book("Sanditon", in: family.root)
        try family.root.save()
        let fault = try #require(try family.grandchild.fetch(Book.request()).first)
        #expect(fault.isFault)
        family.root.delete(book)
        family.root.processPendingChanges()
        #expect(throws: CocoaError.self) { try family.child.existingObject(with: book.objectID) }
        #expect(fault.title == nil && fault.isDeleted)
    }

    @Test("members that a parent is about to delete are no members for a child", arguments: StoreKind.all)
    func deletedMembers(store: StoreKind) throws {
        let stack = try Stack(store, OrchestraModel.make())
        let player = NSEntityDescription.insertNewObject(forEntityName: "Player", into: stack.context)
        let badges = ["gold", "silver"].map { name in
            let badge = NSEntityDescription.insertNewObject(forEntityName: "Badge", into: stack.context)
            badge.setValue(name, forKey: "name")
            return badge
        }
        player.setValue(Set(badges) as NSSet, forKey: "badges")
        try stack.context.save()
        // A badge does not know its player, so its deletion changes no player.
        let parent = stack.newContext(.mainQueueConcurrencyType)
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        parent.delete(parent.object(with: badges[0].objectID))
        parent.processPendingChanges()
        let theirs = try child.existingObject(with: player.objectID)
        let found = try #require(theirs.value(forKey: "badges") as? Set<NSManagedObject>)
        #expect(found.map { $0.value(forKey: "name") as? String } == ["silver"])
    }
}
