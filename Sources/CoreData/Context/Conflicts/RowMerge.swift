// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which local changes of attributes and to-one relationships a merge policy discards.

/// The values of one object in three rows. The rules are those of `Documentation/Internals/Merging.md`, "Changed here
/// and there".
struct RowMerge {
    /// The row that the local changes are based on; nil if it is unknown.
    let base: Snapshot?
    let local: Snapshot
    let stored: Snapshot

    /// The slots of attributes and to-one relationships with a local change that the policy discards.
    ///
    /// - Parameter changed: the slots with local changes.
    func discardedSlots(_ changed: SlotSet, by policy: NSMergePolicyType) -> [Int] {
        changed.slots.filter { slot in
            let place = local.layout[slot]
            guard place.word >= 0, !place.isTransient, !stored.isEqual(local, slot: slot) else { return false }
            switch policy {
            case .mergeByPropertyStoreTrumpMergePolicyType: return !stored.isEqual(base ?? stored, slot: slot)
            case .rollbackMergePolicyType: return true
            case .errorMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                return false
            }
        }
    }
}
