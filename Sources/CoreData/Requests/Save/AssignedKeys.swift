// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permanent keys that a save assigned to insertions.

/// Permanent keys by the temporary ones that they replace.
///
/// Temporary keys are consecutive, so those of one save lie close together and a look-up is one load. Each insertion is
/// looked up several times, and so is each reference to one.
package struct AssignedKeys {
    /// By the distance from `first` downwards; 0 for none.
    private var dense: ContiguousArray<Int64> = []
    private var first: Int64 = 0
    /// Keys too far from `first`, or assigned before it.
    private var sparse: [Int64: Int64] = [:]

    package init() {}

    package mutating func reserveCapacity(_ count: Int) { dense.reserveCapacity(count) }

    package var isEmpty: Bool { dense.isEmpty && sparse.isEmpty }

    /// - Parameter temporary: negative; the result is nil for permanent keys.
    @inline(__always) package subscript(temporary: Int64) -> Int64? {
        let distance = first &- temporary
        if distance >= 0, distance < Int64(dense.count), dense[Int(distance)] != 0 { return dense[Int(distance)] }
        return sparse.isEmpty ? nil : sparse[temporary]
    }

    /// The key of a row by either of its keys; 0 for one that has none.
    @inline(__always) package func permanent(_ key: Int64) -> Int64 { key < 0 ? self[key] ?? 0 : key }

    /// - Parameter permanent: positive, unless it comes from a damaged file.
    package mutating func set(_ permanent: Int64, for temporary: Int64) {
        if dense.isEmpty { first = temporary }
        let distance = first &- temporary
        // Gaps may take as much memory as the keys do.
        guard permanent != 0, distance >= 0, distance <= 2 * Int64(dense.count) + 64 else {
            sparse[temporary] = permanent
            return
        }
        while Int64(dense.count) < distance { dense.append(0) }
        if Int64(dense.count) == distance { dense.append(permanent) } else { dense[Int(distance)] = permanent }
    }
}

extension AssignedKeys {
    /// Keys for the insertions that have none, in their order.
    ///
    /// - Parameter reserve: gives so many keys below a root entity, by its index.
    package init<Keys: Sequence<Int64>>(
        for inserts: [ChangeSet.Insert], reserve: (_ count: Int, _ root: Int) throws -> Keys
    ) rethrows {
        self.init()
        let counts = Self.counts(inserts)
        if counts.isEmpty { return }
        var free: [Keys.Iterator?] = []
        for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
            while free.count < root { free.append(nil) }
            free.append(try reserve(count, root).makeIterator())
        }
        reserveCapacity(inserts.count)
        for position in inserts.indices where inserts[position].key < 0 {
            let key = free[inserts[position].snapshot.layout.rootIndex]?.next()
            if let key { set(key, for: inserts[position].key) }
        }
    }

    /// The number of insertions without a key by root entity.
    private static func counts(_ inserts: [ChangeSet.Insert]) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        var (root, count) = (-1, 0)  // for a run of insertions of one entity: avoids a look-up for each
        for position in inserts.indices where inserts[position].key < 0 {
            let next = inserts[position].snapshot.layout.rootIndex
            if next != root {
                if count > 0 { counts[root, default: 0] += count }
                (root, count) = (next, 0)
            }
            count += 1
        }
        if count > 0 { counts[root, default: 0] += count }
        return counts
    }
}

extension AssignedKeys: ExpressibleByDictionaryLiteral, Equatable {
    package init(dictionaryLiteral elements: (Int64, Int64)...) {
        for (temporary, permanent) in elements { set(permanent, for: temporary) }
    }

    /// All keys.
    private var pairs: [Int64: Int64] {
        var pairs = sparse
        for (distance, permanent) in dense.enumerated() where permanent != 0 {
            pairs[first - Int64(distance)] = permanent
        }
        return pairs
    }

    package static func == (one: AssignedKeys, other: AssignedKeys) -> Bool { one.pairs == other.pairs }
}
