// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the invariants of a context that its debug builds check.

public import CoreData

extension NSManagedObjectContext {
    /// Inconsistencies of the framework's state: lists, identity maps, states of objects, both ends of relationships.
    /// Apple's framework has none of these hooks.
    public var innerFindings: [String] { innerFindings(bothEnds: true) }

    /// - Parameter bothEnds: false for a context that has read the two ends of a link at different times.
    public func innerFindings(bothEnds: Bool) -> [String] {
        #if canImport(Darwin)
            []
        #else
            brokenInvariants(bothEnds: bothEnds)
        #endif
    }
}
