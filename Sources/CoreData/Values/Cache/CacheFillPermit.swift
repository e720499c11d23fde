// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Permission to fill the row cache; acquire it before reading.

/// A reader's access to a row cache; created before its read transaction begins (Objects-R1).
package struct CacheFillPermit {
    private let cache: RowCache
    package let moment: Int

    /// - Parameter moment: the cache's moment before reading begins.
    package init(_ cache: RowCache, since moment: Int) {
        self.cache = cache
        self.moment = moment
    }

    /// For a read that begins now, or later.
    package init(_ cache: RowCache) { self.init(cache, since: cache.moment) }

    package func row(root: Int, key: Int64) -> Snapshot? { cache.row(root: root, key: key) }

    package func hasRows(root: Int, nextTo key: Int64) -> Bool { cache.hasRows(root: root, nextTo: key) }

    /// Invalidates rows that have newer versions; older rows that are read later do not enter the cache.
    package func forget(_ keys: [ObjectKey]) {
        for (root, keys) in Dictionary(grouping: keys, by: \.entityIndex) {
            cache.forget(root: root, keys: keys.map(\.key))
        }
    }

    package func record(_ rows: some Sequence<FetchedRow>) { cache.fill(rows, since: moment) }
}
