// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool history`: prints the persistent history of a store, or deletes the beginning of it.

import CoreDataExchange
import ArgumentParser
import CoreDataToolKit
import Foundation

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the history of a store: who changed which objects, and when; or deletes the beginning of it.",
        discussion: """
            Examples:
              coredata-tool history Shop.sqlite --limit 10
              coredata-tool history Shop.sqlite --format json
              coredata-tool history Shop.sqlite --watch
              coredata-tool history purge Shop.sqlite --before 2026-01-01
            """,
        subcommands: [HistoryListCommand.self, HistoryPurgeCommand.self], defaultSubcommand: HistoryListCommand.self)

    /// nil for text that is no date.
    static func date(_ text: String) -> Date? { DateText.date(of: text) }
}

struct HistoryPurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Deletes the transactions of a history before a date.",
        discussion: """
            Example:
              coredata-tool history purge Shop.sqlite --before 2026-01-01 --yes
            Programs that follow the history lose their place, if they have not read the transactions.
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(help: "A date: 2026-01-31, or 2026-01-31T12:00:00Z.")
    var before: String

    @OptionGroup var write: WriteOptions

    func validate() throws {
        if HistoryCommand.date(before) == nil {
            throw ValidationError("--before needs a date such as 2026-01-31 or 2026-01-31T12:00:00Z.")
        }
    }

    func run() throws {
        try Terminal.run {
            guard let date = HistoryCommand.date(before) else { return }
            let url = URL(fileURLWithPath: store)
            func text(_ count: Int) -> String { "\(count) transaction\(count == 1 ? "" : "s")" }
            let count = try HistoryListing.count(OpenedStore(url), before: date)
            try Terminal.write("\(text(count)) before \(before).\n")
            guard count > 0, try write.mayProceed("Delete from \(url.lastPathComponent)?") else { return }
            let copy = try write.backupFolder(of: url).map { try StoreBackup.make(of: url, in: $0) }
            let deleted = try HistoryListing.purge(OpenedStore(url, isWritable: true), before: date)
            try Terminal.write("\(text(deleted)) deleted.\n")
            if let copy { try Terminal.write("The store from before: \(copy.path)\n") }
        }
    }
}

struct HistoryListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Prints the transactions and changes of a history.")

    @Argument(help: "A store.")
    var store: String

    @Option(parsing: .unconditional, help: "The greatest number of transactions; 0 means no limit.")
    var limit = 0

    @Flag(help: "Go on with each new transaction of any process, until Ctrl-C. Opens the store as --writable does.")
    var watch = false

    @OptionGroup var options: StoreOptions

    @Option(
        help: "table, json, ndjson (a change on each line) or csv; otherwise the ending of the output file, or table."
    )
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit needs a number from 0, which means no limit.") }
        if watch, output.output != nil {
            throw ValidationError("--watch writes to standard output, and does not go with --output.")
        }
    }

    func run() throws {
        try Terminal.run {
            if watch {
                // A reader without a trace does not share the WAL index, so it would miss commits.
                var writable = options
                writable.writable = true
                let listing = HistoryListing(try writable.open(store), limit: limit)
                let (used, width) = (format ?? .table, Terminal.width)
                return try Watching.run {
                    try await listing.watch(into: ResultText(used, width: width) { try Terminal.write($0) })
                }
            }
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let listing = HistoryListing(try options.open(store), limit: limit)
            let width = output.output == nil ? Terminal.width : nil
            try output.write { try listing.run(into: ResultText(used, width: width, write: $0)) }
        }
    }
}

/// Prints the commits of other programs.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints what programs commit to a store, as it happens, until Ctrl-C.",
        discussion: """
            Examples:
              coredata-tool watch Shop.sqlite
              coredata-tool watch Shop.sqlite --format ndjson
            The store needs a history (NSPersistentHistoryTrackingKey). `history --watch` begins with the transactions that \
            there are.
            """)

    @Argument(help: "A store with a history.")
    var store: String

    @Option(help: "table, json, ndjson or csv.")
    var format: OutputFormat = .table

    func run() throws {
        try Terminal.run {
            // A reader without a trace does not share the WAL index, so it would miss commits.
            let listing = HistoryListing(try OpenedStore(URL(fileURLWithPath: store), isWritable: true), limit: 0)
            let (used, width) = (format, Terminal.width)
            try Watching.run {
                try await listing.watch(
                    into: ResultText(used, width: width) { try Terminal.write($0) }, onlyNew: true)
            }
        }
    }
}
