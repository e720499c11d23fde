// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What all stores of a coordinator held at one moment.

import Foundation
import Synchronization

/// Views of stores that do not change. Contexts on several queues may share one.
///
/// The stores are looked at one after the other: a save between two of them is seen in the second alone.
final class QueryGeneration: @unchecked Sendable {  // immutable; views order their callers themselves
    let identifier = UUID()
    private let views: [(store: any RecordStore, view: any RecordSource)]

    private struct Weak: Sendable {
        weak var generation: QueryGeneration?
    }

    private static let all = Mutex<[UUID: Weak]>([:])

    /// nil when none of the stores can hold on to what it holds now.
    ///
    /// - Throws: a store's error when it cannot be read.
    init?(_ coordinator: NSPersistentStoreCoordinator) throws {
        var views: [(any RecordStore, any RecordSource)] = []
        var isPinned = false
        for case let store as any RecordStore in coordinator.persistentStores {
            let view = try store.pinned()
            isPinned = isPinned || view != nil
            views.append((store, view ?? store))
        }
        self.views = views
        guard isPinned else { return nil }
        Self.all.withLock { $0[identifier] = Weak(generation: self) }
    }

    deinit { Self.all.withLock { _ = $0.removeValue(forKey: identifier) } }

    /// The generation with an identifier, if anybody holds it.
    static func known(_ identifier: UUID) -> QueryGeneration? { all.withLock { $0[identifier]?.generation } }

    /// A store as it was; as it is, where it cannot be pinned; nil for a store that was not there yet.
    func view(of store: any RecordStore) -> (any RecordSource)? { views.first { $0.store === store }?.view }

    /// Whether any of a coordinator's stores is in it.
    func concerns(_ coordinator: NSPersistentStoreCoordinator) -> Bool {
        coordinator.persistentStores.contains { store in views.contains { $0.store === store } }
    }
}
