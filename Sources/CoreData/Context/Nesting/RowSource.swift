// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What lies below a context: the stores, or the context above it.

import Foundation

/// A member of a to-many, as the level below tells it.
struct Member {
    let key: ObjectKey
    /// nil for an object that no store has yet.
    let home: StoreIdentity?
}

extension NSManagedObjectContext {
    /// The rows that faults would be fulfilled with: known ones that are not too old, else read.
    ///
    /// - Parameters:
    ///   - home: nil for records that no store has yet; they come from a parent.
    ///   - patience: for how many seconds a cached row serves; negative: for ever.
    /// - Returns: rows under the keys asked for, in any order; none for a record that is gone.
    func rowsBelow(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, patience: TimeInterval) throws
        -> [FetchedRow]
    {
        if let parent = ParentAccess(self) {
            return try parent.rows(keys, root: root, home: home, patience: patience)
        }
        guard let store = home?.store as? any RecordStore else { return [] }
        var rows: [FetchedRow] = []
        var unknown: [Int64] = []
        for key in keys {
            if let row = store.rowCache.row(root: root.index, key: key), !RowClock.isStale(row.stamp, after: patience) {
                rows.append(FetchedRow(key: key, snapshot: row))
            } else {
                unknown.append(key)
            }
        }
        if unknown.isEmpty { return rows }
        return try rows + store.rows(unknown, root: root, in: burst)
    }

    /// The members of a to-many for each of several owners of one store, in order where it is ordered.
    func membersBelow(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64:
        [Member]]
    {
        if let parent = ParentAccess(self) {
            return try parent.members(of: slot, layout: layout, owners: owners, home: home)
        }
        guard let store = home?.store as? any RecordStore else { return [:] }
        return try store.members(of: slot, layout: layout, owners: owners, in: burst).mapValues { references in
            references.map { Member(key: ObjectKey($0.entityIndex, $0.key), home: home) }
        }
    }
}

/// The part of a fetch below a context's own changes.
struct SourceFetch {
    let resolution: FetchResolution
    let stores: [any RecordStore]

    struct Answer {
        struct Part {
            /// nil for records that no store has yet.
            let home: StoreIdentity?
            var content: FetchOutcome
        }
        var parts: [Part]
        /// In the order asked for.
        var isSorted: Bool
        /// Cut to the window asked for.
        var isWindowed: Bool
    }

    /// - Parameter windowed: whether the answer may be cut: nothing will be added or taken away.
    func answer(_ result: ResolvedFetch.Result, below context: NSManagedObjectContext, windowed: Bool) throws -> Answer
    {
        if let parent = ParentAccess(context) { return try parent.answer(self, result, windowed: windowed) }
        let cuts = windowed && stores.count == 1
        let parts = try stores.map { store in
            Answer.Part(home: store.identity, content: try ask(store, result, windowed: cuts, context.burst))
        }
        return Answer(parts: parts, isSorted: stores.count <= 1, isWindowed: cuts)
    }

    /// How many rows there are.
    ///
    /// - Parameter windowed: whether only those in the window are to be counted.
    func count(below context: NSManagedObjectContext, windowed: Bool) throws -> Int {
        if let parent = ParentAccess(context) { return try parent.count(self, windowed: windowed) }
        let cuts = windowed && stores.count == 1
        let total = try stores.reduce(0) { total, store in
            guard case .count(let count) = try ask(store, .count, windowed: cuts, context.burst) else { return total }
            return total + count
        }
        return windowed && !cuts ? self.windowed(total) : total
    }

    /// How many of a number of results are in the window.
    func windowed(_ total: Int) -> Int {
        let settings = resolution.settings
        let rest = max(0, total - settings.fetchOffset)
        return settings.fetchLimit > 0 ? min(rest, settings.fetchLimit) : rest
    }

    private func ask(_ store: any RecordStore, _ result: ResolvedFetch.Result, windowed: Bool, _ burst: ReadBurst?)
        throws
        -> FetchOutcome
    {
        try store.fetch(resolution.fetch(result, from: store.identity, windowed: windowed), in: burst)
    }
}
