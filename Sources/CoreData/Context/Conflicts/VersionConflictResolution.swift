// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies a merge policy to objects with records that have another version, or were deleted.

import Foundation

/// The rules are those of `Documentation/Internals/Merging.md`; numbers refer to it.
///
/// # Order (Merging-17 to 19)
/// All local changes that the policy discards are discarded before the first row is applied. Until then the objects
/// have the rows that they were read with, and both ends of each link agree. Rows are applied together. Overwriting
/// values come last.
struct VersionConflictResolution {
    private let object: NSManagedObject
    private let row: Snapshot?
    private let tracker: ChangeTracker
    private let faults: FaultFulfilment
    /// The row before the resolution began.
    private let local: Snapshot
    private let links: StoredLinks
    private let members: MemberMerge
    private let isOverwriting: Bool

    static func resolve(_ conflicts: [NSMergeConflict], _ policy: NSMergePolicyType) {
        let resolutions = conflicts.compactMap { VersionConflictResolution($0, policy) }
        guard let faults = resolutions.first?.faults else { return }
        let rows = NewerRows.ofConflicts(faults, expected: resolutions.map(\.object))
        for resolution in resolutions { resolution.discardChanges(policy) }
        for resolution in resolutions { resolution.take(policy, rows) }
        rows.finish()
        for resolution in resolutions where resolution.isOverwriting { resolution.overwrite() }
        for resolution in resolutions { resolution.relink() }
        for resolution in resolutions { resolution.finish() }
    }

    /// nil for an object that has left its context.
    private init?(_ conflict: NSMergeConflict, _ policy: NSMergePolicyType) {
        guard let state = conflict.sourceObject.contextState else { return nil }
        object = conflict.sourceObject
        row = conflict.row
        tracker = state.tracker
        faults = state.faults
        local = object.realized
        links = StoredLinks(object)
        members = MemberMerge(object, faults)
        isOverwriting = Self.decision(policy, object, row) == .overwritesRow
    }

    /// The decision for the object in its present state: discarding changes of one object may change others.
    private static func decision(_ policy: NSMergePolicyType, _ object: NSManagedObject, _ row: Snapshot?)
        -> VersionDecision
    {
        VersionDecision(
            policy, hasRow: row != nil, isDeleted: object.isMarkedDeleted,
            hasChanges: object.hasPersistentChangedValues)
    }

    // MARK: Giving up local changes (4 to 8)

    private func discardChanges(_ policy: NSMergePolicyType) {
        tracker.markRefreshed(object)
        let decision = Self.decision(policy, object, row)
        guard let row, decision != .staysDeleted else { return }
        if decision == .returns {
            object.flags.subtract([.deleted, .propagated, .deletedInEvent])
            object.revertNullification(faults)
        }
        let merge = RowMerge(base: object.baseRow, local: local, stored: row)
        for slot in merge.discardedSlots(object.objectExtension?.changed ?? SlotSet(), by: policy) {
            object.discardChanges(slot, faults)
        }
        if policy == .rollbackMergePolicyType { members.discardChanges() }
    }

    // MARK: Taking over the newer row

    private func take(_ policy: NSMergePolicyType, _ rows: NewerRows) {
        switch Self.decision(policy, object, row) {
        case .isGone:
            object.flags.insert(.inaccessible)
            object.unlinkAddedMembers()
        case .isWrittenAgain: writeAgain()
        case .leaves: leave()
        // The delete rules have not been applied to the newer row's members.
        case .staysDeleted, .returns: object.flags.remove(.propagated)
        case .takesRow, .overwritesRow:
            members.mergeOrders(storeWins: policy == .mergeByPropertyStoreTrumpMergePolicyType)
        }
        guard let row else { return rows.lose(object, links) }
        rows.take(row, object, links)
    }

    private func overwrite() {
        object.reapply(local, faults)
        members.overwrite()
    }

    /// Called when it is known which objects stay deleted, and which of the missing records are written again.
    private func relink() {
        guard !object.isMarkedDeleted else { return }
        if row != nil { dropDeleted() } else if object.isInserted { DeletedRecordRestoration(object, faults).relink() }
    }

    /// Drops links to objects that stay deleted (8).
    private func dropDeleted() {
        object.dropDeletedDestinations()
        object.dropDeletedMembers()
    }

    private func finish() {
        guard row != nil, !object.isMarkedDeleted else { return }
        if !object.hasPersistentChangedValues { object.flags.remove(.updated) }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    // MARK: Gone (9)

    private func writeAgain() {
        object.flags.remove(.updated)
        object.flags.insert(object.key < 0 ? .inserted : [.inserted, .hasPermanentKey])
        object.flags.insert(.insertedInEvent)
        let row = object.realized.copy()
        row.version = RowVersion.afterDeletion(of: row.version)
        object.snapshot = row
        object.objectExtension?.committed = nil
    }

    private func leave() {
        tracker.delete(object)
        object.flags.insert(.inaccessible)
        object.forgetStoredMembers()
    }
}

extension NSManagedObject {
    /// The record is missing: delete rules apply only to the members that were added here.
    fileprivate final func forgetStoredMembers() {
        for slot in table.layout.toManySlots {
            if let value = memberValue(slot) { setMemberValue(value.hasChanges ? value.withoutOrder : nil, slot) }
        }
    }
}
