// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The history of a store in memory.

import Foundation

/// Transactions by number. It lives as long as its store.
final class MemoryHistory: @unchecked Sendable {  // `contents` is guarded by `lock`
    struct Transaction {
        var record: HistoryTransactionRecord
        var changes: [HistoryChangeRecord]
    }

    struct Contents {
        var transactions: [Transaction] = []
        var bounds = HistoryBounds(deleted: 0, last: 0)
        var lastChange: Int64 = 0
        var readers: [String: Int64] = [:]
    }

    let retention: PersistentHistoryRetention?
    private let lock = NSLock()
    private var contents = Contents()

    init(retention: PersistentHistoryRetention?) { self.retention = retention }

    var source: MemoryHistorySource { MemoryHistorySource(contents: lock.withLock { contents }) }

    /// The last values of the attributes that tombstones keep, for rows that are about to be deleted.
    static func tombstones(of deletes: [ChangeSet.Delete], in tables: MemoryTables) -> [ObjectKey: [AnyHashable: Any]] {
        var result: [ObjectKey: [AnyHashable: Any]] = [:]
        for delete in deletes {
            let layout = delete.layout
            let kept = layout.keptSlots
            guard !kept.isEmpty, let row = tables.tables[layout.rootIndex]?[delete.key] else { continue }
            var values: [AnyHashable: Any] = [:]
            for slot in kept { values[layout.properties[slot].name] = row.value(slot) }
            if !values.isEmpty { result[ObjectKey(layout.rootIndex, delete.key)] = values }
        }
        return result
    }

    /// - Returns: the number of the transaction; nil if it changed nothing that a history records.
    func record(_ changes: RecordedChanges, tombstones: [ObjectKey: [AnyHashable: Any]]) -> Int64? {
        let changes = changes.settled()
        if changes.isEmpty { return nil }
        return lock.withLock {
            let number = contents.bounds.last + 1
            var list: [HistoryChangeRecord] = []
            func add(_ type: NSPersistentHistoryChangeType, _ layout: EntityLayout, _ key: Int64, _ slots: SlotSet?) {
                let tombstone = type == .delete ? tombstones[ObjectKey(layout.rootIndex, key)] : nil
                list.append(
                    HistoryChangeRecord(
                        number: contents.lastChange + Int64(list.count) + 1, transaction: number, type: type,
                        layout: layout, key: key, slots: slots, tombstone: tombstone))
            }
            for insert in changes.inserts { add(.insert, insert.layout, insert.key, nil) }
            for update in changes.updates { add(.update, update.layout, update.key, update.slots) }
            for delete in changes.deletes { add(.delete, delete.layout, delete.key, nil) }
            let earliest = (contents.transactions.last?.record.time ?? 0) + 0.000_001
            let record = HistoryTransactionRecord(
                number: number, time: max(Date().timeIntervalSinceReferenceDate, earliest), author: changes.author,
                contextName: changes.contextName, bundleID: HistoryProgram.bundleID, processID: HistoryProgram.processID
            )
            contents.transactions.append(Transaction(record: record, changes: list))
            contents.bounds.last = number
            contents.lastChange += Int64(list.count)
            return number
        }
    }

    func delete(below number: Int64) {
        lock.withLock {
            contents.transactions.removeAll { $0.record.number < number }
            contents.bounds.deleted = max(contents.bounds.deleted, min(number - 1, contents.bounds.last))
        }
    }

    func setReader(_ name: String, to number: Int64?) {
        lock.withLock {
            contents.readers[name] = number.map { max($0, contents.readers[name] ?? 0) }
        }
    }

    func reader(_ name: String) -> Int64? { lock.withLock { contents.readers[name] } }
}

/// A snapshot of a history in memory.
struct MemoryHistorySource: HistorySource {
    let contents: MemoryHistory.Contents

    var bounds: HistoryBounds { contents.bounds }

    func lastNumber(before time: Double, inclusive: Bool) -> Int64? {
        contents.transactions.last { inclusive ? $0.record.time <= time : $0.record.time < time }?.record.number
    }

    func transactions(after number: Int64, _ body: (HistoryTransactionRecord) throws -> Bool) throws {
        for place in firstPlace(after: number)..<contents.transactions.count {
            guard try body(contents.transactions[place].record) else { return }
        }
    }

    func changes(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRecord) throws -> Bool) throws {
        for place in firstPlace(after: numbers.lowerBound - 1)..<contents.transactions.count {
            let transaction = contents.transactions[place]
            if transaction.record.number > numbers.upperBound { return }
            for change in transaction.changes { guard try body(change) else { return } }
        }
    }

    /// The place of the first transaction with a greater number. Numbers ascend.
    private func firstPlace(after number: Int64) -> Int {
        var (low, high) = (0, contents.transactions.count)
        while low < high {
            let middle = (low + high) / 2
            if contents.transactions[middle].record.number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension InMemoryStore: HistoryKeeping {
    func readHistory<T>(_ body: (any HistorySource) throws -> T) throws -> T? {
        try history.map { try body($0.source) }
    }

    func deleteHistory(below number: Int64) { history?.delete(below: number) }

    func historyRetention() -> PersistentHistoryRetention? { history?.retention }

    func setHistoryReader(_ name: String, to number: Int64?) { history?.setReader(name, to: number) }

    func historyReader(_ name: String) -> Int64? { history?.reader(name) }

    func slowestHistoryReader() -> Int64? { history?.source.contents.readers.values.min() }

    func followCommits(_ body: @escaping @Sendable (CommitNews) -> Void) -> CommitSubscription {
        CommitNotifier.shared.follow(commitPlace, store: self, body)
    }

    /// No other coordinator or process can have the store open.
    func lookForCommits(duringSaves: Bool) throws -> CommitSighting? {
        CommitSighting(isForeign: false, last: try readHistory { try $0.bounds.last })
    }

    /// No path has this form.
    var commitPlace: String { "memory:\(identity.identifier)" }
}
