// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies single slots from one block to another.

extension Snapshot {
    /// Copies one slot. Only for an owned block.
    func take(_ slot: Int, from other: Snapshot) {
        guard layout[slot].word >= 0 else { return }
        if other.isNull(slot) { return setNull(slot) }
        switch layout[slot].kind {
        case .integer: setInteger(other.integer(slot), slot)
        case .boolean: setBoolean(other.boolean(slot), slot)
        case .float, .double, .date: setDouble(other.double(slot), slot)
        case .string: setString(other.string(slot), slot)
        case .box: if let box = other.box(slot) { setBox(box, slot) }
        case .reference: if let reference = other.reference(slot) { setReference(reference, slot) }
        case .toMany, .fetched: break
        }
    }
}
