// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool doctor`: finds the defects of a store, and repairs them.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says whether a store is sound, and mends chosen kinds of damage.",
        discussion: """
            Examples:
              coredata-tool doctor Shop.sqlite
              coredata-tool doctor Shop.sqlite --format json --examples 100
              coredata-tool doctor Shop.sqlite --rule value.type --rule large.missing
              coredata-tool doctor Shop.sqlite --fix reference.dangling --dry-run
              coredata-tool doctor Shop.sqlite --fix reference.dangling --fix key.low \\
                  --yes --backup Backups
              coredata-tool doctor Old.sqlite --overlay Names.json
              coredata-tool doctor --list
            A store that keeps no model is examined by the one inferred from its tables, also without --infer. --fix mends \
            only parts of it that are no guess: keys, versions, links, and relationships and Booleans that --overlay states.
            Exit status: 0 for a sound store (notes do not count), 1 with errors or warnings, 2 where the store could not be \
            examined. Nothing is written without --fix.
            """)

    @Argument(help: "A store.")
    var store: String?

    @Option(help: "A rule to check; may be given several times. All rules otherwise.")
    var rule: [String] = []

    @Option(help: "A rule whose findings are mended; may be given several times.")
    var fix: [String] = []

    @Flag(help: "List the rules: severity, what a breach means for an app, and the mend.")
    var list = false

    @Option(help: "How many objects each finding names in JSON.")
    var examples = 5

    @Option(help: "The model to judge the store by (.xcdatamodeld, .xcdatamodel, .momd, .mom) instead of its own copy.")
    var model: String?

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @OptionGroup var inference: InferenceOptions

    @Option(
        help: "table, json, ndjson (a line for each finding) or csv; otherwise the ending of the output file, or table."
    )
    var format: OutputFormat?

    @OptionGroup var write: WriteOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if store == nil, !list { throw ValidationError("Name a store, or give --list.") }
        if examples < 0 { throw ValidationError("--examples needs a number from 0.") }
        for id in rule + fix where DoctorRule.named(id) == nil {
            let near = EditDistance.nearest(to: id, among: DoctorRule.all.map(\.id))
            throw ValidationError(
                "There is no rule '\(id)'. \(near.map { "Did you mean '\($0)'?" } ?? "--list names the rules.")")
        }
    }

    func run() throws {
        try Terminal.report {
            if list { return try printRules() }
            guard let store else { return nil }
            let url = URL(place: store)
            return fix.isEmpty ? try examine(url) : try repair(url)
        }
    }

    // MARK: Examination

    private func examine(_ url: URL) throws -> ExitCode? {
        let used = try format ?? output.format(OutputFormat.endings) ?? .table
        let doctor = try Doctor(
            url, model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
            inference: inference.chosen ?? ModelInference())
        let steps = StepLine()
        let findings = try doctor.examine(
            Doctor.Options(rules: Set(rule), examples: examples), step: steps.show)
        steps.end()
        try output.write { write in
            if used == .json {
                try write(findings.isEmpty ? "[]\n" : JSONValue.array(findings.map(\.json)).prettyText + "\n")
            } else if used == .ndjson {
                for finding in findings { try write(finding.json.text + "\n") }
            } else if used == .csv {
                let sink = ResultText(.csv, write: write)
                try sink.begin(.init(columns: Finding.columns, hasIDs: false))
                for finding in findings { try sink.add(finding.row) }
                try sink.end(findings.count)
            } else {
                let isColored = output.output == nil && Terminal.hasColors
                try write(FindingText(findings, isColored: isColored, width: Terminal.width).text)
            }
        }
        return findings.contains { $0.severity != .note } ? Terminal.findings : nil
    }

    private func printRules() throws -> ExitCode? {
        let used = try format ?? output.format(OutputFormat.endings) ?? .table
        try output.write { write in
            let sink = ResultText(used, width: output.output == nil ? Terminal.width : nil, write: write)
            try sink.begin(.init(columns: ["rule", "severity", "consequence", "mend"], hasIDs: false, noun: "rule"))
            for rule in DoctorRule.all {
                try sink.add(
                    .init(
                        id: "",
                        cells: [
                            .string(rule.id), .string(rule.severity.rawValue), .string(rule.consequence),
                            rule.repair.map { .string($0) } ?? .null,
                        ]))
            }
            try sink.end(DoctorRule.all.count)
        }
        return nil
    }

    // MARK: Mending

    private func repair(_ url: URL) throws -> ExitCode? {
        let steps = StepLine()
        let plan = try RepairPlan(
            url, rules: fix, model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
            inference: inference.chosen ?? ModelInference(), step: steps.show)
        steps.end()
        for step in plan.steps {
            let place = [step.entity, step.property].compactMap { $0 }.joined(separator: ".")
            try Terminal.write("\(step.rule)\(place.isEmpty ? "" : " \(place)"): \(step.repair.text)\n")
        }
        for rule in Set(plan.unrepaired).sorted() {
            Terminal.printNote("Some findings of \(rule) cannot be mended; run without --fix for the list.")
        }
        guard !plan.steps.isEmpty else {
            try Terminal.write("There is nothing to mend.\n")
            return plan.unrepaired.isEmpty ? nil : Terminal.findings
        }
        guard try write.mayProceed("Change \(url.lastPathComponent)?") else { return nil }
        let (copy, rows) = try plan.run(backup: write.backupFolder(of: url))
        try Terminal.write("Mended. SQLite changed \(rows) row\(rows == 1 ? "" : "s").\n")
        if let copy { try Terminal.write("The store from before: \(copy.path)\n") }
        return plan.unrepaired.isEmpty ? nil : Terminal.findings
    }
}
