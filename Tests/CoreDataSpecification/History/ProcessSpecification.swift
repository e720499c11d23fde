// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Three processes on one store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Several processes") struct ProcessSpecification {
    private static let saves = 10

    /// The work of another process.
    static func write(_ path: String, author: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecordedShop.model())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: [NSPersistentStoreTimeoutOption: 60])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        context.transactionAuthor = author
        for number in 0..<saves {
            Book(context: context).title = "\(author) \(number)"
            try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Proves: H18, H27, H30, N6
    @Test("two processes write, and a third one hears of it, merges and reads a sequence", .timeLimit(.minutes(30)))
    func three() async throws {
        let shop = try RecordedShop(.sqlite, [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        try shop.saveBook("Dune")
        let path = shop.stack.url.path
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        let coordinator = shop.coordinator
        let view = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        view.persistentStoreCoordinator = coordinator
        view.automaticallyMergesChangesFromParent = true
        let merges = NotificationLog(.NSManagedObjectContextDidMergeChangesObjectIDs, of: view)
        // A child of the test: the time limit cancels it, and the sequence ends.
        async let sequence = coordinator.authors(1 + 2 * Self.saves)
        async let one: ExitTest.Result? = #expect(processExitsWith: .success) { [path = path as String] in
            try ProcessSpecification.write(path, author: "one")
        }
        async let other: ExitTest.Result? = #expect(processExitsWith: .success) { [path = path as String] in
            try ProcessSpecification.write(path, author: "other")
        }
        _ = await (one, other)
        let authors = try await sequence
        #expect(authors.count { $0 == "one" } == Self.saves)
        #expect(authors.count { $0 == "other" } == Self.saves)
        let last = try #require(shop.token)
        #expect(try shop.transactions().last?.token == last)
        #expect(
            eventually {
                log.notifications.last?.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == last
            })
        #expect(
            eventually {
                merges.notifications.reduce(0) {
                    $0 + (($1.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count ?? 0)
                } == 2 * Self.saves
            })
    }

    /// Proves: H26, H27
    @Test("each transaction that another process saved during an observer's work is posted", .timeLimit(.minutes(30)))
    func postedLater() async throws {
        let shop = try RecordedShop(
            .sqlite, [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let log = NotificationLog(.NSPersistentStoreRemoteChange, of: shop.coordinator)
        let (path, mayGoOn) = (shop.stack.url.path, DispatchSemaphore(value: 0))
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: shop.coordinator, queue: nil
        ) { _ in
            mayGoOn.wait()
            mayGoOn.signal()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try shop.saveBook("Dune")
        await #expect(processExitsWith: .success) { [path = path as String] in
            try ProcessSpecification.write(path, author: "one")
        }
        mayGoOn.signal()
        let tokens = try shop.transactions().map(\.token)
        #expect(tokens.count == 1 + Self.saves)
        func posted() -> [NSPersistentHistoryToken?] {
            log.notifications.map { $0.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken }
        }
        #expect(eventually { posted().last == tokens.last })
        #expect(posted() == tokens)
    }
}
