// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Several simulated processes on one store in one deterministic schedule, with crashes, failing disks and clock jumps.

import CFaults
import CoreDataTestSupport
import Foundation

/// A job is a kind of store, or with a planted fault a rule that the VFS breaks; a case is a seed.
///
/// Documentation/Internals/SimulatedProcesses.md
enum Interleavings: Harness {
    static let name = "interleavings"
    static let ordersCalls = true
    static let patience = 60

    /// Every so many cases one is run again, to see that it has the same steps.
    private static let repeated = 25
    /// The number of runs that may be spent on making a failing script shorter.
    private static let mostShorter = 300

    private static let plants: [(job: String, setup: Setup, plant: ocd_plant)] = [
        ("wal-normal+write-lock", .walNormal, OCD_PLANT_WRITE_LOCK),
        ("wal-full+read-mark", .walFull, OCD_PLANT_READ_MARK),
        ("delete+file-lock", .delete, OCD_PLANT_FILE_LOCK), ("wal-full+dead-lock", .walFull, OCD_PLANT_DEAD_LOCK),
        ("wal-full+lost-write", .walFull, OCD_PLANT_LOST_WRITE),
    ]

    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return plants.map(\.job) }
        return [Setup.walNormal, .walFull, .delete, .truncate, .persist].map(\.rawValue)
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        let planted = plants.first { $0.job == job }
        guard let setup = planted?.setup ?? Setup(rawValue: job), setup.isSQLite, ocd_steps_install() == 0 else {
            return report.finding("no such job: \(job)")
        }
        do {
            let place = try Place()
            try Ledger.filled(setup, place.store).close()
            for number in 1...options.cases(short: options.isPlanted ? 600 : 60, long: 20_000) {
                guard number >= options.first, options.only == nil || number == options.only else { continue }
                report.begin(number, job)
                var script = InterleavingScript(setup, seed: options.seed &* 1_000_003 &+ UInt64(number))
                script.plant = planted?.plant ?? OCD_PLANT_NONE
                try work(number, script, place.store, options, report)
            }
            report.done()
        } catch {
            report.finding("\(error)")
        }
    }

    private static func work(
        _ number: Int, _ script: InterleavingScript, _ template: URL, _ options: Options, _ report: Report
    ) throws {
        let run = try InterleavedRun(script, template: template, isTraced: options.isTraced)
        report.count("runs")
        report.count("steps", Int(run.steps))
        report.count("crashes", run.deaths)
        for outcome in [InterleavedRecord.Outcome.committed, .refused, .unknown] {
            report.count("saves \(outcome.rawValue)", run.records.count { $0.outcome == outcome })
        }
        let hasFailed = !run.findings.isEmpty
        guard hasFailed || number % repeated == 1 || options.only != nil else { return }
        var again = script
        again.switches = run.switches
        for repetition in [script, again] {
            let second = try InterleavedRun(repetition, template: template)
            if second.digest != run.digest {
                let text = "the seed has other steps when it runs again: \(run.steps), then \(second.steps)"
                // With a planted fault this is no success.
                if options.isPlanted { return report.note(text) }
                report.finding(text)
                return report.findings(run.findings, "with \(script.processes) processes, not repeated")
            }
        }
        report.count("repeated runs")
        if hasFailed { try explain(run, again, template, options, report) }
    }

    /// Makes the script shorter as long as it fails, and reports it.
    private static func explain(
        _ run: InterleavedRun, _ script: InterleavingScript, _ template: URL, _ options: Options, _ report: Report
    ) throws {
        var left = mostShorter
        var last = run
        func fails(_ script: InterleavingScript) -> Bool {
            left -= 1
            report.count("runs of shorter scripts")
            guard left > 0, let run = try? InterleavedRun(script, template: template), !run.findings.isEmpty else {
                return false
            }
            last = run
            return true
        }
        var short = script
        short.steps = short.steps.shortened { steps in
            var script = short
            script.steps = steps
            return fails(script)
        }
        short.switches = (short.switches ?? []).shortened { switches in
            var script = short
            script.switches = switches
            return fails(script)
        }
        report.note("a shorter script, with \(short.pragmas), of \(last.steps) steps:")
        for step in short.steps { report.note("    \(step.text)") }
        for change in short.switches ?? [] {
            report.note("    before step \(change.step) of process \(change.process): process \(change.next)")
        }
        for finding in last.findings.prefix(3) { report.note("    finding: \(finding)") }
        report.findings(run.findings, "with \(script.processes) processes")
    }
}
