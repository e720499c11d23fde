// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One simulated process: runs its operations on a separate stack, dies, and is followed by another one.

import CFaults
import CoreData
import Foundation
import SQLiteDriver

/// The record of one operation, in the order of steps.
struct InterleavedRecord: Sendable {
    enum Outcome: String, Sendable {
        /// Its save returned.
        case committed
        /// Its save was refused by a conflict.
        case refused
        /// It was disturbed during its save.
        case unknown
        /// It wrote nothing.
        case nothing
    }

    struct Read: Sendable {
        var begin: Int64
        var end: Int64
        var accounts: [Int: AccountState]
    }

    var step: ScriptedStep
    var begin: Int64
    var end: Int64
    var outcome = Outcome.nothing
    /// The accounts whose rows it may have changed.
    var accounts: Set<Int> = []
    /// The code of the entry that it deletes.
    var deleted: String?
    var reads: [Read] = []
    /// The copy of the store that it made.
    var backup: URL?
    var problems: [String] = []
}

/// Used by its thread, and after its end by the run.
final class InterleavedProcess: @unchecked Sendable {
    private let script: InterleavingScript
    private let number: Int
    private let url: URL
    private let isTraced: Bool
    private var ledger: Ledger?
    private var token: NSPersistentHistoryToken?
    private var lastTransaction: Int64 = 0
    /// Whether the operation was disturbed.
    private var isHit = false
    private var current: InterleavedRecord
    private(set) var records: [InterleavedRecord] = []
    private(set) var deaths = 0

    init(_ script: InterleavingScript, _ number: Int, _ url: URL, isTraced: Bool) {
        (self.script, self.number, self.url, self.isTraced) = (script, number, url, isTraced)
        let nothing = ScriptedStep(number: 0, process: number, operation: .reopen, disturbance: Disturbance())
        current = InterleavedRecord(step: nothing, begin: 0, end: 0)
    }

    func run() {
        ocd_process_enter(Int32(number))
        defer { ocd_process_leave() }
        for step in script.steps where step.process == number { run(step) }
        let last = ScriptedStep(number: 0, process: number, operation: .reopen, disturbance: Disturbance())
        current = InterleavedRecord(step: last, begin: ocd_steps_count(), end: 0)
        do {
            try ledger?.close()
        } catch {
            current.problems.append("closing throws: \(error)")
        }
        ledger = nil
        records.append(current)
    }

    private func run(_ step: ScriptedStep) {
        current = InterleavedRecord(step: step, begin: ocd_steps_count(), end: 0)
        if isTraced { print("\(ocd_steps_count()): \(step.text)") }
        isHit = false
        let disturbance = step.disturbance
        ocd_process_disturb(disturbance.kind, Int64(disturbance.call))
        do {
            let ledger = try ledger ?? open()
            try perform(step, on: ledger)
        } catch {
            if !wasHit() { current.problems.append("\(step.operation) throws: \(error)") }
        }
        if wasHit(), disturbance.kind != OCD_DISTURBANCE_CRASH, ledger?.coordinator.persistentStores.isEmpty == true {
            ledger = nil
        }
        if disturbance.kind == OCD_DISTURBANCE_CRASH || ocd_process_is_dead() { die() }
        current.end = ocd_steps_count()
        if isTraced { print("\(ocd_steps_count()): \(step.name) \(current.outcome)") }
        records.append(current)
    }

    private func open() throws -> Ledger {
        let ledger = try Ledger(script.setup, url, pragmas: script.pragmas)
        if script.isNew { try ledger.fill() }
        self.ledger = ledger
        return ledger
    }

    /// Whether the operation was disturbed; the disturbance is over then.
    private func wasHit() -> Bool {
        if ocd_process_calm() { isHit = true }
        return isHit
    }

    private func die() {
        ocd_process_kill()
        deaths += 1
        ledger = nil
        token = nil
        lastTransaction = 0
        let open = ocd_process_bury()
        if open > 0 { current.problems.append("\(open) files are open after the end of a coordinator") }
    }

    // MARK: Operations

    private func perform(_ step: ScriptedStep, on ledger: Ledger) throws {
        let context = ledger.context(step.name)
        switch step.operation {
        case .transfer(let from, let to, let amount, let rest):
            try context.performAndWait { try transfer(from, to, amount, rest, context) }
        case .claim(let code):
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.performAndWait {
                let claim = NSEntityDescription.insertNewObject(forEntityName: "Claim", into: context)
                claim.setValue("k\(code)", forKey: "code")
                claim.setValue(step.name, forKey: "author")
                save(context)
            }
        case .raise(let account):
            let request = NSBatchUpdateRequest(entityName: "Account")
            request.predicate = NSPredicate(format: "number == %d", account)
            request.propertiesToUpdate = ["raises": NSExpression(format: "raises + 1")]
            current.accounts = [account]
            try write { try context.performAndWait { _ = try context.execute(request) } }
        case .insertEntries(let count):
            let objects = (0..<count).map { ["code": "b\(step.number)-\($0)", "owner": number] as [String: Any] }
            let request = NSBatchInsertRequest(entityName: "Entry", objects: objects)
            try write { try context.performAndWait { _ = try context.execute(request) } }
        case .removeEntries:
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Entry")
            fetch.predicate = NSPredicate(format: "owner == %d", number)
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            try write { try context.performAndWait { _ = try context.execute(request) } }
        case .delete(let account): try context.performAndWait { try delete(account, context) }
        case .read: _ = try context.performAndWait { try read(context) }
        case .pinned(let rest): try context.performAndWait { try readTwice(rest, context) }
        case .history: try context.performAndWait { try readHistory(context) }
        case .checkpoint(let mode): try checkpoint(mode)
        case .reopen:
            do {
                try ledger.reopen()
            } catch {
                self.ledger = nil
                throw error
            }
        case .backup:
            let copy = InterleavedRun.backup(step, beside: url)
            try ledger.backup(to: copy)
            if !ocd_process_is_dead() { current.backup = copy }
        case .jump(let seconds): ocd_clock_jump(Int64(seconds))
        }
    }

    /// A busy log is left as it is.
    private func checkpoint(_ mode: String) throws {
        let connection = try Connection(url: url, options: .init(busyTimeout: .seconds(1)))
        do {
            try connection.execute("PRAGMA wal_checkpoint(\(mode))")
        } catch {
            guard error.isBusy else { throw error }
        }
        try connection.close()
    }

    /// A batch request, whose result is unknown if it was disturbed.
    private func write(_ body: () throws -> Void) throws {
        current.outcome = .unknown
        do {
            try body()
            if !ocd_process_is_dead() { current.outcome = .committed }
        } catch {
            if !wasHit() { throw error }
        }
    }

    private func transfer(
        _ from: Int, _ to: Int, _ amount: Int, _ rest: Int64, _ context: NSManagedObjectContext
    ) throws {
        let accounts = try Ledger.accounts(in: context)
        if rest > 0 { ocd_process_rest(rest) }
        guard let source = accounts[from], let target = accounts[to] else {
            current.problems.append("an account is missing")
            return
        }
        let name = current.step.name
        for (account, change) in [(source, -amount), (target, amount)] {
            let state = Ledger.state(account)
            account.setValue(state.amount + change, forKey: "amount")
            account.setValue((state.log + [name]).joined(separator: ","), forKey: "log")
        }
        let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
        entry.setValue("e\(current.step.number)", forKey: "code")
        entry.setValue(source, forKey: "account")
        current.accounts = [from, to]
        save(context)
    }

    private func delete(_ account: Int, _ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.predicate = NSPredicate(format: "account.number == %d", account)
        request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
        request.fetchLimit = 1
        request.returnsObjectsAsFaults = false
        guard let entry = try context.fetch(request).first else { return }
        current.deleted = entry.value(forKey: "code") as? String
        current.accounts = [account]
        context.delete(entry)
        save(context)
    }

    private func save(_ context: NSManagedObjectContext) {
        current.outcome = .unknown
        for attempt in 1...4 {
            do {
                try context.save()
                if !ocd_process_is_dead() { current.outcome = .committed }
                return
            } catch {
                if ocd_process_is_dead() { return }
                let hit = wasHit()
                if Ledger.isConflict(error) {
                    // An attempt before it may have been committed.
                    current.outcome = hit ? .unknown : .refused
                    return
                }
                if hit, "\(error)".contains("Values could not be read") { return }
                if hit, attempt == 1 || "\(error)".contains("save again") { continue }
                return current.problems.append("a save throws\(hit ? " again" : ""): \(error)")
            }
        }
        current.problems.append("a save asks for another attempt four times")
    }

    @discardableResult
    private func read(_ context: NSManagedObjectContext) throws -> [Int: AccountState] {
        let begin = ocd_steps_count()
        let accounts = try Ledger.states(in: context)
        current.reads.append(.init(begin: begin, end: ocd_steps_count(), accounts: accounts))
        return accounts
    }

    private func readTwice(_ rest: Int64, _ context: NSManagedObjectContext) throws {
        try context.setQueryGenerationFrom(.current)
        let first = try read(context)
        if rest > 0 { ocd_process_rest(rest) }
        context.refreshAllObjects()
        let begin = ocd_steps_count()
        let second = try Ledger.states(in: context)
        if first != second {
            current.problems.append(
                "a query generation changes between steps \(begin) and \(ocd_steps_count()): \(first), then \(second)")
        }
        // Pages that the first read had no need of.
        let names = Set(first.values.flatMap(\.log))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        request.returnsObjectsAsFaults = false
        for entry in try context.fetch(request) {
            let code = entry.value(forKey: "code") as? String ?? ""
            if code.hasPrefix("e"), !names.contains("s\(code.dropFirst())") {
                current.problems.append("a query generation has the entry \(code), and not its transfer")
            }
        }
    }

    private func readHistory(_ context: NSManagedObjectContext) throws {
        let transactions = try LedgerContents.transactions(after: token, in: context)
        for transaction in transactions {
            if transaction.transactionNumber <= lastTransaction {
                current.problems.append(
                    "transaction \(transaction.transactionNumber) comes after \(lastTransaction)")
            }
            lastTransaction = transaction.transactionNumber
            token = transaction.token
        }
    }
}
