// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The HTTP transport of the Model Context Protocol. Documentation/Internals/Agents.md

package import CoreDataToolKit
import Foundation
import Synchronization

/// Passes messages of agents over HTTP to a server of the toolkit.
///
/// The address has a token in its path, as that of Studio has: other users of the machine do not know it.
package final class AgentRoutes: SiteAnswering {
    private static let largestCount = 64
    private static let sessionHeader = "mcp-session-id"

    private let server: AgentServer
    /// The first segment of the path.
    package let token: String

    private struct Sessions {
        /// The least recently used one comes first.
        var order: [String] = []
        var byID: [String: AgentSession] = [:]
    }
    private let sessions = Mutex(Sessions())

    package init(_ server: AgentServer) {
        self.server = server
        token = SiteGuard().token
    }

    package func bodyLimit(of request: SiteRequest, port: Int) -> Int {
        // One more byte: the session refuses a longer message with a sentence.
        refusal(of: request, port) == nil ? AgentServer.largestMessage + 1 : 0
    }

    package func respond(to request: SiteRequest, port: Int) async -> SiteResponse {
        if let refusal = refusal(of: request, port) { return .text(refusal.message + "\n", status: refusal.status) }
        if request.method == "DELETE" {
            guard let session = session(request.headers[Self.sessionHeader], ends: true) else {
                return .text("There is no such session.\n", status: 404)
            }
            session.close()
            return .text("", status: 204)
        }
        if let version = request.headers["mcp-protocol-version"], !AgentServer.versions.contains(version) {
            return .text(
                "The versions of the protocol are \(AgentServer.versions.joined(separator: ", ")).\n", status: 400)
        }
        guard let name = request.headers[Self.sessionHeader] else { return await begin(request.body) }
        guard let session = session(name) else { return .text("There is no such session.\n", status: 404) }
        guard let answer = await Self.answer(session, request.body) else { return .text("", status: 202) }
        return Self.json(answer)
    }

    // MARK: Requests

    private func refusal(of request: SiteRequest, _ port: Int) -> SiteFailure? {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.headers["host"], hosts.contains(host) else {
            return SiteFailure(status: 403, message: "This server answers only at 127.0.0.1:\(port).")
        }
        if let origin = request.headers["origin"], !hosts.contains(where: { origin == "http://\($0)" }) {
            return SiteFailure(status: 403, message: "The request comes from another page.")
        }
        guard request.path.count == 2, SiteGuard.isEqual(request.path[0], token), request.path[1] == "mcp" else {
            return .notFound
        }
        guard request.method == "POST" || request.method == "DELETE" else {
            return SiteFailure(status: 405, message: "Messages are sent with POST.")
        }
        return nil
    }

    /// A message without a session begins one, if the server accepts it as the first.
    private func begin(_ body: Data) async -> SiteResponse {
        let session = server.session()
        guard let answer = await Self.answer(session, body) else {
            return .text("The first message is 'initialize'.\n", status: 400)
        }
        var response = Self.json(answer)
        guard session.isOpen else { return response }
        let name = UUID().uuidString
        let oldest = sessions.withLock { sessions -> AgentSession? in
            sessions.byID[name] = session
            sessions.order.append(name)
            guard sessions.order.count > Self.largestCount else { return nil }
            return sessions.byID.removeValue(forKey: sessions.order.removeFirst())
        }
        oldest?.close()
        response.headers[Self.sessionHeader] = name
        return response
    }

    private func session(_ name: String?, ends: Bool = false) -> AgentSession? {
        guard let name else { return nil }
        return sessions.withLock { sessions in
            guard let session = sessions.byID[name] else { return nil }
            sessions.order.removeAll { $0 == name }
            if ends { sessions.byID[name] = nil } else { sessions.order.append(name) }
            return session
        }
    }

    private static func json(_ text: String) -> SiteResponse {
        SiteResponse(type: "application/json", body: .data(Data(text.utf8)))
    }

    /// nil for a notification, and for a request that was cancelled.
    private static func answer(_ session: AgentSession, _ body: Data) async -> String? {
        let (answers, continuation) = AsyncStream<String>.makeStream()
        // The session drops the closure when there will be no answer, which ends the stream.
        session.receive([UInt8](body), reply: Reply(continuation).send)
        for await answer in answers { return answer }
        return nil
    }

    private final class Reply: Sendable {
        private let continuation: AsyncStream<String>.Continuation

        init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

        @Sendable func send(_ text: String) {
            continuation.yield(text)
            continuation.finish()
        }

        deinit { continuation.finish() }
    }
}
