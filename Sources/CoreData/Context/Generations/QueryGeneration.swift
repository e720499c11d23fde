// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of all stores of a coordinator at one moment.

import Foundation
import Synchronization

/// Stores as they were at one moment. Contexts on several queues may share one.
///
/// The stores are read one after the other: only the second one includes a save between the two reads.
final class QueryGeneration: @unchecked Sendable {  // immutable; record sources order their callers themselves
    let identifier = UUID()
    private let stores: [(store: any RecordStore, records: any RecordSource)]

    private struct Weak: Sendable {
        weak var generation: QueryGeneration?
    }

    private static let all = Mutex<[UUID: Weak]>([:])

    /// nil if no store can preserve its present rows.
    ///
    /// - Throws: a store's error if it cannot be read.
    init?(_ coordinator: NSPersistentStoreCoordinator) throws {
        var stores: [(any RecordStore, any RecordSource)] = []
        var readsGeneration = false
        for case let store as any RecordStore in coordinator.attachedStores {
            let records = try store.generation()
            readsGeneration = readsGeneration || records != nil
            stores.append((store, records ?? store))
        }
        self.stores = stores
        guard readsGeneration else { return nil }
        Self.all.withLock { $0[identifier] = Weak(generation: self) }
    }

    deinit { Self.all.withLock { _ = $0.removeValue(forKey: identifier) } }

    /// The generation with an identifier, while a token of it is in use.
    static func known(_ identifier: UUID) -> QueryGeneration? { all.withLock { $0[identifier]?.generation } }

    /// The rows of a store at that moment, or the present rows if the store cannot preserve them; nil for a store that
    /// was added later.
    func records(of store: any RecordStore) -> (any RecordSource)? { stores.first { $0.store === store }?.records }

    /// A store for an entity, or for a subentity, that was removed since.
    func removedStore(of layout: EntityLayout, _ coordinator: NSPersistentStoreCoordinator) -> (any RecordStore)? {
        let family = layout.familyIndexes.map { coordinator.model.layouts[$0] }
        return stores.map(\.store).first { store in
            store.identity.store !== store && family.contains { coordinator.isMeant($0, for: store) }
        }
    }

    /// Whether it includes any of a coordinator's stores.
    func concerns(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
        coordinator.attachedStores.contains { store in stores.contains { $0.store === store } }
    }
}
