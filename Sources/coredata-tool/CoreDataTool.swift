// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command's entry: its subcommands.

import ArgumentParser

@main
struct CoreDataTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-tool",
        abstract: "Looks into the stores and models of Core Data, and makes models and classes.",
        discussion: """
            A store opens with the model it keeps. Stores from before 2015 keep none: give one with --model, or be content with
            what their tables tell. Stores are opened for reading, and nothing is written beside them, unless --writable says
            otherwise.
            """,
        subcommands: [
            DescribeCommand.self, QueryCommand.self, DiagramCommand.self, CompileCommand.self, DecompileCommand.self,
            GenerateCommand.self, PortCommand.self,
        ]
    )
}
