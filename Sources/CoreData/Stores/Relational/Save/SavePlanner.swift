// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides in which order rows are written.

/// Orders the operations of a save. Called once per save, and once more when unique values have to be traded; no I/O.
///
/// # Order
/// (1) Checks first: nothing is written for a save that is refused.
/// (2) Links go before the rows they belong to are deleted.
/// (3) Deletes before updates, updates before inserts: a row may take the unique value of one that leaves it in the same save,
///     and an insert never gives one up.
/// (4) Updates that may wait for one another's unique values are parked: their unique columns are emptied before the first
///     of them is written. Empty values never collide.
/// (5) Links and orders last: both ends have their rows then.
struct SavePlanner {
    let schema: Schema
    /// Slots that stand in a uniqueness constraint, by layout index.
    private let uniqueSlots: [SlotSet]

    init(schema: Schema) {
        self.schema = schema
        uniqueSlots = schema.model.layouts.map { layout in
            var slots = SlotSet()
            for constraint in layout.entity.uniquenessConstraints {
                for name in SchemaDDL.names(constraint) { layout.slot(name).map { slots.insert($0) } }
            }
            return slots
        }
    }

    /// - Parameter parking: whether updates may have to trade unique values.
    func plan(_ changes: ChangeSet, parking: Bool = false) -> [RowOperation] {
        let parts = ChangeDecomposer(schema: schema).parts(of: changes)
        let parked = parking ? tradingUpdates(changes).map(RowOperation.park) : []
        var plan = parts.checks
        plan.reserveCapacity(parts.count + parked.count)
        for next in [
            parts.unlinking, parts.deletes, parked, parts.updates, parts.inserts, parts.linking, parts.ordering,
        ] { plan += next }
        return plan
    }

    /// Positions of the updates that write a unique column, where there are several in one table.
    func tradingUpdates(_ changes: ChangeSet) -> [Int] {
        var byRoot: [Int: [Int]] = [:]
        for (position, update) in changes.updates.enumerated() where !parkedSlots(update).isEmpty {
            byRoot[update.snapshot.layout.rootIndex, default: []].append(position)
        }
        return byRoot.values.filter { $0.count > 1 }.flatMap { $0 }.sorted()
    }

    /// The unique slots that an update writes.
    func parkedSlots(_ update: ChangeSet.Update) -> [Int] {
        let unique = uniqueSlots[update.snapshot.layout.index]
        return unique.isEmpty ? [] : update.changed.slots.filter(unique.contains)
    }

    func hasUniqueSlots(_ layout: EntityLayout) -> Bool { !uniqueSlots[layout.index].isEmpty }
}
