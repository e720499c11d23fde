// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The main command: runs the jobs and writes the results.

import ArgumentParser
import Foundation

@main struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures OpenCoreData beside raw SQLite and other libraries.",
        subcommands: [
            RunCommand.self, BeyondCommand.self, ReportCommand.self, MemoryCommand.self, RepeatCommand.self,
            SaveCommand.self, MigrationsCommand.self, MigrationCommand.self, PostgreSQLCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the jobs in interleaved rounds and writes the results.")

    @Option(help: "Numbers of employees, separated by commas; several give a table of growth.")
    var rows = "100000"
    @Option(help: "How often each contender does each job.")
    var rounds = 15
    @Option(help: "The same for the numbers of employees after the first.")
    var growthRounds = 3
    @Option(
        help: """
            Jobs, separated by commas: J1, J2, J2a, J3, J4, J5, J6, J6n, J7, J7n, J7i, J8, memory, all of them unless \
            given; or orders-first, orders-fresh, orders-kept, which read a wide table.
            """
    )
    var jobs: String?
    @Option(help: "Contenders, separated by commas. All of this process unless given.")
    var contenders: String?
    @Flag(help: "Two rounds with 10,000 rows: whether everything works, not how fast it is.")
    var quick = false
    @Option(help: "The Python that has SQLAlchemy and Django; without it they do not take part.")
    var python: String?
    @Option(help: "Where the scripts for Python are.")
    var peers = "Peers"
    @Option(help: "How many of the rounds the peers take part in.")
    var peerRounds = 3
    @Option(help: "Where latest.json, latest.md and latest.svg are written.")
    var results = "results"
    @Option(help: "Another name for these files than latest.")
    var name = ResultFiles.usualName
    @Option(help: "Where the databases are made, on the kind of disk that is of interest.")
    var directory = ".build"

    func run() throws {
        let plan = try Plan(self)
        Console.say(plan.announcement)
        let files = try Files(in: URL(fileURLWithPath: directory))
        var entries: [ResultEntry] = []
        for rows in plan.rows {
            let rounds = Rounds(
                contenders: plan.contenders, jobs: plan.jobs, rounds: plan.rounds(of: rows), slowRounds: peerRounds,
                databases: files)
            if !plan.jobs.isEmpty {
                entries += ResultEntry.entries(try rounds.run(Workload(rows: rows), progress: Console.say))
            }
            if plan.measuresMemory { entries += try MemoryRuns(files: files).entries(plan.contenders, rows: rows) }
        }
        try ResultFiles(URL(fileURLWithPath: results), name: name).write(entries)
    }
}
