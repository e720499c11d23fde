// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a store that answers with managed objects needs from its coordinator.

/// A coordinator, for stores that answer with managed objects.
protocol AnsweringCoordinator: AnyObject {
    /// A context for the time of one answer, on the thread that asked. Its objects are registered nowhere else.
    func makeAnsweringContext() -> NSManagedObjectContext
}
