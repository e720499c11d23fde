// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool lint`: finds parts of a model that will cause trouble.

import ArgumentParser
import CoreDataToolKit
import Foundation

enum LintFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, csv, ndjson, sarif

    static let endings: [String: LintFormat] = [
        "json": .json, "csv": .csv, "ndjson": .ndjson, "jsonl": .ndjson, "txt": .table, "sarif": .sarif,
    ]
}

struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds parts of a model that compile and will cause trouble.",
        discussion: """
            Examples:
              coredata-tool lint Shop.xcdatamodeld
              coredata-tool lint Shop.xcdatamodeld -o lint.sarif
              coredata-tool lint Shop.sqlite
            The model of a store is the one it keeps. Exit status: 0 without a finding (notes do not count), 1 with warnings, 2 for a model that cannot be read.
            """)

    @Argument(
        help: ArgumentHelp("A model (.xcdatamodeld, .xcdatamodel, .momd, .mom), or a store.", valueName: "model|store"))
    var model: String

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table, json, ndjson, csv or sarif; otherwise the ending of the output file, or table.")
    var format: LintFormat?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try Terminal.report {
            let used = try format ?? output.format(LintFormat.endings) ?? .table
            let findings = try ModelLint.findings(
                URL(fileURLWithPath: model), version: modelVersion, inference: inference.chosen)
            try output.write { write in
                guard used != .sarif else {
                    let base = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
                    return try write(ModelLint.sarif(findings, base: base).prettyText + "\n")
                }
                if used == .table, findings.isEmpty { return try write("The model has no finding.\n") }
                let width = output.output == nil ? Terminal.width : nil
                let sink = ResultText(OutputFormat(rawValue: used.rawValue) ?? .table, width: width, write: write)
                try sink.begin(.init(columns: LintFinding.columns, hasIDs: false, noun: "finding"))
                for finding in findings { try sink.add(finding.row) }
                try sink.end(findings.count)
            }
            return findings.contains { $0.severity != .note } ? Terminal.findings : nil
        }
    }
}
