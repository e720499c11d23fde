// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens and closes custom incremental stores.

import Foundation

/// # States
///     made ──open──▶ open ──close──▶ closed
/// A store with unreadable or incompatible metadata is never open.
/// # Invariants
/// (1) The identity of an open store is that of its metadata, with the table of its references. No id exists before.
/// (2) Every call to the subclass holds `asking`; the subclass may call this class.
extension NSIncrementalStore {
    package func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        try asking.withLock {
            layouts = model
            // Attributes that cannot be computed here are left to the subclass.
            derived = DerivedRule.possible(model, entities)
            try loadMetadata()
            guard let identifier = metadata[NSStoreUUIDKey] as? String, !identifier.isEmpty else {
                throw cannotOpen("has set no string for NSStoreUUIDKey")
            }
            guard metadata[NSStoreTypeKey] is String else { throw cannotOpen("has set no string for NSStoreTypeKey") }
            metadataValues.adoptSaved(try checked(metadata, entities))
            identity = StoreIdentity(
                identifier: identifier, store: self, references: ReferenceTable(), registrations: makeRegistrations())
        }
    }

    package func close() throws {
        asking.withLock {
            isClosed = true
            rowCache.forgetAll()
        }
    }

    /// - Returns: the metadata with the hashes of the model.
    private func checked(_ metadata: [String: Any], _ entities: [NSEntityDescription]) throws -> [String: Any] {
        let ours = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
        let ignores = options?[NSIgnorePersistentStoreVersioningOption].flatMap(AttributeValues.number)?.boolValue
        if let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) {
            if hashes == ours || ignores == true { return metadata }
            throw CoreDataError.incompatibleModel(
                storeHashes: hashes, modelHashes: ours, url: url, metadata: metadata)
        }
        return metadata.merging([NSStoreModelVersionHashesKey: ours, "NSStoreModelVersionHashesVersion": 3]) {
            old, _ in old
        }
    }

    private func cannotOpen(_ reason: String) -> NSError {
        CoreDataError.cannotOpenStore(url: url, reason: "loadMetadata() of \(Swift.type(of: self)) \(reason).")
    }

    private func makeRegistrations() -> RegistrationLog {
        let store = WeakStore(store: self)
        return RegistrationLog { store.store?.notify($0) }
    }

    private func notify(_ run: RegistrationLog.Run) {
        asking.withLock {
            guard let layouts, !isClosed, persistentStoreCoordinator != nil else { return }
            let ids = run.keys.map {
                NSManagedObjectID(layout: layouts.layouts[$0.entityIndex], key: $0.key, home: identity)
            }
            if run.isRegistered {
                managedObjectContextDidRegisterObjects(with: ids)
            } else {
                managedObjectContextDidUnregisterObjects(with: ids)
            }
        }
    }
}

/// A weak reference to a store that may be deallocated before it is notified.
private final class WeakStore: @unchecked Sendable {  // weak references may be read on any thread
    private(set) weak var store: NSIncrementalStore?

    init(store: NSIncrementalStore) { self.store = store }
}
