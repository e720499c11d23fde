// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of objects that the sort descriptors leave equal. Fetching-6.

/// By store, then by key, with insertions last in the order of their creation; reversed if the last descriptor is
/// descending. A single store returns the same order.
struct TieBreaking {
    private let stores: [ObjectIdentifier: Int]
    private let isUpwards: Bool

    init(stores: [any RecordStore], isUpwards: Bool) {
        self.isUpwards = isUpwards
        var places: [ObjectIdentifier: Int] = [:]
        for (place, store) in stores.enumerated() { places[ObjectIdentifier(store.identity)] = place }
        self.stores = places
    }

    func precedes(_ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
        precedes((one.key, one.table.home), (other.key, other.table.home))
    }

    func precedes(_ one: (key: Int64, home: StoreIdentity?), _ other: (key: Int64, home: StoreIdentity?)) -> Bool {
        let (first, second) = isUpwards ? (one, other) : (other, one)
        let (place, otherPlace) = (self.place(first), self.place(second))
        if place != otherPlace { return place < otherPlace }
        // Temporary keys count down from zero.
        return first.key.magnitude < second.key.magnitude
    }

    /// The position of an object's store; insertions come last.
    func place(_ object: NSManagedObject) -> Int { place((object.key, object.table.home)) }

    private func place(_ record: (key: Int64, home: StoreIdentity?)) -> Int {
        guard record.key > 0, let home = record.home else { return Int.max }
        return stores.count == 1 ? 0 : stores[ObjectIdentifier(home)] ?? Int.max
    }
}
