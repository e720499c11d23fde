// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a change set in one transaction, and finds the conflicts if the transaction is refused.

import Foundation
import SQLiteDriver

/// One save on the writing connection.
struct SaveTransaction {
    let opened: OpenDatabase
    /// The changes as the context has them.
    private let asked: ChangeSet
    /// The changes that are written.
    private(set) var changes: ChangeSet
    let connection: Connection
    let permit: CacheFillPermit
    /// Set if an earlier attempt of this save is durable (`IndeterminateCommit`).
    private var continuation: IndeterminateCommit.Continuation?

    init(opened: OpenDatabase, changes: ChangeSet, connection: Connection, permit: CacheFillPermit) throws {
        (self.opened, self.connection, self.permit) = (opened, connection, permit)
        (asked, self.changes) = (changes, changes)
        try opened.settleDoubts(on: connection)
        if opened.indeterminate.isEmpty { return }
        let found = try opened.indeterminate.continuation(changes, opened.schema.model, reader.rows)
        guard let found else { return }
        (continuation, self.changes) = (found, found.changes)
        permit.forget(found.overtaken)
    }

    /// Past the row cache: it takes rows with the acceptance of a save, and conflicts need the previous ones.
    private var reader: RowReader { RowReader(opened: opened, connection: connection) }

    /// Rolls the transaction back and returns the conflicts.
    private struct Refused: Error {}

    func run(metadata: [String: Any]?, confirm: () throws -> Bool) throws -> SaveOutcome {
        do {
            return try attempt(parking: false, metadata, confirm)
        } catch let error as SQLiteError where error.isUniqueConstraint {
            var refusal = error
            if opened.planner.tradingUpdates(changes).count > 1 {
                do {
                    return try attempt(parking: true, metadata, confirm)
                } catch let second as SQLiteError where second.isUniqueConstraint {
                    refusal = second
                }
            }
            // Versions first (StoreInterface-4).
            let stale = try reader.versionConflicts(changes.versionedChanges)
            guard stale.isEmpty else { return SaveOutcome(conflicts: stale) }
            let holders = RowReader(opened: opened, connection: connection, cache: permit)
            let conflicts = try holders.uniquenessConflicts(changes)
            guard !conflicts.isEmpty else { throw refusal }
            return SaveOutcome(conflicts: conflicts)
        }
    }

    private func attempt(parking: Bool, _ metadata: [String: Any]?, _ confirm: () throws -> Bool) throws
        -> SaveOutcome
    {
        let files = opened.removals.map { ExternalFiles($0) }
        _ = opened.recorder.take()
        var stale: [ChangeSet.VersionedChange] = []
        /// Set when only the commit is left to do.
        var prepared: (outcome: SaveOutcome, number: Int64?)?
        do {
            let outcome = try connection.write(.immediate) {
                let history = try opened.history.updated(on: connection)
                let keys = try reserveKeys()
                let tombstones = try history?.tombstones(of: deletedRecords, on: connection)
                var writer = RowWriter(
                    opened: opened, changes: changes, connection: connection, files: files, permanentKeys: keys)
                let plan = opened.planner.plan(changes, parking: parking)
                for batch in OperationBatcher.batches(plan, changes) { try writer.perform(batch) }
                stale = writer.stale
                if !stale.isEmpty { throw Refused() }
                try opened.derived.update(changes, keys, on: connection, recorder: opened.recorder)
                if let metadata { try StoreMetadata.write(metadata, to: connection) }
                var outcome = SaveOutcome(permanentKeys: keys, isWritten: true)
                outcome.versions = continuation?.versions ?? [:]
                outcome.recomputed = try recomputedRows()
                if let history, let tombstones {
                    outcome.transactionNumber = try history.record(
                        RecordedChanges(changes, keys), tombstones: tombstones, on: connection)
                }
                try files?.willCommit()
                let number = try opened.numberCommit(on: connection)
                guard try confirm() else { throw Refused() }
                prepared = (outcome, number)
                return outcome
            }
            opened.didCommit(files, on: connection)
            return outcome
        } catch is Refused {
            files?.rollback()
            return SaveOutcome(conflicts: try reader.versionConflicts(stale))
        } catch let error as SQLiteError where error.leavesCommitInDoubt {
            guard let prepared else {
                files?.rollback()
                throw error
            }
            let isDurable = opened.isDurable(
                prepared.number, on: connection,
                .init(changes, prepared.outcome, asked: asked, after: continuation?.earlier))
            if isDurable == true {
                opened.didCommit(files, on: connection)
                return prepared.outcome
            }
            files?.commitFailed(isRolledBack: isDurable == false)
            throw error
        } catch {
            files?.rollback()
            throw error
        }
    }

    private var deletedRecords: [RecordedChanges.Record] {
        changes.deletes.map { RecordedChanges.Record(layout: $0.layout, key: $0.key) }
    }

    /// Permanent keys by temporary keys, assigned in the order of insertion.
    private func reserveKeys() throws -> AssignedKeys {
        var keys = try AssignedKeys(for: changes.inserts) { count, root in
            let mapping = try opened.schema.held(root)
            let first = try PrimaryKeys.reserve(count, table: mapping.table, root: mapping.number, on: connection)
            return first...first + Int64(count - 1)
        }
        for (temporary, permanent) in continuation?.keys ?? [] { keys.set(permanent, for: temporary) }
        return keys
    }

    /// The current values of rows that triggers changed.
    private func recomputedRows() throws -> [FetchedRow] {
        let rows = opened.recorder.take()
        if rows.isEmpty { return [] }
        var keys: [Int: [Int64]] = [:]
        for row in rows {
            guard let layout = opened.schema.layout(number: row.entity) else { continue }
            keys[layout.rootIndex, default: []].append(row.key)
        }
        return try keys.sorted { $0.key < $1.key }.flatMap { root, keys in
            try reader.rows(keys.sorted(), root: opened.schema.model.layouts[root])
        }
    }
}
