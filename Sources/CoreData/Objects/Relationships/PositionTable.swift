// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The positions of objects in a list, by address.

/// Positions by address, in one block of memory (open addressing, linear probing). Hashing an address in Swift's
/// dictionary takes four times as long, and adding an object to a large to-many relationship does several look-ups.
///
/// # Invariants
/// (1) At least a third of the buckets are free: every search ends.
/// (2) No bucket between an address's home bucket and its actual bucket is free.
struct PositionTable {
    private struct Bucket {
        /// 0 if the bucket is free.
        var address: UInt
        var position: Int
    }

    private var buckets: ContiguousArray<Bucket>
    private var count = 0
    /// The upper bits of the product are the home bucket.
    private var shift: UInt

    /// - Parameter capacity: the minimum number of entries.
    init(capacity: Int) {
        var bits: UInt = 5
        while 1 << bits < capacity + capacity / 2 + 1 { bits += 1 }
        shift = UInt(UInt.bitWidth) - bits
        buckets = ContiguousArray(repeating: Bucket(address: 0, position: 0), count: 1 << bits)
    }

    @inline(__always) subscript(_ address: UInt) -> Int? {
        let bucket = bucket(of: address)
        return buckets[bucket].address == 0 ? nil : buckets[bucket].position
    }

    mutating func set(_ position: Int, for address: UInt) {
        var bucket = bucket(of: address)
        if buckets[bucket].address == 0 {
            count += 1
            if count * 3 > buckets.count * 2 {
                grow()
                bucket = self.bucket(of: address)
            }
            buckets[bucket].address = address
        }
        buckets[bucket].position = position
    }

    mutating func remove(_ address: UInt) {
        var free = bucket(of: address)
        guard buckets[free].address != 0 else { return }
        count -= 1
        buckets[free].address = 0
        // Later entries with a home at or before the free bucket move up: (2).
        let mask = buckets.count - 1
        var next = (free + 1) & mask
        while buckets[next].address != 0 {
            let homeBucket = homeBucket(of: buckets[next].address)
            if (next - homeBucket) & mask >= (next - free) & mask {
                buckets[free] = buckets[next]
                buckets[next].address = 0
                free = next
            }
            next = (next + 1) & mask
        }
    }

    /// The bucket of the address, or else the free one for it.
    @inline(__always) private func bucket(of address: UInt) -> Int {
        var bucket = homeBucket(of: address)
        while buckets[bucket].address != address, buckets[bucket].address != 0 {
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return bucket
    }

    /// Fibonacci hashing: spreads neighbouring addresses.
    @inline(__always) private func homeBucket(of address: UInt) -> Int {
        Int(truncatingIfNeeded: (address &* UInt(truncatingIfNeeded: 0x9e37_79b9_7f4a_7c15 as UInt64)) >> shift)
    }

    private mutating func grow() {
        var grown = PositionTable(capacity: buckets.count)
        for bucket in buckets where bucket.address != 0 { grown.set(bucket.position, for: bucket.address) }
        grown.count = count
        self = grown
    }
}
