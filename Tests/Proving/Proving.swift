// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The program of the proving ground: runs one harness, or one job of it in a separate process.

import CFaults
import CoreData
import Foundation
import Synchronization

/// Documentation/Internals/ProvingGround.md.
@main
enum Proving {
    static var harnesses: [any Harness.Type] {
        [
            Faults.self, Crashes.self, Kills.self, Processes.self, Simulation.self, Hostile.self, Threads.self,
            Soak.self, Outages.self, Isolation.self, Damage.self, Interleavings.self, Archives.self, Limits.self,
        ]
    }

    static func main() {
        ocd_write_lines()
        guard let options = Options(CommandLine.arguments),
            let harness = harnesses.first(where: { $0.name == options.harness })
        else {
            let names = harnesses.map { $0.name }.joined(separator: "|")
            print(
                "usage: proving \(names) [--long] [--cases N] [--seed S] [--job NAME] [--only N] [--plant] "
                    + "[--patience FACTOR] [--trace]")
            exit(2)
        }
        if let job = options.worker {
            if harness.ordersCalls { IdleTransactions.areKept.store(false, ordering: .relaxed) }
            harness.work(job, options, Report())
            exit(0)
        }
        exit(Supervisor(harness, options).run() ? 0 : 1)
    }
}

/// One subject with its jobs, each of which runs in a separate process.
protocol Harness {
    static var name: String { get }
    /// The longest time of one case, in seconds.
    static var patience: Int { get }
    /// Whether a seed or a count determines the order of all calls to files. Then nothing may run on another thread.
    static var ordersCalls: Bool { get }
    static func jobs(_ options: Options) -> [String]
    /// Runs the cases of a job from `options.first` on, each announced to the report with its number.
    static func work(_ job: String, _ options: Options, _ report: Report)
}

extension Harness {
    static var patience: Int { 30 }
    static var ordersCalls: Bool { false }
}

struct Options: Sendable {
    var harness = ""
    var isLong = false
    var seed: UInt64 = 1
    /// The number of cases of each job; nil for that of the short or the long form.
    var cases: Int?
    /// The only job to run.
    var job: String?
    /// The only case to run.
    var only: Int?
    /// Multiplies the longest time of a case, for a busy machine.
    var patience = 1
    /// Whether a simulation prints each step.
    var isTraced = false
    /// Whether a fault is planted, which the harness must find.
    var isPlanted = false
    /// The job of this process, which is not the supervisor.
    var worker: String?
    /// The case to begin with.
    var first = 1
    /// Further arguments of a worker.
    var extra: [String] = []

    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        guard let name = rest.popFirst() else { return nil }
        harness = name
        while let word = rest.popFirst() {
            switch word {
            case "--long": isLong = true
            case "--plant": isPlanted = true
            case "--trace": isTraced = true
            case "--seed":
                guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
                seed = value
            case "--cases":
                guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
                cases = value
            case "--job":
                guard let value = rest.popFirst() else { return nil }
                job = value
            case "--patience":
                guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
                patience = value
            case "--only":
                guard let value = rest.popFirst().flatMap(Int.init) else { return nil }
                only = value
            case "--worker":
                guard let value = rest.popFirst() else { return nil }
                worker = value
            case "--first":
                guard let value = rest.popFirst().flatMap(Int.init) else { return nil }
                first = value
            default: extra.append(word)
            }
        }
    }

    /// The number of cases of a job.
    func cases(short: Int, long: Int) -> Int { cases ?? (isLong ? long : short) }

    /// The arguments of a worker with these options.
    func arguments(for job: String, first: Int) -> [String] {
        var arguments = [harness, "--worker", job, "--first", String(first), "--seed", String(seed)]
        if isLong { arguments.append("--long") }
        if isPlanted { arguments.append("--plant") }
        if isTraced { arguments.append("--trace") }
        if let cases { arguments += ["--cases", String(cases)] }
        if let only { arguments += ["--only", String(only)] }
        return arguments
    }
}
