// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface through which a coordinator passes requests to a context.

/// Executes requests without calling an override of `execute(_:)`, which may call the coordinator.
protocol RequestExecuting: AnyObject {
    /// The result of a request.
    func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult
}
