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
        /// The indexes of the transactions that changed the object.
        var transactions: [Int]
        /// The index of the last transaction that changed each property; nil for an insertion.
        var properties: [String: Int]
        /// Whether all properties may have changed.
        var isWhole: Bool
    }

    private(set) var entries: [NSManagedObjectID: Entry] = [:]
    private var parents: [Int]

    init(_ transactions: [NSPersistentHistoryTransaction], _ model: SyncModel) {
        parents = Array(transactions.indices)
        for (index, transaction) in transactions.enumerated() {
            for change in transaction.changes ?? []
            where model.entities[change.changedObjectID.entity.name ?? ""] != nil {
                add(change, index)
            }
        }
        for entry in entries.values {
            for index in entry.transactions.dropFirst() { join(index, entry.transactions[0]) }
        }
    }

    /// Adds objects that no transaction changed as insertions of one more transaction.
    mutating func insert(_ ids: [NSManagedObjectID]) {
        let index = parents.count
        parents.append(index)
        for id in ids where entries[id] == nil {
            entries[id] = Entry(kind: .insert, transactions: [index], properties: [:], isWhole: true)
        }
    }

    private mutating func add(_ change: NSPersistentHistoryChange, _ index: Int) {
        let id = change.changedObjectID
        switch (entries[id]?.kind, change.changeType) {
        case (_, .insert):
            entries[id] = Entry(kind: .insert, transactions: [index], properties: [:], isWhole: true)
        case (.insert?, .delete):
            // Other objects of its transactions may still refer to each other only through it.
            entries[id]?.kind = .delete
            entries[id]?.isWhole = false
            entries[id]?.transactions.append(index)
        case (let kind, .delete):
            let earlier = kind == nil ? [] : entries[id]?.transactions ?? []
            entries[id] = Entry(kind: .delete, transactions: earlier + [index], properties: [:], isWhole: false)
        case (nil, .update):
            entries[id] = Entry(kind: .update, transactions: [index], properties: [:], isWhole: false)
            update(id, change, index)
        case (_, .update):
            entries[id]?.transactions.append(index)
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
