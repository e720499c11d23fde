// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A request that reads or deletes the history of stores.

public import Foundation

/// The form of a history request's result.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether the request was carried out, a Boolean `NSNumber`.
    case statusOnly = 0
    /// The ids of the changed objects, `[NSManagedObjectID]`, each once.
    case objectIDs = 1
    /// The number of transactions, or of changes for a request over changes; an `NSNumber`.
    case count = 2
    /// `[NSPersistentHistoryTransaction]` without changes.
    case transactionsOnly = 3
    /// `[NSPersistentHistoryChange]`, each with its transaction.
    case changesOnly = 4
    /// `[NSPersistentHistoryTransaction]` with their changes.
    case transactionsAndChanges = 5
}

/// Reads the history of stores, or deletes the beginning of it.
///
/// Use it to catch up with saves of other processes, of extensions, or of the time when the program did not run.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///     context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
///     lastToken = transaction.token
/// }
/// ```
///
/// `NSManagedObjectContext.execute(_:)` returns an `NSPersistentHistoryResult`. Stores opened with
/// `NSPersistentHistoryTrackingKey` have a history; other stores give no transactions.
///
/// Executing throws 134301 (`NSPersistentHistoryTokenExpiredError`) if part of the history after the token has been
/// deleted: fetch everything anew then, and take the present token.
///
/// - Important: execute it on the context's queue; the request may be made on any thread.
/// - Complexity: one read transaction for each store; memory in proportion to the changes that are returned.
///   `NSPersistentStoreCoordinator.historyTransactions(after:)` reads any number in slices.
/// - SeeAlso: `NSPersistentHistoryToken`, `NSPersistentHistoryTransaction.objectIDNotification()`,
///   `PersistentHistoryRetention`.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    /// Where reading begins or deleting ends.
    enum Place {
        case beginning
        case token(NSPersistentHistoryToken)
        case date(Date)
    }

    /// nil for a request that deletes nothing.
    private(set) var place = Place.beginning
    private(set) var isDeletion = false
    /// The form of the result. `transactionsAndChanges` unless set. Deletions always return their status.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
    /// A request over the entity of `NSPersistentHistoryTransaction` or `NSPersistentHistoryChange` that selects, sorts
    /// and limits the results; nil for all.
    /// `NSPersistentHistoryTransaction` or `NSPersistentHistoryChange`. nil for all.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The token that the request was made with; nil if it was made with a date, with nil or with a fetch request.
    open var token: NSPersistentHistoryToken? {
        if case .token(let token) = place { token } else { nil }
    }

    private convenience init(_ place: Place, deletes: Bool) {
        self.init()
        self.place = place
        isDeletion = deletes
        if deletes { resultType = .statusOnly }
    }

    /// Reads the transactions later than a date, oldest first.
    public class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), deletes: false)
    }

    /// Reads the transactions later than a token, oldest first.
    ///
    /// - Parameter token: nil for all transactions. Executing the request throws 134301 if part of the history after
    ///   the token has been deleted, or if no store of the coordinator issued the token.
    public class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(token.map(Place.token) ?? .beginning, deletes: false)
    }

    /// Reads the transactions later than a transaction, oldest first; nil for all.
    public class func fetchHistory(
        after transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        fetchHistory(after: transaction?.token)
    }

    /// Reads the transactions or changes that a fetch request describes.
    ///
    /// - Parameter fetchRequest: a request over the entity of `NSPersistentHistoryTransaction` or
    ///   `NSPersistentHistoryChange`; see their `fetchRequest`. For changes, the returned transactions contain only the
    ///   matching changes.
    public class func fetchHistory(
        withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    ) -> NSPersistentHistoryChangeRequest {
        let request = NSPersistentHistoryChangeRequest(.beginning, deletes: false)
        request.fetchRequest = fetchRequest
        return request
    }

    /// Deletes the transactions older than a date.
    ///
    /// A history grows until it is purged. `NSPersistentStoreDescription.historyRetention` does it in the background;
    /// this request does it at a time that the program chooses.
    ///
    /// ```swift
    /// let week = Date(timeIntervalSinceNow: -7 * 24 * 3600)
    /// try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: week))
    /// ```
    ///
    /// Tokens of deleted transactions expire: a reader that still has one gets 134301. Purge only transactions that
    /// every reader has seen.
    ///
    /// - Complexity: deletes at most 5,000 changes in one transaction, so that other writers wait for a short time
    ///   only.
    /// - SeeAlso: `PersistentHistoryRetention`, `NSPersistentStoreCoordinator.acknowledgeHistory(upTo:as:)`.
    public class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.date(date), deletes: true)
    }

    /// Deletes the transactions older than that of a token, which stays; nil deletes nothing.
    public class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(token.map(Place.token) ?? .beginning, deletes: true)
    }

    /// Deletes the transactions older than a transaction, which stays; nil deletes nothing.
    public class func deleteHistory(
        before transaction: NSPersistentHistoryTransaction?
    ) -> NSPersistentHistoryChangeRequest {
        deleteHistory(before: transaction?.token)
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(place, deletes: isDeletion)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The result of a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// A value of the type that `resultType` names.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
        self.result = result
        resultType = type
    }
}
