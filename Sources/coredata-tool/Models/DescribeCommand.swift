// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool describe`: prints the contents of a store or a model.

import ArgumentParser
import CoreDataToolKit

struct DescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Lists entities with their properties and version hashes, and how many objects there are of each.",
        discussion: """
            Examples:
              coredata-tool describe Shop.sqlite
              coredata-tool describe Shop.xcdatamodeld --format json
            """)

    @Argument(help: ArgumentHelp("A store, or a model.", valueName: "store|model"))
    var path: String

    @OptionGroup var store: StoreOptions

    @Option(
        help: "table, json, ndjson (a line for each entity) or csv; otherwise the ending of the output file, or table."
    )
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try Terminal.run {
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let text = try store.summary(path).text(used, width: output.output == nil ? Terminal.width : nil)
            try output.write { try $0(text) }
        }
    }
}
