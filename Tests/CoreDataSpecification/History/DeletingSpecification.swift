// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deleting history: by request, by retention, and held back by named readers.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Deleting history") struct DeletingSpecification {
    private func shop(_ kind: StoreKind, _ options: [AnyHashable: Any] = [:], saves: Int = 4) throws -> RecordedShop {
        let shop = try RecordedShop(kind, options)
        for number in 1...saves { try shop.saveBook("Book \(number)", author: "author \(number)") }
        return shop
    }

    private func numbers(_ shop: RecordedShop) throws -> [Int64] { try shop.transactions().map(\.transactionNumber) }

    /// Proves: H22, F114
    @Test("removes older transactions and keeps the named one", arguments: RecordedShop.kinds)
    func before(kind: StoreKind) throws {
        let shop = try shop(kind)
        let all = try shop.transactions()
        func delete(_ request: NSPersistentHistoryChangeRequest) throws {
            let result = try #require(try shop.context.execute(request) as? NSPersistentHistoryResult)
            #expect(result.resultType == .statusOnly)
            #expect(result.result as? NSNumber == true)
        }
        try delete(.deleteHistory(before: nil as NSPersistentHistoryToken?))
        try delete(.deleteHistory(before: nil as NSPersistentHistoryTransaction?))
        try delete(.deleteHistory(before: Date.distantPast))
        #expect(try numbers(shop) == [1, 2, 3, 4])
        try delete(.deleteHistory(before: all[1]))
        #expect(try numbers(shop) == [2, 3, 4])
        try delete(.deleteHistory(before: all[2].token))
        #expect(try numbers(shop) == [3, 4])
        try delete(.deleteHistory(before: all[3].timestamp))
        #expect(try numbers(shop) == [4])
        try delete(.deleteHistory(before: Date.distantFuture))
        #expect(try numbers(shop) == [])
        #expect(shop.token == all[3].token)
        try shop.saveBook("Another")
        #expect(try numbers(shop) == [5])
        #expect(try shop.transactions().first?.changes?.first?.changeID == 5)
    }

    /// Proves: H24
    @Test("a limit on transactions or age is applied by purging", arguments: RecordedShop.kinds)
    func retention(kind: StoreKind) throws {
        let key = PersistentHistoryRetention.optionKey
        let few = try shop(kind, [key: PersistentHistoryRetention(maximumTransactions: 3)], saves: 7)
        try few.coordinator.purgeHistory()
        #expect(try numbers(few) == [5, 6, 7])
        let young = try shop(kind, [key: PersistentHistoryRetention(maximumAge: 3600)])
        try young.coordinator.purgeHistory()
        #expect(try numbers(young) == [1, 2, 3, 4])
        let none = try shop(kind, [key: PersistentHistoryRetention(maximumAge: -1)])
        try none.coordinator.purgeHistory()
        #expect(try numbers(none) == [])
        let unlimited = try shop(kind)
        try unlimited.coordinator.purgeHistory()
        #expect(try numbers(unlimited) == [1, 2, 3, 4])
    }

    /// Proves: H24
    @Test("a retention is applied when the store is opened")
    func opening() throws {
        let shop = try shop(.sqlite)
        let retention = PersistentHistoryRetention(maximumTransactions: 1)
        try shop.stack.reopen(options: [PersistentHistoryRetention.optionKey: retention])
        #expect(try eventually { try numbers(shop) == [4] })
    }

    /// Proves: H24
    @Test("a retention by count or age is applied to a file before it is open, as the program may end soon")
    func openingAtOnce() throws {
        let key = PersistentHistoryRetention.optionKey
        let shop = try shop(.sqlite, saves: 9)
        try shop.stack.reopen(options: [key: PersistentHistoryRetention(maximumTransactions: 3)])
        #expect(try numbers(shop) == [7, 8, 9])
        try shop.stack.reopen(options: [key: PersistentHistoryRetention(maximumTransactions: 20)])
        #expect(try numbers(shop) == [7, 8, 9])
        try shop.coordinator.acknowledgeHistory(upTo: try shop.transactions()[0].token, as: "index")
        try shop.stack.reopen(options: [key: PersistentHistoryRetention(maximumTransactions: 1)])
        #expect(try numbers(shop) == [8, 9])
        try shop.stack.reopen(options: [key: PersistentHistoryRetention(maximumAge: -1, keepsUnread: false)])
        #expect(try numbers(shop) == [])
    }

    /// Proves: H24
    @Test("a description carries a retention")
    func description() throws {
        let description = NSPersistentStoreDescription()
        #expect(description.historyRetention == nil)
        let retention = PersistentHistoryRetention(maximumAge: 60, maximumTransactions: 10, keepsUnread: false)
        description.historyRetention = retention
        #expect((description.copy() as? NSPersistentStoreDescription)?.historyRetention == retention)
        description.historyRetention = nil
        #expect(description.options[PersistentHistoryRetention.optionKey] == nil)
    }

    /// Proves: H25
    @Test("a retention keeps the transactions that a named reader has not acknowledged", arguments: RecordedShop.kinds)
    func readers(kind: StoreKind) throws {
        let key = PersistentHistoryRetention.optionKey
        let shop = try RecordedShop(kind, [key: PersistentHistoryRetention(maximumTransactions: 1)])
        #expect(try shop.coordinator.historyToken(of: "index") == nil)
        // Prevents the purge after opening, which may run at any time.
        try shop.coordinator.acknowledgeHistory(upTo: try #require(shop.token), as: "index")
        for number in 1...4 { try shop.saveBook("Book \(number)") }
        let all = try shop.transactions()
        try shop.coordinator.acknowledgeHistory(upTo: all[1].token, as: "index")
        try shop.coordinator.acknowledgeHistory(upTo: all[0].token, as: "index")
        try shop.coordinator.acknowledgeHistory(upTo: all[2].token, as: "export")
        #expect(try shop.coordinator.historyToken(of: "index") == all[1].token)
        try shop.coordinator.purgeHistory()
        #expect(try numbers(shop) == [3, 4])
        try shop.coordinator.forgetHistoryReader("index")
        #expect(try shop.coordinator.historyToken(of: "index") == nil)
        try shop.coordinator.purgeHistory()
        #expect(try numbers(shop) == [4])
        #expect(code { try shop.coordinator.forgetHistoryReader("") } == 134_060)
    }

    /// Proves: H24
    @Test("a retention is applied after every thousand transactions", arguments: RecordedShop.kinds)
    func thousand(kind: StoreKind) throws {
        let retention = PersistentHistoryRetention(maximumTransactions: 10)
        let shop = try RecordedShop(kind, [PersistentHistoryRetention.optionKey: retention])
        // Prevents the purge after opening, which may run at any time.
        try shop.coordinator.acknowledgeHistory(upTo: try #require(shop.token), as: "index")
        let book = try shop.saveBook("Dune")
        for number in 2..<1_000 {
            book.pages = number
            try shop.context.save()
        }
        #expect(try shop.transactions().count == 999)
        try shop.coordinator.forgetHistoryReader("index")
        book.pages = 1_000
        try shop.context.save()
        #expect(try eventually { try numbers(shop) == Array(991...1_000) })
    }

    /// Proves: H25
    @Test("a retention may leave readers aside", arguments: RecordedShop.kinds)
    func unread(kind: StoreKind) throws {
        let retention = PersistentHistoryRetention(maximumTransactions: 1, keepsUnread: false)
        let shop = try RecordedShop(kind, [PersistentHistoryRetention.optionKey: retention])
        try shop.coordinator.acknowledgeHistory(upTo: try #require(shop.token), as: "index")
        for number in 1...4 { try shop.saveBook("Book \(number)") }
        try shop.coordinator.purgeHistory()
        #expect(try numbers(shop) == [4])
    }

    /// Proves: H25
    @Test("readers stay over launches, and for other coordinators")
    func lastingReaders() throws {
        let shop = try shop(.sqlite)
        let token = try #require(shop.token)
        try shop.coordinator.acknowledgeHistory(upTo: token, as: "index")
        let (coordinator, _) = try shop.second()
        #expect(try coordinator.historyToken(of: "index") == token)
        try shop.stack.reopen()
        #expect(try shop.coordinator.historyToken(of: "index") == token)
    }

    /// Proves: H22
    @Test("of several transactions with many changes, only the older ones go", arguments: RecordedShop.kinds)
    func largeTransactions(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let books = Array(repeating: ["title": "Dune"], count: 2_000)
        for _ in 0..<4 { try shop.context.execute(NSBatchInsertRequest(entityName: "Book", objects: books)) }
        let all = try shop.transactions()
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[1]))
        let left = try shop.transactions()
        #expect(left.map(\.transactionNumber) == [2, 3, 4])
        #expect(left.map { $0.changes?.count } == [2_000, 2_000, 2_000])
    }

    /// Proves: H23
    @Test("a large history is deleted in slices, and a read in progress stays whole")
    func slices() throws {
        let shop = try RecordedShop(.sqlite)
        for _ in 0..<3 {
            for number in 0..<4_000 { shop.book("Book \(number)") }
            try shop.context.save()
            shop.context.reset()
        }
        for number in 0..<12_000 { shop.book("Book \(number)") }
        try shop.context.save()
        try shop.saveBook("Last")
        let all = try shop.context.history(
            .fetchHistory(after: nil as NSPersistentHistoryToken?), .transactionsOnly,
            as: [NSPersistentHistoryTransaction].self)
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[4]))
        #expect(try shop.transactions().map { $0.changes?.count } == [1])
    }
}
