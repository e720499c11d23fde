// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the history of the app's store, and notices a store that was restored.
import CoreData
import Foundation

/// Requests over the history, on the queue of a context of the app's store.
struct AppHistory {
    /// Transactions of sync have authors that begin with this.
    static let authorPrefix = "sync:"
    let context: NSManagedObjectContext

    /// The author of an application.
    static func author(_ id: UUID) -> String { authorPrefix + id.uuidString }

    func transactions(
        after place: CapturedPlace?, _ type: NSPersistentHistoryResultType = .transactionsAndChanges
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: try token(of: place))
        request.resultType = type
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    /// - Returns: nil for the beginning.
    /// - Throws: `SyncFailure.unknownStore` if the history does not have the place.
    private func token(of place: CapturedPlace?) throws -> NSPersistentHistoryToken? {
        guard let place, place.number > 0 else { return nil }
        if let token = place.token { return token }
        guard let known = try newestKnown(of: [place]) else { throw SyncFailure.unknownStore }
        return known.token
    }

    /// Whether sync saved with an id after a place.
    func hasTransaction(author id: UUID, after place: CapturedPlace?) throws -> Bool {
        try transactions(after: place, .transactionsOnly).contains { $0.author == Self.author(id) }
    }

    /// The newest of some places that the history still has, nil if it has none of them.
    ///
    /// A place is a transaction with the same number at the same time. The beginning is a place of each history from
    /// which nothing was deleted.
    func newestKnown(of places: [CapturedPlace]) throws -> CapturedPlace? {
        let request = NSPersistentHistoryTransaction.fetchRequest
        request?.predicate = NSPredicate(format: "transactionNumber IN %@", places.map(\.number))
        guard let request else { return nil }
        let history = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request)
        history.resultType = .transactionsOnly
        let result = try context.execute(history) as? NSPersistentHistoryResult
        let found = (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(CapturedPlace.init)
        let known = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
        for place in places.reversed() {
            if place.number == 0 { return try isComplete() ? place : nil }
            if let transaction = known[place.number], transaction.isSame(place) { return transaction }
        }
        return nil
    }

    private func isComplete() throws -> Bool {
        guard let first = try transactions(after: nil, .transactionsOnly).first else { return true }
        return first.transactionNumber == 1
    }

    /// The last transaction of the store; nil if its history is empty.
    func last(after place: CapturedPlace?) throws -> NSPersistentHistoryTransaction? {
        try transactions(after: place, .transactionsOnly).last
    }
}

extension NSPersistentHistoryTransaction {
    /// Whether sync did not write the transaction.
    var isOfApp: Bool { !(author?.hasPrefix(AppHistory.authorPrefix) ?? false) }
}
