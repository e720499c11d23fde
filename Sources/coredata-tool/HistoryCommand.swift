// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool history`: prints the persistent history of a store, or deletes the beginning of it.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the history of a store: who changed which objects, and when.",
        discussion: """
            Examples:
              coredata-tool history Shop.sqlite --limit 10
              coredata-tool history Shop.sqlite --format json
              coredata-tool history Shop.sqlite --watch
              coredata-tool history Shop.sqlite --purge-before 2026-01-01
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(parsing: .unconditional, help: "The greatest number of transactions; 0 means no limit.")
    var limit = 0

    @Option(help: "Delete the transactions older than a date (2026-01-31, or 2026-01-31T12:00:00Z) and print how many.")
    var purgeBefore: String?

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
        if let purgeBefore, Self.date(purgeBefore) == nil {
            throw ValidationError("--purge-before needs a date such as 2026-01-31 or 2026-01-31T12:00:00Z.")
        }
        if watch, purgeBefore != nil || output.output != nil {
            throw ValidationError("--watch writes to standard output, and does not go with --purge-before or --output.")
        }
    }

    func run() throws {
        try Terminal.run {
            if watch {
                // A reader that leaves no trace has no share in the index of the log: it would miss commits.
                var writable = options
                writable.writable = true
                let listing = HistoryListing(try writable.open(store), limit: limit)
                let (used, width) = (format ?? .table, Terminal.width)
                return try Watching.run {
                    try await listing.watch(into: ResultText(used, width: width) { try Terminal.write($0) })
                }
            }
            if let date = purgeBefore.flatMap(Self.date) {
                var writable = options
                writable.writable = true
                let count = try HistoryListing.purge(try writable.open(store), before: date)
                return try output.write { try $0("\(count) transaction\(count == 1 ? "" : "s") deleted\n") }
            }
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let listing = HistoryListing(try options.open(store), limit: limit)
            let width = output.output == nil ? Terminal.width : nil
            try output.write { try listing.run(into: ResultText(used, width: width, write: $0)) }
        }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601)) ?? (try? Date(text + "T00:00:00Z", strategy: .iso8601))
    }
}
