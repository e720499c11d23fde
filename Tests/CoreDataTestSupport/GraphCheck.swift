// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Asks a context for the invariants that its debug builds check.

public import CoreData

extension NSManagedObjectContext {
    /// What is wrong inside: lists, identity maps, states of objects, both ends of relationships. Apple's framework is
    /// not asked.
    public var innerFindings: [String] {
        #if canImport(Darwin)
            []
        #else
            brokenInvariants(bothEnds: true)
        #endif
    }
}
