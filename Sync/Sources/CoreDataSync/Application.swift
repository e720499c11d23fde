// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the pages of a pull into the app's store, in one save between two commits of the sidecar.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// One application. `Documentation/Design.md`, "Crash points of a device", has the steps.
struct Application {
    let engine: SyncEngine
    let states: [UUID: SyncRecordState]
    let page: SyncPage?
    /// Whether records are gone that `states` does not have.
    let isWhole: Bool
    /// The revision that the device has afterwards; nil for that of the page.
    var revision: Int64?

    init(engine: SyncEngine, session: PullSession) {
        self.engine = engine
        states = session.states
        page = session.last
        isWhole = session.last?.isWhole ?? false
    }

    /// - Parameter states: a part of the records of a first pull; the device has no revision yet.
    init(engine: SyncEngine, part states: [UUID: SyncRecordState], page: SyncPage) {
        self.engine = engine
        self.states = states
        self.page = page
        isWhole = false
        revision = 0
    }

    /// - Parameters:
    ///   - staging: changes the sidecar in the commit before the app's save.
    ///   - clearing: changes it in the commit after that.
    /// - Returns: nil if the app saved meanwhile.
    func run(staging: () throws -> Void = {}, clearing: () throws -> Void = {}) throws -> AppliedSummary? {
        guard let page else { return nil }
        let id = engine.environment.makeID()
        let context = engine.newContext()
        return try engine.sidecar.perform {
            let state = try engine.sidecar.state()
            let names = NameTable(engine.sidecar)
            return try context.performAndWait {
                context.transactionAuthor =
                    engine.faults.contains(.savesAsApp) ? nil : AppHistory.author(id)
                var change = PageChange(
                    engine: engine, context: context, names: names, states: states,
                    isWhole: isWhole, removals: state.removals)
                try change.make()
                let summary = AppliedSummary(
                    inserted: context.insertedObjects.count, updated: context.updatedObjects.count,
                    deleted: context.deletedObjects.count)
                let journal = Journal(
                    id: id, after: page.next, revision: revision ?? page.revision, clock: page.clock,
                    named: try change.named(),
                    forgotten: change.forgotten)
                try staging()
                guard context.hasChanges else {
                    try clearing()
                    try engine.crash(.beforeJournal)
                    try engine.adopt(journal, state, names)
                    try engine.crash(.afterApplication)
                    return summary
                }
                state.journal = journal
                try engine.crash(.beforeJournal)
                try engine.sidecar.save()
                try engine.crash(.afterJournal)
                guard try save(context, state) else { return nil }
                try engine.crash(.afterSave)
                try clearing()
                try engine.adopt(journal, state, names)
                try engine.crash(.afterApplication)
                return summary
            }
        }
    }

    /// - Returns: false if the app saved the same objects meanwhile.
    private func save(_ context: NSManagedObjectContext, _ state: StateRow) throws -> Bool {
        do {
            try context.save()
            return true
        } catch {
            state.journal = nil
            try engine.sidecar.save()
            let cause = error as NSError
            let conflicts = [NSManagedObjectMergeError, NSManagedObjectConstraintMergeError]
            guard cause.domain == NSCocoaErrorDomain, conflicts.contains(cause.code) else { throw error }
            return false
        }
    }
}

extension SyncEngine {
    /// Makes a journal true.
    func adopt(_ journal: Journal, _ state: StateRow, _ names: NameTable) throws {
        try names.load(names: journal.named.map(\.name) + journal.forgotten)
        for name in journal.forgotten { if let row = try names.row(name: name) { names.remove(row) } }
        if try !passOwnTransactions(state) { state.adopted += [journal.id] }
        let number = state.places.last?.number ?? 0
        names.reserve(journal.named.count)
        for named in journal.named {
            if let row = try names.row(name: named.name) {
                if row.uri != named.object { row.uri = named.object }
                row.known = named.known
            } else {
                names.insert(named.name, uri: named.object, number: number).known = named.known
            }
        }
        state.after = journal.after
        state.revision = journal.revision
        state.isAnew = false
        try passStagedRecords(journal, state)
        state.removals = []
        state.journal = nil
        var clock = SyncHybridClock(last: state.clock)
        clock.observe(journal.clock)
        state.clock = clock.last
        try sidecar.save()
    }

    /// What waited for a part of a first pull, and is in the app's store now, must not be applied again: the app may
    /// change it from now on.
    private func passStagedRecords(_ journal: Journal, _ state: StateRow) throws {
        guard state.isSettingUp else { return }
        if journal.revision > 0 {
            try sidecar.removeStagedRecords()
            state.isSettingUp = false
        } else {
            try sidecar.removeStagedRecords(journal.named.map(\.name) + journal.forgotten)
        }
    }

    /// Puts sync's transactions after the captured place into the sidecar's list, if the app saved none between them.
    ///
    /// - Returns: whether the sidecar lists all of sync's transactions now.
    private func passOwnTransactions(_ state: StateRow) throws -> Bool {
        let context = newContext()
        let last = state.places.last
        let transactions = try context.performAndWait {
            try AppHistory(context: context).transactions(after: last, .transactionsOnly)
        }
        guard last != nil, !transactions.contains(where: \.isOfApp) else { return false }
        if !transactions.isEmpty { state.places += CapturedPlace.list(of: transactions) }
        state.adopted = []
        passed = nil
        passedPlaces = []
        return true
    }

    /// After the end of a process between two commits: makes the journal true if its save is in the app's history, and
    /// drops it otherwise.
    func finishApplication() throws {
        try sidecar.perform {
            let state = try sidecar.state()
            guard let journal = state.journal else { return }
            let context = newContext()
            let isSaved = try context.performAndWait {
                try AppHistory(context: context).hasTransaction(author: journal.id, after: state.places.last)
            }
            if isSaved {
                try adopt(journal, state, NameTable(sidecar))
            } else {
                state.journal = nil
                try sidecar.save()
            }
        }
    }
}
