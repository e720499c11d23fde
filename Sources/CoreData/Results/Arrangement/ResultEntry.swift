// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One object of the results, with its place.

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

/// One object of the results. Its place is decided by the placement that it had when it was put there, so that the
/// arrangement stays in order while objects change.
final class ResultEntry {
    let object: NSManagedObject
    /// nil until the first comparison (ResultsController-4).
    var placement: ResultPlacement?
    let sectionNameAtFetch: String
    /// The values of related objects that the predicate reads (ResultsController-10).
    var watched: [ComparableValue] = []
    /// The id that the last snapshot had.
    var shownID: NSManagedObjectID?
    /// The chunk that holds the entry; nil outside of an arrangement.
    unowned(unsafe) var chunk: ResultChunk?
    /// Where it stood before the edit, and where it stands after it. Set only for entries of the edit.
    var oldPath: ResultPath?
    var newPath: ResultPath?
    /// While an edit is applied.
    var state = EditState.none
    /// While positions are noted.
    var isNoted = false

    enum EditState {
        case none
        /// Changed, and still at its place.
        case inPlace
        /// Taken out, to be put in again.
        case pulled
    }

    init(_ object: NSManagedObject, sectionName: String = "", placement: ResultPlacement? = nil) {
        self.object = object
        sectionNameAtFetch = sectionName
        self.placement = placement
    }

    var sectionName: String { placement?.sectionName ?? sectionNameAtFetch }

    /// The id of the object as it is now, kept as long as it stays the same.
    var id: NSManagedObjectID {
        if let shownID, shownID.key == object.key { return shownID }
        let id = object.objectID
        shownID = id
        return id
    }
}

/// Up to `ResultChunk.limit` entries that follow one another.
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
