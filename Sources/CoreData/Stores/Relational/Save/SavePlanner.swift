// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides the order in which rows are written.

/// Orders the operations of a save. Called once per save, and once more when unique values must be swapped; no I/O.
///
/// # Order
/// (1) Checks come first: a rejected save writes nothing.
/// (2) Links are removed before their rows are deleted.
/// (3) Deletes precede updates, and updates precede inserts: a row may take the unique value that another row releases
///     in the same save. An insert never releases a value.
/// (4) Updates that may wait for one another's unique values are parked: their unique columns are set to null before
///     the first of them is written. Null values never conflict.
/// (5) Links and orders come last, when the rows of both ends exist.
package struct SavePlanner {
    package let schema: Schema
    /// The slots in uniqueness constraints, by layout index.
    private let uniqueSlots: [SlotSet]

    package init(schema: Schema) {
        self.schema = schema
        uniqueSlots = schema.model.layouts.map { layout in
            var slots = SlotSet()
            for name in layout.entity.uniquenessConstraintNames.joined() { layout.slot(name).map { slots.insert($0) } }
            return slots
        }
    }

    /// - Parameter parking: whether updates may have to swap unique values.
    package func plan(_ changes: ChangeSet, parking: Bool = false) -> [RowOperation] {
        let parts = ChangeDecomposer(schema: schema).parts(of: changes)
        let parked = parking ? tradingUpdates(changes).map(RowOperation.park) : []
        var plan = parts.checks
        plan.reserveCapacity(parts.count + parked.count)
        for next in [
            parts.unlinking, parts.deletes, parked, parts.updates, parts.inserts, parts.linking, parts.ordering,
        ] { plan += next }
        return plan
    }

    /// The positions of updates that write a unique column, if one table has several of them.
    package func tradingUpdates(_ changes: ChangeSet) -> [Int] {
        var byRoot: [Int: [Int]] = [:]
        for (position, update) in changes.updates.enumerated() where !parkedSlots(update).isEmpty {
            byRoot[update.snapshot.layout.rootIndex, default: []].append(position)
        }
        return byRoot.values.filter { $0.count > 1 }.flatMap { $0 }.sorted()
    }

    /// The unique slots that an update writes.
    package func parkedSlots(_ update: ChangeSet.Update) -> [Int] {
        let unique = uniqueSlots[update.snapshot.layout.index]
        return unique.isEmpty ? [] : update.changed.slots.filter(unique.contains)
    }
}
