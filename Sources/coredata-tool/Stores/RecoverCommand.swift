// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool recover`: copies the readable rows of a damaged store into a new one.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Reads a damaged store page by page, and makes a new store of what can be read.",
        discussion: """
            Examples:
              coredata-tool recover Broken.sqlite -o Rescued.sqlite
              coredata-tool recover Broken.sqlite -o Rescued.sqlite \\
                  --model Shop.xcdatamodeld --format json
            The damaged file is only read. The new store has the same model, identifier and keys; references to lost objects \
            are empty. Exit status: 0 where nothing was lost, 1 with losses, 2 where nothing could be recovered.
            """)

    @Argument(help: "A damaged SQLite store.")
    var store: String

    @Option(name: .shortAndLong, help: "The store to make.")
    var output: String

    @Option(help: "The model, where the store's copy of it is lost (.xcdatamodeld, .xcdatamodel, .momd, .mom).")
    var model: String?

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table or json.")
    var format: ReportFormat = .table

    func run() throws {
        try Terminal.report {
            let steps = StepLine()
            let report = try StoreRecovery.run(
                URL(fileURLWithPath: store), to: URL(fileURLWithPath: output),
                model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion, inference: inference.chosen,
                step: steps.show)
            steps.end()
            try Terminal.write(format == .json ? report.json.prettyText + "\n" : report.text)
            return report.hasLosses ? Terminal.findings : nil
        }
    }
}
