// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives local changes of values and links up, at both ends of a link.

import Foundation

extension NSManagedObject {
    /// Gives up the local change of an attribute or a to-one: its value is the committed one, and the other ends of a
    /// to-one forget what they noted.
    final func giveUp(_ slot: Int, _ context: NSManagedObjectContext) {
        guard table.layout[slot].kind == .reference else { return takeBack(slot, context) }
        let lost = destination(slot)
        takeBack(slot, context)
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return }
        lost?.forgetLink(to: self, inverse, context)
        registered(rare?.committed, slot, context)?.forgetLink(to: self, inverse, context)
    }

    /// Puts all values back that a block holds, as changes; destinations whose records are gone excepted.
    final func putBack(_ values: Snapshot, _ context: NSManagedObjectContext) {
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
            if let end, end.isDeleted || !context.hasRecord(end) { continue }
            setDestination(end, slot)
        }
    }

    /// This end forgets what it noted about a link that is given up.
    final func forgetLink(to other: NSManagedObject, _ slot: Int, _ context: NSManagedObjectContext) {
        guard !isFault, let rare else { return }
        if table.layout[slot].kind == .toMany {
            context.noteMerge(self)
            return announcing(slot) { rare.members[Int(table.layout[slot].ordinal)]?.forget(other) }
        }
        let points = snapshot?.reference(slot)?.key == other.key
        let pointed = rare.committed?.reference(slot)?.key == other.key
        guard points != pointed, rare.changed.contains(slot) || flags.contains(.inserted) else { return }
        if pointed { giveUp(slot, context) } else { giveWay(slot, context) }
    }

    /// The link that was made here is given up at its other end. The old partner comes back, unless it leads elsewhere
    /// by now (Merging-18).
    private func giveWay(_ slot: Int, _ context: NSManagedObjectContext) {
        let inverse = Int(table.layout[slot].inverse)
        guard let old = registered(rare?.committed, slot, context), inverse >= 0 else { return takeBack(slot, context) }
        let isTaken =
            old.table.layout[inverse].kind == .reference && old.destination(inverse).map { $0 !== self } ?? false
        if isTaken || old.isDeleted { return writeDestination(nil, slot) }
        takeBack(slot, context)
        old.forgetLink(to: self, inverse, context)
    }

    /// Takes back what delete rules did to the objects that pointed at this one.
    final func takeBackNullification(_ context: NSManagedObjectContext) {
        for slot in table.layout.toOneSlots + table.layout.toManySlots {
            let inverse = Int(table.layout[slot].inverse)
            guard inverse >= 0, table.layout[slot].deleteRule == .nullifyDeleteRule else { continue }
            for other in table.layout[slot].kind == .toMany
                ? Array(members(slot)) : [destination(slot)].compactMap({ $0 })
            {
                if !ownsLinks(slot), let taker = other.destination(inverse), taker !== self {
                    // The member decides to which object it belongs (Merging-4).
                    dropMember(other, slot)
                } else {
                    other.forgetLink(to: self, inverse, context)
                }
            }
        }
    }

    /// An attribute or to-one has its committed value again; nobody else is told.
    private func takeBack(_ slot: Int, _ context: NSManagedObjectContext) {
        context.noteMerge(self)
        let replaced = willReplace { [slot] }
        defer { didReplace(replaced) }
        prepareWrite(recorded: false)
        if let committed = rare?.committed { realized.take(slot, from: committed) } else { realized.setNull(slot) }
        rare?.changed.remove(slot)
        if table.layout[slot].kind == .reference { rare?.destinations[Int(table.layout[slot].ordinal)] = nil }
    }

    private func registered(_ row: Snapshot?, _ slot: Int, _ context: NSManagedObjectContext) -> NSManagedObject? {
        row?.reference(slot).flatMap { context.registeredObject(at: $0, from: self) }
    }
}
