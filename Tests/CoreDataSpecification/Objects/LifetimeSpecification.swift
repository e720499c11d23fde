// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how long objects live, and their owners.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Lifetime") struct LifetimeSpecification {
    /// Proves: L1, F32
    @Test("a record may have an object in each of several contexts", arguments: StoreKind.all)
    func severalContexts(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let first = shop.stack.newContext()
        let second = shop.stack.newContext()
        let one = first.object(with: book.objectID)
        let two = second.object(with: book.objectID)
        #expect(one !== two)
        #expect(one.objectID == two.objectID)
        #expect(first.object(with: book.objectID) === one)
    }

    /// Proves: L2, F25
    @Test("an unchanged object is released with its last owner", arguments: StoreKind.all)
    func unchangedIsWeak(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        weak var book: Book?
        do {
            let made = shop.book("Dune")
            book = made
            try shop.context.save()
            #expect(shop.context.registeredObjects == [made])
        }
        #expect(book == nil)
        #expect(shop.context.registeredObjects.isEmpty)
    }

    /// Proves: L3
    @Test("an object does not keep its context alive", arguments: StoreKind.all)
    func contextIsWeak(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        var context: NSManagedObjectContext? = shop.stack.newContext()
        let fetched = try #require(try context?.fetch(Book.request()).first)
        #expect(fetched.managedObjectContext === context)
        context = nil
        #expect(fetched.managedObjectContext == nil)
        #expect(book.managedObjectContext === shop.context)
    }

    /// Proves: L3
    @Test("an object that outlives its context reads the row that it was fetched with", arguments: StoreKind.all)
    func readsItsRow(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune", pages: 412, by: shop.author("Herbert"))
        try shop.context.save()
        func fetched(_ context: NSManagedObjectContext, asFaults: Bool) throws -> Book {
            let request = Book.request()
            request.returnsObjectsAsFaults = asFaults
            return try #require(try context.fetch(request).first)
        }
        for asFaults in [true, false] {
            let book = try fetched(shop.stack.newContext(), asFaults: asFaults)
            #expect(book.managedObjectContext == nil)
            #expect(book.title == "Dune" && book.pages == 412)
            #expect(!book.isFault)
        }
        let named = shop.stack.newContext().object(with: try fetched(shop.context, asFaults: true).objectID)
        #expect(named.value(forKey: "title") as? String == "Dune")
    }

    /// Proves: L3
    @Test("unsaved changes keep no context alive either", arguments: StoreKind.all)
    func contextWithChangesIsWeak(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        shop.book("Emma")
        try shop.context.save()
        weak var context: NSManagedObjectContext?
        var pending: [Book] = []
        do {
            let other = shop.stack.newContext()
            context = other
            let books = try other.fetch(Book.request())
            books[0].pages = 7
            other.delete(books[1])
            pending = books + [shop.book("Kim", in: other)]
        }
        #expect(context == nil)
        #expect(pending.map(\.managedObjectContext) == [nil, nil, nil])
        #expect(pending.filter(\.hasChanges) == pending.filter(\.isUpdated))
        #expect(try shop.context.count(for: Book.request()) == 2)
    }

    /// Proves: L4, F25
    @Test("changed objects are held until they are saved", arguments: StoreKind.all)
    func changedIsStrong(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        weak var inserted: Book?
        do { inserted = shop.book("Dune") }
        #expect(inserted != nil)
        try shop.context.save()
        #expect(inserted == nil)

        weak var updated: Book?
        do {
            let book = try #require(try shop.context.fetch(Book.request()).first)
            book.pages = 7
            updated = book
        }
        #expect(updated?.pages == 7)
        try shop.context.save()
        #expect(updated == nil)

        weak var deleted: Book?
        do {
            let book = try #require(try shop.context.fetch(Book.request()).first)
            shop.context.delete(book)
            deleted = book
        }
        #expect(deleted != nil)
        try shop.context.save()
        #expect(deleted == nil)
    }

    /// Proves: L4
    @Test("changed objects are held until they are rolled back or the context is reset", arguments: StoreKind.all)
    func discardedIsWeak(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        shop.book("Emma")
        try shop.context.save()
        for discard in [NSManagedObjectContext.rollback, NSManagedObjectContext.reset] {
            weak var inserted: Book?
            weak var updated: Book?
            weak var deleted: Book?
            do {
                let books = try shop.context.fetch(Book.request())
                inserted = shop.book("Kim")
                (updated, deleted) = (books[0], books[1])
                books[0].pages = 7
                shop.context.delete(books[1])
            }
            shop.context.processPendingChanges()
            #expect(inserted?.isInserted == true)
            #expect(updated?.isUpdated == true)
            #expect(deleted?.isDeleted == true)
            discard(shop.context)()
            #expect(inserted == nil)
            #expect(updated == nil)
            #expect(deleted == nil)
        }
    }

    /// Proves: L6
    @Test("a context may be asked to hold every registered object", arguments: StoreKind.all)
    func retaining(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        try shop.context.save()
        let context = shop.stack.newContext()
        context.retainsRegisteredObjects = true
        weak var book: Book?
        do { book = try context.fetch(Book.request()).first }
        #expect(book != nil)
        #expect(context.registeredObjects.count == 1)
        context.retainsRegisteredObjects = false
        #expect(book == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    /// Proves: L8
    @Test("related objects hold one another until a refresh breaks the cycle", arguments: StoreKind.all)
    func cycles(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune", by: shop.author("Frank"))
        try shop.context.save()
        shop.context.refreshAllObjects()
        weak var author: Author?
        do {
            let book = try #require(try shop.context.fetch(Book.request()).first)
            author = book.author
            #expect(author?.books == [book])
        }
        #expect(author != nil)
        do {
            let book = try #require(author?.books.first)
            shop.context.refresh(book, mergeChanges: false)
            shop.context.processPendingChanges()
        }
        if let author { shop.context.refresh(author, mergeChanges: false) }
        shop.context.processPendingChanges()
        #expect(author == nil)
        #expect(shop.context.registeredObjects.isEmpty)
    }

    /// Proves: L6, F70
    @Test("retainsRegisteredObjects keeps objects that a merge registers", arguments: StoreKind.all)
    func retainedMerge(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext()
        context.retainsRegisteredObjects = true
        let saved = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        shop.book("Dune")
        try shop.context.save()
        context.mergeChanges(fromContextDidSave: try #require(saved.notifications.last))
        #expect(context.registeredObjects.count == 1)
        context.retainsRegisteredObjects = false
        #expect(context.registeredObjects.isEmpty)
    }

    /// Proves: L7
    @Test("a context cannot be cut off from its coordinator")
    func cuttingOff() async {
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            shop.context.persistentStoreCoordinator = nil
        }
    }

    /// Proves: L2
    @Test("a long chain of objects goes when its head is let go, however deep it is")
    func longChain() async {
        await #expect(processExitsWith: .success) {
            let chain = try LongChain(40_000)
            try chain.letGoOfChanged()
            try chain.letGoOfRead()
            try chain.letGoOfMembers()
        }
    }
}

/// A chain of objects that retain one another.
private struct LongChain {
    let stack: Stack
    let count: Int

    init(_ count: Int) throws {
        let link = NSEntityDescription("Link")
        link.attribute("isFirst", .booleanAttributeType)
        link.relationship("next", .one, to: link)
        link.relationship("nexts", .many, to: link)
        stack = try Stack(.inMemory, NSManagedObjectModel(link))
        self.count = count
    }

    /// Changed objects that are saved: their extensions retain the others.
    func letGoOfChanged() throws {
        var head: NSManagedObject? = try make("next") { last, next in last.setValue(next, forKey: "next") }
        try expectAll(stack.context, head)
        head = nil
        try expectNone(stack.context)
    }

    /// Objects that are only read: their table retains the others.
    func letGoOfRead() throws {
        let context = stack.newContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Link")
        request.predicate = NSPredicate(format: "isFirst == YES")
        var head = try context.fetch(request).first
        var node = head
        while let next = node?.value(forKey: "next") as? NSManagedObject { node = next }
        node = nil
        try expectAll(context, head)
        head = nil
        try expectNone(context)
    }

    /// Members of to-manys.
    func letGoOfMembers() throws {
        let context = stack.newContext()
        var head: NSManagedObject? = try make("nexts", in: context) { last, next in
            last.setValue(NSSet(object: next), forKey: "nexts")
        }
        try expectAll(context, head)
        context.refresh(try first(head), mergeChanges: false)
        context.processPendingChanges()  // the event holds the refreshed object
        head = nil
        try expectNone(context)
    }

    private func first(_ head: NSManagedObject?) throws -> NSManagedObject {
        guard let head else { throw Wrong(text: "no head") }
        return head
    }

    private func make(
        _ key: String, in context: NSManagedObjectContext? = nil, _ link: (NSManagedObject, NSManagedObject) -> Void
    ) throws -> NSManagedObject {
        let context = context ?? stack.context
        func made() -> NSManagedObject { NSEntityDescription.insertNewObject(forEntityName: "Link", into: context) }
        let head = made()
        head.setValue(key == "next", forKey: "isFirst")
        var last = head
        for _ in 1..<count {
            let next = made()
            link(last, next)
            last = next
        }
        try context.save()
        return head
    }

    private func expectAll(_ context: NSManagedObjectContext, _ head: NSManagedObject?) throws {
        guard head != nil, context.registeredObjects.count == count else { throw Wrong(text: "the chain is not held") }
    }

    private func expectNone(_ context: NSManagedObjectContext) throws {
        guard context.registeredObjects.isEmpty else { throw Wrong(text: "objects are left") }
    }

    private struct Wrong: Error {
        let text: String
    }
}
