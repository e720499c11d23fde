// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds objects that changed after their own `willSave`.

import Foundation

/// The values of objects when their `willSave` returned, for objects that had changed since the event began.
///
/// Made for each round of `SavePreparation`; empty as long as `willSave` changes nothing.
struct WillSaveValues {
    private struct Values {
        let row: Snapshot
        let members: [ToManyValue?]
    }

    private var values: [ObjectIdentifier: Values] = [:]

    mutating func note(_ object: NSManagedObject) {
        let members = object.table.layout.toManySlots.map { object.memberValue($0) }
        values[ObjectIdentifier(object)] = Values(row: object.realized.copy(), members: members)
    }

    /// Whether the `willSave` of another object has changed this object after its own `willSave`.
    func isOutdated(_ object: NSManagedObject) -> Bool {
        guard object.flags.isSuperset(of: [.calledWillSave, .updatedInEvent]) else { return false }
        guard let known = values[ObjectIdentifier(object)] else { return true }
        let layout = object.table.layout
        let row = object.realized
        let slots = layout.attributeSlots + layout.toOneSlots
        if slots.contains(where: { !row.isEqual(known.row, slot: $0) }) { return true }
        return zip(layout.toManySlots, known.members).contains { slot, members in
            object.memberValue(slot)?.differs(from: members) ?? false
        }
    }
}
