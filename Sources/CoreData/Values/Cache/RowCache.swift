// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The last known row for each key of a store, shared by all contexts.

import CRuntime
import Synchronization

/// The rows that contexts of one store have recently read or written.
///
/// # Invariants
/// (1) A row here has the values of the store at the row's stamp, or those of a finished save; never unsaved values,
///     never transient ones.
/// (2) A cached block is shared, hence immutable (`Snapshot` (1)).
/// (3) Rows that only the cache retains are dropped when the cache has doubled since the last sweep. So its size stays
///     in proportion to the number of live objects, and no object has to report its deallocation.
/// (4) A row never replaces one of a later version: the first reader or writer may update the cache last.
/// (5) A row that was read or saved before another writer changed or deleted the record, but arrives after that was
///     reported, never fills an empty place (Objects-R1 to R7).
/// (6) A page without rows is deallocated.
///
/// Thread-safe. Each call takes the cache's lock once; fill with many rows at once.
package final class RowCache: @unchecked Sendable {  // everything but `clock` is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_lock()
    /// By the index of the root entity.
    @exclusivity(unchecked) private var tables = CountedList<Table>()
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var sweepAt = 20_000
    @exclusivity(unchecked) private var changes = RowChanges()
    /// Advances under the lock.
    private let clock = Atomic<Int>(0)

    package init() {}

    /// A reader or writer that read the moment before it began treats every later change as doubtful (Objects-R1, R2).
    package var moment: Int { clock.load(ordering: .acquiring) }

    /// nil if the row is not cached.
    package func row(root: Int, key: Int64) -> Snapshot? {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return tables[root]?.look { $0[key] }
    }

    /// Whether there is a row for any key with the same bits above the lowest `PageKey.bits`.
    package func hasRows(root: Int, nextTo key: Int64) -> Bool {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return tables[root]?.look { $0.hasRows(nextTo: key) } == true
    }

    /// Whether the cache has another row than the caller's.
    func hasOther(root: Int, key: Int64, than known: Uncounted<Snapshot>) -> Bool {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        guard let found = tables[root]?.look({ $0.heldRow(key) }) ?? nil else { return false }
        return found != known
    }

    /// Adds rows that were read after a moment.
    package func fill(_ rows: some Sequence<FetchedRow>, since moment: Int) {
        withLock {
            take(rows, since: moment)
            if count > sweepAt { sweep() }
        }
    }

    /// Adds the rows of a save.
    ///
    /// - Parameters:
    ///   - written: rows of insertions first.
    ///   - recomputed: rows that the store changed because of the save.
    ///   - deleted: by root entity.
    ///   - moment: the moment before the save was written.
    package func accept(
        _ written: [FetchedRow], insertions: Int, recomputed: [FetchedRow], deleted: some Sequence<ObjectKey>,
        since moment: Int
    ) {
        withLock {
            take(written, since: moment)
            take(recomputed, since: moment)
            if count > sweepAt { sweep() }
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            changes.note(written[insertions...].lazy.map(\.name), &invalidation)
            changes.note(recomputed.lazy.map(\.name), &invalidation)
            for name in deleted { drop(name, &invalidation) }
            publish(invalidation)
        }
    }

    /// Adds the row that a store returned when it refused a save that began after a moment.
    ///
    /// A later version in the cache is dropped, so that the next read asks the store: another writer has saved the row
    /// in the meantime, or an older file was restored. A row that another writer has changed since is dropped as well.
    package func correct(_ row: FetchedRow, since moment: Int) {
        withLock {
            let table = table(row.snapshot.layout.rootIndex)
            let known = table.look { $0[row.key] }
            if indeterminate(since: moment).contains(row.name) || (known?.version ?? 0) > row.snapshot.version {
                var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
                drop(row.name, &invalidation)
                publish(invalidation)
            } else {
                set(row.key, row.snapshot, in: table)
            }
        }
    }

    /// Drops rows that may differ from those of the store. A reader that has already read them cannot add them again.
    package func forget(root: Int, keys: some Sequence<Int64>) {
        withLock {
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            for key in keys { drop(ObjectKey(root, key), &invalidation) }
            publish(invalidation)
        }
    }

    package func forgetAll() {
        withLock {
            tables.removeAll()
            count = 0
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            changes.forgetAll(&invalidation)
            publish(invalidation)
        }
    }

    /// Drops rows that only the cache retains.
    package func dropUnheld() { withLock { sweep() } }

    /// The number of pages: each has memory for all its keys.
    var pageCount: Int {
        withLock { (0..<tables.count).reduce(0) { $0 + (tables[$1]?.look { $0.pageCount } ?? 0) } }
    }

    private func take(_ rows: some Sequence<FetchedRow>, since moment: Int) {
        let indeterminate = indeterminate(since: moment)
        let isTaken: Void? = rows.withContiguousStorageIfAvailable { take($0, indeterminate) }
        if isTaken == nil { Array(rows).withUnsafeBufferPointer { take($0, indeterminate) } }
    }

    /// The buffer retains the rows, so each is retained only once more, for the cache.
    private func take(_ rows: UnsafeBufferPointer<FetchedRow>, _ indeterminate: IndeterminateRows) {
        let isDeterminate = indeterminate.isNothing
        for index in rows.indices {
            let (key, row) = (rows[index].key, Uncounted(rows[index].snapshot))
            let table = table(row.look { $0.layout.rootIndex })
            if isDeterminate || !indeterminate.contains(rows[index].name) {
                if table.look({ $0.put(key, row) }) { count += 1 }
            } else {
                putIndeterminate(rows[index], in: table)
            }
        }
    }

    private func indeterminate(since moment: Int) -> IndeterminateRows {
        moment == clock.load(ordering: .relaxed) ? IndeterminateRows() : changes.indeterminateRows(since: moment)
    }

    /// Applies Objects-R4.
    private func putIndeterminate(_ row: FetchedRow, in table: Uncounted<Table>) {
        guard let known = table.look({ $0[row.key] }) else { return }
        if known.version < row.snapshot.version {
            set(row.key, row.snapshot, in: table)
        } else if known.version == row.snapshot.version, known !== row.snapshot, known.layout.hasDerivedAttributes {
            set(row.key, nil, in: table)
        }
    }

    private func drop(_ name: ObjectKey, _ invalidation: inout RowInvalidation) {
        changes.note(CollectionOfOne(name), &invalidation)
        if let table = tables[name.entityIndex] { set(name.key, nil, in: table) }
    }

    /// From now on readers may use the new moment.
    private func publish(_ invalidation: RowInvalidation) {
        if invalidation.isAny { clock.store(invalidation.moment, ordering: .releasing) }
    }

    private func set(_ key: Int64, _ row: Snapshot?, in table: Uncounted<Table>) {
        let hadRow = table.look { $0.exchange(key, row) }
        count += (row == nil ? 0 : 1) - (hadRow ? 1 : 0)
    }

    private func table(_ root: Int) -> Uncounted<Table> {
        if let table = tables[root] { return table }
        let table = Table()
        tables.set(table, at: root)
        return Uncounted(table)
    }

    private func sweep() {
        for root in 0..<tables.count { count -= tables[root]?.look { $0.dropUnshared() } ?? 0 }
        sweepAt = max(20_000, count * 2)
    }

    private func withLock<T>(_ body: () throws -> T) rethrows -> T {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return try body()
    }

    /// Rows by key, in pages: keys of a store are dense. Each row is retained once.
    private final class Table {
        private typealias Rows = CountedPage<Snapshot>

        /// Keys up to four million have their page in an array, others in a dictionary.
        private static let directPages: Int64 = 16_384
        @exclusivity(unchecked) private var direct: ContiguousArray<Rows?> = []
        @exclusivity(unchecked) private var sparse: [Int64: Rows] = [:]

        deinit { for page in pages { page.free() } }

        private var pages: [Rows] { direct.compactMap { $0 } + sparse.values }

        subscript(key: Int64) -> Snapshot? { heldRow(key)?.object }

        /// Valid while the cache's lock is held.
        @inline(__always) func heldRow(_ key: Int64) -> Uncounted<Snapshot>? { page(key)?[PageKey.position(key)] }

        func hasRows(nextTo key: Int64) -> Bool { page(key).map { $0.count > 0 } ?? false }

        /// Adds a row, unless the present one has a later version.
        ///
        /// - Returns: whether the number of rows has grown.
        @inline(__always) func put(_ key: Int64, _ row: Uncounted<Snapshot>) -> Bool {
            let page = page(key) ?? makePage(key)
            let position = PageKey.position(key)
            guard let known = page[position] else {
                page.set(row, at: position)
                page.count += 1
                return true
            }
            if known.look({ $0.version }) <= row.look({ $0.version }) { page.set(row, at: position) }
            return false
        }

        /// - Returns: whether there was a row before.
        func exchange(_ key: Int64, _ row: Snapshot?) -> Bool {
            guard let page = page(key) ?? (row == nil ? nil : makePage(key)) else { return false }
            let position = PageKey.position(key)
            let hadRow = page[position] != nil
            page.count += (row == nil ? 0 : 1) - (hadRow ? 1 : 0)
            page.set(row.map { Uncounted($0) }, at: position)
            if page.count == 0 { free(PageKey.page(key)) }
            return hadRow
        }

        private func free(_ page: Int64) {
            if page >= 0, page < Int64(direct.count) {
                direct[Int(page)]?.free()
                direct[Int(page)] = nil
            } else {
                sparse.removeValue(forKey: page)?.free()
            }
        }

        var pageCount: Int { pages.count }

        @inline(__always) private func page(_ key: Int64) -> Rows? {
            let page = PageKey.page(key)
            if page >= 0, page < Int64(direct.count) { return direct[Int(page)] }
            return sparse.isEmpty ? nil : sparse[page]
        }

        private func makePage(_ key: Int64) -> Rows {
            let made = Rows()
            let page = PageKey.page(key)
            if page >= 0, page < Self.directPages {
                while Int64(direct.count) <= page { direct.append(nil) }
                direct[Int(page)] = made
            } else {
                sparse[page] = made
            }
            return made
        }

        /// - Returns: the number of dropped rows.
        func dropUnshared() -> Int {
            var dropped = 0
            for (number, page) in numberedPages {
                let before = dropped
                for position in 0..<PageKey.pageSize where page.isUnshared(position) {
                    page.set(nil, at: position)
                    dropped += 1
                }
                page.count -= dropped - before
                if page.count == 0 { free(number) }
            }
            return dropped
        }

        private var numberedPages: [(Int64, Rows)] {
            direct.indices.compactMap { index in direct[index].map { (Int64(index), $0) } } + sparse.map { ($0, $1) }
        }
    }
}
