// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives a store that is added again the identity that its object ids already refer to. Stores-K30.

import Foundation

/// The identities of the stores that were removed from a coordinator, as long as an id, an object or a context retains
/// them.
final class FormerIdentities {
    private struct Entry {
        weak var identity: StoreIdentity?
        let type: ObjectIdentifier
    }

    private var entries: [String: Entry] = [:]

    /// Called when a store is removed.
    func keep(_ store: NSPersistentStore) {
        entries = entries.filter { $0.value.identity != nil }
        guard Self.canPass(store.identity) else { return }
        entries[store.identity.identifier] = Entry(identity: store.identity, type: ObjectIdentifier(type(of: store)))
    }

    /// Called before the store is added to the coordinator's list, so no id of it exists yet.
    func hand(to store: NSPersistentStore) {
        let identifier = store.identity.identifier
        guard let entry = entries.removeValue(forKey: identifier), entry.type == ObjectIdentifier(type(of: store)),
            let identity = entry.identity, !identity.hasStore, Self.canPass(store.identity)
        else { return }
        identity.pass(to: store, identifier: identifier)
        store.identity = identity
    }

    /// Custom stores number their records anew each time they are opened; their ids are found by reference
    /// (`NSPersistentStoreCoordinator.ownID(of:)`).
    private static func canPass(_ identity: StoreIdentity) -> Bool {
        identity.references == nil && identity.registrations == nil
    }
}
