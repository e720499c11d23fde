// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The difference of two arrangements, in the order of the report.

import Foundation

/// The effect of one edit on the results. Applying it to the old arrangement results in the new one
/// (ResultsController-7).
struct ResultsChange {
    struct SectionChange {
        /// Before the edit for a deleted section, after it for an inserted one.
        let index: Int
        let name: String
    }

    struct ObjectChange {
        let entry: ResultEntry
        /// nil for an insertion.
        let old: ResultPath?
        /// nil for a deletion.
        let new: ResultPath?
    }

    /// Descending.
    var deletedSections: [SectionChange] = []
    /// Ascending.
    var insertedSections: [SectionChange] = []
    /// Descending, by old path.
    var deletions: [ObjectChange] = []
    /// Ascending, by new path.
    var insertions: [ObjectChange] = []
    /// By new path.
    var moves: [ObjectChange] = []
    /// By new path.
    var updates: [ObjectChange] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
            && moves.isEmpty && updates.isEmpty
    }

    mutating func sort() {
        func byOld(_ one: ObjectChange, _ other: ObjectChange) -> Bool {
            guard let old = one.old, let otherOld = other.old else { return false }
            return old > otherOld
        }
        func byNew(_ one: ObjectChange, _ other: ObjectChange) -> Bool {
            guard let new = one.new, let otherNew = other.new else { return false }
            return new < otherNew
        }
        deletedSections.sort { $0.index > $1.index }
        insertedSections.sort { $0.index < $1.index }
        deletions.sort(by: byOld)
        insertions.sort(by: byNew)
        moves.sort(by: byNew)
        updates.sort(by: byNew)
    }
}

/// The entries that an edit removes, inserts and changes.
struct ResultsEdit {
    struct Change {
        let entry: ResultEntry
        let placement: ResultPlacement
        /// Whether the change is reported if the object keeps its position.
        let isUpdate: Bool
    }

    var removed: [ResultEntry] = []
    /// With placements.
    var inserted: [ResultEntry] = []
    var changed: [Change] = []

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && changed.isEmpty }
}
