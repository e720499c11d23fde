// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options of commands that change a store: dry run, copy, confirmation.

import ArgumentParser
import CoreDataToolKit
import Foundation

/// A command that changes a store announces its changes first. On a terminal it asks for confirmation; otherwise it
/// needs --yes.
struct WriteOptions: ParsableArguments {
    @Flag(help: "Print what would change, and change nothing.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Option(help: ArgumentHelp("The folder for a copy of the store; beside the store otherwise.", valueName: "folder"))
    var backup: String?

    @Flag(help: "Make no copy of the store before it is changed.")
    var noBackup = false

    func validate() throws {
        if noBackup, backup != nil { throw ValidationError("--no-backup and --backup contradict each other.") }
    }

    /// The folder for the copy of a store; nil for none.
    func backupFolder(of store: URL) -> URL? {
        if noBackup { return nil }
        return backup.map { URL(fileURLWithPath: $0) } ?? store.resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Whether the command may go on: not in a dry run, nor after an answer other than yes.
    ///
    /// - Throws: `ToolError` without a terminal and without --yes.
    func mayProceed(_ question: String) throws -> Bool {
        if dryRun {
            Terminal.printNote("Nothing was changed (--dry-run).")
            return false
        }
        if yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ToolError("Nothing was changed: there is no terminal to ask on. --yes answers the question.")
        }
        Terminal.printError("\(question) [y/N] ")
        let answer = (readLine() ?? "").lowercased()
        if ["y", "yes"].contains(answer) { return true }
        Terminal.printNote("Nothing was changed.")
        return false
    }
}
