// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The last known row for each key of a store, shared by all contexts.

import CRuntime

/// The rows that contexts of one store have read or written lately.
///
/// # Invariants
/// (1) A row here is what the store held at the row's stamp, or what a finished save put there; never unsaved values,
/// never
///     transient ones.
/// (2) A cached block is shared, hence immutable (`Snapshot` (1)).
/// (3) Rows that nobody but the cache holds are dropped when the cache has doubled since it was last swept: so its size
/// stays in
///     proportion to the objects alive, and no object has to report its end.
///
/// Any thread. Each call takes the cache's lock once; use the batch forms for many rows.
final class RowCache: @unchecked Sendable {  // everything is guarded by `lock`
    private var lock = ocd_spin_lock()
    private var tables: [Int: Table] = [:]
    private var count = 0
    private var sweepAt = 20_000

    /// nil: not cached.
    func row(root: Int, key: Int64) -> Snapshot? {
        withLock { tables[root]?[key] }
    }

    func record(_ rows: some Sequence<FetchedRow>) {
        withLock {
            for row in rows { record(row.key, row.snapshot) }
            if count > sweepAt { sweep() }
        }
    }

    func forget(root: Int, keys: some Sequence<Int64>) {
        withLock {
            for key in keys where tables[root]?[key] != nil {
                tables[root]?[key] = nil
                count -= 1
            }
        }
    }

    func forgetAll() {
        withLock {
            tables = [:]
            count = 0
        }
    }

    /// A view for a loop over many rows of one root entity; the lock is held for the time of `body`.
    func withTable<T>(root: Int, _ body: (inout Access) throws -> T) rethrows -> T {
        ocd_spin_acquire(&lock)
        var access = Access(table: tables[root] ?? Table())
        tables[root] = nil  // one owner while it is changed: no copy
        defer {
            count += access.added
            tables[root] = access.table
            if count > sweepAt { sweep() }
            ocd_spin_release(&lock)
        }
        return try body(&access)
    }

    struct Access {
        fileprivate var table: Table
        fileprivate var added = 0

        @inline(__always) subscript(key: Int64) -> Snapshot? {
            get { table[key] }
            set {
                if table[key] == nil { added += 1 }
                table[key] = newValue
            }
        }
    }

    private func record(_ key: Int64, _ snapshot: Snapshot) {
        let root = snapshot.layout.rootIndex
        if tables[root, default: Table()][key] == nil { count += 1 }
        tables[root, default: Table()][key] = snapshot
    }

    private func sweep() {
        for root in tables.keys { count -= tables[root, default: Table()].dropUnshared() }
        sweepAt = max(20_000, count * 2)
    }

    private func withLock<T>(_ body: () throws -> T) rethrows -> T {
        ocd_spin_acquire(&lock)
        defer { ocd_spin_release(&lock) }
        return try body()
    }

    /// Rows by key, in pages: keys of a store are dense.
    fileprivate struct Table {
        private static let pageSize: Int64 = 256
        /// Keys up to four million find their page by position, others by name.
        private static let directPages: Int64 = 16_384
        private var direct: [ContiguousArray<Snapshot?>?] = []
        private var sparse: [Int64: ContiguousArray<Snapshot?>] = [:]

        subscript(key: Int64) -> Snapshot? {
            @inline(__always) get {
                let page = key >> 8
                if page >= 0, page < Int64(direct.count) { return direct[Int(page)]?[Int(key & 255)] }
                if page >= 0, page < Self.directPages { return nil }
                return sparse[page]?[Int(key & 255)]
            }
            set {
                let page = key >> 8
                let slot = Int(key & 255)
                if page >= 0, page < Self.directPages {
                    while Int64(direct.count) <= page { direct.append(nil) }
                    if direct[Int(page)] == nil {
                        if newValue == nil { return }
                        direct[Int(page)] = Self.emptyPage()
                    }
                    direct[Int(page)]?[slot] = newValue
                } else {
                    if sparse[page] == nil, newValue == nil { return }
                    sparse[page, default: Self.emptyPage()][slot] = newValue
                }
            }
        }

        private static func emptyPage() -> ContiguousArray<Snapshot?> {
            ContiguousArray(repeating: nil, count: Int(pageSize))
        }

        /// - Returns: how many rows were dropped.
        mutating func dropUnshared() -> Int {
            var dropped = 0
            for page in direct.indices where direct[page] != nil {
                dropped += Self.dropUnshared(&direct[page]!)  // checked in the line above
            }
            for page in sparse.keys { dropped += Self.dropUnshared(&sparse[page, default: Self.emptyPage()]) }
            return dropped
        }

        private static func dropUnshared(_ page: inout ContiguousArray<Snapshot?>) -> Int {
            var dropped = 0
            for slot in page.indices where page[slot] != nil && isKnownUniquelyReferenced(&page[slot]) {
                page[slot] = nil
                dropped += 1
            }
            return dropped
        }
    }
}
