// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool stats`: the space that entities, attributes, indexes and all other parts take.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Lists the sizes of a store by entity, attribute, index and table.",
        discussion: """
            Examples:
              coredata-tool stats Shop.sqlite
              coredata-tool stats Shop.sqlite --format csv -o sizes.csv
            "bytes" are pages of tables and indexes, or the lengths of values for attributes and subentities, which share the \
            table of their root entity. "files" are files of large data.
            """)

    @Argument(help: "A SQLite store.")
    var store: String

    @Option(help: "The model to open the store with instead of the one it keeps.")
    var model: String?

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table, json, ndjson or csv; otherwise the ending of the output file, or table.")
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try Terminal.run {
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let steps = StepLine()
            let statistics = try StoreStatistics(
                of: URL(fileURLWithPath: store), model: model.map { URL(fileURLWithPath: $0) },
                inference: inference.chosen, step: steps.show)
            steps.end()
            let width = output.output == nil ? Terminal.width : nil
            try output.write { write in
                if used == .table { try write(statistics.summary(width: width) + "\n") }
                let sink = ResultText(used, width: width, write: write)
                try sink.begin(
                    .init(columns: ["kind", "name", "count", "bytes", "files"], hasIDs: false, noun: "part"))
                let rows = statistics.rows
                for row in rows { try sink.add(row) }
                try sink.end(rows.count)
            }
        }
    }
}
