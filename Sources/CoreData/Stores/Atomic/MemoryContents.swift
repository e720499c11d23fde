// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of a store in memory and the locks around them, shared by in-memory and atomic stores.

import CoreDataFoundation
import Foundation

/// Reading a row copies nothing: contexts share the snapshots. A reader uses the tables of the moment when it began; a
/// save changes them under the lock.
final class MemoryContents: RowGraph {
    /// Persists the new tables of a save before the store adopts them.
    protocol Persister: AnyObject {
        /// Does everything that can fail.
        ///
        /// - Returns: the prepared save, to be committed or rolled back.
        func prepare(_ tables: MemoryTables, _ changes: ChangeSet, _ outcome: SaveOutcome) throws -> any PreparedSave
    }

    let layouts: ModelLayout
    private let derived: DerivedRows?
    /// nil for a store that records no transactions.
    private let history: MemoryHistory?
    /// Held during a whole save; `lock` is acquired within it.
    private let saving = NSLock()
    private let lock = NSLock()
    private var tables: MemoryTables  // guarded by `lock`
    private let searchIndexes = SearchIndexes()

    /// - Parameter derived: nil for a model without derived attributes.
    init(_ tables: MemoryTables, _ model: ModelLayout, derived: DerivedRows?, history: MemoryHistory? = nil) {
        self.tables = tables
        self.derived = derived
        self.history = history
        layouts = model
    }

    /// The current tables. A later save copies the tables that it changes.
    var current: MemoryTables { lock.withLock { tables } }

    var reader: MemoryReader { MemoryReader(current, layouts) }

    func storedRow(_ reference: Reference) throws -> FetchedRow? {
        let root = layouts.layouts[reference.entityIndex].rootIndex
        return lock.withLock { tables.tables[root]?[reference.key] }.map {
            FetchedRow(key: reference.key, snapshot: $0)
        }
    }

    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        reader.members(of: slot, layout: layout, owners: [key])[key] ?? []
    }

    func fetch(_ fetch: BoundFetch) throws -> FetchOutcome {
        let reader = reader
        let candidates = searchIndexes.narrowed(reader.candidates(fetch), fetch, of: reader.rowCount(fetch.layout))
        return try RowFetch(fetch, self).run(over: candidates)
    }

    func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics {
        try searchIndexes.statistics(
            of: search, below: layout.rootIndex, in: current.tables[layout.rootIndex])
    }

    func reserveKeys(_ count: Int, for layout: EntityLayout) -> Int64 {
        current.keys.take(count, root: layout.rootIndex)
    }

    /// Calls the body with the current tables while saves wait.
    func blockingSaves<T>(_ body: (MemoryTables) throws -> T) rethrows -> T {
        try saving.withLock { try body(current) }
    }

    /// Readers do not wait for `confirm`: they see the previous tables until the save is complete.
    ///
    /// - Parameters:
    ///   - persister: nil for a store in memory only; its tables are changed in place.
    ///   - didCommit: called when a store in memory has the changes, with the number of their transaction. Other saves
    ///     still wait.
    func save(
        _ changes: ChangeSet, persister: (any Persister)? = nil, confirm: () throws -> Bool,
        didCommit: (Int64?) -> Void = { _ in }
    ) throws -> SaveOutcome {
        try saving.withLock {
            var writer = MemoryWriter(current, layouts, derived: derived)
            guard writer.allows(changes) else { return writer.outcome }
            guard let persister else {
                guard try confirm() else { return writer.outcome }
                let tombstones = history == nil ? [:] : MemoryHistory.tombstones(of: changes.deletes, in: current)
                lock.withLock { writer.write(changes, to: &tables) }
                var outcome = writer.outcome
                outcome.transactionNumber = history?.record(
                    RecordedChanges(changes, outcome.permanentKeys), tombstones: tombstones)
                didCommit(outcome.transactionNumber)
                return outcome
            }
            var next = current
            writer.write(changes, to: &next)
            let prepared = try persister.prepare(next, changes, writer.outcome)
            do {
                guard try confirm() else {
                    prepared.rollback()
                    return SaveOutcome()
                }
                try prepared.commit()
            } catch {
                prepared.rollback()
                throw error
            }
            lock.withLock { tables = next }
            return writer.outcome
        }
    }
}

/// A save that is written but not yet in effect. The store calls one of the two methods once; after a failed `commit`
/// it also calls `rollback`.
protocol PreparedSave {
    func commit() throws
    func rollback()
}
