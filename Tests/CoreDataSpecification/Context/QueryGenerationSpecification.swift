// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the view of a context that is pinned to a moment of its stores, and when it moves on.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: F75
@Suite("Query generations") struct QueryGenerationSpecification {
    /// A bookshop with one book, a context pinned to it, and one that changes it later.
    private struct Scene {
        let shop: Bookshop
        let pinned: NSManagedObjectContext
        let writer: NSManagedObjectContext
        let book: Book

        init(_ store: StoreKind) throws {
            shop = try Bookshop(in: store)
            writer = shop.context
            book = shop.book("Dune", pages: 1, by: shop.author("Herbert"))
            try writer.save()
            pinned = shop.stack.newContext()
            try pinned.setQueryGenerationFrom(.current)
        }

        /// Changes the store while the other context is pinned.
        func change() throws {
            book.title = "Dune Messiah"
            book.pages = 2
            shop.book("Emma", by: book.author)
            try writer.save()
        }

        func titles(_ context: NSManagedObjectContext? = nil) throws -> [String] {
            try shop.titles(Book.request(), in: context ?? pinned).sorted()
        }
    }

    /// Decided by `queryGenerationToken` before pinning, after `setQueryGenerationFrom(.current)`, and after a fetch.
    @Test("a context has no token unless it is pinned", .tags(.assumed), arguments: StoreKind.pinnable)
    func token(store: StoreKind) throws {
        let scene = try Scene(store)
        #expect(scene.writer.queryGenerationToken == nil)
        #expect(scene.pinned.queryGenerationToken == .current)
        _ = try scene.titles()
        let token = try #require(scene.pinned.queryGenerationToken)
        #expect(token != .current)
        #expect(token.copy() as? NSQueryGenerationToken == token)
        try scene.pinned.setQueryGenerationFrom(nil)
        #expect(scene.pinned.queryGenerationToken == nil)
    }

    /// Decided by `fetch(_:)` of a pinned context after `remove(_:)` of its store: the code of the error.
    @Test(
        "a moment of a store that was removed cannot be read; the context says so until it is pinned anew",
        .tags(.assumed), arguments: StoreKind.pinnable)
    func removedStore(store: StoreKind) throws {
        let scene = try Scene(store)
        #expect(try scene.titles() == ["Dune"])
        let coordinator = scene.shop.stack.coordinator
        try coordinator.remove(scene.shop.stack.store)
        func code(_ body: () throws -> Void) -> Int? { failure(body)?.code }
        let general = 134_060
        #expect(code { _ = try scene.titles() } == general)
        #expect(code { _ = try scene.pinned.count(for: Book.request()) } == general)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(code { _ = try scene.pinned.fetch(ids) } == general)
        try coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: store.isPersistent ? scene.shop.stack.url : nil)
        #expect(code { _ = try scene.titles() } == general)
        try scene.pinned.setQueryGenerationFrom(.current)
        #expect(try scene.titles() == (store.isPersistent ? ["Dune"] : []))
    }

    /// Decided by `count(for:)` of a pinned context after one of two stores was removed.
    @Test("a moment of the other stores can be read when one is removed", .tags(.assumed))
    func otherStores() throws {
        let atlas = try Atlas(["Notes", "Places"], .sqlite)
        for name in ["Note", "Place"] { _ = atlas.insert(name) }
        try atlas.context.save()
        let pinned = NSManagedObjectContext(concurrencyType: .confined)
        pinned.persistentStoreCoordinator = atlas.coordinator
        try pinned.setQueryGenerationFrom(.current)
        #expect(try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Place")) == 1)
        try atlas.coordinator.remove(atlas.stores[1])
        #expect(try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
        #expect(throws: CocoaError.self) {
            try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Place"))
        }
    }

    /// Decided by `queryGenerationToken` after `setQueryGenerationFrom(.current)` with an XML or a binary store.
    @Test(
        "with stores that know no moments a context stays unpinned", .tags(.assumed),
        arguments: StoreKind.all.filter { !$0.canBePinned })
    func withoutMoments(store: StoreKind) throws {
        let scene = try Scene(store)
        #expect(try scene.titles() == ["Dune"])
        #expect(scene.pinned.queryGenerationToken == nil)
        try scene.change()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
    }

    @Test("the first read fixes the view of a context", arguments: StoreKind.pinnable)
    func firstRead(store: StoreKind) throws {
        let scene = try Scene(store)
        try scene.change()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
        scene.shop.book("Kim", in: scene.writer)
        try scene.writer.save()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
    }

    /// Proves: C8
    @Test("fetches of every form see the moment, and so does counting", arguments: StoreKind.pinnable)
    func fetches(store: StoreKind) throws {
        let scene = try Scene(store)
        #expect(try scene.titles() == ["Dune"])
        try scene.change()
        #expect(try scene.titles() == ["Dune"])
        #expect(try scene.titles(scene.writer) == ["Dune Messiah", "Emma"])
        #expect(try scene.pinned.count(for: Book.request()) == 1)
        let old = Book.request()
        old.predicate = NSPredicate(format: "pages == 1 AND author.name == 'Herbert'")
        #expect(try scene.pinned.count(for: old) == 1)
        let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
        rows.resultType = .dictionaryResultType
        rows.propertiesToFetch = ["title"]
        #expect(try scene.pinned.fetch(rows).map { $0["title"] as? String } == ["Dune"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try scene.pinned.fetch(ids) == [scene.book.objectID])
    }

    @Test("faults and relationships see the moment", arguments: StoreKind.pinnable)
    func faults(store: StoreKind) throws {
        let scene = try Scene(store)
        let author = try #require(try scene.pinned.fetch(NSFetchRequest<Author>(entityName: "Author")).first)
        try scene.change()
        scene.pinned.stalenessInterval = 0
        let book = try #require(scene.pinned.object(with: scene.book.objectID) as? Book)
        #expect(book.isFault)
        #expect(book.title == "Dune")
        #expect(author.books == [book])
        scene.pinned.refresh(book, mergeChanges: false)
        #expect(book.title == "Dune")
        scene.pinned.refresh(book, mergeChanges: true)
        #expect(book.title == "Dune")
        scene.pinned.refreshAllObjects()
        #expect(book.pages == 1)
        #expect(try (scene.pinned.existingObject(with: scene.book.objectID) as? Book)?.title == "Dune")
    }

    @Test("a record that was deleted since is still there", arguments: StoreKind.pinnable)
    func deletions(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.pinned.count(for: Book.request())
        let id = scene.book.objectID
        scene.writer.delete(scene.book)
        try scene.writer.save()
        #expect((scene.pinned.object(with: id) as? Book)?.title == "Dune")
        #expect(try scene.titles() == ["Dune"])
    }

    @Test("reads of a pinned context do not make others see old rows", arguments: StoreKind.pinnable)
    func sharedRows(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.pinned.count(for: Book.request())
        try scene.change()
        let request = Book.request()
        request.returnsObjectsAsFaults = false
        #expect(try scene.pinned.fetch(request).map(\.title) == ["Dune"])
        let fresh = scene.shop.stack.newContext()
        #expect((fresh.object(with: scene.book.objectID) as? Book)?.title == "Dune Messiah")
    }

    // MARK: Moving on

    @Test("saving moves a context on", arguments: StoreKind.pinnable)
    func saving(store: StoreKind) throws {
        let scene = try Scene(store)
        let book = try #require(try scene.pinned.fetch(Book.request()).first)
        let realized = book.title
        let before = scene.pinned.queryGenerationToken
        try scene.change()
        scene.shop.tag("mine", in: scene.pinned)
        try scene.pinned.save()
        #expect(scene.pinned.queryGenerationToken != before)
        #expect(scene.pinned.queryGenerationToken != nil)
        #expect(realized == "Dune")
        #expect(book.title == "Dune")
        scene.pinned.refreshAllObjects()
        #expect(book.title == "Dune Messiah")
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
        scene.shop.book("Kim", in: scene.writer)
        try scene.writer.save()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
    }

    /// Decided by `save()` of a pinned context after another one saved the same row: 133020, or success.
    /// Proves: C23
    @Test(
        "a later save of another context is a conflict for a pinned one", .tags(.assumed), arguments: StoreKind.pinnable
    )
    func conflicts(store: StoreKind) throws {
        let scene = try Scene(store)
        let book = try #require(try scene.pinned.fetch(Book.request()).first)
        book.pages = 3
        let token = scene.pinned.queryGenerationToken
        try scene.change()
        #expect(scene.pinned.saveFailure()?.code == NSManagedObjectMergeError)
        #expect(scene.pinned.queryGenerationToken == token)
        scene.pinned.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try scene.pinned.save()
        #expect(book.title == "Dune Messiah")
        #expect(book.pages == 3)
    }

    @Test("merging moves a context on, and the merged objects have the new values", arguments: StoreKind.pinnable)
    func merging(store: StoreKind) throws {
        let scene = try Scene(store)
        let book = try #require(try scene.pinned.fetch(Book.request()).first)
        _ = book.title
        let log = NotificationLog(.NSManagedObjectContextDidSave, of: scene.writer)
        try scene.change()
        scene.pinned.mergeChanges(fromContextDidSave: try #require(log.notifications.last))
        #expect(book.title == "Dune Messiah")
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
        #expect(scene.pinned.queryGenerationToken != .current)
    }

    /// Decided by reading a fault of a pinned context after its `save()` has moved it on.
    @Test(
        "a fault that was fetched before sees the moment that the context has moved on to", .tags(.assumed),
        arguments: StoreKind.pinnable)
    func olderFaults(store: StoreKind) throws {
        let scene = try Scene(store)
        let book = try #require(try scene.pinned.fetch(Book.request()).first)
        #expect(book.isFault)
        try scene.change()
        try scene.pinned.save()
        #expect(book.title == "Dune Messiah")
    }

    @Test("resetting lets the next read decide anew", arguments: StoreKind.pinnable)
    func resetting(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.titles()
        try scene.change()
        scene.pinned.reset()
        #expect(scene.pinned.queryGenerationToken == .current)
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
        scene.pinned.refreshAllObjects()
        scene.shop.book("Kim", in: scene.writer)
        try scene.writer.save()
        scene.pinned.refreshAllObjects()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
    }

    @Test("a context that is not pinned any more sees everything", arguments: StoreKind.pinnable)
    func unpinned(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.titles()
        try scene.change()
        try scene.pinned.setQueryGenerationFrom(nil)
        #expect(try scene.titles().count == 2)
        scene.pinned.refreshAllObjects()
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
    }

    // MARK: Sharing

    /// Decided by `setQueryGenerationFrom(_:)` with the token of another context, which has moved on.
    @Test("contexts share a moment, which lasts as long as its token", .tags(.assumed), arguments: StoreKind.pinnable)
    func sharing(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.titles()
        let token = try #require(scene.pinned.queryGenerationToken)
        try scene.change()
        try scene.pinned.save()
        let other = scene.shop.stack.newContext()
        try other.setQueryGenerationFrom(token)
        #expect(other.queryGenerationToken == token)
        #expect(try scene.titles(other) == ["Dune"])
        #expect(try scene.titles() == ["Dune Messiah", "Emma"])
        scene.pinned.reset()
        try scene.pinned.setQueryGenerationFrom(token)
        #expect(try scene.titles() == ["Dune"])
    }

    @Test("contexts on several queues read one moment at once", arguments: StoreKind.pinnable)
    func atOnce(store: StoreKind) async throws {
        let scene = try Scene(store)
        _ = try scene.titles()
        let token = try #require(scene.pinned.queryGenerationToken)
        try scene.change()
        let contexts = (0..<4).map { _ in scene.shop.stack.newContext(.privateQueueConcurrencyType) }
        let seen = try await withThrowingTaskGroup(of: [String?].self) { group in
            for context in contexts { group.addTask { try await Self.read(50, context, token) } }
            return try await group.reduce(into: [String?]()) { $0 += $1 }
        }
        #expect(seen.count == 200)
        #expect(Set(seen) == ["Dune"])
    }

    private static func read(_ count: Int, _ context: NSManagedObjectContext, _ token: NSQueryGenerationToken)
        async throws -> [String?]
    {
        try await context.perform {
            try context.setQueryGenerationFrom(token)
            return try (0..<count).flatMap { _ in
                context.refreshAllObjects()
                return try context.fetch(Book.request()).map(\.title)
            }
        }
    }

    /// Decided by `setQueryGenerationFrom(.current)` on a child context, and a child's fetch after another save.
    /// Proves: P1
    @Test(
        "children have the view of their parent, and cannot be pinned themselves", .tags(.assumed),
        arguments: StoreKind.pinnable)
    @MainActor func children(store: StoreKind) throws {
        let family = try Family(in: store)
        let writer = family.outsider()
        family.shop.book("Dune", in: writer)
        try writer.save()
        try family.root.setQueryGenerationFrom(.current)
        #expect(try family.titles(in: family.grandchild) == ["Dune"])
        family.shop.book("Emma", in: writer)
        try writer.save()
        #expect(try family.titles(in: family.grandchild) == ["Dune"])
        #expect(family.child.queryGenerationToken == nil)
        #expect(refusal(of: .current, family.child) == NSCoreDataError)
        family.shop.book("Kim", in: family.child)
        try family.child.save()
        #expect(try family.titles(in: family.grandchild) == ["Dune", "Kim"])
        try family.root.save()
        #expect(try family.titles(in: family.grandchild) == ["Dune", "Emma", "Kim"])
    }

    /// Decided by `setQueryGenerationFrom(_:)` with a token of another coordinator: whether it throws 134060.
    @Test("a token of other stores is refused", .tags(.assumed), arguments: StoreKind.pinnable)
    func foreign(store: StoreKind) throws {
        let (scene, other) = (try Scene(store), try Scene(store))
        _ = try other.titles()
        let token = try #require(other.pinned.queryGenerationToken)
        #expect(refusal(of: token, scene.pinned) == NSCoreDataError)
        #expect(scene.pinned.queryGenerationToken == .current)
        let alone = NSManagedObjectContext(concurrencyType: .confined)
        #expect(refusal(of: .current, alone) == NSCoreDataError)
    }

    private func refusal(of token: NSQueryGenerationToken, _ context: NSManagedObjectContext) -> Int? {
        do {
            try context.setQueryGenerationFrom(token)
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    /// Decided by `userInfo[NSManagedObjectContext.NotificationKey.queryGeneration]` of did-change and did-save.
    @Test("notifications carry the token of a pinned context", .tags(.assumed), arguments: StoreKind.pinnable)
    func notifications(store: StoreKind) throws {
        let scene = try Scene(store)
        let changes = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: scene.pinned)
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: scene.pinned)
        let others = NotificationLog(.NSManagedObjectContextDidSave, of: scene.writer)
        let book = try #require(try scene.pinned.fetch(Book.request()).first)
        let before = try #require(scene.pinned.queryGenerationToken)
        book.pages = 3
        scene.pinned.processPendingChanges()
        #expect(token(changes) == before)
        try scene.pinned.save()
        #expect(token(saves) == scene.pinned.queryGenerationToken)
        #expect(token(saves) != before)
        scene.writer.refreshAllObjects()
        try scene.change()
        #expect(others.count == 1)
        #expect(token(others) == nil)
    }

    /// Decided by `queryGenerationToken` after `setQueryGenerationFrom(.current)` and `save()` without a fetch.
    /// Proves: F75
    @Test("a save pins a context that has read nothing yet", .tags(.assumed), arguments: StoreKind.pinnable)
    func savedBeforeReading(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let context = shop.stack.newContext()
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: context)
        try context.setQueryGenerationFrom(.current)
        shop.book("Dune", in: context)
        try context.save()
        let told = try #require(token(saves))
        #expect(told == context.queryGenerationToken)
        #expect(told != .current)
        #expect(try context.count(for: Book.request()) == 1)
    }

    private func token(_ log: NotificationLog) -> NSQueryGenerationToken? {
        log.notifications.last?.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
    }

    /// Decided by `NSKeyedUnarchiver.unarchivedObject(ofClass:from:)` of an archived token, while it is in use and
    /// after.
    @Test(
        "an archived token leads back to a moment that somebody holds", .tags(.assumed), arguments: StoreKind.pinnable)
    func archives(store: StoreKind) throws {
        let scene = try Scene(store)
        #expect(try unarchived(archive(.current)) == .current)
        _ = try scene.titles()
        var token = scene.pinned.queryGenerationToken
        let data = try archive(try #require(token))
        #expect(try unarchived(data) == token)
        try scene.pinned.setQueryGenerationFrom(nil)
        token = nil
        #expect(throws: (any Error).self) { try #require(try unarchived(data)) }
    }

    private func archive(_ token: NSQueryGenerationToken) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    }

    private func unarchived(_ data: Data) throws -> NSQueryGenerationToken? {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: data)
    }

    // MARK: Stores

    /// Decided by `queryGenerationToken` with `journal_mode` DELETE, and with a store at `/dev/null`.
    @Test("a store that cannot keep a moment leaves the context unpinned", .tags(.assumed))
    func unpinnable() throws {
        for options in [nil, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]] as [AnyHashable: Any]] {
            let stack = try Stack(.sqlite, BookshopModel.make(), options: options)
            if options == nil {
                try stack.coordinator.remove(stack.store)
                try stack.coordinator.addPersistentStore(
                    type: .sqlite, configuration: nil, at: URL(filePath: "/dev/null"))
            }
            let context = stack.newContext()
            try context.setQueryGenerationFrom(.current)
            #expect(try context.count(for: Book.request()) == 0)
            #expect(context.queryGenerationToken == nil)
            Book(context: stack.context).title = "Dune"
            try stack.context.save()
            #expect(try context.count(for: Book.request()) == 1)
        }
    }

    /// Decided by `fetch(_:)` of a pinned context after `addPersistentStore`, before and after it is pinned again.
    @Test(
        "a store that is added later is ignored until the context moves on", .tags(.assumed),
        arguments: StoreKind.pinnable)
    func addedStores(store: StoreKind) throws {
        let scene = try Scene(store)
        _ = try scene.titles()
        let place = store.place(scene.shop.stack.folder.appending(path: "Annex.sqlite"))
        let annex = try scene.shop.stack.coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: place)
        scene.writer.assign(scene.shop.book("Emma"), to: annex)
        try scene.writer.save()
        #expect(try scene.titles() == ["Dune"])
        #expect(try scene.pinned.count(for: Book.request()) == 1)
        try scene.pinned.setQueryGenerationFrom(.current)
        #expect(try scene.titles() == ["Dune", "Emma"])
    }

    @Test("external data stays as long as a moment needs it")
    func externalData() throws {
        let stack = try Stack(.sqlite, PhotoModel.make())
        let (old, new) = (Data(repeating: 1, count: 200_000), Data(repeating: 2, count: 200_000))
        let object = stack.insert("Photo")
        object.setValue(old, forKey: "data")
        try stack.context.save()
        let pinned = stack.newContext()
        try pinned.setQueryGenerationFrom(.current)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        #expect(try pinned.count(for: request) == 1)
        object.setValue(new, forKey: "data")
        try stack.context.save()
        #expect(try pinned.fetch(request).first?.value(forKey: "data") as? Data == old)
        #expect(try externalFiles(stack) == 2)
        try pinned.setQueryGenerationFrom(nil)
        #expect(try pinned.fetch(request).first?.value(forKey: "data") as? Data == new)
        try stack.reopen()
        #expect(try externalFiles(stack) == 1)
    }

    private func externalFiles(_ stack: Stack) throws -> Int {
        let folder = stack.folder.appending(path: ".Store_SUPPORT/_EXTERNAL_DATA")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).count
    }
}
