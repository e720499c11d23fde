// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives faults their values: from the row they were primed with, the row cache, or the store.

import Foundation
import Synchronization

/// # Choice of the row
/// 1. Of the row it was primed with and the row in the cache, the one with the higher version, if it is not stale.
/// 2. Otherwise the row in the store, which is added to the cache.
/// 3. Without a row the fault is inaccessible. Depending on the context's setting it reads as nil and is deleted, or
///    the program traps. A context with a generation only takes rows of that generation, from the generation's cache or
///    from the store; those do not become stale.
/// 4. If the store cannot be read, the object stays a fault and reads as nil, and the next `save()` throws the store's
///    error instead of writing anything (`ReadFailure`).
final class FaultFulfilment {
    let registry: ObjectRegistry
    let source: any ContextSource
    let settings: ContextSettings
    let tracker: ChangeTracker
    let failures: ReadFailures
    let retained: RetainedObjects
    let scope: ReadScope
    let relations: ContextRelations
    /// Whether the source is a parent context: its rows may be newer than those of the row cache.
    let isNested: Bool
    /// Created for the first fault that needs a separate read, if such faults are counted.
    @exclusivity(unchecked) private(set) var runs: RepeatedFaultingCounter?

    init(
        _ registry: ObjectRegistry, _ source: any ContextSource, _ tracker: ChangeTracker, _ failures: ReadFailures,
        _ scope: ReadScope, _ relations: ContextRelations
    ) {
        self.registry = registry
        self.source = source
        self.tracker = tracker
        self.failures = failures
        self.scope = scope
        self.relations = relations
        settings = tracker.settings
        retained = tracker.retained
        isNested = source.isNested
    }

    func realize(_ object: NSManagedObject, for key: String?) {
        object.checkOwnership()
        relations.applyUpdates(to: registry)
        if hasPrefetchedRow(object) {
            object.flags.remove(.fault)
            return object.awakeFromFetch()
        }
        if object.flags.contains(.inserted) {
            // A refreshed insertion is reset to its defaults.
            return fulfil(object, object.table.layout.defaults?.copy() ?? .make(object.table.layout), calls: false)
        }
        do {
            if let row = try currentRow(object) {
                fulfil(object, row, calls: true)
            } else {
                markInaccessible(object, key)
            }
        } catch {
            failures.note(error, of: object, isDeciding: tracker.isProcessing)
        }
    }

    /// Fast path: the prefetched row can be used as it is.
    private func hasPrefetchedRow(_ object: NSManagedObject) -> Bool {
        guard let row = object.heldRow, object.heldExtension == nil, !object.flags.contains(.inserted),
            !isNested, !scope.readsGeneration, settings.staleness < 0
        else { return false }
        return !object.heldTable.look { $0.hasOtherRow(object.key, than: row) }
    }

    func realizeAll(_ objects: [NSManagedObject]) {
        let faults = objects.filter { $0.isFault && !$0.flags.contains(.inserted) }
        guard !faults.isEmpty else { return }
        do {
            try prime(faults)
            for object in faults where object.isFault {
                // A row that was just read is valid, however short the staleness interval is.
                if let row = scope.readsGeneration ? object.snapshot : newest(object) {
                    fulfil(object, row, calls: true)
                }
            }
        } catch {
            failures.note(error)
        }
    }

    /// Realizes faults from their primed rows, and reads the other rows in as few statements as possible.
    func realizePrimed(_ objects: [NSManagedObject]) throws {
        let readsGeneration = scope.readsGeneration
        try prime(
            objects.filter { $0.isFault && (readsGeneration || $0.snapshot == nil) && !$0.flags.contains(.inserted) })
        for object in objects where object.isFault {
            if let row = object.snapshot { fulfil(object, row, calls: true) }
        }
    }

    /// The object for an id, with its values.
    func existing(_ id: NSManagedObjectID) throws -> NSManagedObject {
        relations.applyUpdates(to: registry)
        let key = registry.key(of: id)
        if let object = registry.object(key, id.home), !object.isFault {
            guard !object.flags.contains(.inaccessible) else {
                throw CoreDataError.objectNotFound(id, entity: id.entity.name)
            }
            return object
        }
        let layout = registry.model.layouts[key.entityIndex]
        guard let row = try source.currentRow(key.key, root: layout, home: id.home) else {
            throw CoreDataError.objectNotFound(id, entity: id.entity.name)
        }
        let object = registry.unique(ObjectKey(row.snapshot.layout.index, row.key), id.home, row: row.snapshot)
        if object.isFault { fulfil(object, row.snapshot, calls: true) }
        retained.retain(object)
        return object
    }

    /// Primes faults with their rows, in one statement for each root entity and store.
    ///
    /// The row of a fault may be older than the parent's, so a child context reads all rows again; so does a context
    /// with a generation, because a row may be of another generation.
    func prime(_ faults: [NSManagedObject]) throws {
        var groups: [(first: NSManagedObject, keys: [Int64])] = []
        var position = 0
        let readsAllRows = isNested || scope.readsGeneration
        for object in faults where readsAllRows || object.snapshot == nil || isStale(object.snapshot) {
            let map = object.table.identityMap
            if position == groups.count || groups[position].first.table.identityMap !== map {
                position = groups.firstIndex { $0.first.table.identityMap === map } ?? groups.count
                if position == groups.count { groups.append((object, [])) }
            }
            groups[position].keys.append(object.key)
        }
        for group in groups { try prime(group.first.table, group.keys.sortedOnce(), readsAllRows) }
    }

    /// - Parameters:
    ///   - table: the table of one of the objects.
    ///   - keys: keys of registered objects, sorted and distinct, so that neighbouring rows are read in one pass.
    private func prime(_ table: ObjectTable, _ keys: [Int64], _ readsAllRows: Bool) throws {
        let map = table.identityMap
        let rows = try rows(keys, table)
        for row in rows {
            if let object = map.object(row.key), object.isFault { object.snapshot = row.snapshot }
        }
        guard rows.count < keys.count else { return }
        // Their records were deleted, so their rows are dropped.
        let gone = Set(keys).subtracting(rows.lazy.map(\.key))
        if !readsAllRows { table.records?.rowCache.forget(root: table.layout.rootIndex, keys: gone) }
        for key in gone {
            if let object = map.object(key), object.isFault { object.snapshot = nil }
        }
    }

    private func rows(_ keys: [Int64], _ table: ObjectTable) throws -> [FetchedRow] {
        let root = registry.model.layouts[table.layout.rootIndex]
        return try source.rows(keys, root: root, home: table.home, maxAge: settings.staleness)
    }

    private func currentRow(_ object: NSManagedObject) throws -> Snapshot? {
        if let batch = object.objectExtension?.batch {
            object.objectExtension?.batch = nil
            try primeBatch(batch, object.table.home)
            if let row = rowOfBatch(object) { return row }
        }
        if !isNested, let best = newest(object), !isStale(best) { return best }
        countLoneFault(object)
        return try rows([object.key], object.table).first?.snapshot
    }

    /// The newer one of the primed row and the row in the cache. A child context uses only the primed row.
    private func newest(_ object: NSManagedObject) -> Snapshot? {
        if scope.readsGeneration { return generationRow(object) }
        if let row = object.heldRow, !object.heldTable.look({ $0.hasOtherRow(object.key, than: row) }) {
            return object.snapshot
        }
        guard !isNested,
            let cached = object.table.records?.rowCache.row(
                root: object.table.layout.rootIndex, key: object.key)
        else { return object.snapshot }
        return cached.version >= (object.snapshot?.version ?? 0) ? cached : object.snapshot
    }

    private func generationRow(_ object: NSManagedObject) -> Snapshot? {
        guard let store = object.table.records else { return object.snapshot }
        return scope.generationRow(root: object.table.layout.rootIndex, key: object.key, in: store)
    }

    private func primeBatch(_ batch: FaultBatch, _ home: StoreIdentity?) throws {
        if batch.isRead { return }
        try prime(batch.keys.compactMap { registry.object($0, home) }.filter(\.isFault))
        batch.isRead = true
    }

    /// The row of a child's object in its batch, because a child reads a whole batch from its parents at once. If a
    /// newer row was saved since, that row is read instead.
    private func rowOfBatch(_ object: NSManagedObject) -> Snapshot? {
        guard isNested, let row = object.snapshot else { return nil }
        let cached = object.table.records?.rowCache.row(root: object.table.layout.rootIndex, key: object.key)
        return (cached?.version ?? 0) > row.version ? nil : row
    }

    private func isStale(_ row: Snapshot?) -> Bool {
        guard let row, settings.staleness >= 0, !scope.readsGeneration else { return false }
        return RowClock.isStale(row.stamp, after: settings.staleness)
    }

    private func fulfil(_ object: NSManagedObject, _ row: Snapshot, calls: Bool) {
        if object.snapshot !== row { object.snapshot = row }
        object.flags.remove(.fault)
        if calls { object.awakeFromFetch() }
    }

    private func markInaccessible(_ object: NSManagedObject, _ key: String?) {
        guard settings.shouldDeleteInaccessibleFaults.load(ordering: .relaxed) else {
            preconditionFailure(
                "The record of \(object.objectID) is gone, so the fault cannot be fired\(key.map { " for '\($0)'" } ?? ""). Delete the "
                    + "object, or set `shouldDeleteInaccessibleFaults` to read such objects as nil.")
        }
        object.snapshot = .make(object.table.layout)
        object.flags.remove(.fault)
        tracker.markMissing(object)
        tracker.announceHasChanges(true)
    }
}

extension FaultFulfilment {
    /// Counts a fault that needs a separate read.
    @inline(__always) func countLoneFault(_ object: NSManagedObject, toMany slot: Int? = nil) {
        if settings.countsFaults.load(ordering: .relaxed) { count(object, slot) }
    }

    private func count(_ object: NSManagedObject, _ slot: Int?) {
        // The parent has the row in its row cache.
        if slot == nil, isNested,
            object.table.records?.rowCache.row(root: object.table.layout.rootIndex, key: object.key) != nil
        {
            return
        }
        let counter = runs ?? RepeatedFaultingCounter(registry, settings)
        runs = counter
        counter.count(object, toMany: slot)
    }

    func forgetRuns() { runs = nil }

    /// - Throws: in a strict context, the repeated faulting since the last call.
    func throwRepeatedFaulting() throws {
        if let error = runs?.takeError() { throw error }
    }
}

extension [Int64] {
    /// The keys in ascending order, each once. They usually are in this order already.
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
