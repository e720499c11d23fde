// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups row operations so that one prepared statement serves many rows.

/// Groups the inserts, updates, deletes and unlinkings of a plan by statement.
///
/// Only rows within one operation are regrouped, so the order of operations stays as planned.
package struct OperationBatcher {
    /// Rows per insert statement. 32 is fastest; more lengthen SQLite's program without a gain.
    package static let rowsPerInsert = 32

    package static func batches(_ operations: [RowOperation], _ changes: ChangeSet) -> [OperationBatch] {
        operations.flatMap { operation -> [OperationBatch] in
            switch operation {
            case .insert(let rows):
                Groups(rows) { changes.inserts[$0].entity }.ordered.map {
                    .inserts(entity: $0.key, positions: $0.positions)
                }
            case .update(let rows):
                Groups(rows) { UpdateShape(entity: changes.updates[$0].entity, changed: changes.updates[$0].changed) }
                    .ordered.map { .updates(entity: $0.key.entity, changed: $0.key.changed, positions: $0.positions) }
            case .unlinkAll(let rows):
                Groups(rows) { changes.deletes[$0].layout.index }.ordered
                    .map { .unlinkings(entity: $0.key, positions: $0.positions) }
            case .delete(let rows):
                Groups(rows) { changes.deletes[$0].layout.index }.ordered
                    .map { .deletes(entity: $0.key, positions: $0.positions) }
            default: [.single(operation)]
            }
        }
    }

    private struct UpdateShape: Hashable {
        var entity: Int
        var changed: SlotSet
    }

    /// Positions by key, with keys in the order of first occurrence.
    private struct Groups<Key: Hashable> {
        private var numbers: [Key: Int] = [:]
        private(set) var ordered: [(key: Key, positions: [Int])] = []
        private var last: Int?

        @inline(__always) init(_ rows: Range<Int>, _ key: (Int) -> Key) {
            for row in rows { add(row, to: key(row)) }
        }

        private mutating func add(_ position: Int, to key: Key) {
            // Rows of one kind are usually consecutive, which saves the look-up.
            if let last, ordered[last].key == key {
                ordered[last].positions.append(position)
                return
            }
            let number = numbers[key] ?? ordered.count
            if number == ordered.count {
                numbers[key] = number
                ordered.append((key, []))
            }
            ordered[number].positions.append(position)
            last = number
        }
    }
}
