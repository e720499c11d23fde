// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entry point of the command, with its subcommands.

import ArgumentParser
import CoreDataToolKit
import Foundation

@main
struct CoreDataTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-tool",
        abstract: "Looks into the stores and models of Core Data, and makes models and classes.",
        discussion: """
            A store opens with the model it keeps. Stores from before 2015 keep none: give one with --model, or take \
            the one inferred from their tables with --infer. Stores are opened for reading, and nothing is written beside them, unless --writable says \
            otherwise.
            """,
        version: "coredata-tool \(toolVersion)",
        subcommands: [
            DescribeCommand.self, QueryCommand.self, DoctorCommand.self, StatsCommand.self, DiffCommand.self,
            CopyCommand.self, ExportCommand.self, ImportCommand.self, RecoverCommand.self, SQLCommand.self,
            SnapshotCommand.self, RestoreCommand.self, WatchCommand.self, HistoryCommand.self, CloudCommand.self,
            MigrateCommand.self,
            LintCommand.self,
            DiagramCommand.self, CompileCommand.self, DecompileCommand.self, ModelCommand.self, GenerateCommand.self,
            PortCommand.self, AdoptCommand.self,
            StudioCommand.self, SyncCommand.self, MCPCommand.self,
        ]
    )

    static func main() {
        guessCommand(CommandLine.arguments.dropFirst().first)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            // All errors are printed in one format.
            let text = fullMessage(for: error)
            Terminal.printError("coredata-tool: \(text.hasPrefix("Error: ") ? String(text.dropFirst(7)) : text)\n")
            Foundation.exit(wrongUse.rawValue)
        }
    }

    /// The exit code for a wrong command line. For `migrate check` and similar commands, 2 has another meaning.
    private static var wrongUse: ExitCode {
        let words = CommandLine.arguments.dropFirst().prefix(2)
        let isOwn = words.first == "migrate" && ["check", "plan", "run"].contains(words.last ?? "")
        return isOwn ? ExitCode(1) : Terminal.couldNotRun
    }

    /// Ends the program with a suggestion if the first argument resembles a command.
    private static func guessCommand(_ word: String?) {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return }
        let guess = EditDistance.nearest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
        Terminal.printError(
            "coredata-tool: There is no command '\(word)'.\(guess) The commands: \(names.joined(separator: ", ")).\n")
        Foundation.exit(wrongUse.rawValue)
    }
}
