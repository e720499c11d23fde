// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the transactions and changes of a store's history, and deletes the beginning of it.

package import CoreData
import Foundation

/// The history of an open store, one row for each change.
package struct HistoryListing: Sendable {
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
        _ = try coordinator
        try sink.begin(QueryResult.Header(columns: Self.columns, hasIDs: false, noun: "change"))
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

    private var coordinator: NSPersistentStoreCoordinator {
        get throws {
            guard let coordinator = store.context.persistentStoreCoordinator,
                coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
            else { throw ToolError("\(store.url.path) has no history.") }
            return coordinator
        }
    }

    /// Writes the existing transactions, and then each new one of any process, until the task is cancelled or the limit
    /// is reached.
    ///
    /// - Parameter onlyNew: whether the existing transactions are left out.
    /// - Throws: `ToolError` for a store without a history.
    package func watch(into sink: any RowSink, onlyNew: Bool = false) async throws {
        let coordinator = try coordinator
        let token = onlyNew ? coordinator.currentPersistentHistoryToken(fromStores: nil) : nil
        let transactions = coordinator.historyTransactions(after: token)
        try sink.begin(
            QueryResult.Header(columns: Self.columns, hasIDs: false, noun: "change", sample: Self.sample))
        try sink.show()
        var (left, count) = (limit > 0 ? limit : Int.max, 0)
        for try await transaction in transactions {
            for change in transaction.changes ?? [] {
                try sink.add(QueryResult.Row(id: "", cells: Self.cells(transaction, change)))
                count += 1
            }
            try sink.show()
            left -= 1
            if left == 0 { break }
        }
        try sink.end(count)
    }

    private static var sample: [Cell] {
        let text = Cell.string(String(repeating: "m", count: 16))
        return [
            .integer(100_000), .date(Date(timeIntervalSinceReferenceDate: 0.000_001)), text, text, text,
            .string("insert"),
            text, .string(String(repeating: "m", count: 24)),
        ]
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

    /// The number of transactions older than a date, or of all.
    ///
    /// - Throws: `ToolError` for a store without a history.
    package static func count(_ store: OpenedStore, before date: Date? = nil) throws -> Int {
        _ = try HistoryListing(store, limit: 0).coordinator
        return try store.ask { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            if let date {
                request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
                request.fetchRequest?.predicate = NSPredicate(format: "timestamp < %@", date)
            }
            request.resultType = .count
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return (result?.result as? NSNumber)?.intValue ?? 0
        }
    }

    /// Deletes the transactions older than a date.
    ///
    /// - Returns: the number of deleted transactions.
    package static func purge(_ store: OpenedStore, before date: Date) throws -> Int {
        let before = try count(store)
        try store.ask { _ = try $0.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date)) }
        return try before - count(store)
    }
}
