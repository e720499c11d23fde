// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The positions of objects in a list, by address.

/// Positions by address, in one block of memory (open addressing, linear probing). Hashing an address in Swift's
/// dictionary takes four times as long, and adding an object to a large to-many relationship does several look-ups.
///
/// # Invariants
/// (1) At least a third of the places are free: every search ends.
/// (2) No place between an address's home place and its actual place is free.
struct PositionTable {
    private struct Place {
        /// 0 if the place is free.
        var address: UInt
        var position: Int
    }

    private var places: ContiguousArray<Place>
    private var count = 0
    /// The upper bits of the product are the home place.
    private var shift: UInt

    /// - Parameter capacity: the minimum number of entries.
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
        // Later entries with a home at or before the free place move up: (2).
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

    /// The place of the address, or else the free one for it.
    @inline(__always) private func place(of address: UInt) -> Int {
        var place = home(of: address)
        while places[place].address != address, places[place].address != 0 { place = (place + 1) & (places.count - 1) }
        return place
    }

    /// Fibonacci hashing: spreads neighbouring addresses.
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
