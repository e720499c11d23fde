// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes notes of new revisions as server-sent events (H7).
import CoreDataSyncProtocol
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// The place of a stream among the open ones. It is free again when the last reference to this goes.
final class StreamPlace: Sendable {
    private let streams: OpenStreams
    private let user: String

    /// - Returns: nil if there is no room.
    init?(of user: String, in streams: OpenStreams) {
        guard streams.open(user) else { return nil }
        self.streams = streams
        self.user = user
    }

    deinit { streams.close(user) }
}

/// One client's stream.
///
/// It begins with an event of the latest known revision, so that a client that has not pulled it yet does. It ends when
/// the client goes, when its token is no longer valid, and when the server stops.
struct NewsStream: Sendable {
    let request: RequestBody
    let first: Int64
    let notes: AsyncStream<SyncNews>
    let place: StreamPlace
    let heartbeat: Duration
    let writeTime: Duration
    let isStillAllowed: @Sendable () async -> Bool

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Used by one operation at a time: that of the time limit, then the end.
                nonisolated(unsafe) var output = writer
                try await request.consumeWithCancellationOnInboundClose { _ in
                    try await run { text in
                        let written: Void? = try await withTimeLimit(writeTime) {
                            try await output.write(ByteBuffer(string: text))
                        }
                        if written == nil { throw ConnectionEnd() }
                    }
                }
                try await output.finish(nil)
            })
    }

    private func run(_ write: (String) async throws -> Void) async throws {
        defer { withExtendedLifetime(place) {} }
        let latest = Latest()
        let (wakes, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await write(Self.event(first))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await note in notes {
                    latest.revision.withLock { $0 = max($0 ?? 0, note.revision) }
                    alarm.yield()
                }
                alarm.finish()
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: heartbeat)
                    alarm.yield()
                }
            }
            var checked = ContinuousClock.now
            for await _ in wakes.cancelOnGracefulShutdown() {
                if let revision = latest.take() { try await write(Self.event(revision)) }
                guard ContinuousClock.now - checked >= heartbeat else { continue }
                checked = .now
                guard await isStillAllowed() else { return }
                try await write(":\n\n")
            }
        }
    }

    private static func event(_ revision: Int64) -> String { "data: {\"revision\":\(revision)}\n\n" }
}

/// The revision that a stream has yet to write.
private final class Latest: Sendable {
    let revision = Mutex<Int64?>(nil)

    func take() -> Int64? {
        revision.withLock { revision in
            defer { revision = nil }
            return revision
        }
    }
}
