// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface of a coordinator for stores that answer with managed objects.

/// A coordinator, for stores that answer with managed objects.
protocol AnsweringCoordinator: AnyObject {
    /// A context for the duration of one answer, on the calling thread. Its objects are registered in no other context.
    func makeAnsweringContext() -> NSManagedObjectContext
}
