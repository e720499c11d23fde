// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A container as a service of a server: it opens, samples and closes its stores.

public import CoreData
import Foundation
public import ServiceLifecycle
import Synchronization

/// Runs a container in a `ServiceGroup`: opens its stores, records their condition regularly, and closes them when the
/// group shuts down, after running requests have ended.
///
/// ```swift
/// let database = CoreDataService(container, telemetry: telemetry)
/// let group = ServiceGroup(services: [database, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// A group shuts its services down in the reverse order: put the service before those that use the container.
///
/// # States
///     new ──run──▶ opening ──▶ ready ──graceful shutdown, cancellation──▶ closing ──▶ closed
public final class CoreDataService: Service {
    /// The container.
    public let container: NSPersistentContainer
    private let telemetry: StoreTelemetry?
    private let interval: Duration
    private let ready = Atomic<Bool>(false)

    /// Creates a service; `run()` opens the stores.
    ///
    /// - Parameters:
    ///   - container: with descriptions of its stores. Stores that are open already stay open until the service ends.
    ///   - telemetry: observes the container, unless its stores are open already; nil for none.
    ///   - interval: the time between two samples of the stores' condition.
    public init(
        _ container: NSPersistentContainer, telemetry: StoreTelemetry? = nil, sampling interval: Duration = .seconds(10)
    ) {
        self.container = container
        self.telemetry = telemetry
        self.interval = interval
        if container.persistentStoreCoordinator.persistentStores.isEmpty {
            telemetry?.observe(container.persistentStoreCoordinator)
        }
    }

    /// Whether the stores are open: the answer to a readiness probe.
    public var isReady: Bool { ready.load(ordering: .acquiring) }

    /// Opens the stores, and closes them at the end.
    ///
    /// - Throws: the error of a store that cannot be opened or closed.
    public func run() async throws {
        try await container.loadPersistentStores()
        ready.store(true, ordering: .releasing)
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                telemetry?.sample(container.persistentStoreCoordinator)
                try? await Task.sleep(for: interval)
            }
        }
        ready.store(false, ordering: .releasing)
        try await close()
    }

    /// Waits for running requests. Later requests find no store: fetches are empty, and saves throw.
    private func close() async throws {
        let coordinator = container.persistentStoreCoordinator
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // Not in a thread of tasks: closing waits.
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        for store in coordinator.persistentStores { try coordinator.remove(store) }
                    })
            }
        }
    }
}
