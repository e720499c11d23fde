// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes faults that fired one after the other, although one statement would have been enough.

import Synchronization

/// A relationship that was followed one fault at a time: a statement for each object ("N+1"), although one statement
/// for all would have been enough.
public struct RepeatedFaulting: Sendable, Hashable, CustomStringConvertible {
    /// The entity whose request should prefetch more; the entity of the faults themselves if no relationship was found.
    public let entityName: String
    /// The key path to add to `relationshipKeyPathsForPrefetching` of a request for the entity; nil if no relationship
    /// of a realized object refers to the faults.
    public let keyPath: String?
    /// The entity of the objects that were read one at a time.
    public let destinationEntityName: String
    /// The number of faults that had fired at the time of the report.
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
