// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups operations so that one prepared statement serves many rows.

/// Gathers the inserts, updates, deletes and unlinkings of a plan by what their statement looks like.
///
/// Only operations of one kind that stand together are regrouped, so the order between kinds, on which a plan relies, stays.
struct OperationBatcher {
    /// Rows that one insert statement takes: 32 cost the least (more make SQLite's program longer than it saves).
    static let rowsPerInsert = 32

    static func batches(_ operations: [RowOperation], _ changes: ChangeSet) -> [OperationBatch] {
        var batches: [OperationBatch] = []
        var position = 0
        while position < operations.count {
            var end = position
            switch operations[position] {
            case .insert:
                var groups = Groups<Int>()
                while end < operations.count, case .insert(let row) = operations[end] {
                    groups.add(row, to: changes.inserts[row].snapshot.layout.index)
                    end += 1
                }
                batches += groups.ordered.map { .inserts(entity: $0.key, positions: $0.positions) }
            case .update:
                var groups = Groups<UpdateShape>()
                while end < operations.count, case .update(let row) = operations[end] {
                    let update = changes.updates[row]
                    groups.add(row, to: UpdateShape(entity: update.snapshot.layout.index, changed: update.changed))
                    end += 1
                }
                batches += groups.ordered.map {
                    .updates(entity: $0.key.entity, changed: $0.key.changed, positions: $0.positions)
                }
            case .unlinkAll:
                var groups = Groups<Int>()
                while end < operations.count, case .unlinkAll(let row) = operations[end] {
                    groups.add(row, to: changes.deletes[row].layout.index)
                    end += 1
                }
                batches += groups.ordered.map { .unlinkings(entity: $0.key, positions: $0.positions) }
            case .delete:
                var groups = Groups<Int>()
                while end < operations.count, case .delete(let row) = operations[end] {
                    groups.add(row, to: changes.deletes[row].layout.index)
                    end += 1
                }
                batches += groups.ordered.map { .deletes(entity: $0.key, positions: $0.positions) }
            default:
                batches.append(.single(operations[position]))
                end += 1
            }
            position = end
        }
        return batches
    }

    private struct UpdateShape: Hashable {
        var entity: Int
        var changed: SlotSet
    }

    /// Positions by key, keys in the order they were first met.
    private struct Groups<Key: Hashable> {
        private var numbers: [Key: Int] = [:]
        private(set) var ordered: [(key: Key, positions: [Int])] = []
        private var last: Int?

        mutating func add(_ position: Int, to key: Key) {
            // Rows of one kind mostly come together: no look-up then.
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
