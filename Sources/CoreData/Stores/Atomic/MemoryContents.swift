// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rows in memory and the locks around them: what the store in memory has in common with stores that are loaded whole.

import Foundation

/// Reading a row copies nothing: contexts share the snapshots. Readers work on the tables as they were when they began;
/// a save changes them under the lock.
final class MemoryContents: RowSource {
    /// What a save does with tables that are to come, before they are those of the store.
    protocol Keeper: AnyObject {
        /// Makes everything ready that can fail.
        ///
        /// - Returns: what makes it true, or takes it back.
        func prepare(_ tables: MemoryTables, _ changes: ChangeSet, _ outcome: SaveOutcome) throws -> any PreparedSave
    }

    let layouts: ModelLayout
    private let derived: DerivedRows?
    /// Held for the whole of a save; `lock` is taken within it.
    private let saving = NSLock()
    private let lock = NSLock()
    private var tables: MemoryTables  // guarded by `lock`

    /// - Parameter derived: nil where nothing is.
    init(_ tables: MemoryTables, _ model: ModelLayout, derived: DerivedRows?) {
        self.tables = tables
        self.derived = derived
        layouts = model
    }

    /// The tables as they are now; a save that follows copies what it changes.
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

    func fetch(_ fetch: ResolvedFetch) throws -> FetchOutcome {
        try RowFetch(fetch, self).run(over: reader.candidates(fetch))
    }

    func reserveKeys(_ count: Int, for layout: EntityLayout) -> Int64 {
        current.keys.take(count, root: layout.rootIndex)
    }

    /// Does what needs the tables to stay as they are: no save happens meanwhile.
    func whileNobodySaves<T>(_ body: (MemoryTables) throws -> T) rethrows -> T {
        try saving.withLock { try body(current) }
    }

    /// Readers do not wait for `confirm`: they have the tables as they were until everything is settled.
    ///
    /// - Parameter keeper: nil for a store that is in memory alone; its tables are changed in place.
    func save(_ changes: ChangeSet, keeper: (any Keeper)? = nil, confirm: () throws -> Bool) throws -> SaveOutcome {
        try saving.withLock {
            var writer = MemoryWriter(current, layouts, derived: derived)
            guard writer.allows(changes) else { return writer.outcome }
            guard let keeper else {
                guard try confirm() else { return writer.outcome }
                lock.withLock { writer.write(changes, to: &tables) }
                return writer.outcome
            }
            var next = current
            writer.write(changes, to: &next)
            let prepared = try keeper.prepare(next, changes, writer.outcome)
            do {
                guard try confirm() else {
                    prepared.takeBack()
                    return SaveOutcome()
                }
                try prepared.commit()
            } catch {
                prepared.takeBack()
                throw error
            }
            lock.withLock { tables = next }
            return writer.outcome
        }
    }
}

/// A save that is written and not true yet. One of the two is called, once; after a failed `commit` so is `takeBack`.
protocol PreparedSave {
    func commit() throws
    func takeBack()
}
