// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps the ids of objects to their ids after the migration of their store.

public import Foundation

/// The new ids of a store's objects after `migratePersistentStore`. Apple's framework has a list instead.
///
/// The notification has it at index 2 of the array under `NSUUIDChangedPersistentStoresKey`. Thread-safe. It maps ids
/// by a rule or by a table of keys, and does not check that an object exists.
public struct MigratedObjectIDs: Sendable {
    private let model: ModelLayout
    private let oldIdentifier: String
    /// The references of the old store; nil if it used keys.
    private let references: ReferenceTable?
    private let home: StoreIdentity
    /// New keys by old ones; nil if they are equal.
    private let keys: [ObjectKey: Int64]?

    /// - Parameters:
    ///   - oldIdentifier: the UUID of the migrated store.
    ///   - home: the identity of the new store.
    ///   - keys: new keys by root entity and old key; nil if they are equal.
    init(
        model: ModelLayout, oldIdentifier: String, references: ReferenceTable?, home: StoreIdentity,
        keys: [ObjectKey: Int64]?
    ) {
        self.model = model
        self.oldIdentifier = oldIdentifier
        self.references = references
        self.home = home
        self.keys = keys
    }

    /// The object's id in the new store. An id of the new store maps to itself.
    ///
    /// nil for ids of other stores, for temporary ones, and, if keys changed, for objects that the old store
    /// did not contain.
    public subscript(id: NSManagedObjectID) -> NSManagedObjectID? {
        if id.home === home { return id }
        guard let identifier = id.home?.identifier else { return nil }
        return row(for: StoredRow(store: identifier, layout: id.layout, key: id.key)).map(self.id)
    }

    /// The id in the new store for a URI of the old store; nil for any other URI.
    public func objectID(forURIRepresentation url: URL) -> NSManagedObjectID? { row(for: url).map(id) }

    private func id(_ row: StoredRow) -> NSManagedObjectID {
        NSManagedObjectID(layout: row.layout, key: row.key, home: home)
    }

    /// nil for a URI of another store.
    func row(for url: URL) -> StoredRow? {
        guard url.host?.caseInsensitiveCompare(oldIdentifier) == .orderedSame else { return nil }
        return StoredRow(url, model, references).flatMap(row(for:))
    }

    /// nil for a row of another store.
    func row(for old: StoredRow) -> StoredRow? {
        guard old.isIn(oldIdentifier) else { return nil }
        guard let keys else { return StoredRow(store: home.identifier, layout: old.layout, key: old.key) }
        return keys[ObjectKey(old.layout.rootIndex, old.key)].map {
            StoredRow(store: home.identifier, layout: old.layout, key: $0)
        }
    }
}
