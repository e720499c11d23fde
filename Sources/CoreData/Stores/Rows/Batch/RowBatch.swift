// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests row by row: reads the rows, changes them in memory, and writes them as one save of the store.

import CoreDataFoundation
import Foundation

/// For stores without batch statements, and for requests that the language of a database cannot express
/// (BatchRequests-2).
///
/// The save compares versions. If another client has changed a row since it was read, everything is read and done
/// again.
package struct RowBatch {
    /// With eight clients that raise one counter all the time, an attempt succeeds once in eight times.
    private static let mostAttempts = 100

    private let store: any RecordStore
    private let batch: StoreBatch
    private var model: ModelLayout { batch.model }

    package init(_ store: any RecordStore, _ batch: StoreBatch) {
        self.store = store
        self.batch = batch
    }

    /// - Parameter confirm: as for `RecordStore.save(_:confirm:)`.
    package func run(_ confirm: () throws -> Bool) throws -> BatchOutcome {
        switch batch.work {
        case .insertion(let insertion): return try InsertedRows(store, batch, insertion).run(confirm)
        case .update(let update): return try repeating(confirm) { try changes(update) }
        case .deletion(let deletion): return try repeating(confirm) { try changes(deletion) }
        }
    }

    private typealias Attempt = (changes: ChangeSet, ids: [Reference])

    private func repeating(_ confirm: () throws -> Bool, _ prepare: () throws -> Attempt) throws -> BatchOutcome {
        for attempt in 0..<Self.mostAttempts {
            // Clients that repeat at once in the same rhythm would keep overtaking each other.
            if attempt > 2 { Thread.sleep(forTimeInterval: .random(in: 0...0.005)) }
            var (changes, references) = try prepare()
            let result = BatchOutcome(
                count: references.count, ids: batch.wantsIDs ? references.map { store.id($0, model) } : [])
            changes.batch = ExecutedBatch(batch, result)
            let outcome = try store.write(changes, batch, confirm)
            if outcome.conflicts.isEmpty { return outcome.isWritten ? result : BatchOutcome() }
            try Self.throwUniqueness(outcome.conflicts)
        }
        throw Self.unsettled(Self.mostAttempts)
    }

    /// - Throws: 133021 if one of the conflicts concerns unique values.
    package static func throwUniqueness(_ conflicts: [SaveOutcome.Conflict]) throws {
        for conflict in conflicts {
            guard case .uniqueness(let names) = conflict.kind else { continue }
            throw CoreDataError.uniquenessConflicts([], entity: conflict.layout.name, constraint: names)
        }
    }

    static func unsettled(_ attempts: Int) -> NSError {
        CoreDataError.storeOperation(
            "The batch request was repeated \(attempts) times, because others changed its records each time.")
    }

    // MARK: Updates

    private func changes(_ update: BatchUpdate) throws -> Attempt {
        let rows = try fetched(update.fetch)
        let staged = StagedRows(store, model)
        let computed = try values(update.expressions, rows)
        for row in rows { staged.add(row) }
        var destinations: [Reference] = []
        for slot in update.fetch.layout.toOneSlots where update.constantSlots.contains(slot) {
            update.constants.reference(slot).map { destinations.append($0) }
        }
        try staged.read(destinations)
        for (position, fetched) in rows.enumerated() {
            let row = staged.add(fetched)
            for slot in update.constantSlots {
                if row.layout[slot].kind == .reference {
                    try staged.setDestination(
                        update.constants.reference(slot), slot, of: row, from: row.current.reference(slot))
                } else {
                    row.current.take(slot, from: update.constants)
                    staged.noteChanged(slot, of: row)
                }
            }
            for (expression, values) in zip(update.expressions, computed) {
                try set(values[position], expression.slot, of: row, staged)
            }
        }
        try staged.checkMandatory()
        return (staged.changes(), rows.map { Reference(entityIndex: $0.snapshot.layoutIndex, key: $0.key) })
    }

    private func fetched(_ fetch: BoundFetch) throws -> [FetchedRow] {
        var fetch = fetch
        fetch.result = .rows
        guard case .rows(let rows) = try store.fetch(fetch, in: nil) else { return [] }
        return rows
    }

    /// The values of each expression for all rows.
    private func values(_ expressions: [BatchUpdate.Expression], _ rows: [FetchedRow]) throws -> [[Any?]] {
        if expressions.isEmpty { return [] }
        let source = RelatedRows(
            model, rows: { try store.rows($0, root: $1, in: nil) },
            members: { try store.members(of: $0, layout: $1, owners: $2, in: nil) })
        // Views do not retain their source.
        return try withExtendedLifetime(source) {
            let views = rows.map { RowView($0, source) }
            return try expressions.map { expression in
                let ready = try ReadyExpression(expression.syntax)
                return try views.map { try ready.value(of: $0) }
            }
        }
    }

    private func set(_ value: Any?, _ slot: Int, of row: StagedRows.Row, _ staged: StagedRows) throws {
        let property = row.layout.properties[slot]
        let value = Snapshot.unwrapped(value)
        if value == nil, !property.isOptional {
            throw CoreDataError.validation(
                .validationMissingMandatoryProperty, object: nil, entity: row.layout.entity, key: property.name)
        }
        if row.layout[slot].kind == .reference {
            let argument = value as? ObjectArgument
            if value != nil, argument?.isInStore != true { throw Self.unfit(value, property) }
            let reference = argument.map { Reference(entityIndex: $0.key.entityIndex, key: $0.key.key) }
            return try staged.setDestination(reference, slot, of: row, from: row.current.reference(slot))
        }
        guard row.current.setValue(value, slot) else { throw Self.unfit(value, property) }
        staged.noteChanged(slot, of: row)
    }

    package static func unfit(_ value: Any?, _ property: NSPropertyDescription) -> NSError {
        CoreDataError.general(
            "'\(property.qualifiedName)' cannot hold a value of type \(value.map { "\(type(of: $0))" } ?? "nil").")
    }

    // MARK: Deletions

    private func changes(_ deletion: BatchDeletion) throws -> Attempt {
        let rows: [FetchedRow]
        switch deletion {
        case .matching(let fetch): rows = try fetched(fetch)
        case .records(let references):
            rows = try Dictionary(grouping: references, by: { model.layouts[$0.entityIndex].rootIndex })
                .sorted { $0.key < $1.key }.flatMap { root, references in
                    try store.rows(Set(references.map(\.key)).sorted(), root: model.layouts[root], in: nil)
                }
        }
        let plan = DeletionPlan(store, model)
        return (try plan.run(rows), rows.map { Reference(entityIndex: $0.snapshot.layoutIndex, key: $0.key) })
    }
}

extension RecordStore {
    package func perform(_ batch: StoreBatch, confirm: () throws -> Bool) throws -> BatchOutcome {
        try RowBatch(self, batch).run(confirm)
    }

    package func id(_ reference: Reference, _ model: ModelLayout) -> NSManagedObjectID {
        NSManagedObjectID(layout: model.layouts[reference.entityIndex], key: reference.key, home: identity)
    }

    /// Saves the rows of a batch request, and drops outdated rows from the cache.
    ///
    /// Without changes nothing is saved, so that the store is not modified.
    package func write(_ changes: ChangeSet, _ batch: StoreBatch, _ confirm: () throws -> Bool) throws -> SaveOutcome {
        var changes = changes
        changes.author = batch.author
        changes.contextName = batch.contextName
        if changes.isEmpty { return SaveOutcome(isWritten: try confirm()) }
        let outcome = try save(changes, confirm: confirm)
        guard outcome.isWritten else { return outcome }
        var keys: [Int: [Int64]] = [:]
        for update in changes.updates { keys[update.snapshot.layout.rootIndex, default: []].append(update.key) }
        for delete in changes.deletes { keys[delete.layout.rootIndex, default: []].append(delete.key) }
        for row in outcome.recomputed { keys[row.snapshot.layout.rootIndex, default: []].append(row.key) }
        for (root, keys) in keys { rowCache.forget(root: root, keys: keys) }
        return outcome
    }
}
