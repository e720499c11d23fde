// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A server on loopback for one test, with a service that records what reaches it.
import CoreDataSyncHTTP
import CoreDataSyncProtocol
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import CoreDataSyncHTTPClient

/// Takes every request, remembers it, and gives plain answers. Tests can make it fail.
final class RecordingService: SyncServing {
    struct State {
        var pushes: [(push: SyncPush, user: SyncUser)] = []
        var pulls: [SyncPull] = []
        var failure: (any Error)?
        var parts: [SyncPart] = []
        var notes: [AsyncStream<SyncNews>.Continuation] = []
        var page = SyncPage(records: [], next: "n", isLast: true, isWhole: true, revision: 1, clock: 1)
    }

    let state = Mutex(State())

    func push(_ request: SyncPush, user: SyncUser) async throws -> SyncPushAnswer {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.pushes.append((request, user))
        }
        let groups = Set(request.changes.map(\.group)).sorted()
        return SyncPushAnswer(
            number: request.number, clock: 7, outcomes: groups.map { SyncOutcome(group: $0, result: .taken) })
    }

    func pull(_ request: SyncPull, user: SyncUser) async throws -> SyncPage {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.pulls.append(request)
            return state.page
        }
    }

    func put(_ part: SyncPart, user: SyncUser) async throws -> SyncPartAnswer {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.parts.append(part)
        }
        return SyncPartAnswer(received: part.offset + Int64(part.bytes.count))
    }

    func get(_ request: SyncPartRequest, user: SyncUser) async throws -> Data {
        try state.withLock { if let failure = $0.failure { throw failure } }
        return Data("\(request.record) \(request.property) \(request.offset)".utf8)
    }

    func news(user: SyncUser) -> AsyncStream<SyncNews> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncNews.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.notes.append(continuation) }
        return stream
    }

    func post(_ revision: Int64) {
        for continuation in state.withLock({ $0.notes }) { continuation.yield(SyncNews(revision: revision)) }
    }

    var pushes: Int { state.withLock { $0.pushes.count } }
    var readers: Int { state.withLock { $0.notes.count } }
}

/// Keeps all that is logged, at every level.
final class LogText: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func logger() -> Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: LogText
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.lines.withLock { $0.append("\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])") }
        }
    }
}

/// A running server.
struct LiveServer: Sendable {
    static let token = "a-token-of-ann-0001"
    static let otherToken = "a-token-of-bob-0002"

    let port: Int
    let service: RecordingService
    let log: LogText

    var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(fileURLWithPath: "/") }

    /// Runs a server while the body does, and stops it as a signal would.
    static func run<Result: Sendable>(
        _ limits: HTTPLimits = HTTPLimits(), tokens: (any SyncAuthentication)? = nil,
        isHealthy: @escaping @Sendable () async -> Bool = { true },
        _ body: @Sendable (LiveServer) async throws -> Result
    ) async throws -> Result {
        let service = RecordingService()
        let log = LogText()
        let tokens = try tokens ?? TokenTable(text: "\(token) ann team=red\n\(otherToken) bob\n")
        let router = Router()
        SyncRoutes(service: service, authentication: tokens, limits: limits, isHealthy: isHealthy).add(to: router)
        let (ports, announcement) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) }, logger: log.logger())
        let group = ServiceGroup(configuration: .init(services: [application], logger: log.logger()))
        let running = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = await iterator.next() ?? 0
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(LiveServer(port: port, service: service, log: log)))
        } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        return try result.get()
    }

    /// Sends one request, and gives its whole answer.
    func ask(
        _ method: String, _ route: String, token: String? = token, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Answer {
        var call = HTTPCall(
            method: method, url: url.appendingPathComponent(route), headers: headers, body: body, silence: 20)
        if let token { call.headers["Authorization"] = "Bearer " + token }
        return try await ask(call)
    }

    func ask(_ call: HTTPCall) async throws -> Answer {
        let exchange = HTTPExchange(connections: 4)
        defer { exchange.close() }
        var answer = Answer(head: HTTPHead(status: 0, headers: [:]), body: Data())
        for try await event in exchange.start(call) {
            switch event {
            case .head(let head): answer.head = head
            case .piece(let piece): answer.body.append(piece)
            }
        }
        return answer
    }

    /// The status of a stream, which is left at once.
    func streamStatus() async throws -> Int {
        let exchange = HTTPExchange(connections: 4)
        defer { exchange.close() }
        for try await event in exchange.start(newsCall) { if case .head(let head) = event { return head.status } }
        return 0
    }

    /// The first piece of a stream, which is left then.
    func firstEvent() async throws -> String {
        let exchange = HTTPExchange(connections: 4)
        defer { exchange.close() }
        for try await event in exchange.start(newsCall) {
            if case .piece(let piece) = event { return String(decoding: piece, as: UTF8.self) }
        }
        return ""
    }

    private var newsCall: HTTPCall {
        HTTPCall(
            method: "GET", url: url.appendingPathComponent("sync/v1/news"),
            headers: ["Authorization": "Bearer " + Self.token], body: nil, silence: 5)
    }

    func push(_ push: SyncPush, token: String? = token) async throws -> Answer {
        try await ask("POST", "sync/v1/push", token: token, body: try JSONEncoder().encode(push))
    }

    func transport(_ settings: HTTPTransport.Settings = .init(), token: String = token) -> HTTPTransport {
        HTTPTransport(server: url, settings: settings) { token }
    }
}

/// The answer to a request.
struct Answer: Sendable {
    var head: HTTPHead
    var body: Data

    var status: Int { head.status }
    var error: SyncError? { try? JSONDecoder().decode(SyncError.self, from: body) }
    var code: SyncErrorCode? { error?.code }
}

/// Requests that tests send.
enum Sample {
    static let schema = SyncSchema(entities: [:])

    static func push(replica: UUID = UUID(), number: Int64 = 1, changes: Int = 1, text: String = "Milk") -> SyncPush {
        let stamp = SyncStamp(clock: 1, replica: replica)
        return SyncPush(
            replica: replica, number: number, id: UUID(), schema: schema, observed: 0,
            changes: (0..<changes).map { group in
                SyncChange(
                    .insert, name: UUID(), entity: "Note", group: group, stamp: stamp,
                    fields: ["title": SyncField(.string(text), stamp)])
            })
    }

    static func pull(replica: UUID = UUID()) -> SyncPull {
        SyncPull(replica: replica, schema: schema, after: nil, applied: 0, limit: 10)
    }
}
