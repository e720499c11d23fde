// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes snapshots of the rows that a statement returns: the hottest loop of a fetch.

import Foundation
import SQLiteDriver

/// Reads rows whose first columns are `Z_PK`, `Z_ENT`, `Z_OPT`, followed by those of a plan.
///
/// Column contents are read as SQLite converts them: a damaged file gives wrong values, never a trap.
struct RowDecoder: ~Copyable, SnapshotDecoder {
    // The reader's plan cache retains both; not retained here, because look-ups make a decoder for each row.
    unowned(unsafe) let plan: RowPlan
    unowned(unsafe) let schema: Schema
    private let cache: CacheFillPermit
    /// The folder of large data; nil if the plan reads none.
    let externalFolder: URL?
    /// Position of the first of the row's columns in the statement.
    var base = 0
    private let root: Int
    private let stamp = RowClock.now
    /// The entity of the previous row, retained by the plan: rows of one entity usually come together.
    private var number: Int64 = .min
    private var entity: Uncounted<RowPlan.Entity>?
    /// The number of rows that belonged to no object (`RowReader+ForeignRows`).
    private(set) var skipped = 0
    /// Whether a row was decoded since the last time that rows were put into the cache. Rows that come from the cache
    /// are not put there again: locks would be held for all of them, and other readers would wait (Objects-R9).
    private var hasNewRows = false
    /// The page of the cache that may have the previous row.
    private var page = (number: Int64.min, state: PageState.new)

    /// The state of a page. A page once found empty is not read again: if another reader fills it, there are two
    /// snapshots of a row, and the later one is kept.
    private enum PageState { case new, visited, empty, used }

    /// - Parameters:
    ///   - plan, schema: the caller must retain both as long as the decoder is used.
    init(plan: RowPlan, schema: Schema, rootIndex: Int, cache: CacheFillPermit, externalFolder: @autoclosure () -> URL?)
    {
        self.plan = plan
        self.schema = schema
        self.cache = cache
        self.externalFolder = plan.readsExternalData ? externalFolder() : nil
        root = rootIndex
    }

    /// All rows of a statement, put into the row cache in batches.
    mutating func rows(_ statement: Statement) throws -> [FetchedRow] {
        var result: [FetchedRow] = []
        var recorded = 0
        while try statement.step() {
            guard let row = row(statement) else { continue }
            result.append(consume row)
            if result.count - recorded == 512 {
                record(result[recorded...])
                recorded = result.count
            }
        }
        record(result[recorded...])
        return result
    }

    /// The row of a statement that returns at most one, put into the row cache.
    mutating func first(_ statement: Statement) throws -> FetchedRow? {
        guard try statement.step(), let row = row(statement) else { return nil }
        if hasNewRows { cache.record(CollectionOfOne(row)) }
        return row
    }

    private mutating func record(_ rows: ArraySlice<FetchedRow>) {
        guard hasNewRows else { return }
        hasNewRows = false
        cache.record(rows)
    }

    /// The current row of the statement; nil for a row of an entity that is not in the plan, and for a row whose key is
    /// not positive: such keys belong to objects without a row.
    mutating func row(_ statement: Statement) -> FetchedRow? {
        if let values = statement.presentRow { decoded(values) } else { decoded(statement) }
    }

    @inline(__always) private mutating func decoded(_ columns: some RowColumns & ColumnSource) -> FetchedRow? {
        let key = columns.int64(at: base)
        let number = columns.int64(at: base + 1)
        let version = columns.int64(at: base + 2)
        if number != self.number {
            self.number = number
            entity = plan.entities.first { $0.number == number }.map { Uncounted($0) }
        }
        guard key > 0, let entity else {
            skipped += 1
            return nil
        }
        return entity.look { FetchedRow(key: key, snapshot: row(columns, key, version, $0)) }
    }

    private mutating func row(
        _ columns: some RowColumns & ColumnSource, _ key: Int64, _ version: Int64, _ entity: RowPlan.Entity
    ) -> Snapshot {
        let layout = entity.layout
        if !layout.hasDerivedAttributes, let known = known(key, version, layout) { return known }
        hasNewRows = true
        let snapshot = Snapshot.make(layout, version: version)
        snapshot.stamp = stamp
        decode(columns, entity.steps, base: base + 3, into: snapshot)
        return snapshot
    }

    /// The cached row, if it equals the current row of the statement.
    private mutating func known(_ key: Int64, _ version: Int64, _ layout: EntityLayout) -> Snapshot? {
        let pageNumber = key >> PageKey.bits
        let state = page.number == pageNumber ? page.state : .new
        if state == .empty { return nil }
        let known = cache.row(root: root, key: key)
        // The first row of a page does not check whether the page is empty, which costs another memory access.
        page = (pageNumber, state == .new ? .visited : .used)
        if state == .visited, known == nil, !cache.hasRows(root: root, nextTo: key) { page.state = .empty }
        guard let known, known.version == version, known.hasLayout(layout) else { return nil }
        return known
    }
}
