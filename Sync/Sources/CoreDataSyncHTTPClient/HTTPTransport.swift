// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Carries requests to a server over HTTP (Documentation/HTTP.md, H8).
import CoreDataSyncCompression
public import CoreDataSyncProtocol
public import Foundation
import Synchronization

/// A transport to a sync server over HTTP.
///
/// ```swift
/// let transport = HTTPTransport(server: URL(string: "https://sync.example.com")!) { try await keychain.token() }
/// let answer = try await transport.push(batch)
/// ```
/// A request is sent once: the caller repeats it as `RetryDecision` and `RetryPauses` say. Where the server named a
/// pause (`Retry-After`), the next request waits for its end. The stream of news connects again by itself.
///
/// Throws `SyncError` for an error that the server gave, and `HTTPTransportError` if there is no answer.
///
/// - Important: may be used from any task. Call `close()` when it is no longer needed.
public final class HTTPTransport: SyncTransport {
    /// The bounds of exchanges.
    public struct Settings: Sendable {
        /// The time for a whole request and its answer; 300 s.
        public var requestTime = Duration.seconds(300)
        /// The time without a byte after which a request has failed; 60 s.
        public var silence = Duration.seconds(60)
        /// The time without a byte after which a stream connects again; 50 s. The server sends one every 15 s.
        public var streamSilence = Duration.seconds(50)
        /// The greatest size in bytes of an answer after decompression; 512 MB.
        public var answerSize = 512 << 20
        /// The size in bytes from which a body is compressed; 1,024.
        public var compressedSize = 1_024
        /// The longest pause that the server may ask for; 5 min.
        public var longestPause = Duration.seconds(300)
        /// The time for which the connection of news stays open without a reader; 60 s.
        public var lingering = Duration.seconds(60)
        /// The pauses before the connection of news is made again.
        public var pauses = RetryPauses()
        /// Gives further headers of a request, such as those of a trace; called in the task that sends it. They do not
        /// replace the transport's. None unless set.
        public var headers: @Sendable () -> [String: String] = { [:] }

        /// The usual bounds.
        public init() {}
    }

    private let server: URL
    private let settings: Settings
    private let token: @Sendable () async throws -> String
    private let exchange = HTTPExchange(connections: 4)
    /// The one connection of news.
    private let newsExchange = HTTPExchange(connections: 1)
    private let line: NewsLine
    private let earliest = Mutex<ContinuousClock.Instant?>(nil)
    /// Whether an answer has said that the server reads compact batches (H11).
    private let packs = Mutex(false)

    /// - Parameters:
    ///   - server: the address in front of `/sync/v1`, such as `https://sync.example.com`.
    ///   - settings: the bounds of exchanges.
    ///   - token: gives the user's token; called for each request, so that it may be a renewed one.
    public init(
        server: URL, settings: Settings = Settings(), token: @escaping @Sendable () async throws -> String
    ) {
        self.server = server
        self.settings = settings
        self.token = token
        line = NewsLine(pauses: settings.pauses, lingering: settings.lingering)
    }

    deinit { close() }

    /// Ends requests and streams that are under way, and refuses further ones with `HTTPTransportError.closed`.
    public func close() {
        line.close()
        exchange.close()
        newsExchange.close()
    }

    /// Sends a batch.
    public func push(_ request: SyncPush) async throws -> SyncPushAnswer {
        if packs.withLock({ $0 }) {
            do {
                return try json(try await post("push", request.packed, type: syncPackedType))
            } catch let error as SyncError where error.code == .malformed {
                // An older server has taken the place of the one that could read it. It took nothing of the batch.
                packs.withLock { $0 = false }
            }
        }
        return try json(try await post("push", try Self.encode(request), type: Self.jsonType))
    }

    /// Asks for a page.
    public func pull(_ request: SyncPull) async throws -> SyncPage {
        line.beginPull()
        let accepted = ["Accept": "\(syncPackedType), \(Self.jsonType)"]
        let answer = try await post("pull", try Self.encode(request), type: Self.jsonType, headers: accepted)
        let page: SyncPage
        if answer.type.hasPrefix(syncPackedType) {
            do { page = try SyncPage(packed: answer.body) } catch {
                throw HTTPTransportError.foreignAnswer(status: 200)
            }
        } else {
            page = try json(answer)
        }
        if page.isLast { line.endPull(page.revision) }
        return page
    }

    /// Sends a part of a large value as it is: such values are compressed already in most cases.
    public func put(_ part: SyncPart) async throws -> SyncPartAnswer {
        var call = try await call(
            "PUT", "blobs/" + part.hash, query: [("size", String(part.size)), ("offset", String(part.offset))])
        call.headers["Content-Type"] = "application/octet-stream"
        call.body = part.bytes
        return try json(try await send(call))
    }

    /// Asks for a part of a large value.
    public func get(_ request: SyncPartRequest) async throws -> Data {
        try await send(
            try await call(
                "GET", "blobs/" + request.hash,
                query: [
                    ("record", request.record.uuidString), ("property", request.property),
                    ("offset", String(request.offset)),
                ])
        ).body
    }

    /// Notes of revisions that this transport has not pulled, over any number of connections.
    ///
    /// All streams share one connection, which stays open for `Settings.lingering` after the last of them ended, so a
    /// client may take a new stream after each pull and misses nothing. A stream ends with an error only if that needs
    /// a person's help, such as new credentials.
    public func news(replica: UUID, shapes: [String]) -> AsyncThrowingStream<SyncNews, any Error>? {
        line.stream { [self] receive in try await listen(receive) }
    }

    // MARK: Requests

    private static let jsonType = "application/json"

    private static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    private func json<Answer: Decodable>(_ answer: (type: String, body: Data)) throws -> Answer {
        do { return try JSONDecoder().decode(Answer.self, from: answer.body) } catch {
            throw HTTPTransportError.foreignAnswer(status: 200)
        }
    }

    private func post(
        _ route: String, _ body: Data, type: String, headers: [String: String] = [:]
    ) async throws -> (type: String, body: Data) {
        var call = try await call("POST", route)
        call.headers.merge(headers) { _, new in new }
        call.headers["Content-Type"] = type
        call.body = body
        if body.count >= settings.compressedSize {
            call.body = try BodyCompression.gzip.compressed(body)
            call.headers["Content-Encoding"] = BodyCompression.gzip.rawValue
        }
        return try await send(call)
    }

    /// - Returns: the type and the body of an answer with the status 200.
    private func send(_ call: HTTPCall) async throws -> (type: String, body: Data) {
        let (head, answer) = try await withThrowingTaskGroup(of: (HTTPHead, Data)?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.collect(call) }
            group.addTask { [settings] in
                try await Task.sleep(for: settings.requestTime)
                return nil
            }
            guard let answer = try await group.next() ?? nil else { throw HTTPTransportError.timedOut }
            return answer
        }
        guard head.status == 200 else { throw failure(head, answer) }
        if head.headers["accept-post"]?.contains(syncPackedType) ?? false { packs.withLock { $0 = true } }
        return (head.headers["content-type"] ?? Self.jsonType, answer)
    }

    private func call(
        _ method: String, _ route: String, query: [(name: String, value: String)] = []
    ) async throws -> HTTPCall {
        if let earliest = earliest.withLock({ $0 }), earliest > .now {
            try await Task.sleep(until: earliest, clock: .continuous)
        }
        var url = server.appendingPathComponent("sync/v1/" + route)
        if !query.isEmpty, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) {
            components.queryItems = query.map { URLQueryItem(name: $0.name, value: $0.value) }
            url = components.url ?? url
        }
        let headers = settings.headers().merging(["Authorization": "Bearer " + (try await token())]) { $1 }
        return HTTPCall(
            method: method, url: url, headers: headers, silence: settings.silence / .seconds(1))
    }

    /// - Parameter exchange: the one for usual requests unless given.
    private func collect(_ call: HTTPCall, _ exchange: HTTPExchange? = nil) async throws -> (HTTPHead, Data) {
        var head: HTTPHead?
        var body = Data()
        for try await event in (exchange ?? self.exchange).start(call) {
            switch event {
            case .head(let new): head = new
            case .piece(let piece):
                guard body.count + piece.count <= settings.answerSize else { throw HTTPTransportError.answerTooLarge }
                body.append(piece)
            }
        }
        try Task.checkCancellation()
        guard let head else { throw HTTPTransportError.noConnection("no answer") }
        return (head, body)
    }

    /// The error that an answer is, and the pause that it asks for.
    private func failure(_ head: HTTPHead, _ body: Data) -> any Error {
        if let seconds = head.headers["retry-after"].flatMap(Double.init), seconds > 0 {
            let pause = min(.seconds(seconds), settings.longestPause)
            earliest.withLock { $0 = .now + pause }
        }
        if let error = try? JSONDecoder().decode(SyncError.self, from: body) { return error }
        return HTTPTransportError.foreignAnswer(status: head.status)
    }

    // MARK: News

    /// One connection. Ends without an error when the server ends it.
    private func listen(_ receive: (SyncNews) -> Void) async throws {
        // (H12) Foundation of Linux asks a new connection again and again whether it can send, until its first request
        // ends: a core would do nothing else. So another request is the first one.
        _ = try await collect(try await self.call("GET", "health"), newsExchange)
        var call = try await call("GET", "news")
        call.headers["Accept"] = "text/event-stream"
        call.silence = settings.streamSilence / .seconds(1)
        var head: HTTPHead?
        var refusal = Data()
        var parser = EventParser()
        for try await event in newsExchange.start(call) {
            switch event {
            case .head(let new): head = new
            case .piece(let piece):
                guard head?.status == 200 else {
                    refusal.append(piece.prefix(EventParser.mostBytes - refusal.count))
                    continue
                }
                for data in try parser.take(piece) {
                    guard let note = try? JSONDecoder().decode(SyncNews.self, from: data) else {
                        throw HTTPTransportError.foreignAnswer(status: 200)
                    }
                    receive(note)
                }
            }
        }
        if let head, head.status != 200 { throw failure(head, refusal) }
    }
}
