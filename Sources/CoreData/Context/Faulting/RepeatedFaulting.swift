// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Faults that fired one after the other where one statement would have done.

import Synchronization

/// A relationship that was followed one fault at a time: a statement for each object ("N+1"), where one for all
/// would have done.
public struct RepeatedFaulting: Sendable, Hashable, CustomStringConvertible {
    /// The entity with the request that should prefetch more; that of the faults themselves where no relationship led
    /// to them.
    public let entityName: String
    /// The addition to `relationshipKeyPathsForPrefetching` of a request for the entity; nil where no relationship of
    /// an object at hand led to the faults.
    public let keyPath: String?
    /// The entity of the objects that were read one at a time.
    public let destinationEntityName: String
    /// How many had fired when it was noticed.
    public let count: Int

    /// A sentence with the number of faults, and the remedy.
    public var description: String {
        let what =
            "\(count) faults of '\(destinationEntityName)' fired one at a time, each with a question to the store"
        guard let keyPath else {
            return
                "\(what). No relationship of an object at hand leads to them: fetch them together, with their values."
        }
        return
            "\(what), by way of '\(entityName).\(keyPath)'. Add \"\(keyPath)\" to relationshipKeyPathsForPrefetching of the "
            + "request for '\(entityName)'."
    }
}
