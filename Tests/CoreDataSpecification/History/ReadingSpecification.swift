// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Requests for transactions and changes: their start, their filters, and the forms of their results.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Reading history") struct ReadingSpecification {
    /// Four saves: by A, B, no author, A.
    private func shop(_ kind: StoreKind) throws -> RecordedShop {
        let shop = try RecordedShop(kind)
        for (title, author) in [("Dune", "A"), ("Emma", "B"), ("Ulysses", nil), ("Middlemarch", "A")] {
            try shop.saveBook(title, author: author)
        }
        return shop
    }

    private func numbers(_ shop: RecordedShop, _ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
        try shop.context.transactions(request).map(\.transactionNumber)
    }

    /// Proves: H9
    @Test("reading begins after a token, a transaction or a date", arguments: RecordedShop.kinds)
    func places(kind: StoreKind) throws {
        let shop = try shop(kind)
        let all = try shop.transactions()
        #expect(all.map(\.transactionNumber) == [1, 2, 3, 4])
        #expect(try numbers(shop, .fetchHistory(after: all[1].token)) == [3, 4])
        #expect(try numbers(shop, .fetchHistory(after: all[2])) == [4])
        #expect(try numbers(shop, .fetchHistory(after: all[0].timestamp)) == [2, 3, 4])
        #expect(try numbers(shop, .fetchHistory(after: Date.distantPast)) == [1, 2, 3, 4])
        #expect(try numbers(shop, .fetchHistory(after: Date.distantFuture)) == [])
        #expect(try numbers(shop, .fetchHistory(after: nil as NSPersistentHistoryTransaction?)) == [1, 2, 3, 4])
    }

    /// Proves: H9, F110, F115
    @Test("the initial token is a good start", arguments: RecordedShop.kinds)
    func initial(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let initial = try #require(shop.token)
        try shop.saveBook("Dune")
        #expect(try shop.transactions(after: initial).count == 1)
        #expect(shop.token != initial)
    }

    /// Proves: H10, F112
    @Test("results come in six forms", arguments: RecordedShop.kinds)
    func forms(kind: StoreKind) throws {
        let shop = try shop(kind)
        let context = shop.context
        func all() -> NSPersistentHistoryChangeRequest { .fetchHistory(after: nil as NSPersistentHistoryToken?) }
        #expect(all().resultType == .transactionsAndChanges)
        #expect(try context.transactions(all()).allSatisfy { $0.changes?.count == 1 })
        let plain = try context.history(all(), .transactionsOnly, as: [NSPersistentHistoryTransaction].self)
        #expect(plain.count == 4 && plain.allSatisfy { $0.changes == nil })
        let changes = try context.changes(all())
        #expect(changes.map { $0.transaction?.transactionNumber } == [1, 2, 3, 4])
        let ids = try context.history(all(), .objectIDs, as: [NSManagedObjectID].self)
        #expect(ids == changes.map(\.changedObjectID))
        #expect(try context.history(all(), .count, as: NSNumber.self) == 4)
        #expect(try context.history(all(), .statusOnly, as: NSNumber.self).boolValue)
    }

    /// Proves: H10
    @Test("the id of an object comes once, however often the object changed", arguments: RecordedShop.kinds)
    func distinctIDs(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let dune = try shop.saveBook("Dune")
        let emma = try shop.saveBook("Emma")
        dune.pages = 412
        try shop.context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let ids = try shop.context.history(request, .objectIDs, as: [NSManagedObjectID].self)
        #expect(ids == [dune.objectID, emma.objectID])
    }

    /// Proves: H11, F119
    @Test("predicates over transactions", arguments: RecordedShop.kinds)
    func transactionPredicates(kind: StoreKind) throws {
        let shop = try shop(kind)
        let all = try shop.transactions()
        #expect(try numbers(shop, transactions(where: "author == %@", "A")) == [1, 4])
        #expect(try numbers(shop, transactions(where: "author != %@", "A")).contains(2))
        #expect(try numbers(shop, transactions(where: "author == nil")) == [3])
        #expect(
            try numbers(shop, transactions(where: "processID == %@", ProcessInfo.processInfo.processName)).count == 4)
        #expect(try numbers(shop, transactions(where: "bundleID == 'nobody'")) == [])
        #expect(try numbers(shop, transactions(where: "contextName == nil")).count == 4)
        #expect(try numbers(shop, transactions(where: "timestamp > %@", all[1].timestamp as NSDate)) == [3, 4])
        #expect(try numbers(shop, transactions(where: "token == %@", all[1].token)) == [2])
        #expect(try numbers(shop, transactions(where: "token > %@", all[1].token)) == [3, 4])
        #expect(try numbers(shop, transactions(where: "token >= %@", all[1].token)) == [2, 3, 4])
        #expect(try numbers(shop, transactions(where: "token < %@", all[1].token)) == [1])
        #expect(try numbers(shop, transactions(where: "token <= %@ AND author == 'A'", all[1].token)) == [1])
        shop.context.name = "import"
        try shop.saveBook("Persuasion")
        #expect(try numbers(shop, transactions(where: "contextName == 'import'")) == [5])
        #expect(try numbers(shop, transactions(where: "bundleID == %@", all[0].bundleID)).count == 5)
    }

    /// Proves: H11
    @Test("order, limit and offset of transactions", arguments: RecordedShop.kinds)
    func window(kind: StoreKind) throws {
        let shop = try shop(kind)
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.fetchLimit = 2
        #expect(try numbers(shop, .fetchHistory(withFetch: request)) == [1, 2])
        request.fetchOffset = 1
        #expect(try numbers(shop, .fetchHistory(withFetch: request)) == [2, 3])
        request.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
        #expect(try numbers(shop, .fetchHistory(withFetch: request)) == [3, 2])
        request.sortDescriptors = [
            NSSortDescriptor(key: "author", ascending: true), NSSortDescriptor(key: "timestamp", ascending: false),
        ]
        (request.fetchOffset, request.fetchLimit) = (0, 0)
        #expect(try numbers(shop, .fetchHistory(withFetch: request)) == [3, 4, 1, 2])
    }

    /// Proves: H12, F113
    @Test("with predicates over changes, transactions have only the matching changes", arguments: RecordedShop.kinds)
    func changePredicates(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let dune = shop.book("Dune")
        let author = Author(context: shop.context)
        author.name = "Herbert"
        try shop.context.save()
        dune.pages = 412
        try shop.context.save()
        shop.context.delete(author)
        try shop.context.save()
        let context = shop.context
        let book = try #require(shop.stack.model.entitiesByName["Book"])
        func kinds(_ request: NSPersistentHistoryChangeRequest) throws -> [Int] {
            try context.changes(request).map(\.changeType.rawValue)
        }
        let insertion = NSPersistentHistoryChangeType.insert.rawValue
        #expect(try kinds(changes(where: "changeType == %d", insertion)) == [0, 0])
        #expect(try kinds(changes(where: "changedEntity == %@", book)) == [0, 1])
        #expect(try kinds(changes(where: "changedObjectID == %@", dune.objectID)) == [0, 1])
        #expect(try kinds(changes(where: "changedObjectID == %@ AND changeType == 1", dune.objectID)) == [1])
        let grouped = try context.transactions(changes(where: "changedEntity == %@", book))
        #expect(grouped.map(\.transactionNumber) == [1, 2])
        #expect(grouped.map { $0.changes?.count } == [1, 1])
        #expect(try context.history(changes(where: "changeType == 2"), .count, as: NSNumber.self) == 1)
    }

    /// Proves: H12
    @Test("an entity in a predicate means itself, not its subentities", arguments: RecordedShop.kinds)
    func subentities(kind: StoreKind) throws {
        let stack = try Stack(kind, EmployeesModel.make(), options: [NSPersistentHistoryTrackingKey: true])
        let employee = try #require(stack.model.entitiesByName["Employee"])
        let sub = try #require(employee.subentities.first)
        for entity in [employee, sub] {
            let object = NSManagedObject(entity: entity, insertInto: stack.context)
            object.setValue("name", forKey: "name")
        }
        try stack.context.save()
        let found = try stack.context.changes(changes(where: "changedEntity == %@", employee))
        #expect(found.map(\.changedObjectID.entity.name) == ["Employee"])
    }

    /// Proves: H12
    @Test("an id of another coordinator on the file matches")
    func foreignID() throws {
        let shop = try RecordedShop(.sqlite)
        let dune = try shop.saveBook("Dune")
        let (_, other) = try shop.second()
        #expect(try other.changes(changes(where: "changedObjectID == %@", dune.objectID)).count == 1)
    }

    /// Proves: H13
    @Test("entities and requests are there before any store")
    func entities() throws {
        let names = try #require(NSPersistentHistoryTransaction.entityDescription).attributesByName.keys
        #expect(Set(["author", "contextName", "bundleID", "processID", "timestamp", "token"]).isSubset(of: Set(names)))
        let changeNames = try #require(NSPersistentHistoryChange.entityDescription).attributesByName.keys
        #expect(Set(["changeType", "changedEntity", "changedObjectID"]).isSubset(of: Set(changeNames)))
        #expect(NSPersistentHistoryChange.fetchRequest?.entityName == "Change")
        #expect(NSPersistentHistoryTransaction.fetchRequest?.entityName == "Transaction")
    }

    /// Proves: H11
    @Test("names that history does not have are thrown", arguments: RecordedShop.kinds)
    func unknownNames(kind: StoreKind) throws {
        let shop = try shop(kind)
        #expect(code { _ = try shop.context.transactions(transactions(where: "auther == 'A'")) } == 134_060)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        #expect(code { _ = try shop.context.transactions(.fetchHistory(withFetch: request)) } == 134_060)
    }

    /// Proves: H14
    @Test("ids of changes are good in the context", arguments: RecordedShop.kinds)
    func ids(kind: StoreKind) throws {
        let shop = try shop(kind)
        let change = try #require(try shop.transactions().first?.changes?.first)
        #expect(!change.changedObjectID.isTemporaryID)
        let context = shop.stack.newContext()
        #expect((context.object(with: change.changedObjectID) as? Book)?.title == "Dune")
        #expect((try context.existingObject(with: change.changedObjectID) as? Book)?.title == "Dune")
    }

    /// Proves: H14
    @Test("ids of changes are those of the executing context's coordinator")
    func idsOfCoordinator() throws {
        let shop = try shop(.sqlite)
        let (coordinator, other) = try shop.second()
        let change = try #require(try other.changes(.fetchHistory(after: nil as NSPersistentHistoryToken?)).first)
        #expect(change.changedObjectID.persistentStore === coordinator.persistentStores.first)
        #expect((try other.existingObject(with: change.changedObjectID) as? Book)?.title == "Dune")
    }

    /// Proves: H15
    @Test("a transaction's notification brings another coordinator's context up to date")
    func merging() throws {
        let shop = try RecordedShop(.sqlite)
        let (dune, emma) = (shop.book("Dune"), shop.book("Emma"))
        try shop.context.save()
        let (_, other) = try shop.second()
        let books = try other.fetch(Book.request())
        let (otherDune, otherEmma) = (
            try #require(books.first { $0.title == "Dune" }), try #require(books.first { $0.title == "Emma" })
        )
        let token = shop.token
        dune.title = "Children of Dune"
        shop.context.delete(emma)
        shop.book("Ulysses")
        try shop.context.save()
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, of: other)
        for transaction in try other.transactions(.fetchHistory(after: token)) {
            other.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        #expect(otherDune.title == "Children of Dune")
        #expect(otherEmma.isDeleted)
        let inserted = log.notifications.flatMap { $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? [] }
        #expect(inserted.map { ($0 as? Book)?.title } == ["Ulysses"])
    }

    /// Proves: H15
    @Test("ids of a save by another coordinator, merged within a block, show its values")
    func mergingInBlock() throws {
        let shop = try RecordedShop(.sqlite)
        let dune = try shop.saveBook("Dune")
        let (coordinator, _) = try shop.second()
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let title = try other.performAndWait {
            let book = try #require(try other.fetch(Book.request()).first)
            _ = book.title
            let log = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: shop.context)
            dune.title = "Emma"
            try shop.context.save()
            other.mergeChanges(fromContextDidSave: try #require(log.notifications.first))
            return book.title
        }
        #expect(title == "Emma")
    }

    /// Proves: H15
    @Test("ids of a coordinator that has closed the file can still be merged")
    func mergingAfterClosing() throws {
        let shop = try RecordedShop(.sqlite)
        let dune = try shop.saveBook("Dune")
        #expect(dune.title == "Dune")
        let notification = try notificationOfAnother(shop)
        shop.context.mergeChanges(fromContextDidSave: notification)
        #expect(dune.title == "Emma")
    }

    private func notificationOfAnother(_ shop: RecordedShop) throws -> Notification {
        let (coordinator, other) = try shop.second()
        let log = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: other)
        try other.fetch(Book.request()).first?.title = "Emma"
        try other.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return try #require(log.notifications.first)
    }

    /// Decided by `NSPersistentHistoryTransaction.changes` of results that were read before `deleteHistory(before:)`.
    /// Proves: H16
    @Test(
        "transactions are copies: deleting the history changes nothing in them", .tags(.assumed),
        arguments: RecordedShop.kinds)
    func copies(kind: StoreKind) throws {
        let shop = try shop(kind)
        let all = try shop.transactions()
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(all.map(\.author) == ["A", "B", nil, "A"])
        #expect(all.allSatisfy { $0.changes?.first?.changeType == .insert })
    }
}
