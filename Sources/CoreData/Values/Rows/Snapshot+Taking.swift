// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies single slots from one block to another.

extension Snapshot {
    /// Copies one slot. Only for an owned block.
    func take(_ slot: Int, from other: Snapshot) { take(slot, from: other, slot) }

    /// Copies one slot of a block of another layout, where it has a value of the same kind.
    func take(_ slot: Int, from other: Snapshot, _ origin: Int) {
        guard layout[slot].word >= 0 else { return }
        if other.isNull(origin) { return setNull(slot) }
        switch layout[slot].kind {
        case .integer: setInteger(other.integer(origin), slot)
        case .boolean: setBoolean(other.boolean(origin), slot)
        case .float, .double, .date: setDouble(other.double(origin), slot)
        case .string: setString(other.string(origin), slot)
        case .box: if let box = other.box(origin) { setBox(box, slot) }
        case .reference: if let reference = other.reference(origin) { setReference(reference, slot) }
        case .toMany, .fetched: break
        }
    }
}
