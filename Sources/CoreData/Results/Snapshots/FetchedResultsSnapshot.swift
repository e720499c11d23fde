// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results at one moment as a value, for any thread.

import Foundation

/// The sections and objects of a results controller at one moment, by name and id. Not part of Apple's API.
public struct FetchedResultsSnapshot: Sendable, Equatable {
    /// One section.
    public struct Section: Sendable, Equatable {
        /// The name; "" for a controller without a section key path.
        public var name: String
        /// The ids of its objects, in order.
        public var objectIDs: [NSManagedObjectID]
    }

    /// The sections, in order.
    public var sections: [Section]
    /// The ids of all objects, in order.
    public var objectIDs: [NSManagedObjectID]
    /// The ids of objects that changed and kept their positions since the snapshot that the reader received before.
    public var updatedObjectIDs: Set<NSManagedObjectID>
}

extension FetchedResultsSnapshot {
    init(_ view: ResultsView, updated: Set<NSManagedObjectID>) {
        sections = view.sections.map { Section(name: $0.name, objectIDs: $0.ids) }
        objectIDs = sections.flatMap(\.objectIDs)
        updatedObjectIDs = updated
    }
}

extension FetchedResultsSnapshot: ResultsSnapshotValue {
    package var withoutUpdates: FetchedResultsSnapshot {
        var result = self
        result.updatedObjectIDs = []
        return result
    }

    package func joining(_ skipped: FetchedResultsSnapshot) -> FetchedResultsSnapshot {
        if skipped.updatedObjectIDs.isEmpty { return self }
        var result = self
        result.updatedObjectIDs.formUnion(skipped.updatedObjectIDs.intersection(objectIDs))
        return result
    }
}
