// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which changes of a transaction a history lists, and in which order. Documentation/Internals/History.md.

/// The changes of one transaction: insertions, then updates, then deletions; each by entity and key (History-4).
///
/// Changes of entities that the store does not contain are left out, and so are updates without a persistent property.
package struct HistoryRows {
    package struct Row {
        /// The raw value of an `NSPersistentHistoryChangeType`.
        package let type: Int64
        /// The number of the entity in the store.
        package let entity: Int64
        /// The index of the entity in the model.
        package let layout: Int
        package let key: Int64
        /// An index into `shapes`; -1 for changes that are no updates.
        package let shape: Int
    }

    /// The updated properties of one or more rows. Most updates of a transaction share a few.
    package struct Shape: Hashable {
        package let layout: Int
        package let slots: SlotSet
    }

    package private(set) var rows: [Row] = []
    package private(set) var shapes: [Shape] = []

    package init(_ changes: RecordedChanges, _ schema: Schema) {
        let changes = changes.settled()
        rows.reserveCapacity(changes.inserts.count + changes.updates.count + changes.deletes.count)
        add(.insert, changes.inserts.lazy.map { ($0.layout, $0.key, -1) }, schema)
        add(.update, updates(changes), schema)
        add(.delete, changes.deletes.lazy.map { ($0.layout, $0.key, -1) }, schema)
    }

    private mutating func updates(_ changes: RecordedChanges) -> [(EntityLayout, Int64, Int)] {
        /// The shapes by their slots as reported; nil for one without a persistent property.
        var known: [Shape: Int?] = [:]
        var (last, lastShape): (Shape, Int?) = (Shape(layout: -1, slots: SlotSet()), nil)
        var result: [(EntityLayout, Int64, Int)] = []
        result.reserveCapacity(changes.updates.count)
        for update in changes.updates {
            let reported = Shape(layout: update.layout.index, slots: update.slots)
            if reported != last {
                last = reported
                if let shape = known[reported] {
                    lastShape = shape
                } else {
                    let slots: SlotSet = update.slots.filter {
                        !update.layout[$0].isTransient && update.layout[$0].kind != .fetched
                    }
                    lastShape = slots.isEmpty ? nil : shapes.count
                    if !slots.isEmpty { shapes.append(Shape(layout: reported.layout, slots: slots)) }
                    known[reported] = .some(lastShape)
                }
            }
            if let lastShape { result.append((update.layout, update.key, lastShape)) }
        }
        return result
    }

    private mutating func add(
        _ type: NSPersistentHistoryChangeType, _ records: some Sequence<(EntityLayout, Int64, Int)>, _ schema: Schema
    ) {
        let start = rows.count
        var (lastIndex, lastNumber) = (-1, Int64(0))
        var isSorted = true
        for (layout, key, shape) in records {
            if layout.index != lastIndex {
                guard let mapping = schema.mapping(layout) else { continue }
                (lastIndex, lastNumber) = (layout.index, mapping.number)
            }
            if isSorted, rows.count > start, let last = rows.last, (last.entity, last.key) > (lastNumber, key) {
                isSorted = false
            }
            rows.append(
                Row(type: Int64(type.rawValue), entity: lastNumber, layout: layout.index, key: key, shape: shape))
        }
        if !isSorted { rows[start...].sort { ($0.entity, $0.key) < ($1.entity, $1.key) } }
    }
}

extension HistoryRows.Row {
    package var isDeletion: Bool { type == Int64(NSPersistentHistoryChangeType.delete.rawValue) }
}
