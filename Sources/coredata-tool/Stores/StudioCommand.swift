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
        if ["--help", "-h"].contains(arguments.first), Self.program == nil { throw CleanExit.helpRequest(self) }
        try Terminal.run {
            guard let program = Self.program else {
                throw ToolError(
                    "Studio is not built: 'swift run --package-path Studio coredata-studio STORE' in a clone of OpenCoreData "
                        + "builds and runs it.")
            }
            var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
            words.append(nil)
            defer { words.forEach { free($0) } }
            execv(program, words)
            throw ToolError("\(program) cannot be run: \(String(cString: strerror(errno))).")
        }
    }

    /// The program in the folder of this one, or the first in PATH.
    private static var program: String? {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent().path
        let folders =
            [beside] + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { $0 + "/coredata-studio" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
