// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The report about a context that ends.

/// A context at its end, for tests that look for objects that outlive it.
public struct EndedContext {
    /// The name of the context.
    public let name: String?
    /// The objects that are alive. Some of them are retained by the context alone, and end right after it.
    public let objects: [NSManagedObject]
    /// The runs of faults that fired one at a time in the context.
    public let repeatedFaulting: [RepeatedFaulting]
}
