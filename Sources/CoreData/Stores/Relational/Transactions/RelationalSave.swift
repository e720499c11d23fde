// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves a change set in one transaction of a database, and finds the conflicts if the transaction is refused.

import Foundation

/// One save.
///
/// # States
///     prepared ──transaction──▶ written ──confirm, commit──▶ committed
///        ▲  ▲                      │                 └──▶ unknown: remembered, and thrown (StoreInterface-V4)
///        │  └──rows exchange unique values: parked, once──┤
///        └──rows changed, but no conflict is left─────────┤
///                                                      refused ──▶ conflicts
/// # Invariants
/// (1) A save is repeated only if its transaction was rolled back and, except after a refusal, before `confirm`.
/// (2) Conflicts are found outside of the transaction, versions first (StoreInterface-4).
package struct RelationalSave<Backend: SaveBackend> {
    /// The number of times that a save is tried while other transactions change its rows.
    private static var mostAttempts: Int { 4 }

    private var backend: Backend
    /// The changes as the context has them.
    private let asked: ChangeSet
    /// The changes that are written.
    private var changes: ChangeSet
    /// Conflicts of unique values put the rows that have them into the row cache.
    private let permit: CacheFillPermit
    /// Set if an earlier attempt of this save is durable (`IndeterminateCommit`).
    private var continuation: IndeterminateCommit.Continuation?

    package init(_ backend: Backend, _ changes: ChangeSet, _ permit: CacheFillPermit) {
        (self.backend, self.permit) = (backend, permit)
        (asked, self.changes) = (changes, changes)
    }

    package mutating func run(_ confirm: () throws -> Bool) throws -> SaveOutcome {
        try prepare()
        var keys = AssignedKeys()
        var (attempt, isParking) = (1, false)
        while true {
            var isConfirmed = false
            do {
                return try once(isParking, &keys) {
                    isConfirmed = true
                    return try confirm()
                }
            } catch let refusal as SaveRefusal {
                if case .duplicate = refusal, Backend.parks, !isParking,
                    backend.planner.tradingUpdates(changes).count > 1
                {
                    isParking = true
                    continue
                }
                if attempt < Self.mostAttempts, let overtaken = continuation?.overtaken.count {
                    try prepare()
                    if continuation?.overtaken.count ?? 0 > overtaken {
                        attempt += 1
                        continue
                    }
                }
                let conflicts = try conflicts(refusal)
                if !conflicts.isEmpty { return SaveOutcome(conflicts: conflicts) }
                // The other transaction has ended, so try again.
                guard attempt < Self.mostAttempts else { throw try error(refusal, keys) }
            } catch let error where !isConfirmed && backend.isTransient(error) {
                guard attempt < Self.mostAttempts else { throw error }
            } catch {
                throw try backend.explained(error, changes, keys)
            }
            Thread.sleep(forTimeInterval: .random(in: 0.001...0.02) * Double(attempt))
            attempt += 1
            RunningOperation.current?.report.retries += 1
        }
    }

    private func error(_ refusal: SaveRefusal, _ keys: AssignedKeys) throws -> any Error {
        switch refusal {
        case .outdated: CoreDataError.storeOperation("The rows of the save changed with each attempt.")
        case .duplicate(let error): try backend.explained(error, changes, keys)
        }
    }

    /// Computes the changes to write from the requested ones: earlier attempts may be durable.
    private mutating func prepare() throws {
        (continuation, changes) = (nil, asked)
        let commits = try backend.settledCommits()
        if !commits.isEmpty {
            let backend = backend
            continuation = try commits.continuation(asked, backend.schema.model) { keys, root in
                try backend.read { try $0.rows(keys, root: root) }
            }
            if let continuation {
                changes = continuation.changes
                permit.forget(continuation.overtaken)
            }
        }
        changes = try backend.prepare(changes)
    }

    private func once(_ isParking: Bool, _ keys: inout AssignedKeys, _ confirm: () throws -> Bool) throws
        -> SaveOutcome
    {
        var outcome = SaveOutcome(isWritten: true)
        outcome.versions = continuation?.versions ?? [:]
        let end = try backend.transaction(confirm) { session in
            keys = try session.keys(of: changes.inserts)
            for (temporary, permanent) in continuation?.keys ?? [] { keys.set(permanent, for: temporary) }
            let tombstones = try session.tombstones(of: changes.deletes)
            try session.write(changes, keys, parking: isParking)
            outcome.permanentKeys = keys
            try session.recompute(changes, keys, into: &outcome)
            if session.records {
                outcome.transactionNumber = try session.record(RecordedChanges(changes, keys), tombstones)
            }
        }
        switch end {
        case .committed: return outcome
        case .rolledBack: return SaveOutcome()
        case .unknown(let mark, let error):
            backend.remember(mark, .init(changes, outcome, asked: asked, after: continuation?.earlier))
            RunningOperation.current?.report.isCommitUnknown = true
            throw error
        }
    }

    private func conflicts(_ refusal: SaveRefusal) throws -> [SaveOutcome.Conflict] {
        try backend.read { reader in
            switch refusal {
            case .outdated(let rows): return try reader.versionConflicts(rows)
            case .duplicate:
                let outdated = try reader.versionConflicts(changes.versionedChanges)
                if !outdated.isEmpty { return outdated }
                var reader = reader
                reader.cache = permit
                return try reader.uniquenessConflicts(changes)
            }
        }
    }
}
