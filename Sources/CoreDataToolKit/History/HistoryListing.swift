// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the transactions and changes of a store's history, and deletes the beginning of it.

package import CoreData
import Foundation

/// The history of an open store, one row for each change.
package struct HistoryListing {
    private static let slice = 200
    private static let columns = [
        "transaction", "time", "author", "context", "program", "change", "object", "properties",
    ]

    private let store: OpenedStore
    private let limit: Int

    /// - Parameter limit: the greatest number of transactions; 0 for all.
    package init(_ store: OpenedStore, limit: Int) {
        self.store = store
        self.limit = limit
    }

    /// Writes the transactions in order, a slice at a time.
    ///
    /// - Throws: `ToolError` for a store without a history.
    package func run(into sink: any RowSink) throws {
        guard let coordinator = store.context.persistentStoreCoordinator,
            coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
        else { throw ToolError("\(store.url.path) has no history.") }
        try sink.begin(QueryResult.Head(columns: Self.columns, hasIDs: false, noun: "change"))
        var (token, left, count) = (nil as NSPersistentHistoryToken?, limit > 0 ? limit : Int.max, 0)
        while left > 0 {
            let transactions = try next(min(left, Self.slice), after: token)
            for transaction in transactions {
                for change in transaction.changes ?? [] {
                    try sink.add(QueryResult.Row(id: "", cells: Self.cells(transaction, change)))
                    count += 1
                }
            }
            guard let last = transactions.last else { break }
            token = last.token
            left -= transactions.count
        }
        try sink.end(count)
    }

    private func next(_ count: Int, after token: NSPersistentHistoryToken?) throws -> [NSPersistentHistoryTransaction] {
        try store.ask { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
            request.fetchRequest?.fetchLimit = count
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }

    private static func cells(_ transaction: NSPersistentHistoryTransaction, _ change: NSPersistentHistoryChange)
        -> [Cell]
    {
        let kind =
            switch change.changeType {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            }
        let names = (change.updatedProperties ?? []).map(\.name).sorted()
        return [
            .integer(transaction.transactionNumber), .date(transaction.timestamp),
            transaction.author.map { .string($0) } ?? .null, transaction.contextName.map { .string($0) } ?? .null,
            .string(transaction.processID), .string(kind), .object(change.changedObjectID.shortText),
            names.isEmpty ? .null : .string(names.joined(separator: ",")),
        ]
    }

    /// Deletes the transactions older than a date.
    ///
    /// - Returns: the number of transactions that are gone.
    package static func purge(_ store: OpenedStore, before date: Date) throws -> Int {
        try store.ask { context in
            func count() throws -> Int {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
                request.resultType = .count
                let result = try context.execute(request) as? NSPersistentHistoryResult
                return (result?.result as? NSNumber)?.intValue ?? 0
            }
            let before = try count()
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
            return try before - count()
        }
    }
}
