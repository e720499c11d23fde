// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The outcome of several transactions for each object, and the groups of transactions that belong together.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Folds transactions: insert and update is insert, update and delete is delete, insert and delete is nothing.
struct HistoryFold {
    struct Entry {
        var kind: SyncChange.Kind
        /// The index of the first transaction that changed the object; for an object that is there, of its insertion.
        var first: Int
        /// The indexes of the later ones. Most objects have none, so that their entries need no array.
        var later: [Int] = []
        /// The index of the last transaction that changed each property; nil for an insertion.
        var properties: [String: Int] = [:]
        /// Whether all properties may have changed.
        var isWhole: Bool

        /// The indexes of the transactions that changed the object.
        var transactions: [Int] { [first] + later }
        var last: Int { later.last ?? first }
    }

    private(set) var entries: [NSManagedObjectID: Entry] = [:]
    private var parents: [Int]

    init(_ transactions: [NSPersistentHistoryTransaction], _ model: SyncModel) {
        parents = Array(transactions.indices)
        entries.reserveCapacity(transactions.reduce(0) { $0 + ($1.changes?.count ?? 0) })
        for (index, transaction) in transactions.enumerated() {
            for change in transaction.changes ?? []
            where model.entities[change.changedObjectID.entity.name ?? ""] != nil {
                add(change, index)
            }
        }
        for entry in entries.values {
            for index in entry.later { join(index, entry.first) }
        }
    }

    /// Adds objects that no transaction changed as insertions of one more transaction.
    mutating func insert(_ ids: [NSManagedObjectID]) {
        let index = parents.count
        parents.append(index)
        for id in ids where entries[id] == nil {
            entries[id] = Entry(kind: .insert, first: index, isWhole: true)
        }
    }

    private mutating func add(_ change: NSPersistentHistoryChange, _ index: Int) {
        let id = change.changedObjectID
        switch (entries[id]?.kind, change.changeType) {
        case (_, .insert):
            entries[id] = Entry(kind: .insert, first: index, isWhole: true)
        case (.insert?, .delete):
            // Other objects of its transactions may still refer to each other only through it.
            entries[id]?.kind = .delete
            entries[id]?.isWhole = false
            entries[id]?.later.append(index)
        case (let kind, .delete):
            let all = (kind == nil ? [] : entries[id]?.transactions ?? []) + [index]
            entries[id] = Entry(kind: .delete, first: all[0], later: Array(all.dropFirst()), isWhole: false)
        case (nil, .update):
            entries[id] = Entry(kind: .update, first: index, isWhole: false)
            update(id, change, index)
        case (_, .update):
            entries[id]?.later.append(index)
            update(id, change, index)
        }
    }

    private mutating func update(_ id: NSManagedObjectID, _ change: NSPersistentHistoryChange, _ index: Int) {
        guard let properties = change.updatedProperties else {
            entries[id]?.isWhole = true
            return
        }
        for property in properties { entries[id]?.properties[property.name] = index }
    }

    // MARK: Groups

    /// Puts two transactions into one group.
    mutating func join(_ one: Int, _ other: Int) {
        let (first, second) = (root(one), root(other))
        parents[max(first, second)] = min(first, second)
    }

    /// The first transaction of a transaction's group.
    func root(_ index: Int) -> Int {
        var index = index
        while parents[index] != index { index = parents[index] }
        return index
    }
}
