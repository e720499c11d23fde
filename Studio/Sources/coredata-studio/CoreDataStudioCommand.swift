// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-studio`: serves the pages of one store on loopback.

import ArgumentParser
import CoreDataStudio
import CoreDataToolKit
import Foundation

@main
struct CoreDataStudioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-studio",
        abstract: "Shows a store or a model of Core Data in the browser.",
        discussion: """
            Examples:
              coredata-studio Shop.sqlite
              coredata-studio Shop.sqlite --writable
              coredata-studio Shop.sqlite --model Shop.xcdatamodeld --port 8123
              coredata-studio Shop.xcdatamodeld

            Studio prints its address and opens nothing by itself. It listens to this machine alone, and opens the store for
            reading unless --writable says otherwise.
            """)

    @Argument(help: "A store, or a model.")
    var path: String

    @Option(
        help: "A model (.xcdatamodeld, .xcdatamodel, .momd, .mom) to open the store with instead of the one it keeps.")
    var model: String?

    @Option(help: "The version of the model that the store has; its current one otherwise.")
    var modelVersion: String?

    @Flag(help: "Of a store that keeps no model, take the one inferred from its tables, as Studio always does.")
    var infer = false

    @Option(help: "A JSON file that corrects names, types and relationships of the inferred model.")
    var overlay: String?

    @Flag(help: "Let the pages edit the store.")
    var writable = false

    @Option(help: "The port; a free one otherwise.")
    var port = 0

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port needs a number up to 65535.") }
    }

    func run() async throws {
        do {
            let site = try Site.open(
                path, model: model, modelVersion: modelVersion, overlay: overlay, isWritable: writable)
            let (waiting, isReady) = AsyncStream<Void>.makeStream()
            Task {
                await site.prepare()
                isReady.finish()
            }
            try await StudioServer(site: site).run(port: port) { address in
                Task {
                    try? await Task.sleep(for: .milliseconds(500))
                    isReady.finish()
                }
                Task {
                    for await _ in waiting {}
                    // Not `print`: a pipe would show it late.
                    FileHandle.standardOutput.write(Data("\(address)\n".utf8))
                }
            }
        } catch {
            let text = "coredata-studio: \(BrowsingError.text(of: error))\n"
            FileHandle.standardError.write(Data(text.utf8))
            throw ExitCode(2)
        }
    }
}
