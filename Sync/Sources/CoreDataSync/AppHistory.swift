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

    /// - Throws: `SyncFailure.unknownStore` if transactions after the place were deleted, and this process has no token
    ///   of the place; an error of the store, which is 134301 for an expired token.
    func transactions(
        after place: CapturedPlace?, _ type: NSPersistentHistoryResultType = .transactionsAndChanges
    ) throws -> [NSPersistentHistoryTransaction] {
        let token = try token(of: place)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.resultType = type
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
        guard token == nil, let place, place.number > 0 else { return found }
        // The place is not in the history any more: this is all of it.
        if let first = found.first, first.transactionNumber > place.number + 1 { throw SyncFailure.unknownStore }
        return found.filter { $0.transactionNumber > place.number }
    }

    /// - Returns: nil for the beginning, and for a place that the history does not have.
    private func token(of place: CapturedPlace?) throws -> NSPersistentHistoryToken? {
        guard let place, place.number > 0 else { return nil }
        return try place.token ?? newestKnown(of: [place])?.token
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
