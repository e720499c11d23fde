// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One transaction of the history: a save or a batch request.

public import Foundation

/// A save or a batch request, as the history of a store recorded it.
///
/// Immutable, and independent of the store: deleting the history does not change it.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {  // immutable
    private let record: HistoryTransactionRecord
    /// The UUID of the store.
    public let storeID: String
    /// The changes of the transaction; nil if the request left changes out.
    public let changes: [NSPersistentHistoryChange]?

    init(_ record: HistoryTransactionRecord, store: String, changes: [NSPersistentHistoryChange]?) {
        self.record = record
        storeID = store
        self.changes = changes
    }

    /// When the transaction was committed.
    public var timestamp: Date { Date(timeIntervalSinceReferenceDate: record.time) }
    /// The number of the transaction in its store. It grows with each transaction and is never used again.
    public var transactionNumber: Int64 { record.number }
    /// The identifier of the program's bundle, or the name of the executable.
    public var bundleID: String { record.bundleID }
    /// The name of the process.
    public var processID: String { record.processID }
    /// The name of the context that saved; nil if it had none.
    public var contextName: String? { record.contextName }
    /// The `transactionAuthor` of the context that saved; nil if it had none.
    public var author: String? { record.author }
    /// The token for the position directly after this transaction.
    public var token: NSPersistentHistoryToken { NSPersistentHistoryToken([storeID: record.number]) }

    /// The changes as a notification for `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`.
    ///
    /// It carries the ids of the inserted, updated and deleted objects, and fits contexts of every coordinator with
    /// the store. A transaction without its changes gives a notification without ids.
    public func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] { ids[change.changeType, default: []].insert(change.changedObjectID) }
        var info: [AnyHashable: Any] = [:]
        let keys: [(NSPersistentHistoryChangeType, String)] = [
            (.insert, NSInsertedObjectIDsKey), (.update, NSUpdatedObjectIDsKey), (.delete, NSDeletedObjectIDsKey),
        ]
        for (type, key) in keys { if let found = ids[type] { info[key] = found } }
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
    }

    /// Returns the transaction itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Transactions are equal if they have the same number in the same store.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryTransaction else { return false }
        return other.record.number == record.number && other.storeID == storeID
    }

    public override var hash: Int { record.number.hashValue }

    public override var description: String {
        "<NSPersistentHistoryTransaction \(record.number) of \(storeID), \(changes?.count ?? 0) changes>"
    }

    // MARK: Requests

    /// The entity that requests for transactions name. Its attributes may be used in predicates and sort descriptors:
    /// `author`, `contextName`, `bundleID`, `processID`, `timestamp`, `token`, `transactionNumber`.
    public class var entityDescription: NSEntityDescription? { HistoryEntities.transaction() }

    /// A request over `entityDescription`, for `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(for: HistoryEntities.transaction())
    }

    /// The same as `entityDescription`.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
