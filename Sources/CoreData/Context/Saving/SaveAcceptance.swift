// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the saved values the committed ones, after the stores have written them.

import Foundation

struct SaveAcceptance {
    private let registry: ObjectRegistry
    private let tracker: ChangeTracker
    private let relations: ContextRelations
    private var inserted: [NSManagedObject] = []
    private var updated: [NSManagedObject] = []
    private var deleted: [NSManagedObject] = []
    private var update = ParentUpdate()
    /// The numbers of the save's transactions in the stores' histories, by store UUID.
    private var historyNumbers: [String: Int64] = [:]
    private let hasChildren: Bool
    private let recordsUndo: Bool
    private let isNested: Bool

    /// Blocks before the save itself changed them; only for child contexts.
    private let given: [ObjectIdentifier: Snapshot]

    init(_ state: ContextState, _ given: [ObjectIdentifier: Snapshot]) {
        registry = state.registry
        tracker = state.tracker
        relations = state.relations
        isNested = state.source.isNested
        self.given = given
        hasChildren = !relations.children.isEmpty
        recordsUndo = state.settings.recordsUndo
    }

    /// Makes the saved values the committed ones.
    mutating func accept(_ batch: StoreChanges) {
        if isNested { acceptFromParent(batch) } else { acceptFromStore(batch) }
    }

    private mutating func acceptFromStore(_ batch: StoreChanges) {
        let keys = batch.outcome.permanentKeys
        var rows: [FetchedRow] = []
        rows.reserveCapacity(batch.inserted.count + batch.updated.count)
        let remembers = recordsUndo || hasChildren
        registry.isUndoable = recordsUndo
        let stamp = RowClock.now
        let versions = batch.outcome.versions
        func version(_ object: NSManagedObject, after base: Uncounted<Snapshot>?) -> Int64 {
            if !versions.isEmpty, let given = versions[ObjectKey(object.table.layout.rootIndex, object.key)] {
                return given
            }
            return RowVersion.next(after: base?.look { $0.version } ?? 0)
        }
        let (registry, identity) = (registry, batch.store.identity)
        batch.inserted.lookAtEach { object in
            if let key = keys[object.key] {
                let temporary = object.key
                registry.rekey(object, identity, key: key, remembered: remembers)
                if hasChildren { update.permanentIDs[temporary] = object.ownID }
            }
            commit(object, version: version(object, after: object.heldRow), keys, stamp, &rows)
        }
        batch.updated.lookAtEach { object in
            let saved = object.withExistingExtension { $0.heldCommitted } ?? nil
            let version = version(object, after: saved ?? object.heldRow)
            commit(object, version: version, keys, stamp, &rows)
        }
        batch.store.rowCache.accept(
            rows, insertions: batch.inserted.count, recomputed: batch.outcome.recomputed,
            deleted: batch.deleted.lazy.map { ObjectKey($0.table.layout.rootIndex, $0.key) }, since: batch.moment)
        for object in batch.deleted { leave(object) }
        if let number = batch.outcome.transactionNumber { historyNumbers[batch.store.identifier] = number }
        take(batch)
    }

    /// The list of the first batch, usually the only one, is not copied.
    private mutating func take(_ batch: StoreChanges) {
        if inserted.isEmpty { inserted = batch.inserted } else { inserted += batch.inserted }
        if updated.isEmpty { updated = batch.updated } else { updated += batch.updated }
    }

    private mutating func acceptFromParent(_ batch: StoreChanges) {
        for object in batch.inserted + batch.updated {
            object.flags.subtract(ObjectFlags.changeStates.union(.hasPermanentKey))
            object.acceptChanges()
            noteSavedChange(object)
        }
        for object in batch.deleted { leave(object) }
        take(batch)
    }

    /// A child must not treat the save's change of a value as a change by another writer.
    private mutating func noteSavedChange(_ object: NSManagedObject) {
        guard hasChildren, let before = given[ObjectIdentifier(object)], let after = object.snapshot,
            before !== after, before.differsInAttributes(from: after)
        else { return }
        update.savedChanges.append(.init(id: object.ownID, before: before, after: after))
    }

    /// Completes the save for objects without anything to write: transient changes, reverted changes, records that were
    /// already deleted.
    mutating func acceptUnwritten() {
        tracker.unsaved.lookAtEach { object in
            guard object.isUnsaved else { return }
            if object.isMarkedDeleted { leave(object) } else { updated.append(object) }
            object.acceptChanges()
        }
        tracker.clear()
    }

    /// Announces the saved objects to child contexts, to the objects themselves, and in notifications.
    ///
    /// - Returns: the objects for contexts that merge automatically.
    func announce(by notices: ContextNotices) -> SavedObjects {
        if hasChildren { relations.post(update) }
        inserted.lookAtEach { $0.didSave() }
        updated.lookAtEach { $0.didSave() }
        deleted.lookAtEach { $0.didSave() }
        let saved = SavedObjects(inserted: inserted, updated: updated, deleted: deleted)
        notices.postDidSave(saved, token: historyNumbers.isEmpty ? nil : NSPersistentHistoryToken(historyNumbers))
        return saved
    }

    /// Breaks the reference cycles among deleted objects.
    func release() {
        for object in deleted { object.releaseDetachedObjects() }
    }

    /// Passes the saved objects that stay in the context to the body.
    func look(_ body: ([NSManagedObject]) -> Void) {
        body(inserted)
        body(updated)
    }

    private mutating func leave(_ object: NSManagedObject) {
        deleted.append(object)
        object.flags.subtract(.changeStates)
        registry.unregister(object)
    }

    private mutating func commit(
        _ object: NSManagedObject, version: Int64, _ keys: AssignedKeys, _ stamp: UInt32, _ rows: inout [FetchedRow]
    ) {
        object.fireFault(nil)
        // Undo records and children share blocks, and a committed block is shared (so is the only block of an object
        // that changed only to-many relationships): only an unshared block is written in place.
        let committed = object.withExistingExtension { $0.heldCommitted?.address } ?? nil
        let isCommitted = committed.map { $0 == object.heldRow?.address } ?? !object.flags.contains(.inserted)
        if isCommitted || hasChildren || recordsUndo { object.snapshot = object.realized.copy() }
        object.heldRow?.look { row in
            if !keys.isEmpty { row.resolveReferences { keys[$0] } }
            row.version = version
            row.stamp = stamp
            rows.append(FetchedRow(key: object.key, snapshot: row.withoutTransients()))
        }
        object.flags.subtract(ObjectFlags.changeStates.union(.hasPermanentKey))
        object.acceptChanges()
        if hasChildren { noteSavedChange(object) }
    }
}

extension NSManagedObject {
    /// Makes the present values the saved ones.
    final func acceptChanges() {
        flags.subtract([.ownsSnapshot])
        objectExtension?.acceptChanges()
    }
}
