// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The encoding of properties in ZCOLUMNS and in the columns of tombstones. Documentation/Internals/History.md.

import Foundation
import SQLiteDriver

/// The history columns of one entity.
///
/// The bits of `ZCOLUMNS` are those of the persistent properties sorted by name, the most significant bit of a byte
/// first. A to-one relationship with an entity column has two bits.
struct HistoryColumns {
    /// An attribute that is kept in tombstones.
    struct Kept {
        var name: String
        var column: AttributeColumn
    }

    /// By slot: the first bit and the number of bits; 0 bits for properties without columns.
    private let bits: [(first: Int, count: Int)]
    let byteCount: Int
    /// In the order of the columns `ZTOMBSTONE0`, `ZTOMBSTONE1` …; nil for an attribute that has no suitable column.
    let kept: [Kept?]

    init(_ mapping: EntityMapping) {
        let layout = mapping.layout
        let sorted = (0..<layout.slotCount).sorted {
            layout.properties[$0].name.utf16.lexicographicallyPrecedes(layout.properties[$1].name.utf16)
        }
        var bits = Array(repeating: (first: 0, count: 0), count: layout.slotCount)
        var next = 0
        var kept: [Kept?] = []
        for slot in sorted where !layout[slot].isTransient && layout[slot].kind != .fetched {
            var count = 1
            if case .toOne(let columns) = mapping.storage[slot], columns.entity != nil { count = 2 }
            bits[slot] = (next, count)
            next += count
            guard layout.isKept(slot) else { continue }
            if case .attribute(let column) = mapping.storage[slot] {
                kept.append(Kept(name: layout.properties[slot].name, column: column))
            } else {
                kept.append(nil)
            }
        }
        self.bits = bits
        self.kept = kept
        byteCount = (next + 7) / 8
    }

    /// The blob for a set of changed properties.
    func blob(_ slots: SlotSet) -> Data {
        var bytes = Data(count: byteCount)
        for slot in slots {
            for bit in bits[slot].first..<(bits[slot].first + bits[slot].count) {
                bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
            }
        }
        return bytes
    }

    /// The properties of a blob; nil if it was written by another version of the entity.
    func slots(_ blob: Data) -> SlotSet? {
        guard blob.count == byteCount else { return nil }
        let bytes = Array(blob)
        var slots = SlotSet()
        for slot in bits.indices {
            for bit in bits[slot].first..<(bits[slot].first + bits[slot].count)
            where bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
                slots.insert(slot)
            }
        }
        return slots
    }
}
