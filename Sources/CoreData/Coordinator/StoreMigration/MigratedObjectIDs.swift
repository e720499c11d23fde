// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which ids objects have after the migration of their store.

public import Foundation

/// The new ids of a store's objects, after `migratePersistentStore`. Ours, where Apple's framework has a list.
///
/// It stands at index 2 of the array under `NSUUIDChangedPersistentStoresKey` in the did-change notification. Any
/// thread. It knows ids by rule, or by a list of keys; whether there is such an object, it does not say.
public struct MigratedObjectIDs: Sendable {
    private let model: ModelLayout
    private let oldIdentifier: String
    /// Those of the old store; nil where it had keys.
    private let references: ReferenceTable?
    private let home: StoreIdentity
    /// New keys by old ones; nil where they are the same.
    private let keys: [ObjectKey: Int64]?

    /// - Parameters:
    ///   - oldIdentifier: the UUID of the store that was migrated.
    ///   - home: the new store's.
    ///   - keys: by the index of the root entity and the old key; nil where keys are the same.
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

    /// The id of the same object in the new store; for an id of the new store that id.
    ///
    /// nil for ids of other stores, for temporary ones, and for an object that the old store did not have (where keys
    /// changed).
    public subscript(id: NSManagedObjectID) -> NSManagedObjectID? {
        if id.home === home { return id }
        guard let identifier = id.home?.identifier else { return nil }
        return row(for: StoredRow(store: identifier, layout: id.layout, key: id.key)).map(self.id)
    }

    /// The id, in the new store, of the object that a URI of the old store stood for; nil for any other URI.
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
