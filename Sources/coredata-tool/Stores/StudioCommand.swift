// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool studio`: finds and runs the program that shows a store in the browser.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Shows a store or a model in the browser.",
        discussion: """
            Examples:
              coredata-tool studio Shop.sqlite
              coredata-tool studio Shop.sqlite --writable
              coredata-tool studio Shop.sqlite --model Shop.xcdatamodeld --port 8123

            Runs `coredata-studio`, which lies beside coredata-tool or in PATH, with all arguments. It prints its address and \
            ends with Ctrl-C.
            """)

    @Argument(parsing: .captureForPassthrough, help: "A store or a model, and the options of coredata-studio.")
    var arguments: [String] = []

    func validate() throws {
        if arguments.isEmpty { throw ValidationError("studio needs a store or a model.") }
    }

    func run() throws {
        // With Studio installed, its own help lists its options.
        if ["--help", "-h"].contains(arguments.first), !Self.studio.isInstalled { throw CleanExit.helpRequest(self) }
        try Terminal.run { try Self.studio.run(arguments) }
    }

    private static let studio = CompanionProgram(
        name: "coredata-studio",
        missing: "Studio is not built: 'swift run --package-path Studio coredata-studio STORE' in a clone of "
            + "OpenCoreData builds and runs it.")
}
