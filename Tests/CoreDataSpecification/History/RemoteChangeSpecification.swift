// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notifications of changes by other coordinators, and the sequence of transactions.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Remote changes") struct RemoteChangeSpecification {
    private static var notifying: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
    }

    private func tokens(_ log: NotificationLog) -> [NSPersistentHistoryToken?] {
        log.notifications.map { $0.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken }
    }

    /// Proves: H26, H29, F117
    @Test(
        "each coordinator on the file posts every transaction of each of them, in order",
        arguments: RecordedShop.sharedKinds)
    func everyCoordinator(kind: StoreKind) throws {
        let shop = try RecordedShop(kind, Self.notifying)
        let (coordinator, other) = try shop.second(Self.notifying)
        let logs = [shop.coordinator, coordinator].map { NotificationLog(.NSPersistentStoreRemoteChange, of: $0) }
        for number in 1...3 {
            try shop.saveBook("Book \(number)")
            Book(context: other).title = "Other \(number)"
            try other.save()
        }
        let expected = try shop.transactions().map { $0.token as NSPersistentHistoryToken? }
        #expect(expected.count == 6)
        for log in logs {
            #expect(eventually { log.count >= 6 })
            #expect(tokens(log) == expected)
            let info = log.notifications.last?.userInfo
            #expect(info?[NSStoreUUIDKey] as? String == shop.stack.store.identifier)
            #expect(info?[NSPersistentStoreURLKey] as? URL == shop.stack.url)
        }
    }

    /// Proves: H26
    @Test("without the option none is posted", arguments: RecordedShop.sharedKinds)
    func noOption(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let (coordinator, _) = try shop.second(Self.notifying)
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        let other = NotificationLog(.NSPersistentStoreRemoteChange, of: coordinator)
        try shop.saveBook("Dune")
        #expect(eventually { other.count == 1 })
        #expect(log.count == 0)
    }

    /// Proves: H26, H30
    @Test(
        "without the option none is posted, also while a sequence reads the transactions", .timeLimit(.minutes(30)),
        arguments: RecordedShop.kinds)
    func noOptionWithSequence(kind: StoreKind) async throws {
        let shop = try RecordedShop(kind)
        let posting = try shop.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: Self.notifying)
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        var iterator = shop.coordinator.historyTransactions(after: nil).makeAsyncIterator()
        try shop.saveBook("Dune")
        #expect(try await iterator.next()?.storeID == shop.stack.store.identifier)
        // The coordinator posts notifications of its stores in the order of their transactions.
        shop.context.assign(shop.book("Emma"), to: posting)
        try shop.context.save()
        #expect(eventually { log.count > 0 })
        #expect(log.notifications.map { $0.userInfo?[NSStoreUUIDKey] as? String } == [posting.identifier])
    }

    /// Proves: H26
    @Test("without a history there is no token", arguments: RecordedShop.sharedKinds)
    func noHistory(kind: StoreKind) throws {
        let stack = try Stack(
            kind, RecordedShop.model(),
            options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: stack.coordinator)
        Book(context: stack.context).title = "Dune"
        try stack.context.save()
        #expect(eventually { log.count == 1 })
        #expect(tokens(log) == [nil])
    }

    /// Decided by `NSPersistentStoreRemoteChange` with an observer that waits for the end of the `save()`.
    /// Proves: H29
    @Test("notifications come on another thread than the save's, which need not wait for them", .tags(.assumed))
    func ownQueue() throws {
        let shop = try RecordedShop(.sqlite, Self.notifying)
        let (isSaved, wasSaved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: shop.coordinator, queue: nil
        ) { _ in
            // On the thread of the save this wait would time out.
            if isSaved.wait(timeout: .now() + 60) == .success { wasSaved.signal() }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try shop.saveBook("Dune")
        isSaved.signal()
        #expect(wasSaved.wait(timeout: .now() + 60) == .success)
    }

    /// Proves: H26
    @Test("a store in memory posts its own transactions")
    func inMemory() throws {
        let shop = try RecordedShop(.inMemory, Self.notifying)
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        try shop.saveBook("Dune")
        #expect(eventually { log.count == 1 })
        #expect(tokens(log) == [shop.token])
    }

    /// Decided by `NSPersistentStoreRemoteChange` of a coordinator after `remove(_:)` of the store.
    /// Proves: H29
    @Test("a removed store posts nothing", .tags(.assumed), arguments: RecordedShop.sharedKinds)
    func removed(kind: StoreKind) throws {
        let shop = try RecordedShop(kind, Self.notifying)
        let (coordinator, other) = try shop.second(Self.notifying)
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        let otherLog = NotificationLog(.NSPersistentStoreRemoteChange, of: coordinator)
        try shop.coordinator.remove(shop.stack.store)
        Book(context: other).title = "Dune"
        try other.save()
        #expect(eventually { otherLog.count == 1 })
        #expect(log.count == 0)
    }

    /// Proves: H26, N6
    @Test("contexts that merge automatically show the saves of other coordinators", arguments: RecordedShop.sharedKinds)
    func automaticMerging(kind: StoreKind) throws {
        let shop = try RecordedShop(kind, Self.notifying)
        let dune = try shop.saveBook("Dune")
        let (coordinator, _) = try shop.second(Self.notifying)
        let view = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        view.persistentStoreCoordinator = coordinator
        view.automaticallyMergesChangesFromParent = true
        let found = try view.performAndWait { try view.fetch(Book.request()).first }
        let book = try #require(found)
        #expect(view.performAndWait { book.title } == "Dune")
        dune.title = "Children of Dune"
        try shop.context.save()
        #expect(eventually { view.performAndWait { book.title == "Children of Dune" } })
    }

    /// Proves: H26
    @Test(
        "a fault of a followed store never shows values that another coordinator has replaced",
        arguments: RecordedShop.sharedKinds)
    func rowCache(kind: StoreKind) throws {
        let shop = try RecordedShop(kind, Self.notifying)
        let dune = try shop.saveBook("Dune")
        let (coordinator, other) = try shop.second(Self.notifying)
        let book = try #require(try other.fetch(Book.request()).first)
        #expect(book.title == "Dune")
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: coordinator)
        dune.title = "Emma"
        try shop.context.save()
        #expect(eventually { log.count == 1 })
        let fresh = NSManagedObjectContext(concurrencyType: .confined)
        fresh.persistentStoreCoordinator = coordinator
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: dune.objectID.uriRepresentation()))
        #expect((fresh.object(with: id) as? Book)?.title == "Emma")
    }

    /// Proves: H30
    @Test(
        "the sequence gives the present transactions and then each new one", .timeLimit(.minutes(30)),
        arguments: RecordedShop.kinds)
    func sequence(kind: StoreKind) async throws {
        let shop = try RecordedShop(kind)
        try shop.saveBook("Dune", author: "A")
        try shop.saveBook("Emma", author: "B")
        var iterator = shop.coordinator.historyTransactions(after: nil).makeAsyncIterator()
        #expect(try await iterator.next()?.author == "A")
        #expect(try await iterator.next()?.author == "B")
        try shop.saveBook("Ulysses", author: "C")
        let third = try await iterator.next()
        #expect(third?.author == "C")
        #expect(third?.changes?.count == 1)
        var later = shop.coordinator.historyTransactions(after: third?.token).makeAsyncIterator()
        try shop.saveBook("Middlemarch", author: "D")
        #expect(try await later.next()?.author == "D")
    }

    /// Proves: H30
    @Test("the sequence ends when its task is cancelled", .timeLimit(.minutes(30)))
    func cancelling() async throws {
        let shop = try RecordedShop(.sqlite)
        let coordinator = shop.coordinator
        let task = Task {
            var count = 0
            for try await _ in coordinator.historyTransactions(after: nil) { count += 1 }
            return count
        }
        try shop.saveBook("Dune")
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(try await task.value <= 1)
    }

    /// Proves: H17, H30
    @Test("slices that end with many changes leave the sequence of two stores whole and in order")
    func sequenceOfTwoStores() async throws {
        let shop = try RecordedShop(.inMemory)
        try shop.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil,
            options: [NSPersistentHistoryTrackingKey: true])
        let sizes = [1, 1_200, 300, 5, 900, 2, 7, 3]
        for (number, size) in sizes.enumerated() {
            let store = shop.coordinator.persistentStores[number % 3 == 0 ? 0 : 1]
            for _ in 0..<size { shop.context.assign(shop.book("Dune"), to: store) }
            try shop.context.save()
        }
        var iterator = shop.coordinator.historyTransactions(after: nil).makeAsyncIterator()
        var found: [Int?] = []
        for _ in sizes { found.append(try await iterator.next()?.changes?.count) }
        #expect(found == sizes)
    }

    /// Proves: H30
    @Test("a sequence after an expired token throws", arguments: RecordedShop.kinds)
    func expired(kind: StoreKind) async throws {
        let shop = try RecordedShop(kind)
        let initial = shop.token
        try shop.saveBook("Dune")
        try shop.saveBook("Emma")
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: shop.token))
        var iterator = shop.coordinator.historyTransactions(after: initial).makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("An expired token was taken.")
        } catch {
            #expect((error as NSError).code == NSPersistentHistoryTokenExpiredError)
        }
    }
}
