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
/// (4) A row is never replaced by one of an earlier version: who read or saved first may come here last.
///
/// Any thread. Each call takes the cache's lock once; use `record` for many rows.
final class RowCache: @unchecked Sendable {  // everything is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_spin_lock()
    /// By the index of the root entity.
    @exclusivity(unchecked) private var tables: ContiguousArray<Table?> = []
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var sweepAt = 20_000

    /// nil: not cached.
    func row(root: Int, key: Int64) -> Snapshot? {
        ocd_spin_acquire(&lock)
        defer { ocd_spin_release(&lock) }
        return root < tables.count ? tables[root]?[key] : nil
    }

    /// nil: not cached, or the row that the caller has.
    func row(root: Int, key: Int64, otherThan known: Snapshot?) -> Snapshot? {
        ocd_spin_acquire(&lock)
        defer { ocd_spin_release(&lock) }
        return root < tables.count ? tables[root]?.row(key, otherThan: known) : nil
    }

    func record(_ rows: some Sequence<FetchedRow>) {
        withLock {
            for row in rows {
                let table = table(row.snapshot.layout.rootIndex)
                if !table.isNewer(row.key, than: row.snapshot) { set(row.key, row.snapshot, in: table) }
            }
            if count > sweepAt { sweep() }
        }
    }

    /// Records what a store told when it refused a save.
    ///
    /// A later version that is known here is forgotten, and the next read tells: somebody saved it meanwhile, or the
    /// file is an older one that was put back.
    func correct(_ row: FetchedRow) {
        withLock {
            let table = table(row.snapshot.layout.rootIndex)
            set(row.key, table.isNewer(row.key, than: row.snapshot) ? nil : row.snapshot, in: table)
        }
    }

    func forget(root: Int, keys: some Sequence<Int64>) {
        withLock {
            guard root < tables.count, let table = tables[root] else { return }
            for key in keys { set(key, nil, in: table) }
        }
    }

    func forgetAll() {
        withLock {
            tables = []
            count = 0
        }
    }

    private func set(_ key: Int64, _ row: Snapshot?, in table: Table) {
        let old = table.exchange(key, row)
        count += (row == nil ? 0 : 1) - (old ? 1 : 0)
    }

    private func table(_ root: Int) -> Table {
        while tables.count <= root { tables.append(nil) }
        if let table = tables[root] { return table }
        let table = Table()
        tables[root] = table
        return table
    }

    private func sweep() {
        for table in tables { count -= table?.dropUnshared() ?? 0 }
        sweepAt = max(20_000, count * 2)
    }

    private func withLock<T>(_ body: () throws -> T) rethrows -> T {
        ocd_spin_acquire(&lock)
        defer { ocd_spin_release(&lock) }
        return try body()
    }

    /// Rows by key, in pages: keys of a store are dense.
    private final class Table {
        private typealias Page = UnsafeMutablePointer<Snapshot?>

        private static let pageSize = 256
        /// Keys up to four million find their page by position, others by name.
        private static let directPages: Int64 = 16_384
        @exclusivity(unchecked) private var direct: ContiguousArray<Page?> = []
        @exclusivity(unchecked) private var sparse: [Int64: Page] = [:]

        deinit {
            for page in pages {
                page.deinitialize(count: Self.pageSize)
                page.deallocate()
            }
        }

        private var pages: [Page] { direct.compactMap { $0 } + sparse.values }

        subscript(key: Int64) -> Snapshot? { page(key)?[Int(key & 255)] }

        func row(_ key: Int64, otherThan known: Snapshot?) -> Snapshot? {
            guard let cell = page(key).map({ $0 + Int(key & 255) }), cell.pointee !== known else { return nil }
            return cell.pointee
        }

        /// Whether the row here has a later version.
        func isNewer(_ key: Int64, than row: Snapshot) -> Bool {
            guard let known = page(key)?[Int(key & 255)] else { return false }
            return known.version > row.version
        }

        /// - Returns: whether there was a row before.
        func exchange(_ key: Int64, _ row: Snapshot?) -> Bool {
            guard let page = page(key) ?? (row == nil ? nil : makePage(key)) else { return false }
            let slot = Int(key & 255)
            let hadRow = page[slot] != nil
            page[slot] = row
            return hadRow
        }

        private func page(_ key: Int64) -> Page? {
            let page = key >> 8
            if page >= 0, page < Int64(direct.count) { return direct[Int(page)] }
            return sparse.isEmpty ? nil : sparse[page]
        }

        private func makePage(_ key: Int64) -> Page {
            let made = Page.allocate(capacity: Self.pageSize)
            made.initialize(repeating: nil, count: Self.pageSize)
            let page = key >> 8
            if page >= 0, page < Self.directPages {
                while Int64(direct.count) <= page { direct.append(nil) }
                direct[Int(page)] = made
            } else {
                sparse[page] = made
            }
            return made
        }

        /// - Returns: how many rows were dropped.
        func dropUnshared() -> Int {
            var dropped = 0
            for page in pages {
                for slot in 0..<Self.pageSize where page[slot] != nil && isKnownUniquelyReferenced(&page[slot]) {
                    page[slot] = nil
                    dropped += 1
                }
            }
            return dropped
        }
    }
}
