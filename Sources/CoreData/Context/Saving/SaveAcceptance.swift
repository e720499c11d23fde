// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a save changes in the objects once the stores have written it.

import Foundation

struct SaveAcceptance {
    private let context: NSManagedObjectContext
    private var inserted: [NSManagedObject] = []
    private var updated: [NSManagedObject] = []
    private var deletions = SavedDeletions()
    private var news = FamilyNews()
    private let hasChildren: Bool
    private let recordsUndo: Bool

    /// Blocks as they were before the save changed them itself; only for children.
    private let given: [ObjectIdentifier: Snapshot]

    init(_ context: NSManagedObjectContext, _ given: [ObjectIdentifier: Snapshot]) {
        self.context = context
        self.given = given
        hasChildren = !context.children.isEmpty
        recordsUndo = context.undoManager != nil
    }

    /// Makes the values that one store has written the committed ones.
    mutating func accept(_ batch: StoreChanges) {
        let keys = batch.outcome.permanentKeys
        var rows: [FetchedRow] = []
        rows.reserveCapacity(batch.inserted.count + batch.updated.count)
        let remembers = recordsUndo || hasChildren
        context.registry.isUndoable = recordsUndo
        let stamp = RowClock.now
        let versions = batch.outcome.versions
        func version(_ object: NSManagedObject, after base: Unmanaged<Snapshot>?) -> Int64 {
            if !versions.isEmpty, let told = versions[ObjectKey(object.table.layout.rootIndex, object.key)] {
                return told
            }
            return (base?.look { $0.version } ?? 0) &+ 1
        }
        let (registry, identity) = (context.registry, batch.store.identity)
        batch.inserted.lookAtEach { object in
            if let key = keys[object.key] {
                let temporary = object.key
                registry.rekey(object, identity, key: key, remembered: remembers)
                if hasChildren { news.permanentIDs[temporary] = object.objectID }
            }
            commit(object, version: version(object, after: object.heldRow), keys, stamp, &rows)
        }
        batch.updated.lookAtEach { object in
            let saved = object.lookAtRare { $0.heldCommitted } ?? nil
            let version = version(object, after: saved ?? object.heldRow)
            commit(object, version: version, keys, stamp, &rows)
        }
        batch.store.rowCache.accept(
            rows, insertions: batch.inserted.count, recomputed: batch.outcome.recomputed,
            deleted: batch.deleted.lazy.map { ObjectKey($0.table.layout.rootIndex, $0.key) }, since: batch.moment)
        for object in batch.deleted { leave(object) }
        take(batch)
    }

    /// The objects of the first batch, mostly the only one, are not copied.
    private mutating func take(_ batch: StoreChanges) {
        if inserted.isEmpty { inserted = batch.inserted } else { inserted += batch.inserted }
        if updated.isEmpty { updated = batch.updated } else { updated += batch.updated }
    }

    /// Makes the values that the parent has taken over the committed ones.
    mutating func acceptFromParent(_ batch: StoreChanges) {
        for object in batch.inserted + batch.updated {
            object.flags.subtract(ObjectFlags.changeStates.union(.hasPermanentKey))
            object.settle()
            noteSettlement(object)
        }
        for object in batch.deleted { leave(object) }
        take(batch)
    }

    /// Children must not take for somebody else's change what the save itself made of a value.
    private mutating func noteSettlement(_ object: NSManagedObject) {
        guard hasChildren, let before = given[ObjectIdentifier(object)], let after = object.snapshot,
            before !== after, before.differsInAttributes(from: after)
        else { return }
        news.settled.append(.init(id: object.objectID, before: before, after: after))
    }

    /// Ends the save: change lists are emptied, everybody is told.
    mutating func finish() {
        // What had nothing to be written: transient changes, changes that were taken back, records that were gone
        // already.
        context.tracker.unsaved.lookAtEach { object in
            guard object.hasChanges else { return }
            if object.isDeleted { leave(object) } else { updated.append(object) }
            object.settle()
        }
        context.tracker.clear()
        context.checkInvariants(of: inserted)
        context.checkInvariants(of: updated)
        announce()
    }

    /// Tells everybody what was accepted.
    func announce() {
        if hasChildren { context.tellDescendants(news) }
        inserted.lookAtEach { $0.didSave() }
        updated.lookAtEach { $0.didSave() }
        deletions.objects.lookAtEach { $0.didSave() }
        context.announce(
            ContextNotifications(context).postDidSave(inserted: inserted, updated: updated, deleted: deletions))
        for object in deletions.objects { object.letGoOfLostOthers() }
    }

    private mutating func leave(_ object: NSManagedObject) {
        deletions.objects.append(object)
        deletions.ids.append(object.objectID)
        object.flags.subtract(.changeStates)
        context.registry.unregister(object)
    }

    private mutating func commit(
        _ object: NSManagedObject, version: Int64, _ keys: AssignedKeys, _ stamp: UInt32, _ rows: inout [FetchedRow]
    ) {
        object.fireFault(nil)
        // Undo records and children share blocks, and a committed block is everybody's (so is the only block of an
        // object whose to-manys alone changed): only an own one is written in place.
        let committed = object.lookAtRare { $0.heldCommitted?.toOpaque() } ?? nil
        let isCommitted = committed.map { $0 == object.heldRow?.toOpaque() } ?? !object.flags.contains(.inserted)
        if isCommitted || hasChildren || recordsUndo { object.snapshot = object.realized.copy() }
        object.heldRow?.look { row in
            if !keys.isEmpty { row.resolveReferences { keys[$0] } }
            row.version = version
            row.stamp = stamp
            rows.append(FetchedRow(key: object.key, snapshot: row.withoutTransients()))
        }
        object.flags.subtract(ObjectFlags.changeStates.union(.hasPermanentKey))
        object.settle()
        if hasChildren { noteSettlement(object) }
    }
}

extension NSManagedObject {
    /// The values are the saved ones now.
    final func settle() {
        flags.subtract([.ownsSnapshot])
        rare?.settle()
    }
}
