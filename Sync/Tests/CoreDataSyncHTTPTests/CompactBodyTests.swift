// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compact bodies: both sides use them where both know them, and JSON is there for all others.
import CoreDataSyncProtocol
import Foundation
import Synchronization
import Testing

@testable import CoreDataSyncHTTP
@testable import CoreDataSyncHTTPClient

@Suite("Compact bodies") struct CompactBodyTests {
    private let page = SyncPage(
        records: (0..<3).map { _ in
            SyncRecordState(name: UUID(), entity: "Note", state: .present, values: ["title": .string("Milk")])
        }, next: "x", isLast: false, isWhole: true, revision: 9, clock: .max)

    @Test("a page is compact for a client that accepts it, and JSON for any other one")
    func pages() async throws {
        let request = try JSONEncoder().encode(Sample.pull())
        let (plain, compact) = try await LiveServer.run { [page] server in
            server.service.state.withLock { $0.page = page }
            return (
                try await server.ask("POST", "sync/v1/pull", body: request),
                try await server.ask("POST", "sync/v1/pull", headers: ["Accept": syncPackedType], body: request)
            )
        }
        #expect(plain.head.headers["content-type"] == "application/json")
        #expect(try JSONDecoder().decode(SyncPage.self, from: plain.body) == page)
        #expect(compact.head.headers["content-type"] == syncPackedType)
        #expect(try SyncPage(packed: compact.body) == page)
        #expect(compact.body.count * 2 < plain.body.count)
    }

    @Test("the transport sends a compact batch once the server has said that it reads them")
    func batches() async throws {
        let pushes = [Sample.push(), Sample.push(changes: 40)]
        let arrived = try await LiveServer.run { server in
            let transport = server.transport()
            for push in pushes { _ = try await transport.push(push) }
            return server.service.state.withLock { $0.pushes.map(\.push) }
        }
        #expect(arrived == pushes)
    }

    @Test("a compact batch that is damaged, or has too many changes, never reaches the service")
    func hostileBatches() async throws {
        let good = Sample.push(changes: 12).packed
        var limits = HTTPLimits()
        limits.changes = 11
        let bodies = [Data(), Data([9]), good.prefix(40), good]
        let (answers, pushes) = try await LiveServer.run(limits) { server in
            var answers: [Answer] = []
            for body in bodies {
                let headers = ["Content-Type": syncPackedType]
                answers.append(try await server.ask("POST", "sync/v1/push", headers: headers, body: body))
            }
            return (answers, server.service.pushes)
        }
        #expect(answers.map(\.code) == [.malformed, .malformed, .malformed, .tooLarge])
        #expect(pushes == 0)
    }

    @Test("a batch that the server calls malformed is sent once more as JSON")
    func olderServer() async throws {
        let (error, refusals) = try await LiveServer.run { server in
            let transport = server.transport()
            _ = try await transport.push(Sample.push())
            server.service.state.withLock { $0.failure = SyncError(.malformed, "because") }
            var error: (any Error)?
            do { _ = try await transport.push(Sample.push()) } catch let caught { error = caught }
            let lines = server.log.text.split(separator: "\n").filter { $0.contains("A request was refused.") }
            return (error, lines.count)
        }
        #expect(error as? SyncError == SyncError(.malformed, "because"))
        #expect(refusals == 2)
    }
}
