// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The HTTP transport of agents: sessions, refusals, and answers.

import CoreDataToolKit
import Foundation
import Testing

@testable import CoreDataStudio

@Suite("Agents over HTTP") struct AgentRoutesTests {
    private static let port = 4711
    private let routes: AgentRoutes

    init() throws {
        routes = AgentRoutes(try AgentServer(folders: [FileManager.default.temporaryDirectory]))
    }

    private func ask(
        _ body: String, method: String = "POST", token: String? = nil, _ headers: [String: String] = [:]
    ) async -> (status: Int, headers: [String: String], text: String) {
        let all = headers.merging(["host": "127.0.0.1:\(Self.port)"]) { first, _ in first }
        let answer = await routes.respond(
            to: SiteRequest(
                method: method, path: [token ?? routes.token, "mcp"], headers: all, body: Data(body.utf8)),
            port: Self.port)
        guard case .data(let data) = answer.body else { return (answer.status, answer.headers, "") }
        return (answer.status, answer.headers, String(decoding: data, as: UTF8.self))
    }

    private static let initialize =
        #"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}"#
    private static let list = #"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#

    @Test func aSessionBeginsWithInitializeAndEndsWithDelete() async throws {
        let begun = await ask(Self.initialize)
        let name = try #require(begun.headers["mcp-session-id"])
        #expect(begun.status == 200 && begun.text.contains("2025-06-18"))
        let session = ["mcp-session-id": name, "mcp-protocol-version": "2025-06-18"]
        #expect(await ask(#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#, session).status == 202)
        let tools = await ask(Self.list, session)
        #expect(tools.status == 200 && tools.text.contains("list_files"))
        #expect(await ask("", method: "DELETE", session).status == 204)
        #expect(await ask(Self.list, session).status == 404)
    }

    @Test func withoutASessionOnlyInitializeIsAnswered() async {
        let refused = await ask(Self.list)
        #expect(refused.text.contains("-32600") && refused.headers["mcp-session-id"] == nil)
        #expect(await ask(Self.list, ["mcp-session-id": "guess"]).status == 404)
        #expect(await ask(Self.initialize, ["mcp-protocol-version": "1.0"]).status == 400)
        #expect(await ask("{").text.contains("-32700"))
    }

    @Test func otherPagesUsersAndMethodsAreRefused() async {
        #expect(await ask(Self.initialize, ["host": "evil.example:4711"]).status == 403)
        #expect(await ask(Self.initialize, ["origin": "http://evil.example"]).status == 403)
        #expect(await ask(Self.initialize, ["origin": "null"]).status == 403)
        #expect(await ask(Self.initialize, ["origin": "http://127.0.0.1:4711"]).status == 200)
        #expect(await ask(Self.initialize, token: String(repeating: "a", count: 26)).status == 404)
        #expect(await ask("", method: "GET").status == 405)
        let request = SiteRequest(method: "POST", path: ["x", "mcp"], headers: ["host": "127.0.0.1:4711"])
        #expect(routes.bodyLimit(of: request, port: Self.port) == 0)
    }

    @Test func theOldestOfManySessionsEnds() async throws {
        let first = try #require(await ask(Self.initialize).headers["mcp-session-id"])
        for _ in 0..<64 { _ = await ask(Self.initialize) }
        #expect(await ask(Self.list, ["mcp-session-id": first]).status == 404)
    }
}
