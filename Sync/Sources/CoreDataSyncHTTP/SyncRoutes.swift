// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The routes of the protocol on a router of Hummingbird (Documentation/HTTP.md, H1, H3, H6).
import CoreDataSyncCompression
public import CoreDataSyncProtocol
import Foundation
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// Serves push, pull and news over HTTP, with a route for monitors.
///
/// ```swift
/// let tokens = try TokenFile(URL(fileURLWithPath: "tokens"), logger: logger)
/// let router = Router()
/// SyncRoutes(service: service, authentication: tokens).add(to: router)
/// try await Application(router: router).runService()
/// ```
/// A request is authenticated before its body is read, and bounded by `HTTPLimits` before the service sees it. Log
/// lines have the route, the user's id, the status and the code; never a token, a body or a value.
///
/// - Important: HTTP does not encrypt. Put TLS in front, or use Hummingbird's.
/// - SeeAlso: `Documentation/Protocol.md`.
public struct SyncRoutes: Sendable {
    private let service: any SyncServing
    private let authentication: any SyncAuthentication
    private let limits: HTTPLimits
    private let isHealthy: @Sendable () async -> Bool
    private let held: HeldSize
    private let users: RateLimit<String>
    private let replicas: RateLimit<UUID>
    private let streams: OpenStreams
    private let known = KnownRevision()

    /// - Parameters:
    ///   - service: applies and gives changes.
    ///   - authentication: recognizes users by their tokens.
    ///   - limits: the bounds of requests. They count all routers that these routes are added to together.
    ///   - isHealthy: whether the store can be read; asked by the route `health`, which has five seconds for it.
    public init(
        service: any SyncServing, authentication: any SyncAuthentication, limits: HTTPLimits = HTTPLimits(),
        isHealthy: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.service = service
        self.authentication = authentication
        self.limits = limits
        self.isHealthy = isHealthy
        held = HeldSize(limit: limits.heldSize)
        users = RateLimit(rate: limits.userRate, burst: limits.userBurst)
        replicas = RateLimit(rate: limits.replicaRate, burst: limits.replicaBurst)
        streams = OpenStreams(limits: limits)
    }

    /// Adds `sync/v1/push`, `pull`, `blobs`, `news` and `health`.
    public func add<Context>(to router: some RouterMethods<Context>) {
        router.on("sync/v1/push", method: .post) { request, context in
            await answer(request, context.logger) { body, user in
                let isPacked = AnswerBody.isPacked(request.headers[.contentType])
                let push: SyncPush =
                    isPacked ? try SyncPush(body: body, mostChanges: limits.changes) : try decoded(body)
                try checkRate(of: push.replica)
                return try await service.push(push, user: user)
            }
        }
        router.on("sync/v1/pull", method: .post) { request, context in
            await answer(request, context.logger) { body, user in
                let pull: SyncPull = try decoded(body)
                try checkRate(of: pull.replica)
                return try await service.pull(pull, user: user)
            }
        }
        router.on("sync/v1/blobs/:hash", method: .put) { request, context in
            await answer(request, context.logger, hash: context.parameters.get("hash")) { query, body, user in
                let part = SyncPart(
                    hash: query.hash, size: try query.number("size"), offset: try query.number("offset"), bytes: body)
                let answer = try await service.put(part, user: user)
                return try AnswerBody(answer, to: [:], limits).response
            }
        }
        router.on("sync/v1/blobs/:hash", method: .get) { request, context in
            await answer(request, context.logger, hash: context.parameters.get("hash")) { query, _, user in
                let part = SyncPartRequest(
                    record: try query.id("record"), property: try query.text("property"), hash: query.hash,
                    offset: try query.number("offset"))
                return AnswerBody(bytes: try await service.get(part, user: user), limits).response
            }
        }
        router.on("sync/v1/news", method: .get) { request, context in await news(request, context.logger) }
        router.on("sync/v1/health", method: .get) { _, _ in await health() }
    }

    // MARK: Routes

    private func answer<Answer: Encodable>(
        _ request: Request, _ logger: Logger, _ perform: (Data, SyncUser) async throws -> Answer
    ) async -> Response {
        await respond(request, logger) { reader, user in
            let answer = try await perform(try await reader.read(), user)
            reader.giveBack()
            return try AnswerBody(answer, to: request.headers, limits).response
        }
    }

    /// A route of parts of large values.
    private func answer(
        _ request: Request, _ logger: Logger, hash: String?,
        _ perform: (PartQuery, Data, SyncUser) async throws -> Response
    ) async -> Response {
        await respond(request, logger) { reader, user in
            let query = try PartQuery(hash, request)
            let response = try await perform(query, try await reader.read(), user)
            reader.giveBack()
            return response
        }
    }

    private func respond(
        _ request: Request, _ logger: Logger, _ perform: (BodyReader, SyncUser) async throws -> Response
    ) async -> Response {
        let reader = BodyReader(request, limits: limits, all: held)
        var user: SyncUser?
        do {
            let caller = try await authenticated(request)
            user = caller
            return try await perform(reader, caller)
        } catch {
            return refuse(error, request, reader, user, logger)
        }
    }

    private func news(_ request: Request, _ logger: Logger) async -> Response {
        let reader = BodyReader(request, limits: limits, all: held)
        do {
            let user = try await authenticated(request)
            guard let place = StreamPlace(of: user.id, in: streams) else {
                throw Refusal(.tooMany, "Too many streams are open.", retryAfter: 30)
            }
            let token = try token(request)
            // Before the latest revision is read, so that no note falls between the two.
            let notes = service.news(user: user)
            let stream = NewsStream(
                request: request.body, first: known.latest, notes: notes, place: place, heartbeat: limits.heartbeat,
                writeTime: limits.answerTime
            ) {
                // A failure of the authentication is no reason to end a stream; the next request is refused.
                do { return try await authentication.user(of: token)?.id == user.id } catch { return true }
            }
            return stream.response
        } catch {
            return refuse(error, request, reader, nil, logger)
        }
    }

    private func health() async -> Response {
        let isWell = (try? await withTimeLimit(.seconds(5)) { await isHealthy() }) ?? false
        let text = #"{"status":"\#(isWell ? "ok" : "unavailable")"}"#
        return Response(
            status: isWell ? .ok : .serviceUnavailable,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    // MARK: Checks

    private func token(_ request: Request) throws -> String {
        let words = (request.headers[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw Refusal(.unauthenticated, "The header Authorization must be 'Bearer TOKEN'.")
        }
        return String(words[1])
    }

    private func authenticated(_ request: Request) async throws -> SyncUser {
        guard let user = try await authentication.user(of: try token(request)) else {
            throw Refusal(.unauthenticated, "The token is not known.")
        }
        if let pause = users.take(user.id) {
            throw Refusal(.tooMany, "The user sends too many requests.", retryAfter: pause)
        }
        known.listen(to: service, as: user)
        return user
    }

    private func checkRate(of replica: UUID) throws {
        if let pause = replicas.take(replica) {
            throw Refusal(.tooMany, "The replica sends too many requests.", retryAfter: pause)
        }
    }

    private func decoded<Body: Decodable>(_ body: Data) throws -> Body {
        let shape = JSONShape(body)
        guard shape.depth <= limits.depth else {
            throw Refusal(.malformed, "The JSON has more than \(limits.depth) levels.")
        }
        guard shape.items <= limits.changes else {
            throw Refusal(.tooLarge, "A batch has at most \(limits.changes) changes.")
        }
        return try JSONDecoder().decode(Body.self, from: body)
    }

    // MARK: Errors

    private func refuse(
        _ error: any Error, _ request: Request, _ reader: BodyReader, _ user: SyncUser?, _ logger: Logger
    ) -> Response {
        reader.giveBack()
        let known = Refusal(error)
        let refusal = known ?? Refusal(.unavailable, "The server cannot serve the request now.", retryAfter: 1)
        var facts: Logger.Metadata = [
            "route": "\(request.uri.path)", "code": "\(refusal.error.code)",
            "status": "\(refusal.error.code.status.code)",
        ]
        if let user { facts["user"] = "\(user.id)" }
        if known == nil {
            // H6: an error's text may have values of objects; its domain and code have not.
            let cause = error as NSError
            facts["cause"] = "\(cause.domain) \(cause.code)"
            logger.error("A request failed.", metadata: facts)
        } else {
            logger.info("A request was refused.", metadata: facts)
        }
        return AnswerBody.refusal(refusal, reader, limits)
    }
}
