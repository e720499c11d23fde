// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One change of the history: an object that a transaction inserted, updated or deleted.

public import Foundation

/// A kind of change.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// The object was inserted.
    case insert = 0
    /// Properties of the object changed.
    case update = 1
    /// The object was deleted.
    case delete = 2
}

/// An object that a transaction inserted, updated or deleted.
///
/// Immutable, and independent of the store: deleting the history does not change it.
public final class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {  // immutable
    private let record: HistoryChangeRecord
    /// The id of the object. It is permanent, and belongs to the coordinator that executed the request.
    public let changedObjectID: NSManagedObjectID
    /// The transaction of the change, without its list of changes.
    public let transaction: NSPersistentHistoryTransaction?

    init(_ record: HistoryChangeRecord, id: NSManagedObjectID, transaction: NSPersistentHistoryTransaction) {
        self.record = record
        changedObjectID = id
        self.transaction = transaction
    }

    /// The number of the change in its store.
    public var changeID: Int64 { record.number }
    /// The kind of the change.
    public var changeType: NSPersistentHistoryChangeType { record.type }

    /// For a deletion, the last values of the attributes with `preservesValueInHistoryOnDeletion`, by name; nil without
    /// such attributes, and for other changes.
    public var tombstone: [AnyHashable: Any]? { record.tombstone }

    /// For an update, the properties that changed, to-many relationships included; nil for other changes, and if a
    /// migration has changed the entity's properties since.
    public var updatedProperties: Set<NSPropertyDescription>? {
        guard let slots = record.slots else { return nil }
        return Set(slots.map { record.layout.properties[$0] })
    }

    /// Returns the change itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Changes are equal if they have the same number in the same store.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryChange else { return false }
        return other.record.number == record.number && other.transaction?.storeID == transaction?.storeID
    }

    public override var hash: Int { record.number.hashValue }

    public override var description: String {
        "<NSPersistentHistoryChange \(record.number): \(changeType) of \(changedObjectID)>"
    }

    // MARK: Requests

    /// The entity that requests for changes name. Its attributes may be used in predicates and sort descriptors:
    /// `changeID`, `changeType`, `changedEntity`, `changedObjectID`.
    public class var entityDescription: NSEntityDescription? { HistoryEntities.change() }

    /// A request over `entityDescription`, for `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(for: HistoryEntities.change())
    }

    /// The same as `entityDescription`.
    public class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
