// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tokens, named readers and the retention of the history of a coordinator's stores.

import Foundation

extension NSPersistentStoreCoordinator {
    private var historyStores: [any HistoryKeeping] { attachedStores.compactMap { $0 as? any HistoryKeeping } }

    /// The token of the last transaction of stores.
    ///
    /// - Parameter stores: nil for all stores of the coordinator.
    /// - Returns: nil if none of the stores has a history, or none can be read.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let wanted = stores.map { stores in stores.compactMap { $0 as? NSPersistentStore } }
        var numbers: [String: Int64] = [:]
        for store in historyStores where wanted?.contains(store) ?? true {
            let last = (try? store.readHistory { try $0.bounds.last }) ?? nil
            if let last { numbers[store.identifier] = last }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// The transactions after a token as a sequence: the existing ones, then each new one of any coordinator or
    /// process.
    ///
    /// The sequence ends when its task is cancelled. It reads in slices, which end with the hundredth transaction or
    /// the thousandth change, so its memory does not grow with the history. An addition to Apple's API.
    ///
    /// ```swift
    /// for try await transaction in coordinator.historyTransactions(after: lastToken) {
    ///     try await index(transaction.changes ?? [])
    ///     lastToken = transaction.token
    /// }
    /// ```
    /// - Parameter token: nil for all transactions.
    /// - Returns: a sequence that throws 134301 if part of the history after the token has been deleted.
    public func historyTransactions(after token: NSPersistentHistoryToken?) -> PersistentHistoryTransactions {
        PersistentHistoryTransactions(coordinator: self, token: token)
    }

    /// Records that a reader has processed all transactions up to a token. An addition to Apple's API.
    ///
    /// The store keeps the names of readers, for later launches and other processes. A retention with `keepsUnread`
    /// deletes no transaction that a reader has not acknowledged.
    ///
    /// - Parameters:
    ///   - token: a token earlier than the reader's last one has no effect.
    ///   - reader: a name that is not empty.
    /// - Throws: 134301 for a token that no store of the coordinator has issued; 513 for a read-only store.
    public func acknowledgeHistory(upTo token: NSPersistentHistoryToken, as reader: String) throws {
        try requireName(reader)
        for store in historyStores {
            guard let number = token.number(of: store.identifier) else { continue }
            let bounds = try store.readHistory { try $0.bounds }
            try HistoryBounds(deleted: 0, last: bounds?.last ?? 0).check(number, of: store.identifier)
            try store.setHistoryReader(reader, to: number)
        }
    }

    /// The token that a reader acknowledged last; nil for an unknown reader. An addition to Apple's API.
    public func historyToken(of reader: String) throws -> NSPersistentHistoryToken? {
        try requireName(reader)
        var numbers: [String: Int64] = [:]
        for store in historyStores {
            if let number = try store.historyReader(reader) { numbers[store.identifier] = number }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    /// Removes a reader, so that it no longer prevents the deletion of transactions. An addition to Apple's API.
    public func forgetHistoryReader(_ reader: String) throws {
        try requireName(reader)
        for store in historyStores { try store.setHistoryReader(reader, to: nil) }
    }

    /// Applies the retention of each store now. An addition to Apple's API.
    ///
    /// - Throws: 513 for a read-only store with a retention.
    public func purgeHistory() throws {
        for store in historyStores { try store.purgeHistory() }
    }

    private func requireName(_ reader: String) throws {
        if reader.isEmpty { throw CoreDataError.general("A reader of the history needs a name; this one is empty.") }
    }
}
