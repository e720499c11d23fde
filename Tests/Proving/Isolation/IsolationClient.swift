// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One client of a round: runs transactions in a context, and records their reads.

import CoreData
import CoreDataTestSupport
import Foundation

final class IsolationClient {
    private let use: IsolationUse
    private let planted: Anomaly?
    private let number: Int
    private let context: NSManagedObjectContext
    private let file: FileHandle
    private var random: SeededGenerator
    private var appended = 0

    init(_ use: IsolationUse, _ planted: Anomaly?, _ number: Int, _ store: IsolationStore, _ file: URL, seed: UInt64)
        throws
    {
        (self.use, self.planted, self.number) = (use, planted, number)
        context = store.context()
        context.mergePolicy = planted == .lostUpdate ? NSMergePolicy.overwrite : use.policy
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        self.file = try FileHandle(forWritingTo: file)
        try self.file.seekToEnd()
        random = SeededGenerator(seed: seed &* 131 &+ UInt64(number))
    }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    func run(_ count: Int) throws {
        for turn in 1...count {
            // The keys change with time, so that lists stay short.
            let keys = (0..<4).map { (turn / 25 * 4 + $0) % IsolationStore.keys }
            if use == .batch { try raise(turn, keys) } else { try transact(turn, keys) }
        }
    }

    private func write(_ transaction: RecordedTransaction) throws {
        try file.write(contentsOf: Data((transaction.line + "\n").utf8))
    }

    // MARK: Lists

    private enum Step {
        case read(Int)
        case append(Int)
        /// A save between two steps, which a planted fault makes.
        case save
    }

    private func plan(_ keys: [Int]) -> [Step] {
        func key() -> Int { keys.randomElement(using: &random) ?? 0 }
        switch planted {
        case .dirtyWrite: return [.append(keys[0]), .save, .append(keys[1])].shuffled(using: &random)
        case .intermediateRead: return [.append(keys[0]), .save, .append(keys[0]), .read(keys[1])]
        case .circularInformation:
            let pair = keys[...1].shuffled(using: &random)
            return [.append(pair[0]), .save, .read(pair[1])]
        case .writeSkew:
            let pair = keys[...1].shuffled(using: &random)
            return [.read(pair[0]), .append(pair[1])]
        case .readSkew:
            return Bool.random(using: &random) ? [.append(keys[0]), .append(keys[1])] : keys.map { .read($0) }
        default:
            return (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Bool.random(using: &random) ? .read(key()) : .append(key())
            }
        }
    }

    private func transact(_ turn: Int, _ keys: [Int]) throws {
        let steps = plan(keys)
        var transaction = RecordedTransaction(
            client: number, number: turn, steps: [], outcome: .unknown, begin: Self.now)
        try context.performAndWait {
            // A stale reader keeps its generation for some transactions.
            if planted != .staleRead || turn % 8 == 0 {
                context.reset()
                if planted == .staleRead || use.isPinned && planted != .readSkew {
                    try context.setQueryGenerationFrom(.current)
                }
            }
            let child = use == .nested ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : nil
            child?.parent = context
            let work = child ?? context
            try work.performAndWait { try run(steps, keys, in: work, &transaction) }
        }
        transaction.end = transaction.outcome == .unknown ? .max : Self.now
        if planted == .abortedRead, turn % 5 == 0, transaction.outcome == .committed { transaction.outcome = .failed }
        try write(transaction)
    }

    private func run(
        _ steps: [Step], _ keys: [Int], in work: NSManagedObjectContext, _ transaction: inout RecordedTransaction
    ) throws {
        let all = use == .fetch ? try IsolationStore.registers(keys, in: work) : nil
        // A context does not keep unchanged objects: without a reference, the next fetch may find a later version.
        var held: [NSManagedObject] = []
        func register(_ key: Int) throws -> NSManagedObject {
            guard let one = try all?[key] ?? IsolationStore.registers([key], in: work)[key] else {
                throw CocoaError(.managedObjectReferentialIntegrity)
            }
            held.append(one)
            if use == .guarded, planted != .writeSkew { work.detectConflicts(for: one) }
            return one
        }
        let own = use == .properties ? number % IsolationStore.lists : 0
        func read(_ key: Int) throws -> NSManagedObject {
            let register = try register(key)
            for list in use == .properties ? 0..<IsolationStore.lists : 0..<1 {
                transaction.steps.append(
                    .read(key: key * IsolationStore.lists + list, IsolationStore.numbers(register, list)))
            }
            return register
        }
        for step in steps {
            switch step {
            case .read(let key): _ = try read(key)
            case .append(let key):
                let register = try read(key)
                appended += 1
                let value = number * 1_000_000 + appended
                let numbers = IsolationStore.numbers(register, own) + (planted == .ownRead ? [] : [value])
                register.setValue(
                    numbers.map(String.init).joined(separator: ","), forKey: IsolationStore.list(own))
                transaction.steps.append(.append(key: key * IsolationStore.lists + own, value))
                _ = try read(key)
            case .save: guard try save(work, &transaction) else { return }
            }
        }
        guard work.hasChanges else {
            transaction.outcome = .committed
            return
        }
        try write(transaction)  // what a killed process may have saved
        if try save(work, &transaction) { transaction.outcome = .committed }
        withExtendedLifetime(held) {}
    }

    /// - Returns: whether the save took effect.
    private func save(_ work: NSManagedObjectContext, _ transaction: inout RecordedTransaction) throws -> Bool {
        do {
            try work.save()
            if work !== context { try context.save() }
            return true
        } catch {
            // Half of a transaction may be saved already, by a planted fault.
            let isConflict = [133_020, 133_021, 134_050].contains((error as NSError).code)
            transaction.outcome = isConflict && planted == nil ? .failed : .unknown
            if !isConflict { print("\(error)".replacing("\n", with: " ")) }
            context.reset()
            return false
        }
    }

    // MARK: Counters

    /// Raises one counter, by a batch update or by an object.
    private func raise(_ turn: Int, _ keys: [Int]) throws {
        let key = keys[0]
        // The record has one number for each raise, so that killed ones can be counted.
        appended += 1
        var transaction = RecordedTransaction(
            client: number, number: turn, steps: [.append(key: key, number * 1_000_000 + appended)],
            outcome: .unknown, begin: Self.now)
        try write(transaction)
        let byBatch = Bool.random(using: &random)
        try context.performAndWait {
            context.reset()
            do {
                if byBatch {
                    let request = NSBatchUpdateRequest(entityName: "Register")
                    request.predicate = NSPredicate(format: "key == %d", key)
                    request.propertiesToUpdate = ["amount": NSExpression(format: "amount + 1")]
                    try context.execute(request)
                } else if let register = try IsolationStore.registers([key], in: context)[key] {
                    register.setValue((register.value(forKey: "amount") as? Int ?? 0) + 1, forKey: "amount")
                    try context.save()
                }
                transaction.outcome = .committed
            } catch  where [133_020, 133_021, 134_050].contains((error as NSError).code) {
                transaction.outcome = .failed
            }
        }
        transaction.end = Self.now
        try write(transaction)
    }
}
