// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The last known row for each key of a store, shared by all contexts.

import CRuntime
import Synchronization

/// The rows that contexts of one store have recently read or written.
///
/// Pages of rows are distributed over parts, each with a lock: readers look at every row of their results here, and
/// with one lock two readers on two processors would wait for each other at every second row.
///
/// # Invariants
/// (1) A row here has the values of the store at the row's stamp, or those of a finished save; never unsaved values,
///     never transient ones.
/// (2) A cached block is shared, hence immutable (`Snapshot` (1)).
/// (3) Rows that only the cache retains are dropped when their part has doubled since its last sweep. So its size stays
///     in proportion to the number of live objects, and no object has to report its deallocation.
/// (4) A row never replaces one of a later version: the first reader or writer may update the cache last.
/// (5) A row that was read or saved before another writer changed or deleted the record, but arrives after that was
///     reported, never fills an empty place (Objects-R1 to R7).
/// (6) A page without rows is deallocated.
/// (7) A change is noted, and the clock advanced, before its rows are put or dropped. A fill compares the moment under
///     the lock of the part that it fills: if it comes before such a row it is overwritten, and if it comes after, it
///     knows of the change (Objects-R8).
///
/// Thread-safe. A call takes the lock of each part that it needs; fill with many rows at once.
package final class RowCache: @unchecked Sendable {  // `lock` guards `changes`, the locks of the parts the rows
    /// May be taken by a thread that has the lock of a part, never the other way round.
    @exclusivity(unchecked) private var lock = ocd_lock()
    @exclusivity(unchecked) private var changes = RowChanges()
    /// Advances under the lock.
    private let clock = Atomic<Int>(0)
    private let parts: RowCacheParts

    package init() { parts = RowCacheParts() }

    /// A reader or writer that read the moment before it began treats every later change as doubtful (Objects-R1, R2).
    package var moment: Int { clock.load(ordering: .acquiring) }

    /// nil if the row is not cached.
    package func row(root: Int, key: Int64) -> Snapshot? {
        parts[root, key].look { part in part.locked { part.heldRow(root, key)?.object } }
    }

    /// Whether there is a row for any key with the same bits above the lowest `PageKey.bits`.
    package func hasRows(root: Int, nextTo key: Int64) -> Bool {
        parts[root, key].look { part in part.locked { part.hasRows(root, nextTo: key) } }
    }

    /// Whether the cache has another row than the caller's.
    func hasOther(root: Int, key: Int64, than known: Uncounted<Snapshot>) -> Bool {
        parts[root, key].look { part in
            part.locked {
                guard let found = part.heldRow(root, key) else { return false }
                return found != known
            }
        }
    }

    /// Adds rows that were read after a moment.
    package func fill(_ rows: some Sequence<FetchedRow>, since moment: Int) {
        take(rows, Doubts(since: moment))
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
        let deleted = Array(deleted)
        let doubts = withLock {
            let earlier = indeterminate(since: moment)
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            changes.note(written[insertions...].lazy.map(\.name), &invalidation)
            changes.note(recomputed.lazy.map(\.name), &invalidation)
            changes.note(deleted, &invalidation)
            publish(invalidation)
            return Doubts(since: clock.load(ordering: .relaxed), earlier: earlier)
        }
        take(written, doubts)
        take(recomputed, doubts)
        for name in deleted { drop(name) }
    }

    /// Adds the row that a store returned when it refused a save that began after a moment.
    ///
    /// A later version in the cache is dropped, so that the next read asks the store: another writer has saved the row
    /// in the meantime, or an older file was restored. A row that another writer has changed since is dropped as well.
    package func correct(_ row: FetchedRow, since moment: Int) {
        let root = row.snapshot.layout.rootIndex
        parts[root, row.key].look { part in
            part.locked {
                let known = part.heldRow(root, row.key)?.object
                let isDoubtful = withLock { indeterminate(since: moment) }.contains(row.name)
                if isDoubtful || (known?.version ?? 0) > row.snapshot.version {
                    report(CollectionOfOne(row.name))
                    part.set(root, row.key, nil)
                } else {
                    part.set(root, row.key, row.snapshot)
                }
            }
        }
    }

    /// Drops rows that may differ from those of the store. A reader that has already read them cannot add them again.
    package func forget(root: Int, keys: some Sequence<Int64>) {
        let names = keys.map { ObjectKey(root, $0) }
        report(names)
        for name in names { drop(name) }
    }

    package func forgetAll() {
        withLock {
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            changes.forgetAll(&invalidation)
            publish(invalidation)
        }
        parts.forEach { part in part.locked { part.removeAll() } }
    }

    /// Drops rows that only the cache retains.
    package func dropUnheld() { parts.forEach { part in part.locked { part.sweep() } } }

    /// The number of pages: each has memory for all its keys.
    var pageCount: Int {
        var count = 0
        parts.forEach { part in count += part.locked { part.pageCount } }
        return count
    }

    // MARK: Adding rows

    private func take(_ rows: some Sequence<FetchedRow>, _ doubts: Doubts) {
        let isTaken: Void? = rows.withContiguousStorageIfAvailable { take($0, doubts) }
        if isTaken == nil { Array(rows).withUnsafeBufferPointer { take($0, doubts) } }
    }

    /// The buffer retains the rows, so each is retained only once more, for the cache.
    private func take(_ rows: UnsafeBufferPointer<FetchedRow>, _ doubts: Doubts) {
        var doubts = doubts
        var start = 0
        while start < rows.count {
            // Rows usually come in the order of their keys, so many of one part come together.
            let number = parts.number(of: Uncounted(rows[start].snapshot), rows[start].key)
            var end = start + 1
            while end < rows.count, parts.number(of: Uncounted(rows[end].snapshot), rows[end].key) == number {
                end += 1
            }
            parts[number].look { part in
                part.locked {
                    update(&doubts)
                    let isDoubtless = doubts.isNothing
                    for index in start..<end {
                        if isDoubtless || !doubts.contains(rows[index].name) {
                            part.put(rows[index].key, Uncounted(rows[index].snapshot))
                        } else {
                            part.putIndeterminate(rows[index])
                        }
                    }
                    part.sweepIfLarge()
                }
            }
            start = end
        }
    }

    /// Adds the changes that were reported in the meantime. Under the lock of the part that is filled.
    private func update(_ doubts: inout Doubts) {
        if clock.load(ordering: .acquiring) == doubts.moment { return }
        withLock {
            doubts.later = indeterminate(since: doubts.since)
            doubts.moment = clock.load(ordering: .relaxed)
        }
    }

    private func indeterminate(since moment: Int) -> IndeterminateRows {
        moment == clock.load(ordering: .relaxed) ? IndeterminateRows() : changes.indeterminateRows(since: moment)
    }

    // MARK: Dropping rows

    /// Notes changes. From now on readers may use the new moment.
    private func report(_ names: some Sequence<ObjectKey>) {
        withLock {
            var invalidation = RowInvalidation(after: clock.load(ordering: .relaxed))
            changes.note(names, &invalidation)
            publish(invalidation)
        }
    }

    private func publish(_ invalidation: RowInvalidation) {
        if invalidation.isAny { clock.store(invalidation.moment, ordering: .releasing) }
    }

    private func drop(_ name: ObjectKey) {
        parts[name.entityIndex, name.key].look { part in part.locked { part.set(name.entityIndex, name.key, nil) } }
    }

    private func withLock<T>(_ body: () throws -> T) rethrows -> T {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return try body()
    }
}

/// The rows that one fill must not trust (Objects-R3, R4).
struct Doubts {
    /// Changes after this moment are doubtful.
    let since: Int
    /// The clock when `later` was found.
    var moment: Int
    /// Rows that were doubtful before: those of a save, which has reported its own changes since.
    private let earlier: IndeterminateRows
    var later = IndeterminateRows()

    init(since: Int, earlier: IndeterminateRows = IndeterminateRows()) {
        (self.since, moment, self.earlier) = (since, since, earlier)
    }

    var isNothing: Bool { earlier.isNothing && later.isNothing }

    func contains(_ name: ObjectKey) -> Bool { earlier.contains(name) || later.contains(name) }
}
