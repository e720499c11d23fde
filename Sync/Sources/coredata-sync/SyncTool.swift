// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-sync`: shows the state of a store that syncs, and makes it a new replica. `coredata-tool sync` runs it.
import ArgumentParser
import CoreDataSync
import Foundation

@main
struct SyncTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-sync",
        abstract: "Shows the state of a store that syncs with a server, or makes it a new replica.",
        discussion: """
            Reads the file that a client keeps next to the app's store (Notes.sync.sqlite for Notes.sqlite). It needs \
            neither the app nor its model, and no server. Values of objects are never printed.

            Exit status: 0, or 2 for a command that could not run.
            """,
        subcommands: [StatusCommand.self, LogCommand.self, ResetCommand.self])
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the replica, the waiting batches, the refused changes and the last error.",
        discussion: """
            Examples:
              coredata-sync status Notes.sqlite
              coredata-sync status Notes.sqlite --format json
            """)

    @Argument(help: "The app's store.")
    var store: String

    @Option(help: "table or json.")
    var format: OutputFormat = .table

    func run() throws {
        try Terminal.run {
            let status = try SidecarInspection(of: URL(fileURLWithPath: store)).status()
            switch format {
            case .table: Terminal.write(StatusText(status).text)
            case .json: try Terminal.write(json: StatusFields(status))
            }
        }
    }
}

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Lists the last rounds of the client, the oldest first.",
        discussion: """
            Example:
              coredata-sync log Notes.sqlite --last 5
            Up to 200 rounds are kept. Equal rounds in a row that moved nothing are one line with their number.
            """)

    @Argument(help: "The app's store.")
    var store: String

    @Option(help: "The number of rounds to list.")
    var last = 20

    @Option(help: "table or json.")
    var format: OutputFormat = .table

    func validate() throws {
        guard last > 0 else { throw ValidationError("--last needs a number above 0.") }
    }

    func run() throws {
        try Terminal.run {
            let rounds = try SidecarInspection(of: URL(fileURLWithPath: store)).rounds().suffix(last)
            switch format {
            case .table: Terminal.write(LogText(Array(rounds)).text)
            case .json: try Terminal.write(json: Array(rounds))
            }
        }
    }
}

struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Makes the store a new replica: its next sync sends what waits and pulls everything.",
        discussion: """
            Example:
              coredata-sync reset Notes.sqlite --yes
            Use it when the server refuses the replica, or after the server was restored from a backup. Objects, their \
            names, waiting batches and refused changes stay, so nothing comes twice. End the app first.
            """)

    @Argument(help: "The app's store, which no program has open.")
    var store: String

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() throws {
        try Terminal.run {
            let sidecar = try SidecarInspection(of: URL(fileURLWithPath: store), isWritable: true)
            guard try yes || Terminal.confirms("Make \(store) a new replica?") else {
                return Terminal.write("Nothing was changed.\n")
            }
            Terminal.write("The new replica: \(try sidecar.reset().uuidString)\n")
        }
    }
}
