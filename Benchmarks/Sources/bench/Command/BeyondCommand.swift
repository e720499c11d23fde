// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that runs the scenarios beyond the eight jobs.

import ArgumentParser
import Foundation

struct BeyondCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beyond",
        abstract: "Runs what J1 to J8 do not have: faults, large to-manys, a million rows, nesting, merging, readers.")

    @Option(help: "Part of the names of the scenarios that are run. All unless given.")
    var only: String?
    @Option(help: "How often what is timed is done.")
    var repetitions = 5
    @Flag(help: "A hundredth of everything: whether it works, not how fast it is.")
    var quick = false
    @Option(help: "Where beyond.json and beyond.md are written.")
    var results = "results"
    @Option(help: "Where the databases are made; they take some 600 MB.")
    var directory = ".build"

    func run() throws {
        let stage = try Stage(
            in: URL(fileURLWithPath: directory), divisor: quick ? 100 : 1, repetitions: quick ? 1 : repetitions)
        var findings: [Finding] = []
        for scenario in Scenarios.all {
            guard only.map(scenario.name.localizedCaseInsensitiveContains) ?? true else { continue }
            Console.say(scenario.name)
            findings += try scenario.run(stage)
        }
        let folder = URL(fileURLWithPath: results)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try encoder.encode(findings).write(to: folder.appending(path: "beyond.json"))
        let report = BeyondReport(findings: findings).text
        try Data(report.utf8).write(to: folder.appending(path: "beyond.md"))
        print(report)
    }
}
