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
    @Flag(help: "On a server that Scripts/with-postgres has started.")
    var postgres = false

    func run() throws {
        guard let job = Job(rawValue: job) else { throw ValidationError("there is no job '\(job)'") }
        guard postgres else {
            guard let contender = Contenders.local(contender) else {
                throw ValidationError("there is no contender '\(contender)'")
            }
            return try repeated(
                job, by: contender, on: try Files(in: URL(fileURLWithPath: directory)), Workload(rows: rows))
        }
        let server = try Server.started()
        let contender = ServerContender(server: server.clock)
        try repeated(job, by: contender, on: ServerDatabases(server, contender), ServerJobs.workload(rows: rows))
    }

    private func repeated(
        _ job: Job, by contender: some LocalContender, on databases: some Databases, _ workload: Workload
    ) throws {
        for _ in 0..<times {
            let sample = try databases.withCopy(for: job, of: contender, workload) {
                try contender.run(job, on: $0, workload)
            }
            print(Decimals.text(sample.cpu, places: 1), "ms")
        }
    }
}
