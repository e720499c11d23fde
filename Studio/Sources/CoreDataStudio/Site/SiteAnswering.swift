// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border between the server and the parts that answer requests.

/// Answers requests: the pages of a store, or the server of agents.
package protocol SiteAnswering: Sendable {
    /// The largest body that is read; 0 for a request that will be refused.
    func bodyLimit(of request: SiteRequest, port: Int) -> Int
    /// Answers a request. Never throws: a failure is an answer.
    func respond(to request: SiteRequest, port: Int) async -> SiteResponse
}

extension Site: SiteAnswering {}
