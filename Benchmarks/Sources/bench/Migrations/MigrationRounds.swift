// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the migrations by statements in interleaved rounds, and those by objects and of chains.

import CoreData
import Foundation
import Synchronization

/// Passes every object on as it is.
final class PassingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

struct MigrationRounds {
    let stage: MigrationStage
    let rounds: Int

    // MARK: By statements

    func run(_ job: MigrationJob, rows: Int) throws -> [MigrationFinding] {
        let file = try job.name == "M6" ? stage.ten(rows) : stage.items(rows)
        let empty = try stage.empty(job.new())
        defer { [file, empty].forEach(stage.remove) }
        let twin = MigrationTwin(job: job, old: try FileSchema(file), new: try FileSchema(empty))
        var own: [Double] = []
        var statements: [Double] = []
        var checks: [Double] = []
        for round in 0..<rounds {
            // The second one of a round finds warmer caches.
            for isTwin in round % 2 == 0 ? [true, false] : [false, true] {
                try stage.withCopy(file) { copy in
                    if isTwin {
                        let times = try twin.run(copy)
                        statements.append(times.statements)
                        checks.append(times.check)
                    } else {
                        own.append(try time(copy, job.new(), MigrationStage.options))
                    }
                }
            }
        }
        let (least, check) = (own.min() ?? 0, checks.min() ?? 0)
        let finding = { (figure: String, value: Double, unit: String, bound: Double?) in
            MigrationFinding(
                job: job.name, title: job.title, rows: rows, least: least, median: Statistics.median(own),
                twinLeast: statements.min(), twinMedian: Statistics.median(statements), check: check, figure: figure,
                value: value, unit: unit, bound: bound)
        }
        let twinLeast = max(statements.min() ?? 0, 0.001)
        switch job.bound {
        case .milliseconds(let bound): return [finding("opening and migrating", least, "ms", bound)]
        case .ratio(let bound):
            // The time of 1.2 checks belongs to the verification (G72). A small store shows mainly the cost of opening.
            let ratio = (least - 1.2 * check) / twinLeast
            let isLarge = rows >= 1_000_000
            return [
                finding("without 1.2 checks, to the statements", ratio, "×", isLarge ? bound : nil),
                finding("all, to statements and check", least / (twinLeast + check), "×", nil),
            ]
        }
    }

    private func time(_ file: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws -> Double {
        let watch = Stopwatch()
        try MigrationStage.open(file, model, options)
        return watch.sample.cpu
    }

    // MARK: By objects

    func objects(rows: Int, hasPolicy: Bool) throws -> MigrationFinding {
        let file = try stage.items(rows)
        defer { stage.remove(file) }
        let (old, new) = (MigrationModels.items(), MigrationJob.all[1].new())
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        if hasPolicy {
            for entity in mapping.entityMappings {
                entity.entityMigrationPolicyClassName = String(reflecting: PassingPolicy.self)
            }
        }
        var times: [Double] = []
        for _ in 0..<rounds {
            let target = stage.newFile()
            let watch = Stopwatch()
            try NSMigrationManager(sourceModel: old, destinationModel: new)
                .migrateStore(from: file, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
            times.append(watch.sample.cpu)
            stage.remove(target)
        }
        let least = max(times.min() ?? 0, 0.001)
        let all = Double(rows + max(1, rows / 100))
        return MigrationFinding(
            job: "M10", title: hasPolicy ? "by objects, with a policy" : "by objects, plain expressions", rows: rows,
            least: least, median: Statistics.median(times), figure: "rows a second", value: all / least * 1_000,
            unit: "", bound: rows >= 10_000 ? (hasPolicy ? 30_000 : 60_000) : nil, isFloor: true)
    }

    // MARK: Chains

    func chain(isJoined: Bool) throws -> MigrationFinding {
        let versions = MigrationModels.chain(117, renames: isJoined)
        let file = try stage.empty(versions[0])
        defer { stage.remove(file) }
        let database = try TwinDatabase(file)
        var names: [String] = []
        try database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ZENTITY%'") {
            names.append($0[0])
        }
        for name in names {
            let number = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE upper('Z' || Z_NAME) = '\(name)')"
            for key in 1...10 {
                try database.execute("INSERT INTO \(name) (Z_PK, Z_ENT, Z_OPT) VALUES (\(key), \(number), 1)")
            }
        }
        try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 10; PRAGMA wal_checkpoint(TRUNCATE)")
        var options = MigrationStage.options
        if isJoined { options[MigrationOption.versions] = versions }
        var times: [Double] = []
        for _ in 0..<rounds {
            try stage.withCopy(file) { copy in
                let model = isJoined ? versions[116] : MigrationModels.chain(117, renames: false)[116]
                times.append(try time(copy, model, options))
            }
        }
        let least = times.min() ?? 0
        return MigrationFinding(
            job: "M11", title: isJoined ? "117 versions, all on the way" : "117 versions, directly",
            rows: names.count * 10,
            least: least, median: Statistics.median(times), figure: "opening and migrating", value: least, unit: "ms",
            bound: isJoined ? 4_000 : 1_500)
    }

    // MARK: Cancelling

    /// The longest time from a cancellation to the end, with the store as before.
    func cancelling(_ job: MigrationJob, rows: Int) throws -> MigrationFinding {
        let file = try stage.items(rows)
        defer { stage.remove(file) }
        let whole = try stage.withCopy(file) { copy in
            let watch = Stopwatch()
            try MigrationStage.open(copy, job.new(), MigrationStage.options)
            return watch.sample.wall
        }
        var longest = (wall: 0.0, cpu: 0.0)
        for part in [0.2, 0.5, 0.8] {
            try stage.withCopy(file) { copy in
                let progress = Progress(totalUnitCount: 1)
                let begin = Mutex<Stopwatch?>(nil)
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: whole * part / 1_000)
                    begin.withLock { $0 = Stopwatch() }
                    progress.cancel()
                }
                do {
                    try MigrationStage.open(
                        copy, job.new(), MigrationStage.options.merging([MigrationOption.progress: progress]) { $1 })
                } catch {
                    if let sample = begin.withLock({ $0?.sample }) {
                        longest = (max(longest.wall, sample.wall), max(longest.cpu, sample.cpu))
                    }
                }
            }
        }
        return MigrationFinding(
            job: "G77", title: "cancel \(job.name)", rows: rows, least: longest.cpu, median: longest.wall,
            figure: "from the wish to the end, longest of three (processor time, wall-clock)", value: longest.wall,
            unit: "ms", bound: 100)
    }

    // MARK: Memory

    /// The peak memory of a separate process, above that of one that opens the migrated store.
    func memory(_ job: MigrationJob, rows: Int) throws -> MigrationFinding {
        let file = try job.name == "M6" ? stage.ten(rows) : stage.items(rows)
        defer { stage.remove(file) }
        let (migrated, opened) = try stage.withCopy(file) { copy in
            try (peak(job.name, copy), peak(job.name, copy))
        }
        return MigrationFinding(
            job: job.name, title: job.title, rows: rows, figure: "memory above the opened store",
            value: Double(migrated - opened) / 1_024, unit: "MB", bound: 48)
    }

    func memoryByObjects(rows: Int) throws -> MigrationFinding {
        let (file, few) = (try stage.items(rows), try stage.items(10))
        defer { [file, few].forEach(stage.remove) }
        let (all, none) = try (peak("M10", file), peak("M10", few))
        return MigrationFinding(
            job: "M10", title: "by objects, plain expressions", rows: rows, figure: "memory above that of 10 rows",
            value: Double(all - none) / 1_024, unit: "MB", bound: 96)
    }

    private func peak(_ job: String, _ file: URL) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["migration", "--job", job, "--file", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let number = Int(text) else {
            throw BenchmarkFailure("the memory of \(job) could not be measured: \(text)")
        }
        return number
    }
}
