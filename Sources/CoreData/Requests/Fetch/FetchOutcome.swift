// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store's answer to a fetch.

/// Rows, keys, a number or dictionaries, as the fetch requests.
package enum FetchOutcome {
    /// In the requested order; `Snapshot.layout` is the concrete entity.
    case rows([FetchedRow])
    case keys([ObjectKey])
    case count(Int)
    /// Objects in them are represented by `ObjectKey`.
    case dictionaries([[String: Any]])

    /// The answer to an unsorted fetch in the order of the keys (Fetching-6). A database reads rows in the order of an
    /// index or of their places on the disk.
    package func ordered(for fetch: BoundFetch) -> FetchOutcome {
        guard fetch.sorting.isEmpty else { return self }
        switch self {
        case .rows(let rows) where !rows.isAscending(\.key): return .rows(rows.sorted { $0.key < $1.key })
        case .keys(let keys) where !keys.isAscending(\.key): return .keys(keys.sorted { $0.key < $1.key })
        default: return self
        }
    }
}

extension Array {
    fileprivate func isAscending(_ key: (Element) -> Int64) -> Bool {
        var last = Int64.min
        for element in self {
            let next = key(element)
            if next < last { return false }
            last = next
        }
        return true
    }
}
