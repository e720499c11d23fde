// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool snapshot` and `restore`: safe copies of a store in use.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Copies one state of a store that may be in use, with its large data.",
        discussion: """
            Example:
              coredata-tool snapshot Shop.sqlite -o Shop-monday.sqlite
            Programs may read and write the store meanwhile. The copy appears when it is complete.
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(name: .shortAndLong, help: "The copy to make.")
    var output: String

    @Flag(help: "Write over a file that is there.")
    var force = false

    func run() throws {
        try Terminal.run {
            try Overwriting.check(output, force: force)
            try StoreSnapshot.make(of: URL(fileURLWithPath: store), at: URL(fileURLWithPath: output))
            try Terminal.write("\(output): \(store)\n")
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a snapshot in the place of a store, with its large data.",
        discussion: """
            Examples:
              coredata-tool restore Shop-monday.sqlite --to Shop.sqlite --dry-run
              coredata-tool restore Shop-monday.sqlite --to Shop.sqlite --yes
            A store that another program has open is refused. At every moment the place has the old store or the new one.
            """)

    @Argument(help: "A snapshot.")
    var snapshot: String

    @Option(help: "The store to replace, or to make.")
    var to: String

    @OptionGroup var write: WriteOptions

    func run() throws {
        try Terminal.run {
            let (source, url) = (URL(fileURLWithPath: snapshot), URL(fileURLWithPath: to))
            let isThere = FileManager.default.fileExists(atPath: url.path)
            try Terminal.write(try StoreSnapshot.comparison(of: source, with: isThere ? url : nil))
            guard try write.mayProceed("\(isThere ? "Replace" : "Make") \(url.lastPathComponent)?") else { return }
            let copy = isThere ? try write.backupFolder(of: url).map { try StoreBackup.make(of: url, in: $0) } : nil
            try StoreSnapshot.restore(source, to: url)
            try Terminal.write("\(to): \(snapshot)\n")
            if let copy { try Terminal.write("The store from before: \(copy.path)\n") }
        }
    }
}
