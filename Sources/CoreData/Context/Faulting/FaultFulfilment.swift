// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives faults their values: from the row they were primed with, the row cache, or the store.

import Foundation

/// # Which row a fault gets
/// 1. Of the row it was primed with and the row in the cache, the one with the higher version, if it is not stale.
/// 2. Else the row in the store; it goes into the cache.
/// 3. There is none: the fault is inaccessible. It reads as nil and is deleted, or the program stops, as the context
///   says.
/// In a pinned context nothing serves but rows of its generation, in its own cache or in the store; those do not grow
/// old.
/// 4. The store cannot be read: the object stays a fault and reads as nil, and the next `save()` throws the store's
///   error instead of writing anything (`ReadFailure`).
struct FaultFulfilment {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func realize(_ object: NSManagedObject, for key: String?) {
        object.checkOwnership()
        context.readNews()
        if isServed(object) {
            object.flags.remove(.fault)
            return object.awakeFromFetch()
        }
        if object.flags.contains(.inserted) {
            // A refreshed insertion starts again from the defaults.
            return fulfil(object, object.table.layout.defaults?.copy() ?? .make(object.table.layout), calls: false)
        }
        do {
            if let row = try currentRow(object) {
                fulfil(object, row, calls: true)
            } else {
                markInaccessible(object, key)
            }
        } catch {
            context.noteFailedRead(error, of: object)
        }
    }

    /// Whether the row that the fault was primed with is the one to take, as mostly.
    private func isServed(_ object: NSManagedObject) -> Bool {
        guard let row = object.heldRow, object.heldExtension == nil, !object.flags.contains(.inserted),
            context.storedParent == nil, !context.isPinned, context.stalenessInterval < 0
        else { return false }
        return !object.heldTable.look { $0.hasOtherRow(object.key, than: row) }
    }

    func realizeAll(_ objects: [NSManagedObject]) {
        let faults = objects.filter { $0.isFault && !$0.flags.contains(.inserted) }
        guard !faults.isEmpty else { return }
        do {
            try prime(faults)
            for object in faults where object.isFault {
                // What was just read is not asked for again, however short rows may serve.
                if let row = context.isPinned ? object.snapshot : newest(object) { fulfil(object, row, calls: true) }
            }
        } catch {
            context.readFailure = error
        }
    }

    /// Realizes what has its row already, and reads the rest in as few statements as possible.
    func realizePrimed(_ objects: [NSManagedObject]) throws {
        let isPinned = context.isPinned
        try prime(objects.filter { $0.isFault && (isPinned || $0.snapshot == nil) && !$0.flags.contains(.inserted) })
        for object in objects where object.isFault {
            if let row = object.snapshot { fulfil(object, row, calls: true) }
        }
    }

    /// The object for an id, with its values.
    func existing(_ id: NSManagedObjectID) throws -> NSManagedObject {
        context.readNews()
        let key = context.key(of: id)
        if let object = context.registry.object(key, id.home), !object.isFault {
            guard !object.flags.contains(.inaccessible) else {
                throw CoreDataError.objectNotFound(id, entity: id.entity.name)
            }
            return object
        }
        guard let row = try row(of: key, id) else { throw CoreDataError.objectNotFound(id, entity: id.entity.name) }
        let object = context.registry.unique(ObjectKey(row.snapshot.layout.index, row.key), id.home, row: row.snapshot)
        if object.isFault { fulfil(object, row.snapshot, calls: true) }
        context.retain(object)
        return object
    }

    /// The row as it is now, in the store or in the parent.
    private func row(of key: ObjectKey, _ id: NSManagedObjectID) throws -> FetchedRow? {
        let layout = context.registry.model.layouts[key.entityIndex]
        if let parent = ParentAccess(context) {
            return try parent.rows([key.key], root: layout, home: id.home, patience: 0).first
        }
        guard !id.isTemporaryID, let store = id.home?.store as? any RecordStore,
            let records = try context.records(of: store)
        else { return nil }
        return try records.rows([key.key], root: layout, in: context.burst).first
    }

    /// Gives faults the rows that they will be realized with, in one statement for each root entity and store.
    ///
    /// A row that a fault has already may be older than what the parent has by now, so a child asks for all; or of
    /// another generation, so a pinned context does.
    func prime(_ faults: [NSManagedObject]) throws {
        var groups: [(first: NSManagedObject, keys: [Int64])] = []
        var position = 0
        let asksForAll = context.storedParent != nil || context.isPinned
        for object in faults where asksForAll || object.snapshot == nil || isStale(object.snapshot) {
            let map = object.table.identityMap
            if position == groups.count || groups[position].first.table.identityMap !== map {
                position = groups.firstIndex { $0.first.table.identityMap === map } ?? groups.count
                if position == groups.count { groups.append((object, [])) }
            }
            groups[position].keys.append(object.key)
        }
        for group in groups { try prime(group.first.table, group.keys.sortedOnce(), asksForAll) }
    }

    /// - Parameters:
    ///   - table: of one of the objects.
    ///   - keys: those of registered objects, each once, in their order: rows that lie together are read in one walk.
    private func prime(_ table: ObjectTable, _ keys: [Int64], _ asksForAll: Bool) throws {
        let map = table.identityMap
        let rows = try rows(keys, table)
        for row in rows {
            if let object = map.object(row.key), object.isFault { object.snapshot = row.snapshot }
        }
        guard rows.count < keys.count else { return }
        // Their records are gone: what was known of them serves nobody any more.
        let gone = Set(keys).subtracting(rows.lazy.map(\.key))
        if !asksForAll { table.records?.rowCache.forget(root: table.layout.rootIndex, keys: gone) }
        for key in gone {
            if let object = map.object(key), object.isFault { object.snapshot = nil }
        }
    }

    private func rows(_ keys: [Int64], _ table: ObjectTable) throws -> [FetchedRow] {
        let root = context.registry.model.layouts[table.layout.rootIndex]
        return try context.rowsBelow(keys, root: root, home: table.home, patience: context.stalenessInterval)
    }

    private func currentRow(_ object: NSManagedObject) throws -> Snapshot? {
        if let batch = object.rare?.batch {
            object.rare?.batch = nil
            try primeBatch(batch, object.table.home)
            if let row = rowOfBatch(object) { return row }
        }
        if context.storedParent == nil, let best = newest(object), !isStale(best) { return best }
        context.noteLoneFault(object)
        return try rows([object.key], object.table).first?.snapshot
    }

    /// The row that the fault was primed with, or the one in the cache, if that is newer. A child has none but the
    /// first.
    private func newest(_ object: NSManagedObject) -> Snapshot? {
        if context.isPinned { return pinnedRow(object) }
        if let row = object.heldRow, !object.heldTable.look({ $0.hasOtherRow(object.key, than: row) }) {
            return object.snapshot
        }
        guard context.storedParent == nil,
            let cached = object.table.records?.rowCache.row(
                root: object.table.layout.rootIndex, key: object.key)
        else { return object.snapshot }
        return cached.version >= (object.snapshot?.version ?? 0) ? cached : object.snapshot
    }

    private func pinnedRow(_ object: NSManagedObject) -> Snapshot? {
        guard let store = object.table.records else { return object.snapshot }
        return context.pinnedRow(root: object.table.layout.rootIndex, key: object.key, in: store)
    }

    private func primeBatch(_ batch: FaultBatch, _ home: StoreIdentity?) throws {
        if batch.isRead { return }
        try prime(batch.keys.compactMap { context.registry.object($0, home) }.filter(\.isFault))
        batch.isRead = true
    }

    /// The row that the batch has got for a child's object: the parents are asked once for a whole batch. What was saved since then
    /// is newer, and is asked for.
    private func rowOfBatch(_ object: NSManagedObject) -> Snapshot? {
        guard context.storedParent != nil, let row = object.snapshot else { return nil }
        let cached = object.table.records?.rowCache.row(root: object.table.layout.rootIndex, key: object.key)
        return (cached?.version ?? 0) > row.version ? nil : row
    }

    private func isStale(_ row: Snapshot?) -> Bool {
        guard let row, context.stalenessInterval >= 0, !context.isPinned else { return false }
        return RowClock.isStale(row.stamp, after: context.stalenessInterval)
    }

    private func fulfil(_ object: NSManagedObject, _ row: Snapshot, calls: Bool) {
        if object.snapshot !== row { object.snapshot = row }
        object.flags.remove(.fault)
        if calls { object.awakeFromFetch() }
    }

    private func markInaccessible(_ object: NSManagedObject, _ key: String?) {
        guard context.shouldDeleteInaccessibleFaults else {
            preconditionFailure(
                "The record of \(object.objectID) is gone, so the fault cannot be fired\(key.map { " for '\($0)'" } ?? ""). Delete the "
                    + "object, or set `shouldDeleteInaccessibleFaults` to read such objects as nil.")
        }
        object.snapshot = .make(object.table.layout)
        object.flags.remove(.fault)
        object.flags.insert(.inaccessible)
        context.tracker.enterEvent(object)
        object.flags.insert([.deleted, .deletedInEvent, .propagated])
        context.tracker.list(object)
        context.announceHasChanges(true)
    }
}

extension [Int64] {
    /// In ascending order, each once. Keys mostly stand like that already.
    fileprivate func sortedOnce() -> [Int64] {
        if isAscending { return self }
        var result: [Int64] = []
        result.reserveCapacity(count)
        for key in sorted() where key != result.last { result.append(key) }
        return result
    }

    private var isAscending: Bool {
        var previous: Int64?
        for key in self {
            if let previous, previous >= key { return false }
            previous = key
        }
        return true
    }
}
