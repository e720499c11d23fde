// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tokens: equality, coding, expiry.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("History tokens") struct TokenSpecification {
    private let expired = NSPersistentHistoryTokenExpiredError

    /// Proves: H18, F110
    @Test("the current token is that of the last transaction", arguments: RecordedShop.kinds)
    func current(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        try shop.saveBook("Dune")
        let token = try #require(shop.token)
        #expect(try shop.transactions().last?.token == token)
        #expect(token == shop.coordinator.currentPersistentHistoryToken(fromStores: [shop.stack.store]))
        try shop.saveBook("Emma")
        #expect(shop.token != token)
        #expect(shop.coordinator.currentPersistentHistoryToken(fromStores: []) == nil)
    }

    /// Decided by `userInfo["newChangeToken"]` of `NSManagedObjectContextDidSave`.
    /// Proves: H18
    @Test("the did-save notifications have the token of the save", .tags(.assumed), arguments: RecordedShop.kinds)
    func notified(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        let ids = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: shop.context)
        try shop.saveBook("Dune")
        let first = try #require(saves.notifications.last?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(first == shop.token)
        #expect(ids.notifications.last?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken == first)
        try shop.saveBook("Emma")
        let second = try #require(saves.notifications.last?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken)
        #expect(second == shop.token && second != first)
        #expect(try shop.transactions(after: first).map(\.token) == [second])
        #expect(try shop.transactions(after: second).isEmpty)
    }

    /// Proves: H18
    @Test("without a history the did-save notifications have no token", arguments: StoreKind.all)
    func unnotified(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        let saves = NotificationLog(.NSManagedObjectContextDidSave, of: shop.context)
        shop.book("Dune")
        try shop.context.save()
        let info = try #require(saves.notifications.last?.userInfo)
        #expect(info["newChangeToken"] == nil)
    }

    /// Proves: H18
    @Test("tokens of two coordinators on one file are equal")
    func equal() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune")
        let (coordinator, _) = try shop.second()
        let (one, other) = (
            try #require(shop.token), try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        )
        #expect(one == other)
        #expect(one.hash == other.hash)
        #expect(one.isEqual(one.copy()))
    }

    /// Proves: H18
    @Test("a token of several stores covers all of them")
    func severalStores() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil,
            options: [NSPersistentHistoryTrackingKey: true])
        let token = shop.token
        for store in shop.coordinator.persistentStores {
            let book = Book(context: shop.context)
            book.title = "in \(store.type)"
            shop.context.assign(book, to: store)
            try shop.context.save()
        }
        let transactions = try shop.transactions(after: token)
        #expect(transactions.map(\.storeID) == shop.coordinator.persistentStores.map(\.identifier))
        #expect(try shop.transactions(after: shop.token).isEmpty)
        #expect(try shop.transactions(after: transactions[0].token).map(\.storeID) == [transactions[1].storeID])
    }

    /// Proves: H19
    @Test("tokens survive archives and Codable coding", arguments: RecordedShop.kinds)
    func coding(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        try shop.saveBook("Dune")
        let token = try #require(shop.token)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archive) == token)
        let json = try JSONEncoder().encode([token])
        #expect(try JSONDecoder().decode([NSPersistentHistoryToken].self, from: json) == [token])
    }

    /// Proves: H19
    @Test("tokens are sendable")
    func sendable() async throws {
        let shop = try RecordedShop(.inMemory)
        try shop.saveBook("Dune")
        let token = try #require(shop.token)
        let same = await Task.detached { token }.value
        #expect(same == token)
    }

    /// Proves: H20
    @Test("forged tokens are thrown out")
    func forged() throws {
        let shop = try RecordedShop(.sqlite)
        try shop.saveBook("Dune")
        func token(_ json: String) throws -> NSPersistentHistoryToken {
            try JSONDecoder().decode([NSPersistentHistoryToken].self, from: Data("[\(json)]".utf8))[0]
        }
        #expect(throws: DecodingError.self) { try token(#"{"A": -1}"#) }
        #expect(throws: DecodingError.self) { try token(#""A""#) }
        let later = try token("{\"\(shop.stack.store.identifier ?? "")\": 99}")
        let elsewhere = try token(#"{"5B4E2C36-0000-0000-0000-000000000000": 1}"#)
        for forged in [later, elsewhere] {
            #expect(code { _ = try shop.transactions(after: forged) } == expired)
        }
        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: later)
        #expect(code { _ = try shop.context.execute(deletion) } == expired)
        #expect(code { try shop.coordinator.acknowledgeHistory(upTo: later, as: "reader") } == expired)
        #expect(try shop.transactions().count == 1)
    }

    /// Decided by `fetchHistory(after:)` with tokens from before and after a `deleteHistory(before:)`: 134301, or what
    /// is left.
    /// Proves: H20
    @Test(
        "a token is expired when something after it was deleted, and good when nothing was", .tags(.assumed),
        arguments: RecordedShop.kinds)
    func expiry(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        var tokens: [NSPersistentHistoryToken?] = [shop.token]
        for title in ["Dune", "Emma", "Ulysses"] {
            try shop.saveBook(title)
            tokens.append(shop.token)
        }
        _ = try shop.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[3]))
        for token in tokens[0...1] { #expect(code { _ = try shop.transactions(after: token) } == expired) }
        #expect(try shop.transactions(after: tokens[2]).count == 1)
        #expect(try shop.transactions(after: tokens[3]).isEmpty)
        #expect(try shop.transactions().count == 1)
    }

    /// Proves: H21, F111
    @Test("the initial token in a predicate is expired", arguments: RecordedShop.kinds)
    func initialInPredicate(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let initial = try #require(shop.token)
        try shop.saveBook("Dune")
        #expect(code { _ = try shop.context.transactions(transactions(where: "token > %@", initial)) } == expired)
    }
}
