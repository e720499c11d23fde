// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-mcp`: serves coding agents over HTTP on loopback.

import ArgumentParser
import CoreDataStudio
import CoreDataToolKit
import Foundation

@main
struct CoreDataMCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-mcp",
        abstract: "Serves stores and models to coding agents over HTTP, by the Model Context Protocol.",
        discussion: """
            Example:
              coredata-mcp --root Data --port 8124
            The address is printed; it has a token, and this machine alone reaches it. `coredata-tool mcp` serves one agent over \
            its standard input and output.
            """)

    @Option(help: "A folder with stores and models; may be given several times. The working folder without it.")
    var root: [String] = []

    @Flag(help: "Let agents that have the token for changes change stores.")
    var writable = false

    @Option(help: "How many seconds a call may take.")
    var timeLimit = 20

    @Option(help: "The port; a free one otherwise.")
    var port = 0

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port needs a number up to 65535.") }
        guard (1...3600).contains(timeLimit) else {
            throw ValidationError("--time-limit needs seconds from 1 to 3600.")
        }
    }

    func run() async throws {
        do {
            let folders = (root.isEmpty ? ["."] : root).map { URL(fileURLWithPath: $0) }
            let server = try AgentServer(folders: folders, isWritable: writable, timeLimit: .seconds(timeLimit))
            if let token = server.token {
                FileHandle.standardError.write(Data("coredata-mcp: Changes need the token \(token)\n".utf8))
            }
            try await AgentHTTPServer(AgentRoutes(server)).run(port: port) { address in
                FileHandle.standardOutput.write(Data("\(address)\n".utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("coredata-mcp: \(BrowsingError.text(of: error))\n".utf8))
            throw ExitCode(2)
        }
    }
}
