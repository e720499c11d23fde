// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pointers to objects in half the room.

/// Pointers as 32-bit handles: distances from one of two places in memory, each with 16 GiB around it.
///
/// The objects of a context were allocated on one or two heaps (a program's first, and those of further threads), so nearly all are within
/// reach of the first two that are not in reach of each other. Who gets no handle must be held in another way.
struct NearbyPointers {
    /// The lowest address in reach of each place; 0: none yet.
    private var bases: (UInt64, UInt64) = (0, 0)

    private static var reach: UInt64 { 1 << 34 }

    /// Never 0; nil for a pointer that lies too far away.
    @inline(__always) mutating func handle(of pointer: UnsafeMutableRawPointer) -> UInt32? {
        let address = UInt64(UInt(bitPattern: pointer))
        if let handle = Self.distance(address, bases.0) { return handle }
        return secondHandle(address)
    }

    private mutating func secondHandle(_ address: UInt64) -> UInt32? {
        if bases.0 == 0 {
            bases.0 = Self.base(around: address)
            return Self.distance(address, bases.0)
        }
        if bases.1 == 0 { bases.1 = Self.base(around: address) }
        return Self.distance(address, bases.1).map { $0 | 1 << 31 }
    }

    /// - Parameter handle: one that was given here.
    @inline(__always) func pointer(_ handle: UInt32) -> UnsafeMutableRawPointer {
        let base = handle >> 31 == 0 ? bases.0 : bases.1
        let address = base + UInt64(handle & (1 << 31 - 1)) << 3
        return UnsafeMutableRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped
    }

    private static func base(around address: UInt64) -> UInt64 {
        address > reach / 2 ? (address - reach / 2) & ~7 : 8
    }

    @inline(__always) private static func distance(_ address: UInt64, _ base: UInt64) -> UInt32? {
        let distance = address &- base
        guard distance > 0, distance < reach, distance & 7 == 0, base != 0 else { return nil }
        return UInt32(truncatingIfNeeded: distance >> 3)
    }
}
