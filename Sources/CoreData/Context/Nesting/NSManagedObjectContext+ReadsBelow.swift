// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads rows and members from below a context: from the stores, or from its parent.

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
        guard let home, let store = home.store as? any RecordStore, let records = try records(of: store) else {
            return []
        }
        // In a generation nothing grows old.
        let patience = isPinned ? -1 : patience
        var rows: [FetchedRow] = []
        var unknown: [Int64] = []
        for key in keys {
            if let row = records.rowCache.row(root: root.index, key: key), !RowClock.isStale(row.stamp, after: patience)
            {
                rows.append(FetchedRow(key: key, snapshot: row))
            } else {
                unknown.append(key)
            }
        }
        if unknown.isEmpty { return rows }
        burst?.renew(after: patience)
        return try rows + unlessRemoved(home, []) { try records.rows(unknown, root: root, in: burst) }
    }

    /// The members of a to-many for each of several owners of one store, in order where it is ordered.
    func membersBelow(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64:
        [Member]]
    {
        if let parent = ParentAccess(self) {
            return try parent.members(of: slot, layout: layout, owners: owners, home: home)
        }
        guard let home, let store = home.store as? any RecordStore, let records = try records(of: store) else {
            return [:]
        }
        burst?.renew(after: stalenessInterval)
        let members = try unlessRemoved(home, [:]) {
            try records.members(of: slot, layout: layout, owners: owners, in: burst)
        }
        return members.mapValues { references in
            references.map { Member(key: ObjectKey($0.entityIndex, $0.key), home: home) }
        }
    }

    /// A fetch is about to ask the stores: the state that the burst has seen may be too old for it.
    func beginFetch(wantsNewest: Bool = false) {
        let interval = stalenessInterval
        burst?.renew(after: wantsNewest ? 0 : interval < 0 ? ReadBurst.patience : min(interval, ReadBurst.patience))
    }

    /// A store that is removed during the read gives no record, as if it had been asked afterwards (Stores-K4).
    private func unlessRemoved<Answer>(_ home: StoreIdentity, _ none: Answer, _ ask: () throws -> Answer) throws
        -> Answer
    {
        do {
            return try ask()
        } catch  where !home.hasStore {
            return none
        }
    }
}
