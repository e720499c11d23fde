// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells whether the stores of a container answer.

public import CoreData
import Foundation

/// Whether the stores of a container answer, at one moment.
public struct ContainerHealth: Sendable {
    /// One store.
    public struct Store: Sendable {
        /// The location, without a password.
        public var location: String
        /// Its connections; nil for stores without connections.
        public var condition: StoreCondition?
        /// The error of a question to the store; nil if it has answered.
        public var error: (any Error)?
    }

    /// The open stores.
    public var stores: [Store]
    /// How many stores the container has to open, and has not.
    public var missingStores: Int
    /// The time of the questions.
    public var duration: Duration

    /// Whether all stores are open: requests may be accepted.
    public var isReady: Bool { missingStores == 0 && !stores.isEmpty }
    /// Whether all stores are open and have answered.
    public var isHealthy: Bool { isReady && stores.allSatisfy { $0.error == nil } }
}

extension NSPersistentContainer {
    /// Asks each store a small question.
    ///
    /// ```swift
    /// let health = await container.health(within: .seconds(1))
    /// return health.isHealthy ? .ok : .serviceUnavailable
    /// ```
    ///
    /// - Parameter time: the statement of a store that has not answered until then is stopped.
    /// - Returns: the condition of the stores. The error of a store is that of its answer: 3072
    ///   (`CocoaError.userCancelled`) if the time was over, 134090 if no connection was free.
    /// - Complexity: a count with a limit of 1 on each store. Stores are asked one after the other.
    public func health(within time: Duration = .seconds(2)) async -> ContainerHealth {
        let start = ContinuousClock.now
        let coordinator = persistentStoreCoordinator
        var result = ContainerHealth(stores: [], missingStores: 0, duration: .zero)
        for store in coordinator.persistentStores {
            let rest = time - (.now - start)
            result.stores.append(
                ContainerHealth.Store(
                    location: store.url?.absoluteString ?? "memory", condition: store.condition,
                    error: await failure(of: store.identifier ?? "", within: rest)))
        }
        result.missingStores = max(0, persistentStoreDescriptions.count - result.stores.count)
        result.duration = .now - start
        return result
    }

    /// The error of a small question; nil if the store has answered.
    private func failure(of identifier: String, within time: Duration) async -> (any Error)? {
        let context = newBackgroundContext()
        context.stopsStatementsOfCancelledTasks = true
        let question = Task {
            try await context.perform {
                guard let coordinator = context.persistentStoreCoordinator,
                    let store = coordinator.persistentStores.first(where: { $0.identifier == identifier }),
                    let entity = Self.entity(in: store, coordinator)
                else { return }
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
                request.affectedStores = [store]
                request.fetchLimit = 1
                _ = try context.count(for: request)
            }
        }
        let clock = Task {
            try await Task.sleep(for: max(time, .zero))
            question.cancel()
        }
        defer { clock.cancel() }
        do {
            try await question.value
            return nil
        } catch {
            return error
        }
    }

    /// An entity that the store holds.
    private static func entity(in store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) -> String? {
        let model = coordinator.managedObjectModel
        let names = model.entities(forConfigurationName: store.configurationName) ?? model.entities
        return names.compactMap(\.name).min()
    }
}
