// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The records that a store makes of saves and batch requests.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Recording history") struct RecordingSpecification {
    /// Proves: H1, H3
    @Test(
        "each save is one transaction, with insertions, updates and deletions in this order",
        arguments: RecordedShop.kinds)
    func saves(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
        try shop.context.save()
        dune.pages = 412
        shop.context.delete(emma)
        shop.book("Ulysses")
        try shop.context.save()
        let transactions = try shop.transactions()
        #expect(transactions.map(\.transactionNumber) == [1, 2])
        #expect(transactions[0].changes?.map(\.changeType) == [.insert, .insert])
        #expect(transactions[1].changes?.map(\.changeType) == [.insert, .update, .delete])
        #expect(transactions[1].changes?.map(\.changeID) == [3, 4, 5])
        #expect(transactions[1].changes?[1].changedObjectID == dune.objectID)
        #expect(transactions[0].timestamp < transactions[1].timestamp)
    }

    /// Proves: H1
    @Test("without the option there is no history and no token", arguments: StoreKind.all)
    func noOption(kind: StoreKind) throws {
        let stack = try Stack(kind, RecordedShop.model())
        Book(context: stack.context).title = "Dune"
        try stack.context.save()
        #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(try stack.context.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).isEmpty)
    }

    /// Proves: H1
    @Test("documents ignore the option", arguments: [StoreKind.xml, .binary])
    func documents(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        try shop.saveBook("Dune")
        #expect(shop.token == nil)
        #expect(try shop.transactions().isEmpty)
    }

    /// Proves: H1, F118
    @Test("a SQLite store at /dev/null has a history")
    func ephemeral() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecordedShop.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: "/dev/null"),
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        Book(context: context).title = "Dune"
        try context.save()
        let transactions = try context.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?))
        #expect(transactions.count == 1)
        #expect(transactions.last?.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    /// Proves: H2
    @Test("saves that write nothing leave nothing", arguments: RecordedShop.kinds)
    func nothing(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let dune = try shop.saveBook("Dune")
        try shop.context.save()
        dune.setValue("transient", forKey: "note")
        try shop.context.save()
        let passing = shop.book("Emma")
        shop.context.processPendingChanges()
        shop.context.delete(passing)
        try shop.context.save()
        dune.title = "Dune"
        try shop.context.save()
        #expect(try shop.transactions().count == 1)
    }

    /// Proves: H2
    @Test("an object that is inserted and changed has one change, an insertion", arguments: RecordedShop.kinds)
    func insertedAndChanged(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let dune = shop.book("Dune")
        shop.context.processPendingChanges()
        dune.pages = 1
        try shop.context.save()
        #expect(try shop.lastChanges() == ["insert Book"])
    }

    /// Proves: H3, F119
    @Test("a transaction names context, author, program and store", arguments: RecordedShop.kinds)
    func names(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let start = Date()
        shop.context.name = "import"
        shop.context.transactionAuthor = "Herbert"
        shop.book("Dune")
        try shop.context.save()
        shop.context.name = nil
        shop.context.transactionAuthor = ""
        shop.book("Emma")
        try shop.context.save()
        shop.context.transactionAuthor = nil
        shop.book("Ulysses")
        try shop.context.save()
        let transactions = try shop.transactions()
        #expect(transactions.map(\.author) == ["Herbert", "", nil])
        #expect(transactions.map(\.contextName) == ["import", nil, nil])
        #expect(transactions.allSatisfy { $0.processID == ProcessInfo.processInfo.processName })
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #expect(transactions.allSatisfy { $0.bundleID == program && $0.storeID == shop.stack.store.identifier })
        // A store may keep a time as a rounded number.
        let times = transactions.map { $0.timestamp.timeIntervalSince(start) }
        #expect(times == times.sorted() && times.allSatisfy { $0 > -0.001 })
        #expect(transactions[2].timestamp < Date().addingTimeInterval(0.001))
    }

    /// Proves: H3, F109
    @Test("the author of a child's save is that of the context that saves to the store", arguments: RecordedShop.kinds)
    func children(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = shop.coordinator
        parent.transactionAuthor = "parent"
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        child.transactionAuthor = "child"
        try child.performAndWait {
            Book(context: child).title = "Dune"
            try child.save()
        }
        #expect(try shop.transactions().isEmpty)
        try parent.performAndWait { try parent.save() }
        #expect(try shop.transactions().map(\.author) == ["parent"])
    }

    /// Proves: H4
    @Test(
        "an update names the properties that differ, to-many relationships on their owner included",
        arguments: RecordedShop.kinds)
    func properties(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let dune = shop.book("Dune")
        let author = Author(context: shop.context)
        author.name = "Herbert"
        let tag = Tag(context: shop.context)
        tag.name = "desert"
        try shop.context.save()
        dune.pages = 412
        dune.author = author
        dune.tags = [tag]
        dune.setValue("transient", forKey: "note")
        try shop.context.save()
        let changes = try #require(try shop.transactions().last?.changes)
        var names: [String: [String]] = [:]
        for change in changes {
            #expect(change.changeType == .update)
            #expect(change.tombstone == nil)
            names[change.changedObjectID.entity.name ?? ""] = change.updatedProperties?.map(\.name).sorted()
        }
        #expect(names == ["Book": ["author", "pages", "tags"], "Author": ["books"], "Tag": ["books"]])
        let first = try #require(try shop.transactions().first?.changes)
        #expect(first.allSatisfy { $0.updatedProperties == nil })
    }

    /// Proves: H4, H5, F116
    @Test("a deletion keeps the marked attributes, and no others", arguments: RecordedShop.kinds)
    func tombstones(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let identifier = UUID()
        let dune = shop.book("Dune")
        dune.setValue(identifier, forKey: "identifier")
        dune.pages = 412
        let tag = Tag(context: shop.context)
        tag.name = "desert"
        try shop.context.save()
        dune.title = "unsaved"
        shop.context.delete(dune)
        shop.context.delete(tag)
        try shop.context.save()
        let changes = try #require(try shop.transactions().last?.changes)
        let book = try #require(changes.first { $0.changedObjectID.entity.name == "Book" })
        #expect(book.tombstone?["title"] as? String == "Dune")
        #expect(book.tombstone?["identifier"] as? UUID == identifier)
        #expect(book.tombstone?.count == 2)
        #expect(changes.first { $0.changedObjectID.entity.name == "Tag" }?.tombstone == nil)
        #expect(changes.allSatisfy { $0.changeType == .delete && $0.updatedProperties == nil })
        #expect(try shop.transactions().first?.changes?.allSatisfy { $0.tombstone == nil } == true)
    }

    /// Decided by `currentPersistentHistoryToken(fromStores:)` before and after `setMetadata(_:for:)`, reads and
    /// `deleteHistory(before:)`.
    /// Proves: H7
    @Test("metadata, reading and deleting history are not history", .tags(.assumed), arguments: RecordedShop.kinds)
    func notHistory(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        try shop.saveBook("Dune")
        try shop.saveBook("Emma")
        shop.coordinator.setMetadata(["mine": 1], for: shop.stack.store)
        try shop.context.save()
        let token = shop.token
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        #expect(shop.token == token)
        #expect(try shop.transactions().count == 1)
    }

    /// Proves: H8
    @Test("a store with a history goes on recording without the option, and stops when it is false")
    func option() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune")
        let first = shop.token
        try shop.stack.reopen()
        try shop.saveBook("Emma")
        #expect(try shop.transactions().count == 2)
        try shop.stack.reopen(options: [NSPersistentHistoryTrackingKey: false])
        #expect(shop.token == nil)
        try shop.saveBook("Ulysses")
        #expect(try shop.transactions().isEmpty)
        #expect(code { _ = try shop.transactions(after: first) } == NSPersistentHistoryTokenExpiredError)
        try shop.stack.reopen(options: [NSPersistentHistoryTrackingKey: true])
        try shop.saveBook("Middlemarch")
        #expect(try shop.transactions().count == 1)
        #expect(code { _ = try shop.transactions(after: first) } == NSPersistentHistoryTokenExpiredError)
    }

    /// Proves: H8
    @Test("a store with a history that is opened read-only is read")
    func readOnly() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune")
        try shop.stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try shop.transactions().count == 1)
        let failure = code {
            _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        #expect(failure == NSFileWriteNoPermissionError)
    }

    /// Proves: H6
    @Test("batch requests are recorded, with their context's author", arguments: RecordedShop.kinds)
    func batches(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        shop.context.transactionAuthor = "batch"
        try shop.context.execute(
            NSBatchInsertRequest(entityName: "Book", objects: [["title": "Dune"], ["title": "Emma"]]))
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 412]
        try shop.context.execute(update)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == 'Emma'")
        try shop.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        let transactions = try shop.transactions()
        #expect(transactions.map(\.author) == ["batch", "batch", "batch"])
        #expect(
            transactions.map { $0.changes?.map(\.changeType) } == [[.insert, .insert], [.update, .update], [.delete]])
        #expect(transactions[1].changes?.first?.updatedProperties?.map(\.name) == ["pages"])
        #expect(transactions[2].changes?.first?.tombstone?["title"] as? String == "Emma")
    }
    /// Proves: H6, B26
    @Test(
        "the history has the cascades of a batch deletion, and the relationships it ends", arguments: RecordedShop.kinds
    )
    func cascades(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let author = Author(context: shop.context)
        author.name = "Herbert"
        for title in ["Dune", "Emma"] {
            let book = shop.book(title)
            book.author = author
            book.chapters = (0..<2).map { _ in Chapter(context: shop.context) }
        }
        try shop.context.save()
        shop.context.transactionAuthor = "batch"
        try shop.context.execute(NSBatchDeleteRequest("Author"))
        #expect(try shop.lastChanges().sorted() == ["delete Author", "update Book", "update Book"])
        let updates = try #require(try shop.transactions().last?.changes).filter { $0.changeType == .update }
        #expect(updates.map { $0.updatedProperties?.map(\.name) } == [["author"], ["author"]])
        let request = NSBatchDeleteRequest("Book", where: "title == 'Dune'")
        request.resultType = .resultTypeObjectIDs
        let result = try #require(try shop.context.execute(request) as? NSBatchDeleteResult)
        #expect((result.result as? [NSManagedObjectID])?.map(\.entity.name) == ["Book"])
        #expect(try shop.lastChanges().sorted() == ["delete Book", "delete Chapter", "delete Chapter"])
        #expect(try shop.transactions().map(\.author) == [nil, "batch", "batch"])
    }

    /// Proves: B7, H6, F109
    @Test("a child's batch request is recorded with its own name and author", arguments: RecordedShop.kinds)
    func childBatches(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let parent = shop.stack.newContext(.privateQueueConcurrencyType)
        (parent.name, parent.transactionAuthor) = ("parent", "its author")
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        (child.name, child.transactionAuthor) = ("child", "another author")
        try child.performAndWait {
            _ = try child.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "Dune"]]))
        }
        let transaction = try #require(try shop.transactions().last)
        #expect(transaction.contextName == "child")
        #expect(transaction.author == "another author")
    }

    /// Decided by `fetchHistory(after:)` after batch requests that find no rows.
    /// Proves: B10
    @Test("batch requests without work leave no transaction", .tags(.assumed), arguments: RecordedShop.kinds)
    func batchesOfNothing(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let token = shop.token
        try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: []))
        try shop.context.execute(NSBatchUpdateRequest("Book", where: "pages > 99", ["pages": 1]))
        try shop.context.execute(NSBatchDeleteRequest("Book", where: "pages > 99"))
        try shop.context.execute(NSBatchDeleteRequest(objectIDs: []))
        #expect(try shop.transactions().isEmpty)
        #expect(shop.token == token)
    }
}
