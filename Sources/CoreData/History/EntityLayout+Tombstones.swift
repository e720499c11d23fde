// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The attributes that a history keeps of deleted objects.

extension EntityLayout {
    /// Whether tombstones keep the value of a property.
    func isKept(_ slot: Int) -> Bool {
        !self[slot].isTransient && attribute(slot)?.preservesValueInHistoryOnDeletion == true
    }

    /// The slots of the attributes that tombstones keep.
    var keptSlots: [Int] { attributeSlots.filter(isKept) }
}
