// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The engine's context, which a model context uses.

import CoreData
import Foundation

// Sendable: confined, as every context.
/// Refers to its model context, and passes changes and saves on to it, through whichever interface they were made.
final class EngineContext: NSManagedObjectContext, @unchecked Sendable {
    weak var above: ModelContext?
    /// The container of the handle; nil before the first handle.
    var container: ModelContainer?
    /// nil while the handle exists, and without models.
    weak var models: ContextRetainer?
    let handleLock = NSLock()
    /// The handle that a model requested after the release of the first one. Guarded by the lock.
    @exclusivity(unchecked) var laterHandle: ModelContext?
    /// The new rows that the present save merged into others, in order. SwiftData-C7.
    var absorbed: [ModelMergePolicy.Absorption] = []
    /// The new rows that became those of records in the present save. SwiftData-C7.
    var takeovers: Set<ObjectIdentifier> = []

    /// The records of the present save that a store has changed while writing. SwiftData-W5.
    var rewritten: [NSManagedObjectID] = []

    /// The record of the save in progress.
    var saveRecord: SaveRecord?

    /// Whether a model has bytes that could not be decoded as their property's type.
    var hasUnreadable = false

    /// To-manys that were assigned since the last save.
    var assigned = AssignedMembers()

    /// Gives objects the values that a store has written in place of theirs.
    func takeRewritten() {
        for case let object? in rewritten.map({ registeredObject(for: $0) }) { refresh(object, mergeChanges: true) }
        rewritten = []
    }

    func endMerging() {
        absorbed = []
        takeovers = []
    }

    /// Inserts a row without a context, and all rows that its relationships reach.
    func insertGraph(of row: ModelRow) {
        if row.linkedObjects.isEmpty { return insert(row) }
        let rows = LinkedRows(from: row).rows
        insertTogether(rows)
        for row in rows {
            for slot in row.unsavedMemberSlots { assigned.note(row, slot) }
        }
    }

    override func rollback() {
        assigned = AssignedMembers()
        super.rollback()
    }

    /// Saves, and notes which identifiers became permanent.
    override func save() throws {
        // If other saves have deleted every changed object, the engine only discards the changes.
        guard let above, hasChangesToSave || above.waiting != nil else { return try super.save() }
        assigned.arrangeInsertions(in: self)
        try above.saveEngineContext { try super.save() }
        assigned = AssignedMembers()
    }
}
