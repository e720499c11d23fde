// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of objects that the sort descriptors leave equal. Fetching-6.

/// By store, then by key, with insertions last in the order of their creation; reversed if the last descriptor is
/// descending. A single store returns the same order.
struct TieBreaking {
    private let stores: [ObjectIdentifier: Int]
    private let isAscending: Bool

    init(stores: [any RecordStore], isAscending: Bool) {
        self.isAscending = isAscending
        var positions: [ObjectIdentifier: Int] = [:]
        for (position, store) in stores.enumerated() { positions[ObjectIdentifier(store.identity)] = position }
        self.stores = positions
    }

    func precedes(_ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
        precedes((one.key, one.table.home), (other.key, other.table.home))
    }

    func precedes(_ one: (key: Int64, home: StoreIdentity?), _ other: (key: Int64, home: StoreIdentity?)) -> Bool {
        let (first, second) = isAscending ? (one, other) : (other, one)
        let (position, otherPlace) = (self.position(first), self.position(second))
        if position != otherPlace { return position < otherPlace }
        // Temporary keys count down from zero.
        return first.key.magnitude < second.key.magnitude
    }

    /// Whether an object is after a position whose sort values equal its own.
    func follows(_ object: NSManagedObject, _ start: FetchPosition) -> Bool {
        precedes((start.key, start.home), (object.key, object.table.home))
    }

    /// The position of an object's store; insertions come last.
    func position(_ object: NSManagedObject) -> Int { position((object.key, object.table.home)) }

    private func position(_ record: (key: Int64, home: StoreIdentity?)) -> Int {
        guard record.key > 0, let home = record.home else { return Int.max }
        return stores.count == 1 ? 0 : stores[ObjectIdentifier(home)] ?? Int.max
    }
}

extension RoutedFetch {
    /// The order of objects that compare equal.
    var tieOrder: TieBreaking {
        TieBreaking(stores: stores, isAscending: fetch.prepared.sorting.breaksTiesAscending)
    }
}
