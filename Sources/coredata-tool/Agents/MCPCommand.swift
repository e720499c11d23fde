// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool mcp`: serves coding agents over standard input and output.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serves stores and models to coding agents, by the Model Context Protocol.",
        discussion: """
            Examples:
              coredata-tool mcp --root Data
              coredata-tool mcp --root Data --root Models --time-limit 5
              coredata-tool mcp --root Data --writable
            An agent starts this program, writes requests to its standard input, a line each, and reads the answers from its \
            standard output. It may describe, query, search and examine the stores in the folders, and nothing outside of them. \
            With --writable it may also mend and change stores, if it has the token that is printed on standard error at \
            the start. The program ends with its input.
            """)

    @Option(help: "A folder with stores and models; may be given several times. The working folder without it.")
    var root: [String] = []

    @Flag(help: "Let agents that have the token change stores.")
    var writable = false

    @Option(help: "How many seconds a call may take.")
    var timeLimit = 20

    func validate() throws {
        if !(1...3600).contains(timeLimit) { throw ValidationError("--time-limit needs seconds from 1 to 3600.") }
    }

    func run() throws {
        try Terminal.run {
            let folders = root.isEmpty ? ["."] : root
            let server = try AgentServer(
                folders: folders.map { URL(fileURLWithPath: $0) }, isWritable: writable, timeLimit: .seconds(timeLimit))
            if let token = server.token {
                Terminal.printNote("Changes need the token \(token)")
            }
            AgentLines(server.session()).run()
        }
    }
}
