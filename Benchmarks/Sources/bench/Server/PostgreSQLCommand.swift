// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that runs the jobs on a PostgreSQL server and writes the results.

import ArgumentParser
import Foundation

struct PostgreSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Runs the jobs on a PostgreSQL server, in interleaved rounds, beside the best way in C.")

    @Option(help: "The number of employees, a multiple of 100.")
    var rows = 100_000
    @Option(help: "How often each contender does each job.")
    var rounds = 7
    @Option(help: "Jobs, separated by commas: J1 to J8. All unless given.")
    var jobs: String?
    @Flag(help: "Two rounds with 10,000 rows: whether everything works, not how fast it is.")
    var quick = false
    @Flag(help: "Tables with foreign keys, which stores have only if asked for.")
    var foreignKeys = false
    @Option(help: "The contender in C, compiled; without it there are no ratios.")
    var libpqPeer: String?
    @Option(help: "The Python that has SQLAlchemy, Django and psycopg; without it they do not take part.")
    var python: String?
    @Option(help: "Where the scripts for Python are.")
    var peers = "Peers"
    @Option(help: "How many of the rounds SQLAlchemy and Django take part in.")
    var peerRounds = 3
    @Option(help: "Where postgresql.json and postgresql.md are written.")
    var results = "results"

    func run() throws {
        let server = try Server.started()
        let framework = ServerContender(server: server.clock, hasForeignKeys: foreignKeys)
        let rounds = Rounds(
            contenders: contenders(framework, server), jobs: try chosenJobs, rounds: quick ? 2 : rounds,
            slowRounds: peerRounds, databases: try ServerDatabases(server, framework))
        let workload = ServerJobs.workload(rows: quick ? 10_000 : rows)
        let entries = ServerEntry.entries(try rounds.run(workload, progress: Console.say))
        let folder = URL(fileURLWithPath: results)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ServerEntry.json(entries).write(to: folder.appending(path: "postgresql.json"))
        let report = ServerReport(entries: entries).text
        try Data(report.utf8).write(to: folder.appending(path: "postgresql.md"))
        print(report)
    }

    private var chosenJobs: [Job] {
        get throws {
            guard let jobs else { return ServerJobs.all }
            return try jobs.split(separator: ",").map { name in
                guard let job = Job(rawValue: String(name)), ServerJobs.all.contains(job) else {
                    throw ValidationError("there is no job '\(name)' on a server")
                }
                return job
            }
        }
    }

    private func contenders(_ framework: ServerContender, _ server: Server) -> [any Contender] {
        let environment = ["BENCH_POSTMASTER": server.clock.postmaster]
        // The library that the framework takes, if it is not the system's.
        let library = ProcessInfo.processInfo.environment["OPENCOREDATA_LIBPQ"].map { ["LD_PRELOAD": $0] } ?? [:]
        let reference = libpqPeer.map { program in
            PeerContender(
                name: ServerJobs.reference, program: URL(fileURLWithPath: program),
                environment: environment.merging(library) { $1 }, isSlow: false)
        }
        let scripts = python.map { python in
            PeerContender.names.map { name in
                PeerContender.script(
                    name, python: URL(fileURLWithPath: python), folder: URL(fileURLWithPath: peers),
                    environment: environment)
            }
        }
        return [reference].compactMap { $0 } + [framework] + (scripts ?? [])
    }
}
