// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Primitive values of relationships: set at one end, and completed at the inverse ends if the change was announced.

import Foundation

/// One relationship of an object between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
///
/// # States
///     1 closed ──will──▶ 2 announced ──last did──▶ 1 closed
/// # Invariants
/// (1) While a relationship is closed, a primitive value changes only this end and records no change.
/// (2) While it is announced, a primitive value is a recorded change of the current event.
/// (3) `added` and `removed` list the destinations whose inverse the primitive values have not updated. Ordinary
///     changes update the inverse themselves. At the end, an object of `added` counts if it is still a destination,
///     and one of `removed` if it is not.
/// (4) After the last `didChangeValue` both ends agree: `InverseMaintenance` (1).
struct AnnouncedChange {
    let slot: Int
    /// The number of `willChangeValue` calls without their `didChangeValue`.
    var depth = 1
    private(set) var added = MemberList()
    private(set) var removed = MemberList()

    init(slot: Int) { self.slot = slot }

    mutating func add(_ object: NSManagedObject) { if !removed.remove(object) { added.append(object) } }

    mutating func remove(_ object: NSManagedObject) { if !added.remove(object) { removed.append(object) } }
}

extension NSManagedObject {
    final func beginAnnounced(_ slot: Int) {
        guard Int(place(slot).inverse) >= 0 else { return }
        let index = announcedIndex(slot)
        let uncommon = extensionMade.uncommonMade
        if let index {
            uncommon.announced[index].depth += 1
        } else {
            uncommon.announced.append(AnnouncedChange(slot: slot))
        }
    }

    /// Updates the inverses, if this call completes the outermost announcement.
    final func endAnnounced(_ slot: Int) {
        guard let index = announcedIndex(slot), let uncommon = objectExtension?.uncommon else { return }
        uncommon.announced[index].depth -= 1
        guard uncommon.announced[index].depth == 0 else { return }
        let change = uncommon.announced.remove(at: index)
        objectExtension?.dropIdleUncommon()
        let inverse = Int(place(slot).inverse)
        DeferredAnnouncements.holding {
            for object in change.removed.objects where !hasDestination(object, slot) { object.lose(self, inverse) }
            for object in change.added.objects where hasDestination(object, slot) {
                object.gain(self, inverse, other: slot)
            }
        }
    }

    final func isAnnounced(_ slot: Int) -> Bool { announcedIndex(slot) != nil }

    private func announcedIndex(_ slot: Int) -> Int? {
        withExistingExtension { $0.uncommon?.announced.firstIndex { $0.slot == slot } } ?? nil
    }

    private func hasDestination(_ object: NSManagedObject, _ slot: Int) -> Bool {
        place(slot).kind == .toMany ? hasMember(object, slot) : destination(slot) === object
    }

    /// Before a primitive value is set: (2).
    private func recordAnnounced(_ slot: Int) {
        guard announcedIndex(slot) != nil else { return }
        if place(slot).kind == .toMany { willChangeMembers(slot) } else { willWrite(slot) }
    }

    /// After a primitive value was set: (3).
    private func note(_ slot: Int, _ change: (inout AnnouncedChange) -> Void) {
        if let index = announcedIndex(slot), let uncommon = objectExtension?.uncommon {
            change(&uncommon.announced[index])
        }
    }

    // MARK: Primitive values

    final func setPrimitiveDestination(_ object: NSManagedObject?, _ slot: Int) {
        if let object { checkDestination(object, slot) }
        let old = destination(slot)
        guard old !== object else { return }
        recordAnnounced(slot)
        writeDestination(object, slot, recorded: false)
        note(slot) { change in
            if let old { change.remove(old) }
            if let object { change.add(object) }
        }
    }

    /// Replaces all members of a to-many relationship.
    final func setPrimitiveMembers(_ new: [NSManagedObject], _ slot: Int) {
        realizeMembers(slot)
        var wanted = MemberList()
        for object in new { wanted.append(object) }
        for object in members(slot) where !wanted.contains(object) { removePrimitiveMember(object, slot) }
        for object in wanted.objects { addPrimitiveMember(object, slot, at: nil) }
        if place(slot).isOrdered, members(slot) != wanted.objects {
            changePrimitiveMembers(slot) { $0.reorder(Array(wanted.objects)) }
        }
    }

    final func addPrimitiveMember(_ object: NSManagedObject, _ slot: Int, at position: Int?) {
        checkDestination(object, slot)
        guard !hasMember(object, slot) else { return }
        noteDeletion(of: object)
        let isOrdered = place(slot).isOrdered
        changePrimitiveMembers(slot) { _ = $0.insert(object, at: position, ordered: isOrdered) }
        note(slot) { $0.add(object) }
    }

    final func removePrimitiveMember(_ object: NSManagedObject, _ slot: Int) {
        guard hasMember(object, slot) else { return }
        let isOrdered = place(slot).isOrdered
        changePrimitiveMembers(slot) { _ = $0.remove(object, ordered: isOrdered) }
        note(slot) { $0.remove(object) }
    }

    /// The members are read first: a change is the difference from the saved members.
    private func changePrimitiveMembers(_ slot: Int, _ change: (inout ToManyValue) -> Void) {
        checkOwnership()
        realizeMembers(slot)
        recordAnnounced(slot)
        if var value = extensionMade.withChange({ $0.members[Int(place(slot).ordinal)].take() }) {
            change(&value)
            extensionMade.withChange { $0.members[Int(place(slot).ordinal)] = value }
        }
        if flags.contains(.observed) { objectExtension?.observers?.didSetPrimitive(table.layout.properties[slot].name) }
    }
}

/// State of the few objects that need it, see `ObjectExtension.uncommon`.
final class UncommonState {
    /// Numbers that were set to integer attributes but do not fit into 64 bits, by slot: saving them is an error. Each
    /// counts as long as the slot has the integer nearest to it.
    var outOfRange: [Int: NSNumber] = [:]
    /// Relationships with an announced change that is not complete.
    var announced: [AnnouncedChange] = []
}
