// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Discards local changes of values and links, at both ends of a link.

import Foundation

extension NSManagedObject {
    /// Discards the local change of an attribute or a to-one relationship: it gets its committed value, and the
    /// inverses drop the change that they recorded.
    final func discardChanges(_ slot: Int, _ faults: FaultFulfilment) {
        guard table.layout[slot].kind == .reference else { return revert(slot, faults) }
        let lost = destination(slot)
        revert(slot, faults)
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return }
        lost?.forgetLink(to: self, inverse, faults)
        registered(objectExtension?.committed, slot, faults)?.forgetLink(to: self, inverse, faults)
    }

    /// Sets all values of a block again, as changes, except references to deleted records.
    final func reapply(_ values: Snapshot, _ faults: FaultFulfilment) {
        for slot in table.layout.attributeSlots where !table.layout[slot].isTransient && !table.layout[slot].isDerived {
            guard !values.isEqual(realized, slot: slot), !values.hasLostFile(slot) else { continue }
            announcing(slot) {
                willWrite(slot)
                realized.take(slot, from: values)
            }
        }
        for slot in table.layout.toOneSlots where !table.layout[slot].isTransient {
            guard !values.isEqual(realized, slot: slot) else { continue }
            let end = values.reference(slot).flatMap { table.owner?.object(at: $0, from: self) }
            if let end, end.isMarkedDeleted || !faults.hasRecord(end) { continue }
            setDestination(end, slot)
        }
    }

    /// Drops the change that this end recorded about a discarded link.
    final func forgetLink(to other: NSManagedObject, _ slot: Int, _ faults: FaultFulfilment) {
        guard !isFault, let objectExtension else { return }
        if table.layout[slot].kind == .toMany {
            faults.tracker.markRefreshed(self)
            return announcing(slot) { objectExtension.members[Int(table.layout[slot].ordinal)]?.forget(other) }
        }
        let points = snapshot?.reference(slot)?.key == other.key
        let pointed = objectExtension.committed?.reference(slot)?.key == other.key
        guard points != pointed, objectExtension.changed.contains(slot) || flags.contains(.inserted) else { return }
        if pointed { discardChanges(slot, faults) } else { discardLink(slot, faults) }
    }

    /// The link that was set here is discarded at its other end. This end returns to its previous destination, unless
    /// that refers to another object by now (Merging-18).
    private func discardLink(_ slot: Int, _ faults: FaultFulfilment) {
        let inverse = Int(table.layout[slot].inverse)
        guard let old = registered(objectExtension?.committed, slot, faults), inverse >= 0 else {
            return revert(slot, faults)
        }
        let isTaken =
            old.table.layout[inverse].kind == .reference && old.destination(inverse).map { $0 !== self } ?? false
        if isTaken || old.isMarkedDeleted { return writeDestination(nil, slot) }
        revert(slot, faults)
        old.forgetLink(to: self, inverse, faults)
    }

    /// Reverts the effect of delete rules on the objects that referred to this one.
    final func revertNullification(_ faults: FaultFulfilment) {
        for slot in table.layout.toOneSlots + table.layout.toManySlots {
            let inverse = Int(table.layout[slot].inverse)
            guard inverse >= 0, table.layout[slot].deleteRule == .nullifyDeleteRule else { continue }
            for other in table.layout[slot].kind == .toMany
                ? Array(members(slot)) : [destination(slot)].compactMap({ $0 })
            {
                if !ownsLinks(slot), let taker = other.destination(inverse), taker !== self {
                    // The member determines its owner (Merging-4).
                    dropMember(other, slot)
                } else {
                    other.forgetLink(to: self, inverse, faults)
                    // A member that was added here does not return: the deletion has discarded its change.
                    if !ownsLinks(slot), other.destination(inverse) !== self { dropMember(other, slot) }
                }
            }
        }
    }

    /// A newer row may refer to deleted objects after their delete rules had nullified the links. The rules nullify
    /// them again. Links without such a rule are left to validation.
    final func dropDeletedDestinations() {
        for slot in table.layout.toOneSlots where !table.layout[slot].isTransient && isCut(slot) {
            if destination(slot)?.isMarkedDeleted == true { setDestination(nil, slot) }
        }
    }

    /// The same for members.
    final func dropDeletedMembers() {
        for slot in table.layout.toManySlots where !table.layout[slot].isTransient && isCut(slot) {
            for member in members(slot) where member.isMarkedDeleted { removeMember(member, slot) }
        }
    }

    /// Whether deleting the destinations of a relationship nullifies it.
    private func isCut(_ slot: Int) -> Bool {
        let rule = table.layout.relationship(slot)?.inverseRelationship?.deleteRule
        return rule == .nullifyDeleteRule || rule == .cascadeDeleteRule
    }

    /// Restores the committed value of an attribute or to-one relationship, without an announcement.
    private func revert(_ slot: Int, _ faults: FaultFulfilment) {
        faults.tracker.markRefreshed(self)
        let replaced = willReplace { [slot] }
        defer { didReplace(replaced) }
        prepareWrite(recorded: false)
        if let committed = objectExtension?.committed {
            realized.take(slot, from: committed)
        } else {
            realized.setNull(slot)
        }
        objectExtension?.changed.remove(slot)
        if table.layout[slot].kind == .reference {
            objectExtension?.destinations[Int(table.layout[slot].ordinal)] = nil
        }
    }

    private func registered(_ row: Snapshot?, _ slot: Int, _ faults: FaultFulfilment) -> NSManagedObject? {
        row?.reference(slot).flatMap { faults.registeredObject(at: $0, from: self) }
    }
}
