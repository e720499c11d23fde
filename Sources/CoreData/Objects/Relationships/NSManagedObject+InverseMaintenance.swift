// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps both ends of a relationship consistent.

import Foundation

/// # Invariants
/// (1) After each call, for every relationship with an inverse: b is among a's destinations exactly if a is among b's.
/// (2) Updating a to-many relationship as the inverse never fires its fault: it records an addition or a removal.
/// (3) Every object with a changed relationship is recorded as changed, including the one that lost a destination.
extension NSManagedObject {
    /// Sets the destination of a to-one relationship.
    ///
    /// - Parameter isUndoing: the new destination may already have this object among its members.
    final func setDestination(_ new: NSManagedObject?, _ slot: Int, isUndoing: Bool = false) {
        let old = destination(slot)
        guard old !== new else {
            // Setting the same value counts as a change for `hasChanges` and for observers.
            if comparesValues { return }
            return announcing(slot) { willWrite(slot) }
        }
        if let new { checkDestination(new, slot) }
        if flags.contains(.template) { return writeDestination(new, slot) }
        let inverse = Int(place(slot).inverse)
        guard inverse >= 0 else { return writeDestination(new, slot) }
        DeferredAnnouncements.holding {
            if let old { old.lose(self, inverse) }
            writeDestination(new, slot)
            let isNew = old == nil && !isUndoing && new.map(isNew(to:)) ?? false
            new?.gain(self, inverse, other: slot, isNew: isNew)
            assert([old, new].allSatisfy { $0.map { agrees(slot, with: $0) } ?? true }, "(1)")
        }
    }

    /// Whether this inserted object is certainly not a member of the other one (1). After the event of its insertion it
    /// may be one: delete rules nullify its end while the deleted object keeps the member, or a refresh drops its end
    /// of a link.
    private func isNew(to other: NSManagedObject) -> Bool {
        flags.isSuperset(of: [.inserted, .insertedInEvent]) && !other.flags.contains(.propagated)
    }

    /// Replaces all members of a to-many relationship.
    final func setMembers(_ new: [NSManagedObject], _ slot: Int) {
        checkOwnership()
        DeferredAnnouncements.holding { announcing(slot) { replaceMembers(new, slot) } }
    }

    private func replaceMembers(_ new: [NSManagedObject], _ slot: Int) {
        realizeMembers(slot)
        var wanted = MemberList()
        for object in new { wanted.append(object) }
        for object in members(slot) where !wanted.contains(object) { removeMember(object, slot) }
        for object in wanted.objects { addMember(object, slot) }
        if table.layout[slot].isOrdered, Array(members(slot)) != Array(wanted.objects) {
            willChangeMembers(slot)
            objectExtension?.members[Int(table.layout[slot].ordinal)]?.reorder(Array(wanted.objects))
        }
    }

    /// - Parameter position: the index in an ordered relationship; nil for the end.
    final func addMember(_ object: NSManagedObject, _ slot: Int, at position: Int? = nil) {
        checkOwnership()
        checkDestination(object, slot)
        realizeMembers(slot)
        DeferredAnnouncements.holding {
            guard noteMember(object, slot, at: position) else { return }
            let inverse = Int(table.layout[slot].inverse)
            if inverse >= 0 { object.gain(self, inverse, other: slot) }
            assert(agrees(slot, with: object), "(1)")
        }
    }

    final func removeMember(_ object: NSManagedObject, _ slot: Int) {
        checkOwnership()
        realizeMembers(slot)
        let ordinal = Int(table.layout[slot].ordinal)
        guard objectExtension?.members[ordinal]?.contains(object) == true else { return }
        DeferredAnnouncements.holding {
            dropMember(object, slot)
            let inverse = Int(table.layout[slot].inverse)
            if inverse >= 0 { object.lose(self, inverse) }
            assert(agrees(slot, with: object), "(1)")
        }
    }

    /// Updates this end: `object` now refers to this object.
    ///
    /// - Parameter isNew: `object` cannot be a member already.
    final func gain(_ object: NSManagedObject, _ slot: Int, other: Int, isNew: Bool = false) {
        if place(slot).kind == .toMany {
            _ = noteMember(object, slot, at: nil, isNew: isNew)
        } else {
            let rival = destination(slot)
            guard rival !== object else { return }
            if let rival { rival.lose(self, other) }
            writeDestination(object, slot)
        }
    }

    /// Updates this end: `object` no longer refers to this object.
    ///
    /// A to-one relationship to another object than `object` may be out of date, because another context made the link
    /// since. Then this object takes its newest row first (Merging-26).
    final func lose(_ object: NSManagedObject, _ slot: Int) {
        if place(slot).kind == .toMany { return dropMember(object, slot) }
        if destination(slot) !== object, !hasOwnChange(slot) { table.owner?.updateToNewestRow(self, losing: object) }
        if destination(slot) === object { writeDestination(nil, slot) }
    }

    /// The same, if the store has the link: a to-many relationship records the removal even if it has not read the
    /// member.
    final func loseStored(_ object: NSManagedObject, _ slot: Int) {
        guard place(slot).kind == .toMany else { return lose(object, slot) }
        dropMember(object, slot)
        objectExtension?.members[Int(place(slot).ordinal)]?.noteRemoval(of: object)
    }

    /// Whether an attribute or to-one relationship differs from the last known row.
    private func hasOwnChange(_ slot: Int) -> Bool {
        if flags.contains(.inserted) || isMarkedDeleted { return true }
        return withExistingExtension {
            $0.changed.contains(slot) && slotDiffers(slot, fromSaved: $0.heldCommitted)
        } ?? false
    }

    /// Whether a local change of the to-one relationship removed this object from an owner, although the parent context
    /// or store still has it there.
    ///
    /// - Parameter slot: the to-one relationship.
    final func wasUnlinked(_ owner: Int64, _ slot: Int) -> Bool {
        guard flags.contains(.updated), !isFault, hasOwnChange(slot) else { return false }
        return destination(slot)?.key != owner
    }

    /// Adds a member at this end only. Does not fire the relationship's fault.
    ///
    /// - Returns: false if it was already a member.
    final func noteMember(_ object: NSManagedObject, _ slot: Int, at position: Int?, isNew: Bool = false) -> Bool {
        guard !flags.contains(.observed) || isMember(object, slot) != true else {
            willChangeMembers(slot)
            return false
        }
        return announcing(slot, insertion(of: object, slot, at: position)) {
            willChangeMembers(slot)
            noteDeletion(of: object)
            let (ordinal, ordered) = (Int(place(slot).ordinal), place(slot).isOrdered)
            return withExtension {
                $0.withChange { change in
                    if isNew {
                        change.members[ordinal]?.appendNew(object, ordered: ordered)
                        return true
                    }
                    return change.members[ordinal]?.insert(object, at: position, ordered: ordered) ?? false
                }
            }
        }
    }

    /// Called when a relationship of this object is set to `object`.
    @inline(__always) final func noteDeletion(of object: NSManagedObject) {
        if object.flags.contains(.propagated) { flags.insert(.referencesDeleted) }
    }

    /// Removes a member at this end only.
    final func dropMember(_ object: NSManagedObject, _ slot: Int) {
        guard !flags.contains(.observed) || isMember(object, slot) != false else { return willChangeMembers(slot) }
        announcing(slot, removal(of: object, slot)) {
            willChangeMembers(slot)
            let (ordinal, ordered) = (Int(place(slot).ordinal), place(slot).isOrdered)
            withExtension { $0.withChange { _ = $0.members[ordinal]?.remove(object, ordered: ordered) } }
        }
    }

    /// nil if the members would have to be read.
    private func isMember(_ object: NSManagedObject, _ slot: Int) -> Bool? {
        objectExtension?.members[Int(table.layout[slot].ordinal)]?.contains(object) ?? nil
    }

    /// Applies delete rules to the objects that still point at a deleted one.
    final func nullify(_ slot: Int) {
        let inverse = Int(table.layout[slot].inverse)
        guard inverse >= 0 else { return }
        if table.layout[slot].kind == .toMany {
            for member in members(slot) where !member.isMarkedDeleted { member.lose(self, inverse) }
        } else if let other = destination(slot), !other.isMarkedDeleted {
            other.lose(self, inverse)
        }
    }

    /// The record of this object is missing: sets the to-one relationships that were set to it to nil.
    final func unlinkAddedMembers() {
        for (member, slot) in addedMembers { member.lose(self, slot) }
    }

    /// Whether the record is missing, although to-one relationships were set to this object.
    final var isMissingWithMembers: Bool { flags.contains(.inaccessible) && !addedMembers.isEmpty }

    /// Whether the record is missing, although the to-one relationship of a member was set to this object: the save
    /// reports a conflict (Merging-36).
    final func isMissing(below member: NSManagedObject, _ slot: Int) -> Bool {
        flags.contains(.inaccessible) && addedMembers.contains { $0.member === member && $0.slot == slot }
    }

    /// Objects with to-one relationships that were set to this one, and these relationships.
    private var addedMembers: [(member: NSManagedObject, slot: Int)] {
        guard let objectExtension else { return [] }
        return table.layout.toManySlots.flatMap { slot -> [(NSManagedObject, Int)] in
            guard let inverse = table.layout.toOneInverse(slot) else { return [] }
            let added = objectExtension.members[Int(table.layout[slot].ordinal)]?.added.objects ?? []
            return added.filter { !$0.isMarkedDeleted && $0.destination(inverse) === self }.map { ($0, inverse) }
        }
    }

    /// For an object after its deletion was saved: drops links that delete rules have removed at the other end, and
    /// links to objects that were deleted with it.
    final func dropHalfLinks() {
        DeferredAnnouncements.holding {
            for slot in table.layout.toOneSlots {
                if let other = destination(slot), !isAnswered(slot, by: other) { writeDestination(nil, slot) }
            }
            for slot in table.layout.toManySlots {
                let members = objectExtension?.members[Int(table.layout[slot].ordinal)]?.members?.objects ?? []
                for other in members where !isAnswered(slot, by: other) { dropMember(other, slot) }
            }
        }
    }

    private func isAnswered(_ slot: Int, by other: NSManagedObject) -> Bool {
        let inverse = Int(table.layout[slot].inverse)
        let isInSameContext = other.table.owner === table.owner
        if other.flags.contains(.propagated) { return false }
        if inverse < 0 { return isInSameContext }
        // The other end has not been read, so no rule has changed it.
        if other.table.layout[inverse].kind == .toMany { return other.isMember(self, inverse) ?? isInSameContext }
        return (isInSameContext || !other.isFault) && other.destination(inverse) === self
    }

    final func checkDestination(_ object: NSManagedObject, _ slot: Int) {
        let place = place(slot)
        let isInSameContext = object.heldTable.look { other in heldTable.look { $0.ownerName == other.ownerName } }
        guard isInSameContext || flags.contains(.template) else {
            preconditionFailure(
                "'\(table.layout.name).\(table.layout.properties[slot].name)' cannot point from \(self) to \(object): they are in "
                    + "different contexts. Use `context.object(with: other.objectID)`.")
        }
        let index = Int32(object.heldTable.look { $0.layout.index })
        guard index >= place.destination, index < place.destinationEnd else {
            let destination = table.layout.relationship(slot)?.destinationEntity
            preconditionFailure(
                "'\(table.layout.name).\(table.layout.properties[slot].name)' holds objects of '\(destination?.name ?? "?")', "
                    + "not of '\(object.table.layout.name)'")
        }
    }
}
