// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A context as its coordinator passes requests to it.

/// Carries out requests. Contexts do; an override of `execute(_:)` takes no part, since it may call the coordinator.
protocol RequestExecuting: AnyObject {
    /// The result of a request.
    func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult
}
