// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool port`: rewrites sources for Apple's systems so that they compile on all systems.

import ArgumentParser
import CoreDataAdoption
import CoreDataGeneration
import Foundation

struct PortCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Rewrites what needs Objective-C, so that sources build on both systems.",
        discussion: """
            @objc goes under #if canImport(ObjectiveC); #keyPath and #selector(getter:) become strings; overrides in extensions move into the \
            class; observers of notifications get blocks; casts of requests, imports and names of the log become portable. Shows the changes; \
            nothing is written without --write. @NSManaged stays: the build plug-in serves it.

            Example:
              coredata-tool port Sources/Shop --write
            """)

    @Argument(help: "Swift files, or folders with them.")
    var sources: [String]

    @Flag(help: "Write the changes.")
    var write = false

    func run() throws {
        try Terminal.generate {
            let port = try SourcePort(SourcePort.files(sources.map { URL(fileURLWithPath: $0) }))
            for change in port.changes {
                if write {
                    try AtomicWrite.file(Data(change.new.utf8), to: change.url)
                } else {
                    try Terminal.print(UnifiedDiff.text(change.old, change.new, name: change.url.path))
                }
            }
            if write {
                let count = port.changes.count
                try Terminal.write("\(count) file\(count == 1 ? "" : "s") changed.\n")
            }
            return port.diagnostics
        }
    }
}
