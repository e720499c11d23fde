// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Serves a site over HTTP on loopback. The only file that knows Hummingbird's requests. Studio-S1, Studio-S8.

import Dispatch
import Foundation
package import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// A server of one site.
package struct StudioServer: Sendable {
    private let site: Site

    package init(site: Site) { self.site = site }

    /// Serves until a signal ends the program.
    ///
    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - announce: called with the address once the server listens.
    package func run(port: Int, announce: @escaping @Sendable (String) -> Void) async throws {
        let responder = StudioResponder(site: site)
        let token = site.guards.token
        let application = Self.application(port: port, responder: responder) { port in
            announce("http://127.0.0.1:\(port)/\(token)/")
        }
        let site = site
        // The server waits for all answers before it stops, and a stream of events never ends by itself.
        let signals = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                site.close()
                // A browser may hold a connection open for as long as it likes.
                DispatchQueue.global().asyncAfter(deadline: .now() + 2) { exit(0) }
            }
            source.resume()
            return source
        }
        defer { signals.forEach { $0.cancel() } }
        let pulse = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(15))
                site.keepAlive()
            }
        }
        defer { pulse.cancel() }
        try await application.runService()
    }

    /// - Parameter onRunning: called with the port once the server listens.
    package static func application(
        port: Int, responder: StudioResponder, onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Application<StudioResponder> {
        var logger = Logger(label: "coredata-studio")
        logger.logLevel = .error
        return Application(
            responder: responder,
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port), serverName: nil, reuseAddress: true),
            onServerRunning: { channel in
                guard let port = channel.localAddress?.port else { return }
                responder.setPort(port)
                onRunning(port)
            },
            logger: logger)
    }
}

/// Converts between Hummingbird's requests and those of a site.
package final class StudioResponder: HTTPResponder {
    package typealias Context = BasicRequestContext

    private let site: any SiteAnswering
    private let port = Mutex(0)

    package init(site: any SiteAnswering) { self.site = site }

    package func setPort(_ number: Int) { port.withLock { $0 = number } }

    package func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var request = request
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        headers["host"] = request.head.authority ?? headers["host"]
        let parts = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var siteRequest = SiteRequest(
            method: request.method.rawValue, path: Self.segments(parts.first ?? ""),
            query: Self.query(parts.count > 1 ? parts[1] : ""), headers: headers)
        let port = port.withLock { $0 }
        let answer: SiteResponse
        if site.endsWithConnection(siteRequest) {
            let (site, asked) = (site, siteRequest)
            answer = try await request.body.consumeWithCancellationOnInboundClose { _ in
                await site.respond(to: asked, port: port)
            }
        } else {
            let limit = site.bodyLimit(of: siteRequest, port: port)
            if limit > 0 {
                do {
                    siteRequest.body = Data(try await request.collectBody(upTo: limit).readableBytesView)
                } catch {
                    return Response(status: .contentTooLarge)
                }
            }
            answer = await site.respond(to: siteRequest, port: port)
        }
        return Self.response(answer, isHead: request.method == .head)
    }

    /// The decoded segments of a path. A segment that does not decode is left as it is, and no route has it.
    private static func segments(_ path: Substring) -> [String] {
        path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    }

    private static func query(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func decoded(_ part: Substring) -> String {
                part.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            result[decoded(parts[0])] = parts.count > 1 ? decoded(parts[1]) : ""
        }
        return result
    }

    private static func response(_ answer: SiteResponse, isHead: Bool) -> Response {
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields[name] = value
        }
        let body: ResponseBody
        switch answer.body {
        case .data(let data): body = isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        case .stream(let stream):
            body = ResponseBody { writer in
                for try await piece in stream { try await writer.write(ByteBuffer(bytes: piece)) }
                try await writer.finish(nil)
            }
        }
        return Response(status: .init(code: answer.status), headers: fields, body: body)
    }
}
