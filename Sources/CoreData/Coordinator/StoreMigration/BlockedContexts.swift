// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Blocks all contexts of a coordinator while one of its stores is exchanged.

import Foundation

/// Occupies the queues of all contexts at once, including nested ones, and holds the coordinator's lock within.
///
/// Queues come first: a block on a context's queue may wait for the lock, but no holder of the lock waits for a
/// context. Contexts of the confinement type have no queue and must not be used meanwhile.
struct BlockedContexts {
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    func run<T>(_ body: ([NSManagedObjectContext]) throws -> T) throws -> T { try park([], body) }

    private func park<T>(_ held: [NSManagedObjectContext], _ body: ([NSManagedObjectContext]) throws -> T) throws -> T {
        if let next = unheld(held) { return try next.queue.sync(next) { try park(held + [next], body) } }
        let result = try coordinator.performAndWait { () throws -> T? in
            // A context may have been created before the lock was acquired.
            unheld(held) == nil ? try body(held) : nil
        }
        return try result ?? park(held, body)
    }

    private func unheld(_ held: [NSManagedObjectContext]) -> NSManagedObjectContext? {
        let known = Set(held.map(ObjectIdentifier.init))
        return family(coordinator.contexts.all()).first { !known.contains(ObjectIdentifier($0)) }
    }

    /// Parents before their children.
    private func family(_ contexts: [NSManagedObjectContext]) -> [NSManagedObjectContext] {
        contexts.flatMap { [$0] + family($0.state.family.children.all()) }
    }
}
