// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool describe`: what a store or a model consists of.

import ArgumentParser
import CoreDataToolKit

struct DescribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Lists entities with their properties and version hashes, and how many objects there are of each.")

    @Argument(help: ArgumentHelp("A store, or a model.", valueName: "store|model"))
    var path: String

    @OptionGroup var store: StoreOptions

    @Option(help: "table, json or csv.")
    var format = OutputFormat.table

    func run() throws {
        try Terminal.run { Terminal.print(try store.summary(path).text(format)) }
    }
}
