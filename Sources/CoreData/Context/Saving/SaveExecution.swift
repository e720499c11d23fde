// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A save from beginning to end.

import Foundation

/// # Order
/// 1. Pending changes are processed; delete rules apply, put-off ones as well.
/// 2. `willSave` is called until nothing new is dirty.
/// 3. Everything is validated; all failures are reported at once. What becomes dirty by it goes through 2 and 3 as
///    well.
/// 4. Changes are collected, one `ChangeSet` for each store. Insertions of stores that take objects get permanent ids
///    before that, and keep them if the save fails.
/// 5. The coordinator hands them down; all stores write, or none, or they report conflicts (`JointSave`). A parent
///    takes the same changes into its own objects instead (`ChildSave`).
/// 6. Conflicts: the merge policy decides, and steps 2 to 5 are done again, a bounded number of times; `willSave` is
///    called
///    on objects that are dirty now and were not before.
/// 7. Accepted: snapshots become committed, insertions get their permanent ids, the row cache learns the rows.
/// 8. `didSave` is called, and the notifications are posted. A save that is called there is one of its own; before
///    that, `save()` throws.
/// # Invariant
/// (1) Whatever is thrown leaves every object as it was, its changes pending. With 134040 these are all but the objects
///     of the stores that have committed (Saving-J5).
struct SaveExecution {
    private static let mostRounds = 1_000
    private static let mostValidations = 100
    private static let mostAttempts = 10
    private static let mostNestedSaves = 50

    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    func run() throws {
        try refuseInsideSave()
        guard let coordinator = context.persistentStoreCoordinator else {
            throw CoreDataError.general("The context has no persistent store coordinator, so it cannot save.")
        }
        context.readNews()
        context.isSaving = true
        context.noticedSets = NoticedSets()
        defer {
            context.noticedSets = nil
            forgetTold()
            context.isSaving = false
            context.announceHasChanges()
        }
        ChangeProcessing(context).run(forSave: true)
        try context.refuseAfterReadFailure()
        let given = context.children.isEmpty ? [:] : shareBlocks()
        ContextNotifications(context).postWillSave()
        try settle()
        try validate()
        try context.refuseAfterReadFailure()
        var acceptance = SaveAcceptance(context, given)
        if let parent = ParentAccess(context) {
            try push(to: parent, coordinator, &acceptance)
        } else {
            try write(to: coordinator, &acceptance)
        }
        moveOn()
        // Everything is written: what is called from now on may save again.
        context.isSaving = false
        context.announcingSaves += 1
        defer { context.announcingSaves -= 1 }
        acceptance.finish()
    }

    private func refuseInsideSave() throws {
        if context.isSaving {
            throw CoreDataError.general(
                "`save()` was called while the context is saving: in `willSave`, in a validation, or by an observer of the will-save "
                    + "notification. The save that runs has the changes that were made there.")
        }
        if context.announcingSaves == Self.mostNestedSaves {
            throw CoreDataError.general(
                "`didSave`, or an observer of a did-save notification, saved again \(Self.mostNestedSaves) times, one save inside the "
                    + "other: let it save only what differs.")
        }
    }

    /// What the context reads from now on has what was just written.
    private func moveOn() {
        context.epoch += 1
        context.pinAnew()
    }

    /// The values before `willSave`, which children may have read or given.
    private func shareBlocks() -> [ObjectIdentifier: Snapshot] {
        var blocks: [ObjectIdentifier: Snapshot] = [:]
        for object in context.tracker.unsaved where !object.isDeleted {
            object.flags.remove(.ownsSnapshot)
            blocks[ObjectIdentifier(object)] = object.snapshot
        }
        return blocks
    }

    private func settle() throws {
        for _ in 0..<Self.mostRounds {
            let objects = context.tracker.unsavedObjects { $0.hasChanges && !$0.flags.contains(.toldWillSave) }
            if objects.isEmpty { return }
            var answers = WillSaveAnswers()
            objects.lookAtEach { object in
                object.flags.insert(.toldWillSave)
                object.willSave()
                if object.flags.contains(.updatedInEvent) { answers.note(object) }
            }
            // Mostly `willSave` changes nothing.
            if context.tracker.event.isEmpty, context.tracker.invalidatedAll == nil { return }
            for object in context.tracker.event where answers.isOutdated(object) { object.flags.remove(.toldWillSave) }
            ChangeProcessing(context).run(forSave: true)
        }
        throw CoreDataError.storeSave(
            "`willSave` made new changes \(Self.mostRounds) times in a row: let it change only what differs.")
    }

    /// Validation may change values, and by way of them make other objects dirty: those are looked at as well.
    private func validate() throws {
        for _ in 0..<Self.mostValidations {
            try SaveValidation(context).run()
            if context.tracker.event.isEmpty { return }
            ChangeProcessing(context).run(forSave: true)
            if context.tracker.unsaved.isTrue(of: { !$0.hasChanges || $0.flags.contains(.toldWillSave) }) { return }
            try settle()
        }
        throw CoreDataError.storeSave(
            "Validation made new changes \(Self.mostValidations) times in a row: let it change only what differs.")
    }

    private func forgetTold() {
        context.tracker.unsaved.lookAtEach { $0.flags.remove(.toldWillSave) }
    }

    private func write(to coordinator: NSPersistentStoreCoordinator, _ acceptance: inout SaveAcceptance) throws {
        for _ in 0..<Self.mostAttempts {
            try PermanentIDs(context).obtainForStoresThatTakeObjects(coordinator)
            let changes = try ChangeCollection(context, coordinator).collect()
            context.endReads()
            let written = coordinator.save(changes.map { ($0.store, $0.set) })
            let results = zip(changes, written.outcomes).map { changes, outcome in changes.with(outcome) }
            for batch in results where batch.outcome.isWritten { acceptance.accept(batch) }
            if let cause = written.failure { throw failure(cause, written, results, acceptance) }
            let conflicted = results.filter { !$0.outcome.conflicts.isEmpty }
            if conflicted.isEmpty { return }
            try resolve(conflicted)
        }
        throw unresolved
    }

    /// What to throw when a store failed: 134040 if others hold their part for good (Saving-J5).
    private func failure(
        _ cause: any Error, _ save: JointSave, _ results: [StoreChanges], _ acceptance: SaveAcceptance
    ) -> any Error {
        guard save.outcomes.contains(where: \.isWritten) else { return cause }
        context.tracker.compact()
        moveOn()
        acceptance.announce()
        var rest: [NSManagedObject] = []
        for batch in results where !batch.outcome.isWritten { rest += batch.inserted + batch.updated + batch.deleted }
        return CoreDataError.incompleteSave(failed: save.unwritten, objects: rest, underlying: cause)
    }

    /// A parent takes over everything or, when there are conflicts, nothing.
    private func push(
        to parent: ParentAccess, _ coordinator: NSPersistentStoreCoordinator, _ acceptance: inout SaveAcceptance
    ) throws {
        for _ in 0..<Self.mostAttempts {
            let changes = try ChangeCollection(context, coordinator).collect()
            let results = zip(changes, try parent.save(changes)).map { changes, outcome in changes.with(outcome) }
            let conflicted = results.filter { !$0.outcome.conflicts.isEmpty }
            guard conflicted.isEmpty else {
                try resolve(conflicted)
                continue
            }
            for batch in results { acceptance.acceptFromParent(batch) }
            return
        }
        throw unresolved
    }

    private func resolve(_ conflicted: [StoreChanges]) throws {
        try ConflictResolution(context).resolve(conflicted)
        try context.refuseAfterReadFailure()
        // What the policy changed may be news to objects, and need not be valid.
        try settle()
        try validate()
    }

    private var unresolved: NSError {
        CoreDataError.storeSave(
            "Conflicts came back \(Self.mostAttempts) times although the merge policy resolved them.")
    }
}

/// The changes of one save in one store, with the objects they come from, and what became of them.
struct StoreChanges {
    let store: any RecordStore
    /// The store's row cache's, of before anything is written.
    let moment: Int
    var set = ChangeSet()
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    /// Objects with the flag `checked` that did not change.
    var checked: [NSManagedObject] = []
    var outcome = SaveOutcome()

    init(store: any RecordStore) {
        self.store = store
        moment = store.rowCache.moment
    }

    func with(_ outcome: SaveOutcome) -> StoreChanges {
        var result = self
        result.outcome = outcome
        return result
    }
}
