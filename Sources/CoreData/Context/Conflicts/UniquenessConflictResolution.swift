// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies a merge policy to objects that have the same unique values.

import Foundation

/// The rules are those of `Documentation/Internals/Merging.md`; numbers refer to it.
struct UniquenessConflictResolution {
    private let conflict: NSConstraintConflict
    private let tracker: ChangeTracker
    private let faults: FaultFulfilment
    /// The object of the record that has the values; nil without such a record, or if this save changes its values.
    private let holder: NSManagedObject?
    /// The unresolved objects that were set to the values, records first.
    private let contenders: [NSManagedObject]

    /// nil if the conflict has already been resolved.
    init?(_ conflict: NSConstraintConflict) {
        guard let state = conflict.conflictingObjects.lazy.compactMap(\.contextState).first else { return nil }
        self.conflict = conflict
        tracker = state.tracker
        faults = state.faults
        let holders = conflict.conflictingObjects.filter { Self.hasValues($0, conflict) }
        if let database = conflict.databaseObject {
            if let row = conflict.record?.row, !database.isFault, database.baseRow?.version != row.version {
                let rows = NewerRows.ofConflicts(faults, expected: [database])
                rows.take(row, database, StoredLinks(database))
                rows.finish()
            }
            holder = Self.hasValues(database, conflict) || Self.isUnchanged(database, conflict) ? database : nil
        } else {
            holder = holders.first { Self.hadValues($0, conflict.constraint) }
        }
        let holder = holder
        let others = holders.filter { $0 !== holder }
        contenders = others.count < 2 ? others : others.filter { !$0.isInserted } + others.filter(\.isInserted)
        guard contenders.count > (holder == nil ? 1 : 0) else { return nil }
    }

    func apply(_ policy: NSMergePolicyType) {
        let decision = UniquenessDecision(
            policy, holder: holder, records: contenders.filter { !$0.isInserted },
            insertions: contenders.filter(\.isInserted))
        decision.rolledBack.forEach(rollBack)
        decision.withoutValues.forEach(discardUniqueValues)
        decision.removed.forEach(tracker.delete)
        guard let keeper = decision.keeper else { return }
        absorb(decision.absorbed, into: keeper, decision)
    }

    // MARK: Values

    private static func hasValues(_ object: NSManagedObject, _ conflict: NSConstraintConflict) -> Bool {
        guard object.table.owner != nil, !object.isMarkedDeleted else { return false }
        if let wanted = conflict.wanted { return wanted.areValues(of: object) }
        return conflict.constraintValues.allSatisfy { name, value in
            switch (Snapshot.unwrapped(object.codedValue(forKey: name)), Snapshot.unwrapped(value)) {
            case (let one as NSManagedObject, let other as NSManagedObject): one === other
            case (let one?, let other?): AttributeValues.isEqual(one, other)
            default: false
            }
        }
    }

    /// Whether an object still has the unique values of its row. A store may keep values in another form than the
    /// objects that want them have, such as dates in whole microseconds.
    private static func isUnchanged(_ database: NSManagedObject, _ conflict: NSConstraintConflict) -> Bool {
        database.table.owner != nil && !database.isMarkedDeleted && hadValues(database, conflict.constraint)
    }

    /// Whether the record of an object had the same unique values before its changes.
    private static func hadValues(_ object: NSManagedObject, _ constraint: [String]) -> Bool {
        guard let base = object.baseRow, !object.isFault else { return false }
        return constraint.allSatisfy { name in
            object.table.layout.slot(name).map { object.realized.isEqual(base, slot: $0) } ?? false
        }
    }

    // MARK: Effects

    private func rollBack(_ object: NSManagedObject) {
        guard let base = object.baseRow else { return }
        let newer = NSMergeConflict(object, base, cached: nil)
        VersionConflictResolution.resolve([newer], .rollbackMergePolicyType)
    }

    private func discardUniqueValues(_ object: NSManagedObject) {
        for slot in conflict.constraint.compactMap(object.table.layout.slot) { object.discardChanges(slot, faults) }
        if !object.hasPersistentChangedValues { object.flags.remove(.updated) }
    }

    /// Removes all objects except `keeper`; the values of the last insertion among them apply.
    private func absorb(
        _ objects: [NSManagedObject], into keeper: NSManagedObject, _ decision: UniquenessDecision<NSManagedObject>
    ) {
        let leaving = objects.filter { $0 !== keeper }
        if decision.takesValues, !keeper.isInserted, let newest = leaving.last(where: \.isInserted) {
            let absorption = DuplicateObjectMerge(newest, into: keeper)
            absorption.moveValues()
            if decision.replacesMembers { absorption.emptyMembers() }
        }
        for object in leaving {
            // If the insertion's members replace the keeper's, those of an absorbed record are not moved.
            if object.isInserted || !decision.replacesMembers {
                DuplicateObjectMerge(object, into: keeper).moveMembers()
            }
            tracker.delete(object)
        }
    }
}
