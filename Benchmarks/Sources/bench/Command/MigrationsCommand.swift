// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The commands that measure migrations: all of them, and the memory of one in a separate process.

import ArgumentParser
import CoreData
import Foundation

struct MigrationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrations",
        abstract: "Measures migrations beside the best SQL for the same outcome on a copy of the same file: M1 to M12.")

    @Option(help: "Numbers of rows, separated by commas.")
    var rows = "10,10000,1000000"
    @Option(help: "How often each migration is done; a third of it for a million rows.")
    var rounds = 9
    @Option(help: "Jobs, separated by commas: M1 to M12, cancel, memory. All unless given.")
    var jobs: String?
    @Option(help: "Where migrations.json and migrations.md are written.")
    var results = "results"
    @Option(help: "Where the databases are made; they take some 500 MB.")
    var directory = ".build"

    func run() throws {
        let stage = try MigrationStage(in: URL(fileURLWithPath: directory))
        let sizes = rows.split(separator: ",").compactMap { Int($0) }
        let wanted = jobs.map { Set($0.split(separator: ",").map(String.init)) }
        let isWanted = { (name: String) in wanted?.contains(name) ?? true }
        var findings: [MigrationFinding] = []
        for size in sizes {
            let runs = MigrationRounds(stage: stage, rounds: size < 1_000_000 ? rounds : max(3, rounds / 3))
            for job in MigrationJob.all where isWanted(job.name) || job.name == "M2" && isWanted("M12") {
                Console.say("\(job.name) \(size)")
                let found = try runs.run(job, rows: size)
                findings += found.filter { isWanted($0.job) }
                if job.name == "M2", isWanted("M12") { findings += found.prefix(1).map(Self.verification) }
            }
            for hasPolicy in [false, true] where isWanted("M10") {
                Console.say("M10 \(size)")
                findings.append(try runs.objects(rows: size, hasPolicy: hasPolicy))
            }
        }
        let runs = MigrationRounds(stage: stage, rounds: max(3, rounds / 3))
        for isJoined in [false, true] where isWanted("M11") { findings.append(try runs.chain(isJoined: isJoined)) }
        if isWanted("cancel"), let largest = sizes.max() {
            for job in MigrationJob.all where ["M2", "M3", "M7"].contains(job.name) {
                Console.say("cancelling \(job.name)")
                findings.append(try runs.cancelling(job, rows: largest))
            }
        }
        if isWanted("memory"), let largest = sizes.max() {
            for job in MigrationJob.all {
                Console.say("memory of \(job.name)")
                findings.append(try runs.memory(job, rows: largest))
            }
            findings.append(try runs.memoryByObjects(rows: largest))
        }
        try write(findings)
    }

    /// The time of a migration minus that of its statements, as a ratio to the check of the written table.
    private static func verification(_ fill: MigrationFinding) -> MigrationFinding {
        let above = (fill.least ?? 0) - (fill.twinLeast ?? 0)
        return MigrationFinding(
            job: "M12", title: "verify (of M2)", rows: fill.rows, least: above, check: fill.check,
            figure: "above the statements, to the check", value: above / max(fill.check ?? 0, 0.001), unit: "×",
            bound: fill.rows >= 1_000_000 ? 1.2 : nil)
    }

    private func write(_ findings: [MigrationFinding]) throws {
        let folder = URL(fileURLWithPath: results)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(findings).write(to: folder.appending(path: "migrations.json"))
        let text = MigrationFinding.head + findings.map(\.line).joined()
        try Data(text.utf8).write(to: folder.appending(path: "migrations.md"))
        print(text)
    }
}

/// Does one migration and prints the most memory of the process in kilobytes.
struct MigrationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migration", abstract: "Prints the kilobytes of memory that one migration takes.")

    @Option var job: String
    @Option var file: String

    func run() throws {
        let url = URL(fileURLWithPath: file)
        if job == "M10" {
            let (old, new) = (MigrationModels.items(), MigrationJob.all[1].new())
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
            let target = url.deletingLastPathComponent().appending(path: "memory.sqlite")
            defer {
                for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: target.path + suffix) }
            }
            try NSMigrationManager(sourceModel: old, destinationModel: new)
                .migrateStore(from: url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        } else {
            guard let found = MigrationJob.all.first(where: { $0.name == job }) else {
                throw ValidationError("there is no job '\(job)'")
            }
            try MigrationStage.open(url, found.new(), MigrationStage.options)
        }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        print(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "")
    }
}
