// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-sync`: shows the state of a store that syncs, and mends it. `coredata-tool sync` runs it.
import ArgumentParser
import CoreDataSync
import Foundation

@main
struct SyncTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-sync",
        abstract: "Shows the state of a store that syncs with a server, and mends it.",
        discussion: """
            Reads the file that a client keeps next to the app's store (Notes.sync.sqlite for Notes.sqlite). It needs \
            neither the app nor its model, and no server. Values of objects are never printed.

            Exit status: 0, or 2 for a command that could not run.
            """,
        subcommands: [StatusCommand.self, LogCommand.self, ResendCommand.self, ResetCommand.self])
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

struct ResendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Lets the next sync send refused changes again.",
        discussion: """
            Examples:
              coredata-sync resend Notes.sqlite
              coredata-sync resend Notes.sqlite --change 6F9619FF-8B86-D011-B42D-00C04FC964FF
            Use it when the reason of the refusals is gone, such as a missing right. The changes are sent as if they \
            were made then, so they replace values that others set in the meantime. Those of one transaction are sent \
            together. Changes that the server refuses again are refused changes with its new reasons. End the app \
            first.
            """)

    @Argument(help: "The app's store, which no program has open.")
    var store: String

    @Option(help: "The id of a refused change, which `status --format json` lists; all without it. May be repeated.")
    var change: [String] = []

    func validate() throws {
        for text in change where UUID(uuidString: text) == nil { throw ValidationError("'\(text)' is no id.") }
    }

    func run() throws {
        try Terminal.run {
            let sidecar = try SidecarInspection(of: URL(fileURLWithPath: store), isWritable: true)
            let count = try sidecar.resend(change.compactMap(UUID.init(uuidString:)))
            Terminal.write("The next sync sends \(count) refused \(count == 1 ? "change" : "changes") again.\n")
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
