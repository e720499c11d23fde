// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border between the server and the parts that answer requests.

/// Answers requests: the pages of a store, or the server of agents.
package protocol SiteAnswering: Sendable {
    /// The largest body that is read; 0 for a request that will be refused.
    func bodyLimit(of request: SiteRequest, port: Int) -> Int
    /// Whether the answer may take long, and is of no use without its connection.
    func endsWithConnection(_ request: SiteRequest) -> Bool
    /// Answers a request. Never throws: a failure is an answer.
    func respond(to request: SiteRequest, port: Int) async -> SiteResponse
}

extension Site: SiteAnswering {
    /// Studio-Q2: a browser tab that is closed ends its statement.
    package func endsWithConnection(_ request: SiteRequest) -> Bool {
        request.method == "GET" && request.path.count == 2 && ["sql", "search"].contains(request.path[1])
    }
}

extension SiteAnswering {
    package func endsWithConnection(_ request: SiteRequest) -> Bool { false }
}
