// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transport against a server on loopback, and against none.
import CoreDataSyncHTTP
import CoreDataSyncProtocol
import Foundation
import Synchronization
import Testing

@testable import CoreDataSyncHTTPClient

@Suite("HTTP transport") struct TransportTests {
    /// The error of an operation, for `#expect` outside a closure.
    private func failure(_ operation: () async throws -> Void) async -> any Error {
        do {
            try await operation()
            return CancellationError()
        } catch { return error }
    }

    @Test("pushes and pulls, small and compressed, arrive and are answered")
    func exchange() async throws {
        let pushes = [Sample.push(), Sample.push(changes: 300, text: "e\u{301} \u{1F600} \"\\\u{1}")]
        let page = SyncPage(
            records: (0..<200).map { _ in
                SyncRecordState(name: UUID(), entity: "Note", state: .present, values: ["title": .string("Milk")])
            }, next: "x", isLast: false, isWhole: true, revision: 9, clock: .max)
        let (arrived, answers, pages) = try await LiveServer.run { server in
            server.service.state.withLock { $0.page = page }
            let transport = server.transport()
            var answers: [SyncPushAnswer] = []
            for push in pushes { answers.append(try await transport.push(push)) }
            let pages = [try await transport.pull(Sample.pull())]
            return (server.service.state.withLock { $0.pushes.map(\.push) }, answers, pages)
        }
        #expect(arrived == pushes)
        #expect(answers.map(\.outcomes.count) == [1, 300])
        #expect(pages == [page])
    }

    @Test("an error of the server is thrown as it was given")
    func serverError() async throws {
        let error = try await LiveServer.run { server in
            server.service.state.withLock { $0.failure = SyncError(.forked, "two replicas") }
            return await failure { _ = try await server.transport().push(Sample.push()) }
        }
        #expect(error as? SyncError == SyncError(.forked, "two replicas"))
    }

    @Test("a request without a server fails as one that may be repeated")
    func noServer() async throws {
        let port = try await LiveServer.run { $0.port }
        let transport = HTTPTransport(server: URL(string: "http://127.0.0.1:\(port)")!) { "token" }
        let error = await failure { _ = try await transport.push(Sample.push()) }
        #expect(error is HTTPTransportError)
        #expect(RetryDecision(error) == .again)
    }

    @Test("an answer that is not of the protocol, and one that is too large, are refused")
    func foreignAnswers() async throws {
        let (foreign, large) = try await LiveServer.run { server in
            let elsewhere = HTTPTransport(server: server.url.appendingPathComponent("other")) { LiveServer.token }
            let foreign = await failure { _ = try await elsewhere.push(Sample.push()) }
            var settings = HTTPTransport.Settings()
            settings.answerSize = 20
            let transport = server.transport(settings)
            return (foreign, await failure { _ = try await transport.push(Sample.push()) })
        }
        #expect(foreign as? HTTPTransportError == .foreignAnswer(status: 404))
        #expect(large as? HTTPTransportError == .answerTooLarge)
    }

    @Test("after Retry-After the next request waits")
    func pause() async throws {
        var limits = HTTPLimits()
        limits.userBurst = 1
        limits.userRate = 2
        let (refused, elapsed) = try await LiveServer.run(limits) { server in
            let transport = server.transport()
            _ = try await transport.push(Sample.push())
            let refused = await failure { _ = try await transport.push(Sample.push()) }
            let start = ContinuousClock.now
            _ = try await transport.push(Sample.push())
            return (refused, ContinuousClock.now - start)
        }
        #expect((refused as? SyncError)?.code == .tooMany)
        #expect(elapsed >= .milliseconds(900))
    }

    @Test("a note comes once for what was not pulled, also if nobody read when the server gave it")
    func news() async throws {
        let (revisions, end) = try await LiveServer.run { server in
            let transport = server.transport()
            var notes = transport.news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            server.service.post(41)
            var revisions = [try await notes?.next()?.revision]
            notes = nil
            try await pull(transport, server, revision: 41)
            server.service.post(42)
            try await Task.sleep(for: .milliseconds(100))
            notes = transport.news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            revisions.append(try await notes?.next()?.revision)
            try await pull(transport, server, revision: 42)
            notes = transport.news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            server.service.post(43)
            revisions.append(try await notes?.next()?.revision)
            transport.close()
            let end = await failure { _ = try await notes?.next() }
            return (revisions, end)
        }
        #expect(revisions == [41, 42, 43])
        #expect(end as? HTTPTransportError == .closed)
    }

    private func pull(_ transport: HTTPTransport, _ server: LiveServer, revision: Int64) async throws {
        server.service.state.withLock { $0.page.revision = revision }
        _ = try await transport.pull(Sample.pull())
    }

    @Test("all readers of a transport share one connection")
    func oneConnection() async throws {
        let (revisions, readers) = try await LiveServer.run { server in
            let transport = server.transport()
            let streams = (0..<30).compactMap { _ in transport.news(replica: UUID(), shapes: []) }
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            server.service.post(7)
            var revisions: [Int64?] = []
            for stream in streams {
                var notes = stream.makeAsyncIterator()
                revisions.append(try await notes.next()?.revision)
            }
            transport.close()
            return (revisions, server.service.readers)
        }
        #expect(revisions == Array(repeating: 7, count: 30))
        #expect(readers == 2, "the server's own and that of the one connection")
    }

    @Test("the connection ends some time after its last reader")
    func lingering() async throws {
        var limits = HTTPLimits()
        limits.userStreams = 1
        let statuses = try await LiveServer.run(limits) { server in
            var settings = HTTPTransport.Settings()
            settings.lingering = .milliseconds(300)
            let transport = server.transport(settings)
            var notes = transport.news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            var statuses = [try await server.ask("GET", "sync/v1/news").status]
            server.service.post(1)
            _ = try await notes?.next()
            notes = nil
            try await Task.sleep(for: .seconds(1))
            statuses.append(try await server.streamStatus())
            return statuses
        }
        #expect(statuses == [429, 200])
    }

    @Test("after a lost connection there is a note, because some may have been missed")
    func reconnection() async throws {
        let (revisions, readers) = try await LiveServer.run { server in
            var settings = HTTPTransport.Settings()
            settings.pauses.first = .milliseconds(20)
            let transport = server.transport(settings)
            var notes = transport.news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            // The server ends the stream, as it does before it stops.
            for continuation in server.service.state.withLock({ $0.notes }) { continuation.finish() }
            var revisions = [try await notes?.next()?.revision]
            try await pull(transport, server, revision: 4)
            server.service.post(5)
            revisions.append(try await notes?.next()?.revision)
            transport.close()
            return (revisions, server.service.readers)
        }
        #expect(revisions == [0, 5])
        #expect(readers == 3)
    }

    @Test("news end with the error if the credentials are refused")
    func refusedNews() async throws {
        let error = try await LiveServer.run { server in
            var notes = server.transport(token: "unknown").news(replica: UUID(), shapes: [])?.makeAsyncIterator()
            return await failure { _ = try await notes?.next() }
        }
        #expect((error as? SyncError)?.code == .unauthenticated)
    }

    /// Proves: H12
    @Test("a connection that waits for news costs no processor time")
    func waitingNews() async throws {
        @Sendable func seconds() -> Double {
            var time = timespec()
            guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let used = try await LiveServer.run { server in
            let transport = server.transport()
            let stream = transport.news(replica: UUID(), shapes: [])
            while server.service.readers < 2 { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(300))
            // The least of three: something else of the process may be at work.
            var least = Double.infinity
            for _ in 0..<3 {
                let start = seconds()
                try await Task.sleep(for: .milliseconds(400))
                least = min(least, seconds() - start)
            }
            withExtendedLifetime(stream) {}
            transport.close()
            return least
        }
        #expect(used < 0.08, "a connection that asks again and again takes all of the processor that it gets")
    }
}
