// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The requests to custom stores, and their results.

public import Foundation

/// A fetch.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
    /// The class, condition, order and number of the records.
    public let descriptor: FetchDescriptor<T>
    /// The context of the request.
    public let editingState: EditingState

    /// A request, for stores that hand a changed one on to another store.
    public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
        self.descriptor = descriptor
        self.editingState = editingState
    }
}

/// The records of a fetch.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
    /// The descriptor of the request.
    public let descriptor: FetchDescriptor<ModelType>
    /// The records, in order.
    public let fetchedSnapshots: [SnapshotType]
    /// Other records that the store has read as well. They save a second request if they are used at once.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// The records of a fetch.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// The changes of a save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
    /// The context that saves, with its author.
    public let editingState: EditingState
    /// New records, with temporary identifiers.
    public let inserted: [SnapshotType]
    /// Changed records, whole.
    public let updated: [SnapshotType]
    /// Records to delete, with their last values.
    public let deleted: [SnapshotType]

    /// A request, for stores that hand a changed one on to another store.
    public init(
        editingState: EditingState, inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType]
    ) {
        self.editingState = editingState
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// The result of a save.
public struct DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
    /// The store.
    public let storeIdentifier: String
    /// The permanent identifier of each inserted record, by the temporary one.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Records that the store has changed while writing. The context takes over their values.
    public let snapshotsToReregister: [PersistentIdentifier: T]

    /// The result of a save.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
    }
}

/// A deletion of many records.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
    /// The context of the request.
    public let editingState: EditingState
    /// The condition; nil for all records of the class.
    public let predicate: Predicate<T>?
    /// Whether records of subclasses are deleted, too.
    public let includeSubclasses: Bool

    /// A request, for stores that hand a changed one on to another store.
    public init(editingState: EditingState, predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) {
        self.editingState = editingState
        self.predicate = predicate
        self.includeSubclasses = includeSubclasses
    }
}
