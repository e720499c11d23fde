// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What several subcommands have in common: how a store is opened, how results are printed, how errors end.

import ArgumentParser
import CoreDataToolKit
import Foundation

extension OutputFormat: ExpressibleByArgument {}

struct StoreOptions: ParsableArguments {
    @Option(
        help: "The model to open the store with (.xcdatamodeld, .xcdatamodel, .momd, .mom) instead of the one it keeps."
    )
    var model: String?

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @Flag(
        help:
            "Open the store itself for writing, so that SQLite can put its log in order; otherwise nothing is changed.")
    var writable = false

    func open(_ path: String) throws -> OpenedStore {
        try OpenedStore(
            URL(fileURLWithPath: path), model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
            isWritable: writable)
    }

    func summary(_ path: String) throws -> ModelSummary {
        let url = URL(fileURLWithPath: path)
        return switch try FileKind(of: url) {
        case .model: try ModelSummary(model: url, version: modelVersion)
        default: try ModelSummary(store: open(path))
        }
    }
}

enum Terminal {
    /// Runs a command; what it throws becomes a message on standard error and exit code 1.
    static func run(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            FileHandle.standardError.write(Data("coredata-tool: \(ToolError.text(of: error))\n".utf8))
            throw ExitCode.failure
        }
    }

    static func print(_ text: String) {
        // A reader such as `head` may have gone: then nobody misses the rest.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
