// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Actors, each with its own context. SwiftData-A1.

import Dispatch
import Foundation

/// An executor that owns a context.
public protocol ModelExecutor: Executor {
    /// The context.
    var modelContext: ModelContext { get }
}

/// An executor with a context that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

// Sendable: only the executor's jobs use the context.
/// Runs the jobs of an actor one after the other, off the main thread.
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
    /// The context of the actor.
    public let modelContext: ModelContext
    private let queue: DispatchQueue

    /// Makes an executor for a context that nothing else uses.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        queue = DispatchQueue(label: "DefaultSerialModelExecutor")
        modelContext.executorQueue = queue
    }

    /// Runs a job after those that were enqueued before it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// The executor in the form that Swift's run time uses.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor with a private context. `@ModelActor` writes the members that it needs.
public protocol ModelActor: Actor {
    /// The container.
    nonisolated var modelContainer: ModelContainer { get }
    /// Runs the actor's code.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The actor's context.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The executor in the form that Swift's run time uses.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        guard let executor = modelExecutor as? any SerialModelExecutor else {
            preconditionFailure("The executor of \(Self.self) is no SerialModelExecutor.")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The model of a record; nil if the record does not exist or has another class.
    public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
        if let known: T = modelContext.registeredModel(for: id) { return known }
        return try? modelContext.existingModel(for: id)
    }
}
