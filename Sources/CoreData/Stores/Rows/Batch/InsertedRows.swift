// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts the rows of a batch request as one save, and resolves their conflicts of unique values.

import Foundation

/// One batch insertion row by row. If the store refuses a row because of its unique values, the row is merged into the
/// record that has them, or left out, as the request specifies; then the save is repeated.
struct InsertedRows {
    /// All conflicts are reported at once, so each round settles at least one rule.
    private static let mostRounds = 100

    private let store: any RecordStore
    private let batch: StoreBatch
    private let insertion: BatchInsertion
    private var model: ModelLayout { batch.model }

    /// A row of the request, and how it is handled.
    private struct Entry {
        let row: BatchInsertion.Row
        let key: Int64
        var fate = Fate.inserted

        var isInserted: Bool { if case .inserted = fate { true } else { false } }
    }

    private enum Fate {
        case inserted
        case leftOut
        /// Merged into another row of the request.
        case mergedInto(Int64)
        /// Merged into a record.
        case updates(Int64)
    }

    init(_ store: any RecordStore, _ batch: StoreBatch, _ insertion: BatchInsertion) {
        self.store = store
        self.batch = batch
        self.insertion = insertion
    }

    func run(_ confirm: () throws -> Bool) throws -> BatchOutcome {
        var entries: [Entry] = []
        while let row = try insertion.next() { entries.append(Entry(row: row, key: TemporaryKey.next())) }
        for _ in 0..<Self.mostRounds {
            let changes = try changes(entries)
            let outcome = try store.write(changes, batch, confirm)
            if outcome.conflicts.isEmpty {
                guard outcome.isWritten else { return BatchOutcome() }
                return result(entries, outcome.permanentKeys)
            }
            try resolve(outcome.conflicts, &entries)
        }
        throw RowBatch.unsettled(Self.mostRounds)
    }

    private func changes(_ entries: [Entry]) throws -> ChangeSet {
        let staged = StagedRows(store, model)
        var rows: [Int64: StagedRows.Row] = [:]
        if !insertion.mayHaveReferences, entries.allSatisfy(\.isInserted) {
            var changes = ChangeSet()
            changes.inserts = entries.map { .init(key: $0.key, snapshot: $0.row.snapshot) }
            return changes
        }
        var destinations: [Reference] = []
        for entry in entries {
            if case .updates(let key) = entry.fate {
                destinations.append(Reference(entityIndex: insertion.layout.index, key: key))
            }
            destinations += insertion.layout.toOneSlots.compactMap { entry.row.snapshot.reference($0) }
        }
        try staged.read(destinations)
        for entry in entries {
            switch entry.fate {
            case .leftOut: break
            case .inserted:
                let row = staged.insert(entry.row.snapshot.copy(), entry.key)
                rows[entry.key] = row
                for slot in insertion.layout.toOneSlots where !row.current.isNull(slot) {
                    try staged.setDestination(row.current.reference(slot), slot, of: row, from: nil)
                }
            case .mergedInto(let key):
                if let row = rows[key] { try merge(entry, into: row, staged) }
            case .updates(let key):
                let root = model.layouts[insertion.layout.rootIndex]
                guard let record = try store.rows([key], root: root, in: nil).first else { continue }
                let row = staged.add(record)
                rows[entry.key] = row
                try merge(entry, into: row, staged)
            }
        }
        try staged.checkMandatory()
        return staged.changes()
    }

    /// Writes the values to use into a record or an earlier row.
    private func merge(_ entry: Entry, into row: StagedRows.Row, _ staged: StagedRows) throws {
        guard case .updates(let givenAlone) = insertion.uniqueness else { return }
        let layout = insertion.layout
        for slot in layout.attributeSlots where !layout[slot].isTransient && !layout[slot].isDerived {
            if givenAlone, entry.row.given?.contains(slot) == false { continue }
            // The record may be of another entity below the same root.
            guard row.layout.slot(layout.properties[slot].name) == slot else { continue }
            row.current.take(slot, from: entry.row.snapshot)
            staged.noteChanged(slot, of: row)
        }
        for slot in layout.toOneSlots {
            let isGiven = givenAlone ? entry.row.given?.contains(slot) : nil
            guard isGiven ?? !entry.row.snapshot.isNull(slot) else { continue }
            guard row.layout.slot(layout.properties[slot].name) == slot else { continue }
            try staged.setDestination(
                entry.row.snapshot.reference(slot), slot, of: row, from: row.current.reference(slot))
        }
    }

    private func result(_ entries: [Entry], _ keys: AssignedKeys) -> BatchOutcome {
        var outcome = BatchOutcome()
        func add(_ key: Int64) {
            outcome.count += 1
            guard batch.wantsIDs else { return }
            outcome.ids.append(store.id(Reference(entityIndex: insertion.layout.index, key: key), model))
        }
        var targets: [Int64: Int64] = [:]
        for entry in entries {
            switch entry.fate {
            case .leftOut: break
            case .inserted:
                let key = keys[entry.key] ?? entry.key
                targets[entry.key] = key
                add(key)
            case .updates(let key):
                targets[entry.key] = key
                add(key)
            case .mergedInto(let other): if let key = targets[other] { add(key) }
            }
        }
        return outcome
    }

    // MARK: Conflicts

    private func resolve(_ conflicts: [SaveOutcome.Conflict], _ entries: inout [Entry]) throws {
        if case .fails = insertion.uniqueness { try RowBatch.throwUniqueness(conflicts) }
        var positions: [Int64: Int] = [:]
        var holders: [Int64: Int] = [:]
        for (position, entry) in entries.enumerated() {
            positions[entry.key] = position
            if case .updates(let key) = entry.fate, holders[key] == nil { holders[key] = position }
        }
        for conflict in conflicts {
            guard case .uniqueness = conflict.kind else { continue }
            // An update would take the values of another record, which no policy can settle.
            guard let first = positions[conflict.key] ?? (conflict.rivals.isEmpty ? nil : holders[conflict.key]) else {
                try RowBatch.throwUniqueness([conflict])
                continue
            }
            if conflict.row != nil {
                settle(&entries[first], with: conflict.rowKey)
            } else {
                for rival in conflict.rivals {
                    guard let position = positions[rival] else {
                        try RowBatch.throwUniqueness([conflict])
                        continue
                    }
                    guard case .inserted = entries[position].fate else { continue }
                    if case .keepsRecord = insertion.uniqueness {
                        entries[position].fate = .leftOut
                    } else {
                        entries[position].fate = .mergedInto(entries[first].key)
                    }
                }
            }
        }
    }

    private func settle(_ entry: inout Entry, with record: Int64) {
        guard case .inserted = entry.fate else { return }
        if case .keepsRecord = insertion.uniqueness {
            entry.fate = .leftOut
        } else {
            entry.fate = .updates(record)
        }
    }
}
