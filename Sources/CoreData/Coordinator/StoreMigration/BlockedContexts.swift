// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Blocks all contexts of a coordinator while one of its stores is replaced.

import Foundation

/// The interface of a context for the replacement of a store.
protocol ExchangeFollower: AnyObject {
    /// The child contexts of this one.
    var childContexts: [NSManagedObjectContext] { get }

    var hasChanges: Bool { get }

    /// Runs a block while the context's queue runs nothing else.
    func blocked<T>(_ body: () throws -> T) throws -> T

    /// Called on the context's queue.
    ///
    /// - Parameters:
    ///   - identity: the identity of the old store, which the new one has taken over if ids do not change.
    ///   - keys: new keys by the index of the root entity and the old key; nil if keys do not change. Only then may
    ///     objects have unsaved changes.
    func follow(
        _ old: any RecordStore, _ identity: StoreIdentity, to new: any RecordStore, _ keys: [ObjectKey: Int64]?)
}

/// Occupies the queues of all contexts at once, including nested ones, and then takes the coordinator's lock.
///
/// Queues come first: a block on a context's queue may wait for the lock, but no holder of the lock waits for a
/// context. Contexts of the confinement type have no queue and must not be used during the call.
struct BlockedContexts {
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    func run<T>(_ body: ([any ExchangeFollower]) throws -> T) throws -> T { try park([], body) }

    private func park<T>(_ held: [any ExchangeFollower], _ body: ([any ExchangeFollower]) throws -> T) throws -> T {
        if let next = unheld(held) { return try next.blocked { try park(held + [next], body) } }
        let result = try coordinator.performAndWait { () throws -> T? in
            // A context may have been created before the lock was acquired.
            unheld(held) == nil ? try body(held) : nil
        }
        return try result ?? park(held, body)
    }

    private func unheld(_ held: [any ExchangeFollower]) -> (any ExchangeFollower)? {
        let known = Set(held.map { ObjectIdentifier($0) })
        return family(coordinator.contexts.all()).first { !known.contains(ObjectIdentifier($0)) }
    }

    /// The contexts and their descendants, parents before children.
    private func family(_ contexts: [any ExchangeFollower]) -> [any ExchangeFollower] {
        contexts.flatMap { [$0] + family($0.childContexts) }
    }
}
