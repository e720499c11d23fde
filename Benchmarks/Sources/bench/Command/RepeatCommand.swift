// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that repeats one job for a profiler.

import ArgumentParser
import Foundation

struct RepeatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeat",
        abstract: "Does one job of one contender several times, and nothing else: for a profiler.")

    @Option var contender = "opencoredata"
    @Option var job: String
    @Option var rows = 100_000
    @Option var times = 10
    @Option var directory = ".build"

    func run() throws {
        guard let job = Job(rawValue: job) else { throw ValidationError("there is no job '\(job)'") }
        guard let contender = Contenders.local(contender) else {
            throw ValidationError("there is no contender '\(contender)'")
        }
        let files = try Files(in: URL(fileURLWithPath: directory))
        let workload = Workload(rows: rows)
        for _ in 0..<times {
            let sample = try files.withCopy(for: job, of: contender, workload) {
                try contender.runUnchecked(job, on: $0, workload)
            }
            print(Decimals.text(sample.cpu, places: 1), "ms")
        }
    }
}
