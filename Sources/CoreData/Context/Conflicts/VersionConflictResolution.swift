// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What each merge policy does to an object whose record has another version, or is gone.

import Foundation

/// The rules are those of `Documentation/Merging.md`; numbers refer to it.
struct VersionConflictResolution {
    private let object: NSManagedObject
    private let row: Snapshot?
    private let context: NSManagedObjectContext

    /// nil for an object that is in no context any more.
    init?(_ conflict: NSMergeConflict) {
        guard let context = conflict.sourceObject.managedObjectContext else { return nil }
        object = conflict.sourceObject
        row = conflict.row
        self.context = context
    }

    func apply(_ policy: NSMergePolicyType) {
        context.noteMerge(object)
        switch (row, object.isDeleted) {
        case (let row?, false): merge(row, policy)
        case (let row?, true): mergeDeletion(row, policy)
        case (nil, false): resolveMissing(policy)
        case (nil, true): object.flags.insert(.inaccessible)
        }
    }

    /// The second step, once it is known which objects stay deleted, and which of the missing records are written again.
    func relink() {
        guard !object.isDeleted else { return }
        if row != nil { dropDeleted() } else if object.isInserted { RecordRevival(object, context).relink() }
    }

    // MARK: Changed here and there (4 to 7)

    private func merge(_ row: Snapshot, _ policy: NSMergePolicyType) {
        let overwrites = policy == .overwriteMergePolicyType && object.hasPersistentChangedValues
        let local = object.realized
        let members = MemberMerge(object, context)
        switch policy {
        case .mergeByPropertyStoreTrumpMergePolicyType:
            let base = object.baseRow ?? row
            giveUp { !row.isEqual(base, slot: $0) && !row.isEqual(local, slot: $0) }
        case .rollbackMergePolicyType: giveUp { !row.isEqual(local, slot: $0) }
        default: break
        }
        members.prepare(policy)
        object.takeOver(row, context)
        if overwrites {
            object.putBack(local)
            members.overwrite()
        }
        members.finish()
        if !object.hasPersistentChangedValues { object.flags.remove(.updated) }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    private func giveUp(where isLost: (Int) -> Bool) {
        for slot in object.rare?.changed.slots ?? [] {
            let place = object.table.layout[slot]
            if place.word >= 0, !place.isTransient, isLost(slot) { object.giveUp(slot, context) }
        }
    }

    // MARK: Deleted here, changed there (8)

    private func mergeDeletion(_ row: Snapshot, _ policy: NSMergePolicyType) {
        guard policy == .rollbackMergePolicyType else {
            object.takeOver(row, context)
            // The delete rules have not seen the newer row's members.
            object.flags.remove(.propagated)
            return
        }
        object.flags.subtract([.deleted, .propagated, .deletedInEvent])
        object.takeBackNullification(context)
        merge(row, policy)
    }

    // MARK: Links to objects that stay deleted (8)

    /// The row may lead to objects whose delete rules had cut the links. The rules cut them again. Links that no rule
    /// cuts are left to the validation.
    private func dropDeleted() {
        let layout = object.table.layout
        for slot in layout.toOneSlots where !layout[slot].isTransient && isCut(slot) {
            if object.destination(slot)?.isDeleted == true { object.setDestination(nil, slot) }
        }
        for slot in layout.toManySlots where !layout[slot].isTransient && isCut(slot) {
            for member in object.members(slot) where member.isDeleted { object.removeMember(member, slot) }
        }
    }

    /// Whether deleting the destinations of a relationship empties it.
    private func isCut(_ slot: Int) -> Bool {
        let rule = object.table.layout.relationship(slot)?.inverseRelationship?.deleteRule
        return rule == .nullifyDeleteRule || rule == .cascadeDeleteRule
    }

    // MARK: Gone (9)

    private func resolveMissing(_ policy: NSMergePolicyType) {
        let isWrittenAgain =
            policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
        if isWrittenAgain, object.hasPersistentChangedValues {
            object.flags.remove(.updated)
            object.flags.insert(object.key < 0 ? .inserted : [.inserted, .hasPermanentKey])
            object.flags.insert(.insertedInEvent)
            object.snapshot = object.realized.copy()
            object.rare?.committed = nil
        } else {
            context.deleteObject(object)
            object.flags.insert(.inaccessible)
        }
    }
}

extension NSManagedObjectContext {
    /// Observers will be told that the object was refreshed.
    func noteMerge(_ object: NSManagedObject) {
        tracker.enterEvent(object)
        object.flags.insert(.refreshedInEvent)
    }
}
