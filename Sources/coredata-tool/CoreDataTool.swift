// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command's entry: its subcommands.

import ArgumentParser

@main
struct CoreDataTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-tool",
        abstract: "Looks into the stores and models of Core Data."
    )
}
