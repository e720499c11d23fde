// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps both ends of relationships telling the same story while a merge gives changes up and takes rows over.

import Foundation

/// # Invariant
/// (1) After a merge, for every relationship with an inverse whose ends are both in memory: b is among a's destinations
///     exactly when a is among b's; members that are not read again by then are a fault.
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

    /// Takes a newer row over under the local changes; the other ends of to-ones learn what it says.
    final func takeOver(_ row: Snapshot, _ context: NSManagedObjectContext) {
        let (before, base) = (snapshot, baseRow)
        adopt(row)
        rare?.parentRow = nil
        guard let before, let after = snapshot else { return }
        for slot in table.layout.toOneSlots where table.layout[slot].inverse >= 0 {
            let inverse = Int(table.layout[slot].inverse)
            if !before.isEqual(after, slot: slot) {
                for end in [before, after] { registered(end, slot, context)?.reread(inverse, context) }
            } else if !after.isEqual(row, slot: slot), base?.isEqual(row, slot: slot) == false {
                cutStoredLink(row, slot, context)
            }
        }
    }

    /// The row points at an object that the local destination wins over: that one loses this object now.
    private func cutStoredLink(_ row: Snapshot, _ slot: Int, _ context: NSManagedObjectContext) {
        guard let reference = row.reference(slot), let other = table.owner?.object(at: reference, from: self) else {
            return
        }
        let inverse = Int(table.layout[slot].inverse)
        other.fireFault(nil)
        other.reread(inverse, context)
        if !other.isDeleted { other.lose(self, inverse) }
    }

    /// Puts all values back that a block holds, as changes.
    final func putBack(_ values: Snapshot) {
        for slot in table.layout.attributeSlots where !table.layout[slot].isTransient && !table.layout[slot].isDerived {
            guard !values.isEqual(realized, slot: slot), !values.hasLostFile(slot) else { continue }
            announcing(slot) {
                willWrite(slot)
                realized.take(slot, from: values)
            }
        }
        for slot in table.layout.toOneSlots where !table.layout[slot].isTransient {
            guard !values.isEqual(realized, slot: slot) else { continue }
            setDestination(values.reference(slot).flatMap { table.owner?.object(at: $0, from: self) }, slot)
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
        // One to one: whoever had to give this object up has it back, and whoever took it has not.
        let taker = destination(slot)
        takeBack(slot, context)
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return }
        for end in [taker, registered(rare.committed, slot, context)] where end !== other {
            end?.forgetLink(to: self, inverse, context)
        }
    }

    /// Takes back what delete rules did to the objects that pointed at this one.
    final func takeBackNullification(_ context: NSManagedObjectContext) {
        for slot in table.layout.toOneSlots + table.layout.toManySlots {
            let inverse = Int(table.layout[slot].inverse)
            guard inverse >= 0, table.layout[slot].deleteRule == .nullifyDeleteRule else { continue }
            let others =
                table.layout[slot].kind == .toMany
                ? Array(members(slot)) : [destination(slot)].compactMap { $0 }
            for other in others { other.forgetLink(to: self, inverse, context) }
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

    /// The store has changed this end: a to-many is read again when it is next asked for, a to-one at once. An object without
    /// changes takes its newest row over as a whole, as its other relationships may lead to objects that are read now.
    final func reread(_ slot: Int, _ context: NSManagedObjectContext) {
        guard !isFault, !isDeleted else { return }
        if !hasChanges, let row = context.newestRow(of: self) {
            takeOver(row, context)
        } else if table.layout[slot].kind != .toMany {
            if rare?.changed.contains(slot) != true, let row = context.newestRow(of: self) { takeOver(row, context) }
        } else if memberValue(slot)?.hasChanges == true {
            announcing(slot) { rare?.members[Int(table.layout[slot].ordinal)]?.refault() }
        } else if memberValue(slot) != nil {
            setMemberValue(nil, slot)
        }
    }

    private func registered(_ row: Snapshot?, _ slot: Int, _ context: NSManagedObjectContext) -> NSManagedObject? {
        row?.reference(slot).flatMap { context.registeredObject(at: $0, from: self) }
    }
}

extension NSManagedObjectContext {
    /// The row of an object as the level below knows it, if it is another one than the object's.
    fileprivate func newestRow(of object: NSManagedObject) -> Snapshot? {
        guard !object.isInserted else { return nil }
        let root = registry.model.layouts[object.table.layout.rootIndex]
        do {
            let row = try rowsBelow([object.key], root: root, home: object.table.home, patience: -1).first?.snapshot
            return row === object.baseRow ? nil : row
        } catch {
            readFailure = error
            return nil
        }
    }
}
