// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One object of the results, with its position.

import Foundation

/// A position in the results.
struct ResultPath: Comparable {
    var section: Int
    var item: Int

    static func < (one: ResultPath, other: ResultPath) -> Bool {
        one.section == other.section ? one.item < other.item : one.section < other.section
    }

    var indexPath: IndexPath { IndexPath(item: item, section: section) }
}

/// One object of the results. Its placement at the time of its insertion determines its position, so that the
/// arrangement stays in order while objects change.
final class ResultEntry {
    let object: NSManagedObject
    /// nil until the first comparison (ResultsController-4).
    var placement: ResultPlacement?
    let sectionNameAtFetch: String
    /// The values of related objects that the predicate reads (ResultsController-10).
    var watched: [ComparableValue] = []
    /// The id in the last snapshot.
    var shownID: NSManagedObjectID?
    /// The chunk that contains the entry; nil outside an arrangement.
    unowned(unsafe) var chunk: ResultChunk?
    /// The paths before and after the edit. Set only for entries of the edit.
    var oldPath: ResultPath?
    var newPath: ResultPath?
    /// Used while an edit is applied.
    var state = EditState.none
    /// Used while positions are recorded.
    var isNoted = false

    enum EditState {
        case none
        /// Changed, and still at its position.
        case inPlace
        /// Removed, to be inserted again.
        case pulled
    }

    init(_ object: NSManagedObject, sectionName: String = "", placement: ResultPlacement? = nil) {
        self.object = object
        sectionNameAtFetch = sectionName
        self.placement = placement
    }

    var sectionName: String { placement?.sectionName ?? sectionNameAtFetch }

    /// The present id of the object, cached until it changes.
    var id: NSManagedObjectID {
        if let shownID, shownID.key == object.key { return shownID }
        let id = object.objectID
        shownID = id
        return id
    }
}

/// Up to `ResultChunk.limit` consecutive entries.
final class ResultChunk {
    static let limit = 512

    unowned(unsafe) let section: ResultSection
    var entries: [ResultEntry]

    init(_ section: ResultSection, _ entries: [ResultEntry]) {
        self.section = section
        self.entries = entries
        for entry in entries { entry.chunk = self }
    }
}
