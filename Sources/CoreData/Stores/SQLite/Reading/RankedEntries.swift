// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entries of a full-text index that match a search, given out in the order of their ranks.

/// A heap: only the entries that are asked for are sorted, because most searches show a few of many.
struct RankedEntries {
    struct Entry {
        /// FTS5's rank: lower is more relevant.
        let rank: Double
        let key: Int64

        /// Equally relevant entries are in the order of their keys.
        fileprivate func precedes(_ other: Entry) -> Bool {
            rank != other.rank ? rank < other.rank : key < other.key
        }
    }

    /// The entry at a place precedes, or equals, those at twice the place plus one and plus two.
    private var heap: [Entry]

    init(_ entries: [Entry]) {
        heap = entries
        for place in (0..<heap.count / 2).reversed() { sink(place) }
    }

    var isEmpty: Bool { heap.isEmpty }

    /// The first entries, which are removed. Fewer than the number if there are no more.
    mutating func removeFirst(_ number: Int) -> [Entry] {
        var first: [Entry] = []
        first.reserveCapacity(min(number, heap.count))
        while first.count < number, let last = heap.popLast() {
            if heap.isEmpty {
                first.append(last)
            } else {
                first.append(heap[0])
                heap[0] = last
                sink(0)
            }
        }
        return first
    }

    /// Moves an entry down to its place.
    private mutating func sink(_ start: Int) {
        let entry = heap[start]
        var place = start
        while true {
            var child = 2 * place + 1
            if child >= heap.count { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            if !heap[child].precedes(entry) { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = entry
    }
}
