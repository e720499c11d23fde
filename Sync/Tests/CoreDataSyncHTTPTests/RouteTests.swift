// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The routes over a real socket: credentials, errors and their statuses, limits, streams, logs.
import CoreDataSyncCompression
import CoreDataSyncProtocol
import Foundation
import Synchronization
import Testing

@testable import CoreDataSyncHTTP
@testable import CoreDataSyncHTTPClient

@Suite("Routes") struct RouteTests {
    @Test("a push reaches the service with the user of its token")
    func push() async throws {
        let push = Sample.push()
        let (answer, user, arrived) = try await LiveServer.run { server in
            let answer = try await server.push(push)
            let first = server.service.state.withLock { $0.pushes.first }
            return (answer, first?.user, first?.push)
        }
        #expect(answer.status == 200)
        #expect(try JSONDecoder().decode(SyncPushAnswer.self, from: answer.body).outcomes.count == 1)
        #expect(user == SyncUser(id: "ann", variables: ["team": .string("red")]))
        #expect(arrived == push)
    }

    @Test("without a known token nothing reaches the service", arguments: [nil, "", "wrong", "a-token-of-ann-000"])
    func credentials(token: String?) async throws {
        let (answers, pushes) = try await LiveServer.run { server in
            let push = try await server.push(Sample.push(), token: token)
            let news = try await server.ask("GET", "sync/v1/news", token: token)
            return ([push, news], server.service.pushes)
        }
        #expect(answers.map(\.status) == [401, 401])
        #expect(answers.map(\.code) == [.unauthenticated, .unauthenticated])
        #expect(answers[0].head.headers["www-authenticate"] == "Bearer")
        #expect(pushes == 0)
    }

    @Test("a part reaches the service as it is, and comes from it")
    func parts() async throws {
        let hash = String(repeating: "ab", count: 32)
        let bytes = Data((0..<1 << 20).map { UInt8($0 & 255) })
        let part = SyncPart(hash: hash, size: 1 << 21, offset: 1 << 20, bytes: bytes)
        let request = SyncPartRequest(record: UUID(), property: "photo & more?", hash: hash, offset: 7)
        let (answer, got, arrived) = try await LiveServer.run { server in
            let transport = server.transport()
            let answer = try await transport.put(part)
            return (answer, try await transport.get(request), server.service.state.withLock { $0.parts })
        }
        #expect(answer.received == 2 << 20)
        #expect(arrived == [part])
        #expect(String(decoding: got, as: UTF8.self) == "\(request.record) photo & more? 7")
    }

    @Test(
        "a part with a wrong address is malformed, and none reaches the service",
        arguments: [
            "xyz?size=1&offset=0", "HASH?offset=0", "HASH?size=a&offset=0", "HASH?size=1", "HASH",
            "HASH?size=99999999999999999999&offset=0",
        ])
    func malformedPart(address: String) async throws {
        let route = address.replacingOccurrences(of: "HASH", with: String(repeating: "ab", count: 32))
        let (status, code, parts) = try await LiveServer.run { server in
            var call = HTTPCall(
                method: "PUT", url: try #require(URL(string: server.url.absoluteString + "/sync/v1/blobs/" + route)),
                headers: ["Authorization": "Bearer " + LiveServer.token], body: Data([1]), silence: 20)
            call.headers["Content-Type"] = "application/octet-stream"
            let answer = try await server.ask(call)
            return (answer.status, answer.code, server.service.state.withLock { $0.parts.count })
        }
        #expect(status == 400)
        #expect(code == .malformed)
        #expect(parts == 0)
    }

    @Test("missing data have the status 404, and no token gives 401 for parts")
    func missingPart() async throws {
        let hash = String(repeating: "ab", count: 32)
        let request = SyncPartRequest(record: UUID(), property: "a", hash: hash, offset: 0)
        let (code, other) = try await LiveServer.run { server in
            server.service.state.withLock { $0.failure = SyncError(.missingData, "gone") }
            func code(_ transport: HTTPTransport) async throws -> SyncErrorCode? {
                do { _ = try await transport.get(request) } catch let error as SyncError { return error.code }
                return nil
            }
            return (try await code(server.transport()), try await code(server.transport(token: "wrong")))
        }
        #expect(code == .missingData)
        #expect(other == .unauthenticated)
    }

    @Test("each error of the service has the status of the protocol's table")
    func statuses() async throws {
        let expected: [(SyncErrorCode, Int)] = [
            (.malformed, 400), (.version, 400), (.upgrade, 426), (.tooLarge, 413), (.tooMany, 429),
            (.unauthenticated, 401), (.notPermitted, 403), (.forked, 409), (.gap, 409), (.startAnew, 410),
            (.unavailable, 503), (.missingData, 404),
        ]
        for (code, status) in expected {
            let answer = try await LiveServer.run { server in
                server.service.state.withLock { $0.failure = SyncError(code, "because") }
                return try await server.push(Sample.push())
            }
            #expect(answer.status == status)
            #expect(answer.error == SyncError(code, "because"))
        }
    }

    @Test("an error of the store is unavailable, and its text stays on the server")
    func storeError() async throws {
        let (answer, log) = try await LiveServer.run { server in
            let facts = [NSLocalizedDescriptionKey: "secret"]
            server.service.state.withLock {
                $0.failure = NSError(domain: "NSCocoaErrorDomain", code: 256, userInfo: facts)
            }
            return (try await server.push(Sample.push()), server.log.text)
        }
        #expect(answer.status == 503)
        #expect(answer.code == .unavailable)
        #expect(answer.head.headers["retry-after"] == "1")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secret"))
        #expect(log.contains("NSCocoaErrorDomain 256"))
        #expect(!log.contains("secret"))
    }

    @Test(
        "a body of another form is refused with the place of the fault, without values",
        arguments: [
            ("", "'"), ("[]", "'"), ("{\"version\":\"topsecret\"}", "version"), ("\u{0}\u{1}", "'"),
            ("{\"version\":1,\"replica\":\"topsecret\"}", "replica"),
        ])
    func malformed(body: String, part: String) async throws {
        let (answer, pushes) = try await LiveServer.run { server in
            (try await server.ask("POST", "sync/v1/push", body: Data(body.utf8)), server.service.pushes)
        }
        #expect(answer.status == 400)
        #expect(answer.code == .malformed)
        #expect(answer.error?.text.contains(part) == true)
        #expect(answer.error?.text.contains("topsecret") == false)
        #expect(pushes == 0)
    }

    @Test("compressed bodies are taken", arguments: BodyCompression.allCases)
    func compressed(compression: BodyCompression) async throws {
        let push = Sample.push(changes: 50)
        let arrived = try await LiveServer.run { server in
            let body = try compression.compressed(try JSONEncoder().encode(push))
            _ = try await server.ask(
                "POST", "sync/v1/push", headers: ["Content-Encoding": compression.rawValue], body: body)
            return server.service.state.withLock { $0.pushes.first?.push }
        }
        #expect(arrived == push)
    }

    @Test("damaged, unknown and expanding encodings are refused")
    func wrongEncodings() async throws {
        var limits = HTTPLimits()
        limits.decodedSize = 1 << 20
        let answers = try await LiveServer.run(limits) { server in
            let zeros = try BodyCompression.gzip.compressed(Data(count: 8 << 20))
            let plain = Data("{}".utf8)
            let cases = [("gzip", plain), ("br", plain), ("gzip", zeros.dropLast(9)), ("gzip", zeros)]
            var answers: [Answer] = []
            for (name, body) in cases {
                let headers = ["Content-Encoding": name]
                answers.append(try await server.ask("POST", "sync/v1/push", headers: headers, body: Data(body)))
            }
            answers.append(try await server.push(Sample.push()))
            return answers
        }
        #expect(answers.map(\.code) == [.malformed, .malformed, .tooLarge, .tooLarge, nil])
        #expect(answers.last?.status == 200, "the server goes on")
    }

    @Test("bodies beyond the limits of size, depth and changes never reach the service")
    func limits() async throws {
        var limits = HTTPLimits()
        limits.bodySize = 100_000
        limits.changes = 20
        let (answers, pushes) = try await LiveServer.run(limits) { server in
            let nested = "{\"version\":" + String(repeating: "[", count: 25)
            let answers = [
                try await server.push(Sample.push(text: String(repeating: "x", count: 100_000))),
                try await server.push(Sample.push(changes: 21)),
                try await server.ask("POST", "sync/v1/push", body: Data(nested.utf8)),
                try await server.push(Sample.push(changes: 20)),
            ]
            return (answers, server.service.pushes)
        }
        #expect(answers.map(\.status) == [413, 413, 400, 200])
        #expect(answers.map(\.code) == [.tooLarge, .tooLarge, .malformed, nil])
        #expect(pushes == 1)
    }

    @Test("bodies that are held together are bounded, and the room comes back")
    func heldBodies() async throws {
        var limits = HTTPLimits()
        limits.heldSize = 10_000
        let answers = try await LiveServer.run(limits) { server in
            let large = Sample.push(text: String(repeating: "x", count: 12_000))
            let small = Sample.push(text: String(repeating: "x", count: 6_000))
            var answers = [try await server.push(large)]
            for _ in 0..<4 { answers.append(try await server.push(small)) }
            return answers
        }
        #expect(answers.map(\.status) == [503, 200, 200, 200, 200])
        #expect(answers[0].head.headers["retry-after"] == "2")
    }

    @Test("a user and a replica have separate rates")
    func rates() async throws {
        var limits = HTTPLimits()
        limits.userRate = 0.1
        limits.userBurst = 5
        limits.replicaRate = 0.1
        limits.replicaBurst = 2
        let answers = try await LiveServer.run(limits) { server in
            let replica = UUID()
            var answers: [Answer] = []
            for number: Int64 in 1...3 {
                answers.append(try await server.push(Sample.push(replica: replica, number: number)))
            }
            for _ in 0..<3 { answers.append(try await server.push(Sample.push())) }
            answers.append(try await server.push(Sample.push(), token: LiveServer.otherToken))
            return answers
        }
        #expect(answers.map(\.status) == [200, 200, 429, 200, 200, 429, 200])
        #expect(answers[2].head.headers["retry-after"] == "10")
    }

    @Test("open streams are bounded, and a stream that its client left frees its place")
    func streams() async throws {
        var limits = HTTPLimits()
        limits.userStreams = 2
        let (refused, later) = try await LiveServer.run(limits) { server in
            let transports = [server.transport(), server.transport()]
            let streams = transports.map { $0.news(replica: UUID(), shapes: []) }
            while server.service.readers < 3 { try await Task.sleep(for: .milliseconds(5)) }
            let refused = try await server.ask("GET", "sync/v1/news")
            withExtendedLifetime(streams) { transports.forEach { $0.close() } }
            var later = 429
            for _ in 0..<100 where later == 429 {
                try await Task.sleep(for: .milliseconds(50))
                later = try await server.streamStatus()
            }
            return (refused, later)
        }
        #expect(refused.status == 429)
        #expect(refused.code == .tooMany)
        #expect(later == 200)
    }

    @Test("a stream begins with the latest revision")
    func firstEvent() async throws {
        let text = try await LiveServer.run { server in
            _ = try await server.push(Sample.push())
            server.service.post(99)
            try await Task.sleep(for: .milliseconds(100))
            return try await server.firstEvent()
        }
        #expect(text == "data: {\"revision\":99}\n\n")
    }

    @Test("a stream ends after its token was taken back")
    func revokedToken() async throws {
        var limits = HTTPLimits()
        limits.heartbeat = .milliseconds(50)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("0123456789abcdef ann\n".utf8).write(to: url)
        let log = LogText()
        let file = try TokenFile(url, logger: log.logger())
        let answer = try await LiveServer.run(limits, tokens: file) { server in
            async let answer = server.ask("GET", "sync/v1/news", token: "0123456789abcdef")
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            try Data("fedcba9876543210 ann\n".utf8).write(to: url)
            return try await answer
        }
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).hasSuffix(":\n\n"))
    }

    @Test("the health route needs no token and says whether the store answers", arguments: [true, false])
    func health(isHealthy: Bool) async throws {
        let answer = try await LiveServer.run(isHealthy: { isHealthy }) { server in
            try await server.ask("GET", "sync/v1/health", token: nil)
        }
        #expect(answer.status == (isHealthy ? 200 : 503))
        #expect(String(decoding: answer.body, as: UTF8.self).contains(isHealthy ? "ok" : "unavailable"))
    }

    @Test("no token is logged at any level, whether its request is served or refused")
    func logs() async throws {
        var limits = HTTPLimits()
        limits.userStreams = 0
        let log = try await LiveServer.run(limits) { server in
            _ = try await server.push(Sample.push())
            _ = try await server.push(Sample.push(), token: "an-unknown-token-77")
            _ = try await server.ask("POST", "sync/v1/push", body: Data("{".utf8))
            _ = try await server.ask("GET", "sync/v1/news")
            server.service.state.withLock { $0.failure = CocoaError(.fileReadUnknown) }
            _ = try await server.push(Sample.push())
            return server.log
        }
        #expect(log.text.contains("refused"))
        #expect(log.text.contains("ann"))
        #expect(!log.text.contains(LiveServer.token))
        #expect(!log.text.contains("unknown-token"))
        #expect(!log.text.contains("Milk"))
    }
}
