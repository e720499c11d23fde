// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that combines several runs into one report, for example a separate run of the longest job.

import ArgumentParser
import Foundation

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Makes one report of the results of several runs.")

    @Argument(help: "Folders with a latest.json each. What a later one measured again counts there.")
    var folders: [String]
    @Option(help: "Where latest.json, latest.md and latest.svg are written.")
    var results = "results"

    func run() throws {
        var entries: [ResultEntry] = []
        for folder in folders {
            for entry in try ResultFiles(URL(fileURLWithPath: folder)).read() {
                // Replaces the older entry in place, so that contenders keep their order.
                if let known = entries.firstIndex(where: { $0.isOfSameKind(as: entry) }) {
                    entries[known] = entry
                } else {
                    entries.append(entry)
                }
            }
        }
        let order = Job.allCases.map(\.rawValue) + [ResultEntry.memory]
        entries.sort { ($0.rank, order.firstIndex(of: $0.job) ?? 0) < ($1.rank, order.firstIndex(of: $1.job) ?? 0) }
        try ResultFiles(URL(fileURLWithPath: results)).write(entries)
    }
}

extension ResultEntry {
    fileprivate func isOfSameKind(as other: ResultEntry) -> Bool {
        job == other.job && contender == other.contender && rows == other.rows
    }

    /// Sizes in order, with the 100,000 rows of the goals first.
    fileprivate var rank: Int { rows == 100_000 ? 0 : rows }
}
