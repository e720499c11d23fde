// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that an open store follows its file when another process begins, removes or purges the history.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Histories that others begin and remove") struct HistoryChangedByOthersSpecification {
    /// The work of another process: opens the file with or without a history, saves, and deletes on request.
    static func work(_ path: String, tracks: Bool, purges: Bool = false) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RecordedShop.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: path),
            options: [NSPersistentHistoryTrackingKey: tracks, NSPersistentStoreTimeoutOption: 60])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        Book(context: context).title = "elsewhere"
        try context.save()
        if purges {
            let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
        }
        try coordinator.remove(store)
    }

    private func titles(_ shop: RecordedShop) throws -> [String] {
        let context = shop.stack.newContext()
        let books = try context.fetch(Book.request())
        return withExtendedLifetime(context) { books.compactMap(\.title).sorted() }
    }

    /// Proves: H1, H8, H20
    @Test("a history that another coordinator removes is begun anew by the next save, and old tokens are expired")
    func removed() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune", author: "one")
        let old = try #require(shop.token)
        let (other, _) = try shop.second([NSPersistentHistoryTrackingKey: false])
        #expect(other.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(shop.token == nil)
        try shop.saveBook("Emma", author: "two")
        #expect(try shop.transactions().map(\.author) == ["two"])
        #expect(try shop.lastChanges() == ["insert Book"])
        let failure = #expect(throws: NSError.self) { try shop.transactions(after: old) }
        #expect(failure?.code == NSPersistentHistoryTokenExpiredError)
        let token = try #require(shop.token)
        try shop.saveBook("Ulysses")
        #expect(try shop.transactions(after: token).count == 1)
        #expect(try shop.transactions().map(\.transactionNumber).count == 2)
        let numbers = try shop.context.changes(.fetchHistory(after: nil as NSPersistentHistoryToken?)).map(\.changeID)
        #expect(numbers == [1, 2])
    }

    /// Proves: H8
    @Test("a store without a wish stops recording when another coordinator removes the history, and saves go on")
    func removedUnwished() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune")
        let (unwished, context) = try shop.second([:])
        #expect(unwished.currentPersistentHistoryToken(fromStores: nil) != nil)
        for store in shop.coordinator.persistentStores { try shop.coordinator.remove(store) }
        let (other, _) = try shop.second([NSPersistentHistoryTrackingKey: false])
        Book(context: context).title = "Emma"
        try context.save()
        #expect(unwished.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(other.currentPersistentHistoryToken(fromStores: nil) == nil)
        #expect(try context.count(for: Book.request()) == 2)
    }

    /// Proves: H1, H8
    @Test(
        "a store records from the moment on at which another coordinator begins the history", arguments: [false, true])
    func begun(refuses: Bool) throws {
        let shop = try RecordedShop(
            .sqlite, [NSPersistentHistoryTrackingKey: refuses ? false as NSNumber : NSNull()])
        try shop.saveBook("Dune")
        #expect(shop.token == nil)
        let (other, context) = try shop.second()
        try shop.saveBook("Emma", author: "first")
        #expect(
            try context.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).map(\.author) == ["first"])
        #expect(shop.token == other.currentPersistentHistoryToken(fromStores: nil))
        let emma = try #require(try shop.context.fetch(Book.request()).last)
        let title = emma.title
        shop.context.delete(emma)
        try shop.context.save()
        #expect(try shop.lastChanges() == ["delete Book"])
        #expect(try shop.transactions().last?.changes?.first?.tombstone?["title"] as? String == title)
    }

    /// Proves: H6, H8
    @Test("batch requests follow the file as saves do")
    func batches() throws {
        let shop = try RecordedShop(.sqlite, [NSPersistentHistoryTrackingKey: NSNull()])
        try shop.saveBook("Dune")
        let (_, context) = try shop.second()
        try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"]]))
        #expect(try context.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).count == 1)
        _ = try shop.second([NSPersistentHistoryTrackingKey: false])
        try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "Ulysses"]]))
        #expect(try titles(shop) == ["Dune", "Emma", "Ulysses"])
    }

    /// Proves: H1, H8, H20, H22, H27
    @Test("another process removes, begins and purges the history of an open store")
    func processes() async throws {
        let shop = try RecordedShop(.sqlite, [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        try shop.saveBook("Dune", author: "one")
        let old = try #require(shop.token)
        let path = shop.stack.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try HistoryChangedByOthersSpecification.work(path, tracks: false)
        }
        try shop.saveBook("Emma", author: "two")
        #expect(throws: NSError.self) { try shop.transactions(after: old) }
        #expect(try shop.transactions().map(\.author) == ["two"])
        await #expect(processExitsWith: .success) { [path = path as String] in
            try HistoryChangedByOthersSpecification.work(path, tracks: true, purges: true)
        }
        #expect(try shop.transactions().count == 1)
        try shop.saveBook("Ulysses", author: "three")
        #expect(try shop.transactions().map(\.author) == [nil, "three"])
        #expect(try titles(shop) == ["Dune", "Emma", "Ulysses", "elsewhere", "elsewhere"])
    }

    /// Proves: H1, H8, H30
    @Test(
        "a store that was opened before another process begins the history records, and its sequence goes on",
        .timeLimit(.minutes(30)))
    func begunByProcess() async throws {
        let shop = try RecordedShop(.sqlite, [NSPersistentHistoryTrackingKey: NSNull()])
        try shop.saveBook("Dune")
        let coordinator = shop.coordinator
        // A child of the test: the time limit cancels it, and the sequence ends.
        async let authors = coordinator.authors(2)
        let path = shop.stack.url.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try HistoryChangedByOthersSpecification.work(path, tracks: true)
        }
        try shop.saveBook("Emma", author: "own")
        #expect(try await authors == [nil, "own"])
    }
}
