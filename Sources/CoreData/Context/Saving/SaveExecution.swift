// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A save from beginning to end.

import Foundation

/// # Order
/// 1. Pending changes are processed; delete rules apply, including deferred ones.
/// 2. `willSave` is called until no more objects become dirty.
/// 3. Everything is validated; all failures are reported at once. Objects that this makes dirty go through 2 and 3 as
///    well.
/// 4. Changes are collected, one `ChangeSet` for each store. Insertions of stores that take objects get permanent ids
///    before that, and keep them if the save fails.
/// 5. The coordinator passes them to the stores; all write, or none, or they report conflicts (`JointSave`). A parent
///    context applies the same changes to its objects instead (`ChildSave`).
/// 6. Conflicts: the merge policy decides, and steps 2 to 5 are repeated, as long as other contexts commit in the
///    meantime (`SaveAttempts`); `willSave` is called on objects that have become dirty.
/// 7. Accepted: snapshots become committed, insertions get their permanent ids, the row cache gets the rows.
/// 8. `didSave` is called, and the notifications are posted. A save that is called there is a separate one; before
///    that, `save()` throws.
/// # Invariant
/// (1) After an error every object is as before, with its changes pending. With 134040 this excludes the objects of the
///     stores that have committed (Saving-J5).
struct SaveExecution {
    private let state: ContextState
    private let coordinator: NSPersistentStoreCoordinator
    private let preparation: SavePreparation
    private let processing: ChangeProcessing

    init(_ state: ContextState) throws {
        self.state = state
        coordinator = try state.requireCoordinator("save")
        preparation = SavePreparation(state, coordinator)
        processing = ChangeProcessing(state)
    }

    func run() throws {
        try begin()
        defer { end() }
        try processChanges()
        let shared = shareBlocks()
        try preparation.run()
        var acceptance = SaveAcceptance(state, shared)
        try write(&acceptance)
        advance()
        acceptance.acceptUnwritten()
        announce(acceptance)
    }

    // MARK: Begin and end

    private func begin() throws {
        try state.saves.begin()
        state.applyParentUpdates()
        state.notices.beginSave()
    }

    private func end() {
        state.notices.endSave()
        state.tracker.unsaved.lookAtEach { $0.flags.remove(.calledWillSave) }
        state.saves.end()
        state.tracker.announceHasChanges()
    }

    // MARK: Steps

    private func processChanges() throws {
        processing.run(forSave: true)
        try preparation.checkReads()
    }

    /// Shares the blocks of unsaved objects with the child contexts, which may have read or provided the values.
    ///
    /// - Returns: the values before `willSave`; empty without children.
    private func shareBlocks() -> [ObjectIdentifier: Snapshot] {
        var blocks: [ObjectIdentifier: Snapshot] = [:]
        if state.relations.children.isEmpty { return blocks }
        for object in state.tracker.unsaved where !object.isMarkedDeleted {
            object.flags.remove(.ownsSnapshot)
            blocks[ObjectIdentifier(object)] = object.snapshot
        }
        return blocks
    }

    /// Writes to the source until it reports no conflicts.
    private func write(_ acceptance: inout SaveAcceptance) throws {
        var attempts = SaveAttempts()
        while true {
            try PermanentIDs(state, coordinator).assignBeforeSave()
            // Reads the unread members of ordered to-many relationships: without them their order would be lost
            // (Saving-E5).
            let changes = try state.failures.throwing { try ChangeCollection(state, coordinator).collect() }
            let saved = try state.source.save(changes)
            let results = zip(changes, saved.outcomes).map { changes, outcome in changes.with(outcome) }
            for batch in results where batch.outcome.isWritten { acceptance.accept(batch) }
            RunningOperation.current?.note(results, state.settings)
            if let failure = saved.failure {
                let cause = CoreDataError.withRefusedObject(failure) { root, key in
                    Self.object(root: root, key: key, in: changes)
                }
                throw self.failure(cause, saved, results, acceptance)
            }
            let conflicted = results.filter { !$0.outcome.conflicts.isEmpty }
            if conflicted.isEmpty { return }
            try attempts.note(conflicted)
            try ConflictResolution(state).resolve(conflicted)
            RunningOperation.current?.report.retries += 1
            processing.run(forSave: true)
            try preparation.runAgain()
        }
    }

    private static func object(root: Int, key: Int64, in changes: [StoreChanges]) -> NSManagedObject? {
        for batch in changes {
            for objects in [batch.inserted, batch.updated, batch.deleted] {
                let object = objects.first { $0.table.layout.rootIndex == root && $0.key == key }
                if let object { return object }
            }
        }
        return nil
    }

    /// The error of a store; 134040 if other stores have already committed their part (Saving-J5).
    private func failure(
        _ cause: any Error, _ save: SourceSave, _ results: [StoreChanges], _ acceptance: SaveAcceptance
    ) -> any Error {
        guard save.outcomes.contains(where: \.isWritten) else { return cause }
        state.tracker.compact()
        advance()
        SaveAnnouncement(state).post(acceptance.announce(by: state.notices))
        acceptance.release()
        var rest: [NSManagedObject] = []
        for batch in results where !batch.outcome.isWritten { rest += batch.inserted + batch.updated + batch.deleted }
        return CoreDataError.incompleteSave(failed: save.unwritten, objects: rest, underlying: cause)
    }

    /// Lets the context read the rows of this save.
    private func advance() { state.scope.advanceAfterSave() }

    /// Everything is written: `didSave` and observers may save again.
    private func announce(_ acceptance: SaveAcceptance) {
        acceptance.look { ContextInvariants(state.tracker, state.storedRegistry).check($0) }
        state.saves.announce {
            SaveAnnouncement(state).post(acceptance.announce(by: state.notices))
            acceptance.release()
        }
    }
}
