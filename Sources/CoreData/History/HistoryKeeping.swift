// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The questions that coordinators ask of stores that keep a history.

import Foundation
import Synchronization

/// A history at one moment. Valid during the call that it is passed to.
package protocol HistorySource {
    var bounds: HistoryBounds { get throws }

    /// The number of the last transaction before a time, in seconds since the reference date, or nil.
    func lastNumber(before time: Double, inclusive: Bool) throws -> Int64?

    /// Calls the body with transactions in the order of their numbers, until it returns false.
    func transactions(after number: Int64, _ body: (HistoryTransactionRecord) throws -> Bool) throws

    /// Calls the body with the changes of some transactions, in their order, until it returns false. Changes of
    /// entities that the model lacks are left out.
    func changes(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRecord) throws -> Bool) throws
}

/// A store that may keep a history.
package protocol HistoryKeeping: NSPersistentStore {
    /// nil if the store has no history.
    func readHistory<T>(_ body: (any HistorySource) throws -> T) throws -> T?

    /// Deletes the transactions below a number, in portions, so that other writers can commit between them.
    func deleteHistory(below number: Int64) throws

    /// nil where all transactions stay.
    func historyRetention() throws -> PersistentHistoryRetention?

    /// - Parameter number: nil removes the reader.
    func setHistoryReader(_ name: String, to number: Int64?) throws
    func historyReader(_ name: String) throws -> Int64?
    /// The lowest number of a reader; nil without readers.
    func slowestHistoryReader() throws -> Int64?

    /// Calls the body after each transaction of any coordinator or process, until the subscription is released.
    func followCommits(_ body: @escaping @Sendable (CommitNews) -> Void) -> CommitSubscription

    /// Checks whether other coordinators or processes have committed to the file since the last call.
    ///
    /// - Parameter duringSaves: `false` returns nil while this process is saving, because that save is announced
    ///   anyway.
    func lookForCommits(duringSaves: Bool) throws -> CommitSighting?

    /// Transactions that this store committed itself while it was followed.
    var ownTransactions: OwnTransactions { get }
}

extension HistoryKeeping {
    /// The number below which transactions go by the store's retention; nil if all stay.
    func historyBound() throws -> Int64? {
        guard let retention = try historyRetention() else { return nil }
        let unread = try slowestHistoryReader().map { $0 + 1 }
        return try readHistory { try retention.bound(in: $0, unread: unread) } ?? nil
    }

    /// Applies the store's retention, if it has one.
    package func purgeHistory() throws {
        if let bound = try historyBound() { try deleteHistory(below: bound) }
    }

    /// Applies the retention later, on another thread. A failure is harmless: it is applied again later.
    package func purgeHistoryLater() {
        let purge = LaterPurge(store: self)
        DispatchQueue.global(qos: .utility).async { try? purge.store.purgeHistory() }
    }
}

private struct LaterPurge: @unchecked Sendable {  // stores have locks of their own
    let store: any HistoryKeeping
}

/// The commits of other programs that one check of a store finds.
package struct CommitSighting {
    package var isForeign: Bool
    /// The number of the last transaction; nil without a history.
    package var last: Int64?

    package init(isForeign: Bool, last: Int64? = nil) {
        self.isForeign = isForeign
        self.last = last
    }
}

/// The numbers of transactions that a store committed itself. Thread-safe.
package final class OwnTransactions: Sendable {
    private let numbers = Mutex<Set<Int64>>([])

    package init() {}

    package func insert(_ number: Int64) { numbers.withLock { _ = $0.insert(number) } }

    package func take(_ range: ClosedRange<Int64>) -> Set<Int64> {
        numbers.withLock { numbers in
            let found = numbers.filter { range.contains($0) }
            numbers.subtract(found)
            return found
        }
    }
}

/// The news that a store has changed.
package struct CommitNews: Sendable {
    /// The number of the transaction; nil for a commit that another process may have made.
    package var number: Int64?
    /// Whether this store made the commit.
    package var isOwn: Bool
    /// Whether a coordinator of this process made the commit.
    package var isOfThisProcess: Bool

    package init(number: Int64?, isOwn: Bool, isOfThisProcess: Bool) {
        self.number = number
        self.isOwn = isOwn
        self.isOfThisProcess = isOfThisProcess
    }
}

/// Ends a subscription when it is released.
package final class CommitSubscription: Sendable {
    private let end: @Sendable () -> Void
    package init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

extension PersistentHistoryRetention {
    /// The transactions below this number are deleted; nil keeps all.
    ///
    /// - Parameter unread: the number of the first transaction that a named reader has not acknowledged.
    package func bound(in source: any HistorySource, unread: Int64?) throws -> Int64? {
        let bounds = try source.bounds
        var bound = bounds.deleted + 1
        if let maximumTransactions { bound = max(bound, bounds.last - Int64(max(0, maximumTransactions)) + 1) }
        if let maximumAge {
            let oldest = Date().timeIntervalSinceReferenceDate - maximumAge
            bound = max(bound, (try source.lastNumber(before: oldest, inclusive: false) ?? 0) + 1)
        }
        if keepsUnread, let unread { bound = min(bound, unread) }
        return bound > bounds.deleted + 1 ? bound : nil
    }
}
