// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ids and values that a save of a parent determines, for its children. NestedContexts-7, NestedContexts-11 and 13.

import Foundation

/// The changes that a save of an ancestor made to records of a child.
struct ParentUpdate: Sendable {
    /// Permanent ids of records that had temporary keys.
    var permanentIDs: [Int64: NSManagedObjectID] = [:]
    /// Values that the parent itself changed during its save.
    var savedChanges: [SavedChange] = []

    /// The values of a record before and after the parent itself changed them in a save.
    struct SavedChange: @unchecked Sendable {  // both blocks are shared, hence immutable
        let id: NSManagedObjectID
        let before: Snapshot
        let after: Snapshot
    }

    var isEmpty: Bool { permanentIDs.isEmpty && savedChanges.isEmpty }
}

extension ContextRelations {
    /// Applies the updates of ancestors. On the context's queue.
    @inline(__always) func applyUpdates(to registry: @autoclosure () -> ObjectRegistry) {
        if !updates.isEmpty { applyPosted(to: registry()) }
    }

    private func applyPosted(to registry: ObjectRegistry) {
        for update in updates.take() {
            for (temporary, id) in update.permanentIDs { registry.learn(id, of: temporary) }
            for savedChange in update.savedChanges { savedChange.apply(to: registry) }
        }
    }
}

extension ParentUpdate.SavedChange {
    /// A change that the parent made to a value of this context is not a conflict: the next comparison is based on it.
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
    /// The row in the parent: the row that was read from it, or the values that the parent set during its save.
    final var parentRow: Snapshot? { objectExtension?.parentRow ?? objectExtension?.committed ?? snapshot }
}
