// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The positions of objects in a list, by address.

/// Positions by address, in one block of memory (open addressing, linear probing). Swift's dictionary hashes an address
/// four times as long as this takes, and a large to-many is asked several times for each object that joins it.
///
/// # Invariants
/// (1) At least a third of the places is free: a search ends.
/// (2) Between the place that an address belongs in and the one that it has, none is free.
struct PositionTable {
    private struct Place {
        /// 0: free.
        var address: UInt
        var position: Int
    }

    private var places: ContiguousArray<Place>
    private var count = 0
    /// The upper bits of the product are the place.
    private var shift: UInt

    /// - Parameter capacity: how many it will hold at least.
    init(capacity: Int) {
        var bits: UInt = 5
        while 1 << bits < capacity + capacity / 2 + 1 { bits += 1 }
        shift = UInt(UInt.bitWidth) - bits
        places = ContiguousArray(repeating: Place(address: 0, position: 0), count: 1 << bits)
    }

    @inline(__always) subscript(_ address: UInt) -> Int? {
        let place = place(of: address)
        return places[place].address == 0 ? nil : places[place].position
    }

    mutating func set(_ position: Int, for address: UInt) {
        var place = place(of: address)
        if places[place].address == 0 {
            count += 1
            if count * 3 > places.count * 2 {
                grow()
                place = self.place(of: address)
            }
            places[place].address = address
        }
        places[place].position = position
    }

    mutating func remove(_ address: UInt) {
        var free = place(of: address)
        guard places[free].address != 0 else { return }
        count -= 1
        places[free].address = 0
        // Entries that stand behind and belong at or before the free place move up: (2).
        let mask = places.count - 1
        var next = (free + 1) & mask
        while places[next].address != 0 {
            let home = home(of: places[next].address)
            if (next - home) & mask >= (next - free) & mask {
                places[free] = places[next]
                places[next].address = 0
                free = next
            }
            next = (next + 1) & mask
        }
    }

    /// The place that has the address, or else the free one where it would go.
    @inline(__always) private func place(of address: UInt) -> Int {
        var place = home(of: address)
        while places[place].address != address, places[place].address != 0 { place = (place + 1) & (places.count - 1) }
        return place
    }

    /// Fibonacci hashing: neighbouring addresses are spread.
    @inline(__always) private func home(of address: UInt) -> Int {
        Int(truncatingIfNeeded: (address &* UInt(truncatingIfNeeded: 0x9e37_79b9_7f4a_7c15 as UInt64)) >> shift)
    }

    private mutating func grow() {
        var grown = PositionTable(capacity: places.count)
        for place in places where place.address != 0 { grown.set(place.position, for: place.address) }
        grown.count = count
        self = grown
    }
}
