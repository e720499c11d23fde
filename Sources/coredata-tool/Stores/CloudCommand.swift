// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool cloud`: shows the mirror that CloudKit keeps of a store, or removes it.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct CloudCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud",
        abstract: "Shows the state of a store that CloudKit mirrors, or removes the mirror from it.",
        discussion: """
            Examples:
              coredata-tool cloud status Shop.sqlite
              coredata-tool cloud reset Shop.sqlite --dry-run
            """,
        subcommands: [CloudStatusCommand.self, CloudResetCommand.self], defaultSubcommand: CloudStatusCommand.self)
}

struct CloudStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Counts the records of each entity, and the objects that have not been sent.",
        discussion: """
            Example:
              coredata-tool cloud status Shop.sqlite --format json
            "unsent" are objects without a record, "upload" and "deletion" are records that wait.
            """)

    @Argument(help: "A SQLite store.")
    var store: String

    @Option(help: "table, json, ndjson or csv.")
    var format: OutputFormat = .table

    func run() throws {
        try Terminal.run {
            let mirror = try CloudMirror(of: URL(fileURLWithPath: store))
            if format == .table { for line in mirror.lines { try Terminal.write(line + "\n") } }
            let sink = ResultText(format, width: Terminal.width) { try Terminal.write($0) }
            try sink.begin(.init(columns: CloudMirror.columns, hasIDs: false, noun: "entity"))
            for row in mirror.rows { try sink.add(row) }
            try sink.end(mirror.rows.count)
        }
    }
}

struct CloudResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Removes the mirror from a store: its next opening with CloudKit begins as for a new store.",
        discussion: """
            Example:
              coredata-tool cloud reset Shop.sqlite --yes
            Objects and history stay. Records in the cloud stay as well: the next opening fetches them as further objects, and             sends all objects as new records. Delete the zone in the cloud first, if objects are not to come twice.
            """)

    @Argument(help: "A SQLite store that no program has open.")
    var store: String

    @OptionGroup var write: WriteOptions

    func run() throws {
        try Terminal.run {
            let url = URL(fileURLWithPath: store)
            let mirror = try CloudMirror(of: url)
            for table in mirror.tables {
                try Terminal.write("\(table.name): \(table.rows) row\(table.rows == 1 ? "" : "s")\n")
            }
            try Terminal.write("These tables go. Objects, and records in the cloud, stay.\n")
            guard try write.mayProceed("Remove the mirror of \(url.lastPathComponent)?") else { return }
            let copy = try write.backupFolder(of: url).map { try StoreBackup.make(of: url, in: $0) }
            let removed = try CloudMirror.reset(url)
            try Terminal.write("\(removed.count) tables removed.\n")
            if let copy { try Terminal.write("The store from before: \(copy.path)\n") }
        }
    }
}
