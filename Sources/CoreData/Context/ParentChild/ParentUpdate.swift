// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ids and values that a save of a parent settles, for its children. NestedContexts-7, NestedContexts-11 and 13.

import Foundation

/// The changes that a save in an ancestor made to records which a child knows.
struct ParentUpdate: Sendable {
    /// Permanent ids of records that had temporary keys.
    var permanentIDs: [Int64: NSManagedObjectID] = [:]
    /// Values of a child that the parent changed on its own while it saved.
    var settled: [Settlement] = []

    /// The values of a record before and after the parent changed them on its own in a save.
    struct Settlement: @unchecked Sendable {  // both blocks are shared, hence immutable
        let id: NSManagedObjectID
        let before: Snapshot
        let after: Snapshot
    }

    var isEmpty: Bool { permanentIDs.isEmpty && settled.isEmpty }
}

extension ContextRelations {
    /// Applies the updates of ancestors. On the context's queue.
    @inline(__always) func applyUpdates(to registry: @autoclosure () -> ObjectRegistry) {
        if !updates.isEmpty { applyPosted(to: registry()) }
    }

    private func applyPosted(to registry: ObjectRegistry) {
        for update in updates.take() {
            for (temporary, id) in update.permanentIDs { registry.learn(id, of: temporary) }
            for settlement in update.settled { settlement.apply(to: registry) }
        }
    }
}

extension ParentUpdate.Settlement {
    /// A change that the parent made to a value from here is no conflict: the next comparison starts from there.
    fileprivate func apply(to registry: ObjectRegistry) {
        guard let object = registry.object(id.objectKey, id.home), !object.isFault, let base = object.parentRow else {
            return
        }
        let row = base.copy()
        for slot in row.layout.attributeSlots + row.layout.toOneSlots
        where !before.isEqual(after, slot: slot) && base.isEqual(before, slot: slot) { row.take(slot, from: after) }
        object.extensionMade.parentRow = row
    }
}

extension NSManagedObject {
    /// The row in the parent: the one that was read there, or the values that the parent gave it while it saved.
    final var parentRow: Snapshot? { objectExtension?.parentRow ?? objectExtension?.committed ?? snapshot }
}
