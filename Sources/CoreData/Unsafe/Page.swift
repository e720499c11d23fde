// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// 256 cells in one block of memory, with the number of those in use.

/// A page of a table by key. Copies share the memory.
///
/// Assumption: the table that made a page frees it once, and positions are below 256. An array of arrays would do
/// reference counting and bounds checks at each look-up.
struct Page<Element> {
    /// The cells are followed by a word: the number of cells in use.
    private let cells: UnsafeMutablePointer<Element?>

    init() {
        cells = .allocate(capacity: PageKey.pageSize + 1)
        cells.initialize(repeating: nil, count: PageKey.pageSize)
        UnsafeMutableRawPointer(cells + PageKey.pageSize).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
    }

    func free() {
        cells.deinitialize(count: PageKey.pageSize)
        cells.deallocate()
    }

    /// The number of cells that are not nil. The table updates it.
    @inline(__always) var count: Int {
        get { word.pointee }
        nonmutating set { word.pointee = newValue }
    }

    @inline(__always) private var word: UnsafeMutablePointer<Int> {
        UnsafeMutableRawPointer(cells + PageKey.pageSize).assumingMemoryBound(to: Int.self)
    }

    @inline(__always) subscript(position: Int) -> Element? {
        get { cells[position] }
        nonmutating set { cells[position] = newValue }
    }
}

/// A page of strong references. Its cells own their objects.
struct CountedPage<Object: AnyObject> {
    private let cells: UnsafeMutablePointer<Counted<Object>>

    init() {
        cells = .allocate(capacity: PageKey.pageSize + 1)
        for position in 0..<PageKey.pageSize { (cells + position).initialize(to: Counted(Object?.none)) }
        UnsafeMutableRawPointer(cells + PageKey.pageSize).bindMemory(to: Int.self, capacity: 1).initialize(to: 0)
    }

    /// Releases all objects.
    func free() {
        cells.deinitialize(count: PageKey.pageSize)
        cells.deallocate()
    }

    /// The number of cells with an object. The table updates it.
    @inline(__always) var count: Int {
        get { word.pointee }
        nonmutating set { word.pointee = newValue }
    }

    @inline(__always) private var word: UnsafeMutablePointer<Int> {
        UnsafeMutableRawPointer(cells + PageKey.pageSize).assumingMemoryBound(to: Int.self)
    }

    /// Valid until the cell is assigned.
    @inline(__always) subscript(position: Int) -> Uncounted<Object>? { cells[position].uncounted }

    @inline(__always) func set(_ object: Uncounted<Object>?, at position: Int) { cells[position].set(object) }

    @inline(__always) func isUnshared(_ position: Int) -> Bool { cells[position].isUnshared() }
}

/// How keys are distributed over pages.
enum PageKey {
    static let bits: Int64 = 8
    static let pageSize = 1 << Int(bits)

    @inline(__always) static func page(_ key: Int64) -> Int64 { key >> bits }
    @inline(__always) static func position(_ key: Int64) -> Int { Int(key & (1 << bits - 1)) }
}
