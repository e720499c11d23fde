// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Strong references of 32 bits each, by key.

/// Rows of strong references, one row for a key, in pages. Each reference takes half a word.
///
/// Assumption: see `CompactAddresses`. An object without a compact address is not stored here; the caller retains it by
/// other means.
struct CompactReferences<Object: AnyObject>: ~Copyable {
    /// Handles of retained objects; 0 for none.
    private typealias Cells = UnsafeMutablePointer<UInt32>

    /// Rows of a page: few, because the keys in use may be far apart.
    private static var pageSize: Int { 64 }
    /// Only keys up to four million have cells here.
    private static var mostPages: Int64 { 65_536 }

    private var pages: ContiguousArray<Cells?> = []
    private var addresses = CompactAddresses()
    private let width: Int

    /// - Parameter width: the number of references per key.
    init(width: Int) { self.width = width }

    deinit {
        for case let page? in pages {
            for cell in 0..<Self.pageSize * width { reference(page[cell])?.release() }
            page.deallocate()
        }
    }

    @inline(__always) static func hasPlace(_ key: Int64) -> Bool { key >= 0 && key >> 6 < mostPages }

    /// Valid until the cell changes.
    @inline(__always) subscript(key: Int64, position: Int) -> Uncounted<Object>? {
        cells(key).flatMap { reference($0[position]) }.map { Uncounted(address: $0.toOpaque()) }
    }

    /// Retains an object in a cell of a key, if the key has cells.
    ///
    /// - Returns: whether the object has a compact address, and the object that was in the cell.
    @inline(__always) mutating func place(_ object: Object, _ key: Int64, _ position: Int) -> (
        isPlaced: Bool, old: Object?
    ) {
        guard let handle = addresses.handle(of: Unmanaged.passUnretained(object).toOpaque()) else {
            return (false, nil)
        }
        let cell = (cells(key) ?? makeCells(key)) + position
        let old = reference(cell.pointee)
        _ = Unmanaged.passRetained(object)
        cell.pointee = handle
        return (true, old?.takeRetainedValue())
    }

    /// Empties up to `CompactRow.capacity` cells of a key.
    @inline(__always) mutating func take(_ key: Int64, from first: Int) -> CompactRow<Object> {
        var taken = CompactRow<Object>(addresses)
        guard let cells = cells(key) else { return taken }
        for position in first..<min(first + CompactRow<Object>.capacity, width) {
            taken.handles[position - first] = cells[position]
            cells[position] = 0
        }
        return taken
    }

    @inline(__always) private func cells(_ key: Int64) -> Cells? {
        let page = Int(key >> 6)
        guard page < pages.count, let first = pages[page] else { return nil }
        return first + Int(key & 63) * width
    }

    private mutating func makeCells(_ key: Int64) -> Cells {
        let page = Int(key >> 6)
        while pages.count <= page { pages.append(nil) }
        let first = Cells.allocate(capacity: Self.pageSize * width)
        first.initialize(repeating: 0, count: Self.pageSize * width)
        pages[page] = first
        return first + Int(key & 63) * width
    }

    @inline(__always) private func reference(_ handle: UInt32) -> Unmanaged<Object>? {
        handle == 0 ? nil : .fromOpaque(addresses.pointer(handle))
    }
}

/// References that were removed from cells. Releases those that the caller does not remove.
struct CompactRow<Object: AnyObject>: ~Copyable {
    static var capacity: Int { 4 }

    fileprivate var handles = SIMD4<UInt32>.zero
    private let addresses: CompactAddresses

    @inline(__always) fileprivate init(_ addresses: CompactAddresses) { self.addresses = addresses }

    @inline(__always) deinit {
        for position in 0..<Self.capacity where handles[position] != 0 {
            NestedReleases.release(Unmanaged<Object>.fromOpaque(addresses.pointer(handles[position])))
        }
    }

    mutating func takeObject(_ position: Int) -> Object? {
        guard handles[position] != 0 else { return nil }
        defer { handles[position] = 0 }
        return Unmanaged<Object>.fromOpaque(addresses.pointer(handles[position])).takeRetainedValue()
    }
}

/// Addresses as 32-bit handles: distances from one of two bases, each with 16 GiB around it.
///
/// Assumption: objects are aligned to eight bytes, and those of a context are on one or two heaps (the program's first
/// one, and that of another thread). Nearly all are within reach of the first two bases. Other addresses have no
/// handle. With `OCD_PORTABLE` no address has one.
struct CompactAddresses {
    /// The lowest address in reach of each base; 0 for none yet.
    private var bases: (UInt64, UInt64) = (0, 0)

    private static var reach: UInt64 { 1 << 34 }

    /// Never 0; nil for an address out of reach.
    @inline(__always) mutating func handle(of pointer: UnsafeMutableRawPointer) -> UInt32? {
        #if OCD_PORTABLE
            return nil
        #else
            let address = UInt64(UInt(bitPattern: pointer))
            if let handle = Self.distance(address, bases.0) { return handle }
            return secondHandle(address)
        #endif
    }

    private mutating func secondHandle(_ address: UInt64) -> UInt32? {
        if bases.0 == 0 {
            bases.0 = Self.base(around: address)
            return Self.distance(address, bases.0)
        }
        if bases.1 == 0 { bases.1 = Self.base(around: address) }
        return Self.distance(address, bases.1).map { $0 | 1 << 31 }
    }

    /// - Parameter handle: a result of `handle(of:)`.
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
