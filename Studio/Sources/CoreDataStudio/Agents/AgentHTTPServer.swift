// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the HTTP transport of agents on loopback.

import Hummingbird

/// The server of `coredata-mcp`.
package struct AgentHTTPServer: Sendable {
    private let routes: AgentRoutes

    package init(_ routes: AgentRoutes) { self.routes = routes }

    /// Serves until a signal ends the program.
    ///
    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - announce: called with the address once the server listens.
    package func run(port: Int, announce: @escaping @Sendable (String) -> Void) async throws {
        let token = routes.token
        let application = StudioServer.application(port: port, responder: StudioResponder(site: routes)) { port in
            announce("http://127.0.0.1:\(port)/\(token)/mcp")
        }
        try await application.runService()
    }
}
