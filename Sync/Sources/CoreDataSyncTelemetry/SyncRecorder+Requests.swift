// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The requests of the protocol with their facts, the same at both ends.
import CoreDataSyncProtocol
import Foundation

extension SyncRecorder {
    func push(
        _ request: SyncPush, at side: SyncSide, _ send: () async throws -> SyncPushAnswer
    ) async throws -> SyncPushAnswer {
        let known: [SyncFact] = [
            .text("replica", request.replica.uuidString), .number("batch", Int(clamping: request.number)),
            .number("changes", request.changes.count),
        ]
        let answer = try await run(
            .push, at: side, side.spanKind, known, facts: { PushNumbers(request, $0).facts }, send)
        // The numbers of a client are those of its rounds.
        if side == .server { metrics?.count(PushNumbers(request, answer)) }
        return answer
    }

    func pull(
        _ request: SyncPull, at side: SyncSide, _ send: () async throws -> SyncPage
    ) async throws -> SyncPage {
        var known: [SyncFact] = [.text("replica", request.replica.uuidString)]
        if request.after == nil { known.append(.flag("whole")) }
        let page = try await run(
            .pull, at: side, side.spanKind, known,
            facts: { page in
                [.number("records", page.records.count), .number("revision", Int(clamping: page.revision))]
                    + (page.isLast ? [.flag("last")] : [])
            }, send)
        metrics?.count(records: page.records.count, at: side)
        return page
    }

    func put(
        _ part: SyncPart, at side: SyncSide, _ send: () async throws -> SyncPartAnswer
    ) async throws -> SyncPartAnswer {
        let answer = try await run(
            .put, at: side, side.spanKind, [.number("bytes", part.bytes.count)], facts: { _ in [] }, send)
        metrics?.count(bytes: part.bytes.count, of: .put, at: side)
        return answer
    }

    func get(_ request: SyncPartRequest, at side: SyncSide, _ send: () async throws -> Data) async throws -> Data {
        let bytes = try await run(
            .get, at: side, side.spanKind, [.number("offset", Int(clamping: request.offset))],
            facts: { [.number("bytes", $0.count)] }, send)
        metrics?.count(bytes: bytes.count, of: .get, at: side)
        return bytes
    }
}

/// The numbers of the answer to a batch, those that `SyncReport` has.
struct PushNumbers {
    let changes: Int
    let refused: Int
    let superseded: Int
    let merged: Int

    init(_ request: SyncPush, _ answer: SyncPushAnswer) {
        let groups = Set(answer.outcomes.filter { $0.result == .refused }.map(\.group))
        changes = request.changes.count
        refused = request.changes.count { groups.contains($0.group) }
        superseded = answer.outcomes.reduce(0) { $0 + $1.superseded.count }
        merged = answer.outcomes.reduce(0) { $0 + $1.merged.count }
    }

    var facts: [SyncFact] {
        [.number("refused", refused), .number("superseded", superseded), .number("merged", merged)]
    }
}

/// Sends the requests of a client through another transport.
struct ObservedTransport: SyncTransport {
    let transport: any SyncTransport
    let recorder: SyncRecorder

    func push(_ request: SyncPush) async throws -> SyncPushAnswer {
        try await recorder.push(request, at: .client) { try await transport.push(request) }
    }

    func pull(_ request: SyncPull) async throws -> SyncPage {
        try await recorder.pull(request, at: .client) { try await transport.pull(request) }
    }

    func put(_ part: SyncPart) async throws -> SyncPartAnswer {
        try await recorder.put(part, at: .client) { try await transport.put(part) }
    }

    func get(_ request: SyncPartRequest) async throws -> Data {
        try await recorder.get(request, at: .client) { try await transport.get(request) }
    }

    func news(replica: UUID, shapes: [String]) -> AsyncThrowingStream<SyncNews, any Error>? {
        transport.news(replica: replica, shapes: shapes)
    }
}

/// Answers requests by another server.
struct ObservedService: SyncServing {
    let service: any SyncServing
    let recorder: SyncRecorder

    func push(_ request: SyncPush, user: SyncUser) async throws -> SyncPushAnswer {
        try await recorder.push(request, at: .server) { try await service.push(request, user: user) }
    }

    func pull(_ request: SyncPull, user: SyncUser) async throws -> SyncPage {
        try await recorder.pull(request, at: .server) { try await service.pull(request, user: user) }
    }

    func put(_ part: SyncPart, user: SyncUser) async throws -> SyncPartAnswer {
        try await recorder.put(part, at: .server) { try await service.put(part, user: user) }
    }

    func get(_ request: SyncPartRequest, user: SyncUser) async throws -> Data {
        try await recorder.get(request, at: .server) { try await service.get(request, user: user) }
    }

    func news(user: SyncUser) -> AsyncStream<SyncNews> { service.news(user: user) }
}
