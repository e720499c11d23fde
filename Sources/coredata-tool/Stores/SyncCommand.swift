// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool sync`: finds and runs the program that shows the state of a store that syncs.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Shows the state of a store that syncs with a server, and mends it.",
        discussion: """
            Examples:
              coredata-tool sync status Notes.sqlite
              coredata-tool sync log Notes.sqlite --last 5
              coredata-tool sync resend Notes.sqlite
              coredata-tool sync reset Notes.sqlite --yes

            Runs `coredata-sync`, which lies beside coredata-tool or in PATH, with all arguments.
            """)

    @Argument(parsing: .captureForPassthrough, help: "status, log, resend or reset, and the options of coredata-sync.")
    var arguments: [String] = []

    func validate() throws {
        if arguments.isEmpty { throw ValidationError("sync needs status, log, resend or reset, and a store.") }
    }

    func run() throws {
        // With the program installed, its own help lists its options.
        if ["--help", "-h"].contains(arguments.first), !Self.sync.isInstalled { throw CleanExit.helpRequest(self) }
        try Terminal.run { try Self.sync.run(arguments) }
    }

    private static let sync = CompanionProgram(
        name: "coredata-sync",
        missing: "coredata-sync is not built: 'swift build --package-path Sync --product coredata-sync' in a clone of "
            + "OpenCoreData builds it. Copy it to a folder of PATH.")
}
