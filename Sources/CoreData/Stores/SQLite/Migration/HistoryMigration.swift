// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates the persistent history of a store: entity numbers, changed columns and tombstones.

import Foundation
import SQLiteDriver

/// Deletes the changes of removed entities. Transactions, and therefore tokens, are kept.
struct HistoryMigration {
    private struct Entity {
        let transition: EntityTransition
        let old: HistoryColumns
        let new: HistoryColumns
        /// The slot of the destination for each slot of the source.
        let slots: [Int?]

        init(_ transition: EntityTransition) {
            self.transition = transition
            old = HistoryColumns(transition.source)
            new = HistoryColumns(transition.destination)
            var slots: [Int?] = Array(repeating: nil, count: transition.source.layout.slotCount)
            for slot in 0..<transition.destination.layout.slotCount {
                if let former = transition.sourceSlot(slot) { slots[former] = slot }
            }
            self.slots = slots
        }

        func columns(_ blob: Data) -> Data? {
            guard let changed = old.slots(blob) else { return nil }
            var result = SlotSet()
            for slot in changed { if let target = slots[slot] { result.insert(target) } }
            return new.blob(result)
        }

        var changesColumns: Bool {
            guard old.byteCount == new.byteCount else { return true }
            return slots.indices.contains { slot in
                var set = SlotSet()
                set.insert(slot)
                let blob = old.blob(set)
                return columns(blob) != blob
            }
        }

        /// The old column of each tombstone column; nil for a value that no old tombstone has.
        var tombstones: [Int?] {
            new.kept.map { kept in
                guard let kept, let slot = transition.destination.layout.slot(kept.name),
                    let former = transition.sourceSlot(slot)
                else { return nil }
                let name = transition.source.layout.properties[former].name
                return old.kept.firstIndex { $0?.name == name }
            }
        }

        var movesTombstones: Bool { old.kept.count != new.kept.count || tombstones != Array(new.kept.indices) }
    }

    private let entities: [Entity]
    private let removed: Set<Int64>
    private let present: Set<String>

    /// nil for a store without history.
    init?(_ transition: SchemaTransition, _ outline: DatabaseOutline) {
        guard let columns = outline.columns["ACHANGE"] else { return nil }
        present = Set(columns.map(\.name))
        entities = transition.entities.filter { !$0.destination.layout.isAbstract }.map(Entity.init)
        removed = transition.removed
    }

    var statements: [String] {
        var result: [String] = []
        if !removed.isEmpty { result.append("DELETE FROM ACHANGE WHERE ZENTITY IN \(RowExpression.list(removed))") }
        let changed = entities.filter {
            $0.transition.oldNumber != $0.transition.newNumber || $0.changesColumns || $0.movesTombstones
        }
        guard !changed.isEmpty else { return result }
        let moving = changed.filter(\.movesTombstones)
        let count = moving.map { max($0.old.kept.count, $0.new.kept.count) }.max() ?? 0
        for position in 0..<count where !present.contains(HistoryTables.tombstoneColumn(position)) {
            result.append("ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstoneColumn(position)) BLOB")
        }
        let numbers = changed.map { " WHEN \($0.transition.oldNumber) THEN \($0.transition.newNumber)" }.joined()
        var sets = [
            "ZENTITY = CASE ZENTITY\(numbers) END",
            "ZCOLUMNS = \(MigrationFunctions.historyColumns)(ZENTITY, ZCOLUMNS)",
        ]
        for position in 0..<count {
            let column = HistoryTables.tombstoneColumn(position)
            let cases = moving.map { entity in
                let former = entity.tombstones.indices.contains(position) ? entity.tombstones[position] : nil
                let value = former.map(HistoryTables.tombstoneColumn) ?? "NULL"
                return " WHEN \(entity.transition.oldNumber) THEN \(value)"
            }
            sets.append("\(column) = CASE ZENTITY\(cases.joined()) ELSE \(column) END")
        }
        let list = RowExpression.list(changed.map(\.transition.oldNumber))
        result.append("UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY IN \(list)")
        return result
    }

    func addFunction(to connection: Connection) throws {
        let entities = Dictionary(
            self.entities.map { ($0.transition.oldNumber, $0) }, uniquingKeysWith: { first, _ in first })
        try connection.addFunction(MigrationFunctions.historyColumns, argumentCount: 2, options: .directOnly) {
            arguments in
            guard let blob = arguments[1].blobValue, let entity = entities[arguments.int64(0)] else { return .null }
            return entity.columns(blob).map { .blob($0) } ?? .null
        }
    }
}
