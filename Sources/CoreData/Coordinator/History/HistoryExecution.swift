// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries out history requests over the stores of a coordinator.

import CoreDataFoundation
import Foundation

/// Executes one request. Reads each store in a separate read transaction.
struct HistoryExecution {
    let coordinator: NSPersistentStoreCoordinator
    /// nil: all stores of the coordinator.
    let affected: [NSPersistentStore]?
    /// A result with changes ends with the transaction in which their number reaches this limit; nil for no limit.
    /// Cannot be combined with sort descriptors.
    var mostChanges: Int?

    /// A transaction with those of its changes that match the request.
    private struct Transaction {
        var record: HistoryTransactionRecord
        var store: NSPersistentStore
        var changes: [HistoryChangeRecord] = []
    }

    private struct Change {
        var record: HistoryChangeRecord
        var transaction: HistoryTransactionRecord
        var store: NSPersistentStore
    }

    private static let slice = 1_000

    private var stores: [any HistoryKeeping] {
        let own = coordinator.attachedStores
        return (affected ?? own).filter { own.contains($0) }.compactMap { $0 as? any HistoryKeeping }
    }

    func run(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        if request.isDeletion { return try delete(request.place) }
        let filter = try HistoryFilter(request.fetchRequest)
        switch filter.subject {
        case .transactions: return try transactions(request, filter)
        case .changes: return try changes(request, filter)
        }
    }

    // MARK: Transactions

    private func transactions(_ request: NSPersistentHistoryChangeRequest, _ filter: HistoryFilter) throws
        -> NSPersistentHistoryResult
    {
        let stores = stores
        try checkStores(request.place, stores)
        let readsChanges = [.objectIDs, .changesOnly, .transactionsAndChanges].contains(request.resultType)
        var found: [Transaction] = []
        // A store that reaches the limit of changes has no results after this time.
        var end = Double.infinity
        for store in stores {
            try read(store, request.place, filter) { source, start, test in
                var records: [HistoryTransactionRecord] = []
                try source.transactions(after: start) { record in
                    if test?.accepts(.transaction(record, store: store.identifier)) == false { return true }
                    records.append(record)
                    return filter.wanted.map { records.count < $0 } ?? true
                }
                if stores.count == 1 {
                    records = filter.window(
                        filter.sorted(records) { .transaction($0, store: store.identifier) })
                }
                let (changes, last) = readsChanges ? try self.changes(of: records, source) : ([:], nil)
                if let last {
                    records.removeAll { $0.number > last }
                    end = min(end, records.last?.time ?? end)
                }
                found += records.map { Transaction(record: $0, store: store, changes: changes[$0.number] ?? []) }
            }
        }
        if stores.count > 1 {
            // A stable sort: transactions of one store stay in order.
            let byTime = found.indices.filter { found[$0].record.time <= end }
                .sorted { (found[$0].record.time, $0) < (found[$1].record.time, $1) }
            found = filter.window(
                filter.sorted(byTime.map { found[$0] }) { .transaction($0.record, store: $0.store.identifier) })
        }
        return result(found, nil, request.resultType)
    }

    /// The changes by transaction. Consecutive transactions are read in one statement.
    ///
    /// - Returns: the changes, and the number of the transaction that reached the limit; nil if none did.
    private func changes(of records: [HistoryTransactionRecord], _ source: any HistorySource) throws
        -> ([Int64: [HistoryChangeRecord]], last: Int64?)
    {
        var result: [Int64: [HistoryChangeRecord]] = [:]
        var (count, last) = (0, nil as Int64?)
        let numbers = records.map(\.number).sorted()
        var position = 0
        while position < numbers.count {
            var end = position
            while end + 1 < numbers.count, numbers[end + 1] == numbers[end] + 1 { end += 1 }
            try source.changes(of: numbers[position]...numbers[end]) { change in
                if let last, change.transaction != last { return false }
                result[change.transaction, default: []].append(change)
                count += 1
                if count == mostChanges { last = change.transaction }
                return true
            }
            if last != nil { break }
            position = end + 1
        }
        return (result, last)
    }

    // MARK: Changes

    private func changes(_ request: NSPersistentHistoryChangeRequest, _ filter: HistoryFilter) throws
        -> NSPersistentHistoryResult
    {
        let stores = stores
        try checkStores(request.place, stores)
        var found: [Change] = []
        for store in stores {
            try read(store, request.place, filter) { source, start, test in
                var (cursor, count) = (start, 0)
                while true {
                    var records: [Int64: HistoryTransactionRecord] = [:]
                    var last = cursor
                    try source.transactions(after: cursor) { record in
                        records[record.number] = record
                        last = record.number
                        return records.count < Self.slice
                    }
                    if records.isEmpty { return }
                    var isFull = false
                    try source.changes(of: (cursor + 1)...last) { change in
                        guard let transaction = records[change.transaction] else { return true }
                        if test?.accepts(.change(change, id(change, store))) == false { return true }
                        found.append(Change(record: change, transaction: transaction, store: store))
                        count += 1
                        isFull = filter.wanted.map { count >= $0 } ?? false
                        return !isFull
                    }
                    if isFull { return }
                    cursor = last
                }
            }
        }
        if stores.count > 1 {
            let byTime = found.indices.sorted { (found[$0].transaction.time, $0) < (found[$1].transaction.time, $1) }
            found = byTime.map { found[$0] }
        }
        found = filter.window(filter.sorted(found) { .change($0.record, id($0.record, $0.store)) })
        var transactions: [Transaction] = []
        var places: [String: Int] = [:]
        for change in found {
            let name = "\(change.transaction.number) \(change.store.identifier ?? "")"
            if let place = places[name] {
                transactions[place].changes.append(change.record)
            } else {
                places[name] = transactions.count
                transactions.append(
                    Transaction(record: change.transaction, store: change.store, changes: [change.record]))
            }
        }
        return result(transactions, found, request.resultType)
    }

    // MARK: Places

    /// Calls the body with the history of a store and the number after which reading begins. Skips a store without a
    /// history.
    private func read(
        _ store: any HistoryKeeping, _ place: NSPersistentHistoryChangeRequest.Place, _ filter: HistoryFilter,
        _ body: (any HistorySource, Int64, HistoryTest?) throws -> Void
    ) throws {
        let isRead: Void? = try store.readHistory { source in
            let bounds = try source.bounds
            var start = bounds.deleted
            switch place {
            case .beginning: break
            case .date(let date):
                let time = date.timeIntervalSinceReferenceDate
                start = max(start, try source.lastNumber(before: time, inclusive: true) ?? 0)
            case .token(let token):
                if let number = token.number(of: store.identifier) {
                    try bounds.check(number, of: store.identifier)
                    start = number
                }
            }
            let test = try filter.test(store: store.identifier, bounds: bounds) { ownID($0, of: store) }
            if let test { start = max(start, test.number) }
            if let time = test?.time { start = max(start, try source.lastNumber(before: time, inclusive: false) ?? 0) }
            try body(source, start, test)
        }
        if isRead == nil, case .token(let token) = place, token.number(of: store.identifier) != nil {
            throw CoreDataError.historyTokenExpired(
                "The store \(store.identifier ?? "") of the token keeps no history any more.")
        }
    }

    /// - Throws: 134301 for a token of other stores.
    private func checkStores(_ place: NSPersistentHistoryChangeRequest.Place, _ stores: [any HistoryKeeping]) throws {
        guard case .token(let token) = place, !token.numbers.isEmpty,
            !stores.contains(where: { token.number(of: $0.identifier) != nil })
        else { return }
        throw CoreDataError.historyTokenExpired(
            "The token \(token) is of none of the stores \(stores.map { $0.identifier ?? "" }.joined(separator: ", "))."
        )
    }

    private func ownID(_ id: NSManagedObjectID, of store: any HistoryKeeping) -> NSManagedObjectID? {
        if id.home === store.identity { return id }
        guard let home = id.home, home.identifier == store.identity.identifier,
            let layout = coordinator.model.layout(named: id.layout.name)
        else { return nil }
        return NSManagedObjectID(layout: layout, key: id.key, home: store.identity)
    }

    private func id(_ change: HistoryChangeRecord, _ store: NSPersistentStore) -> NSManagedObjectID {
        NSManagedObjectID(layout: change.layout, key: change.key, home: store.identity)
    }

    // MARK: Results

    /// - Parameter flat: the changes in their own order; nil for the order of the transactions.
    private func result(_ found: [Transaction], _ flat: [Change]?, _ type: NSPersistentHistoryResultType)
        -> NSPersistentHistoryResult
    {
        func header(_ transaction: Transaction) -> NSPersistentHistoryTransaction {
            NSPersistentHistoryTransaction(transaction.record, store: transaction.store.identifier, changes: nil)
        }
        func changes(_ transaction: Transaction) -> [NSPersistentHistoryChange] {
            let header = header(transaction)
            return transaction.changes.map {
                NSPersistentHistoryChange($0, id: id($0, transaction.store), transaction: header)
            }
        }
        switch type {
        case .statusOnly: return NSPersistentHistoryResult(NSNumber(value: true), type)
        case .count: return NSPersistentHistoryResult(NSNumber(value: flat?.count ?? found.count), type)
        case .transactionsOnly: return NSPersistentHistoryResult(found.map(header), type)
        case .transactionsAndChanges:
            let transactions = found.map {
                NSPersistentHistoryTransaction($0.record, store: $0.store.identifier, changes: changes($0))
            }
            return NSPersistentHistoryResult(transactions, type)
        case .changesOnly:
            guard let flat else { return NSPersistentHistoryResult(found.flatMap(changes), type) }
            let list = flat.map { change in
                NSPersistentHistoryChange(
                    change.record, id: id(change.record, change.store),
                    transaction: NSPersistentHistoryTransaction(
                        change.transaction, store: change.store.identifier, changes: nil))
            }
            return NSPersistentHistoryResult(list, type)
        case .objectIDs:
            var known: Set<NSManagedObjectID> = []
            let all =
                flat?.map { id($0.record, $0.store) }
                ?? found.flatMap { transaction in
                    transaction.changes.map { id($0, transaction.store) }
                }
            return NSPersistentHistoryResult(all.filter { known.insert($0).inserted }, type)
        }
    }

    // MARK: Deleting

    private func delete(_ place: NSPersistentHistoryChangeRequest.Place) throws -> NSPersistentHistoryResult {
        let stores = stores
        try checkStores(place, stores)
        for store in stores {
            let bound: Int64?? = try store.readHistory { source in
                switch place {
                case .beginning: return nil
                case .date(let date):
                    return try source.lastNumber(before: date.timeIntervalSinceReferenceDate, inclusive: false)
                        .map { $0 + 1 }
                case .token(let token):
                    guard let number = token.number(of: store.identifier) else { return nil }
                    let bounds = try source.bounds
                    try HistoryBounds(deleted: 0, last: bounds.last).check(number, of: store.identifier)
                    return number
                }
            }
            if let bound = bound ?? nil { try store.deleteHistory(below: bound) }
        }
        return NSPersistentHistoryResult(NSNumber(value: true), .statusOnly)
    }
}
