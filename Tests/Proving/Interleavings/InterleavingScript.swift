// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The operations of the simulated processes of one run, drawn from a seed.

import CFaults
import CoreDataTestSupport

enum LedgerOperation: Hashable, Sendable {
    /// Moves an amount between two accounts, notes itself in the logs of both, and inserts an entry. It rests for some
    /// steps between its fetch and its save.
    case transfer(from: Int, to: Int, amount: Int, rest: Int64)
    /// Inserts a claim with a unique code, with a policy that updates the one that is there.
    case claim(Int)
    /// Adds 1 to a counter of an account, by a batch update.
    case raise(Int)
    /// Inserts entries by a batch request.
    case insertEntries(Int)
    /// Deletes the entries that this process has inserted by batch requests, by another one.
    case removeEntries
    /// Deletes the first entry of an account, as an object.
    case delete(Int)
    case read
    /// Reads from one query generation, rests for some steps, and reads from it again.
    case pinned(rest: Int64)
    /// Reads the history since the last time.
    case history
    case checkpoint(String)
    /// Removes the store from its coordinator, and adds it again.
    case reopen
    /// Copies the open store.
    case backup
    /// Moves the calendar's clock by seconds.
    case jump(Int)

    static func draw(_ random: inout SeededGenerator, isWAL: Bool, hasHistory: Bool) -> LedgerOperation {
        let account = Int.random(in: 0..<Ledger.accounts, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<38:
            let other = (account + Int.random(in: 1..<Ledger.accounts, using: &random)) % Ledger.accounts
            return .transfer(
                from: account, to: other, amount: Int.random(in: 1...9, using: &random), rest: rest(&random))
        case ..<48: return .claim(Int.random(in: 0..<3, using: &random))
        case ..<56: return .raise(account)
        case ..<61: return .insertEntries(Int.random(in: 1...20, using: &random))
        case ..<64: return .removeEntries
        case ..<70: return .delete(account)
        case ..<80: return .read
        case ..<85: return isWAL ? .pinned(rest: rest(&random)) : .read
        case ..<90: return hasHistory ? .history : .read
        case ..<93:
            return isWAL
                ? .checkpoint(["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random)!) : .read
        case ..<96: return .reopen
        case ..<98: return .backup
        default: return .jump(Int.random(in: -100_000...100_000, using: &random))
        }
    }

    private static func rest(_ random: inout SeededGenerator) -> Int64 {
        random.chance(0.6) ? 0 : [30, 150, 1_000].randomElement(using: &random)!
    }
}

/// A fault of a process in the n-th call of an operation.
struct Disturbance: Hashable, Sendable {
    var kind = OCD_DISTURBANCE_NONE
    var call = 0

    static func == (one: Disturbance, other: Disturbance) -> Bool {
        one.kind.rawValue == other.kind.rawValue && one.call == other.call
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind.rawValue)
        hasher.combine(call)
    }

    static func draw(_ random: inout SeededGenerator) -> Disturbance {
        guard random.chance(0.12) else { return Disturbance() }
        let kinds = [
            OCD_DISTURBANCE_CRASH, OCD_DISTURBANCE_CRASH, OCD_DISTURBANCE_CRASH, OCD_DISTURBANCE_IO,
            OCD_DISTURBANCE_FULL, OCD_DISTURBANCE_MEMORY,
        ]
        // An operation has some 10 to 100 calls.
        return Disturbance(
            kind: kinds.randomElement(using: &random)!, call: Int.random(in: 1...60, using: &random))
    }

    var text: String {
        switch kind {
        case OCD_DISTURBANCE_CRASH: ", and dies in its call \(call)"
        case OCD_DISTURBANCE_IO: ", and its call \(call) fails"
        case OCD_DISTURBANCE_FULL: ", and the disk is full from its call \(call) on"
        case OCD_DISTURBANCE_MEMORY: ", and its allocation \(call) fails"
        default: ""
        }
    }
}

/// One operation of a process, with a number that no other one of the run has.
struct ScriptedStep: Hashable, Sendable {
    var number: Int
    var process: Int
    var operation: LedgerOperation
    var disturbance: Disturbance

    /// The author of its transaction, and its mark in its rows.
    var name: String { "s\(number)" }
    var text: String { "process \(process): \(name) \(operation)\(disturbance.text)" }
}

/// A switch to another process before a step of a process.
struct ScriptedSwitch: Hashable, Sendable {
    var process: Int32
    var step: Int64
    var next: Int32
}

struct InterleavingScript: Sendable {
    var setup: Setup
    var pragmas: [String: String]
    var processes: Int
    var steps: [ScriptedStep]
    /// Whether the processes make the store.
    var isNew: Bool
    /// Draws the switches.
    var seed: UInt64
    /// The chance of a switch before each call, in 1/65536.
    var chance: UInt32
    /// Whether others may run before an allocation of SQLite, too.
    var switchesInAllocations: Bool
    /// The switches; nil: they are drawn.
    var switches: [ScriptedSwitch]?
    var plant = OCD_PLANT_NONE

    init(_ setup: Setup, seed: UInt64) {
        self.setup = setup
        var random = SeededGenerator(seed: seed)
        processes = Int.random(in: 2...4, using: &random)
        var pragmas: [String: String] = [:]
        if random.chance(0.3) { pragmas["cache_size"] = "5" }
        if setup.isWAL, random.chance(0.6) { pragmas["wal_autocheckpoint"] = ["1", "8"].randomElement(using: &random) }
        self.pragmas = pragmas
        steps = []
        for process in 0..<processes {
            for _ in 0..<Int.random(in: 2...8, using: &random) {
                steps.append(
                    ScriptedStep(
                        number: steps.count + 1, process: process,
                        operation: .draw(&random, isWAL: setup.isWAL, hasHistory: setup.tracksHistory),
                        disturbance: .draw(&random)))
            }
        }
        // From single steps to long runs of one process.
        chance = [20_000, 6_000, 1_500, 400].randomElement(using: &random)!
        switchesInAllocations = random.chance(0.2)
        isNew = random.chance(0.15)
        self.seed = random.next()
    }
}
