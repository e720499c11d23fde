// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A list of strong references that are read without retaining the objects.

/// Objects by position, or nil. The list retains each object once.
///
/// Assumption: none besides those of `Uncounted`. Reading an element of an array retains it.
struct CountedList<Object: AnyObject>: ~Copyable {
    private var objects: ContiguousArray<Uncounted<Object>?> = []

    deinit { for object in objects { release(object) } }

    @inline(__always) var count: Int { objects.count }

    /// Valid until the list changes.
    @inline(__always) subscript(position: Int) -> Uncounted<Object>? {
        position < objects.count ? objects[position] : nil
    }

    mutating func set(_ object: Object, at position: Int) {
        while objects.count <= position { objects.append(nil) }
        let old = objects[position]
        objects[position] = Uncounted(object)
        _ = Unmanaged.passRetained(object)
        release(old)
    }

    mutating func removeAll() {
        let old = objects
        objects = []
        for object in old { release(object) }
    }

    private func release(_ object: Uncounted<Object>?) {
        if let object { Unmanaged<Object>.fromOpaque(object.address).release() }
    }
}

/// Unretained references, in memory that is read without reference counting.
///
/// Assumption: positions are below the count.
struct UncountedCells<Object: AnyObject>: ~Copyable {
    private let cells: UnsafeMutablePointer<Uncounted<Object>?>

    init(count: Int) {
        cells = .allocate(capacity: count)
        cells.initialize(repeating: nil, count: count)
    }

    deinit { cells.deallocate() }

    @inline(__always) subscript(position: Int) -> Uncounted<Object>? {
        get { cells[position] }
        nonmutating set { cells[position] = newValue }
    }
}
