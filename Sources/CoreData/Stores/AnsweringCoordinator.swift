// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The service of a coordinator to stores that answer with managed objects.

/// A coordinator, for stores that answer with managed objects.
protocol AnsweringCoordinator: AnyObject {
    /// A context for the time of one answer, on the thread that asked. Its objects are registered nowhere else.
    func makeAnsweringContext() -> NSManagedObjectContext
}
