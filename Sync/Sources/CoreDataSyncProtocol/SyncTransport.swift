// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border between a device, a network and a server.
public import Foundation

/// Carries requests from a device to a server.
///
/// A transport throws `SyncError` for an error that the server gave, and any other error if it does not know whether
/// the request arrived. The device then sends the same request again.
public protocol SyncTransport: Sendable {
    /// Sends a batch.
    func push(_ request: SyncPush) async throws -> SyncPushAnswer
    /// Asks for a page.
    func pull(_ request: SyncPull) async throws -> SyncPage
    /// Sends a part of a large value, or asks how much of it the server has.
    func put(_ part: SyncPart) async throws -> SyncPartAnswer
    /// Asks for a part of a large value: 1 MiB, or the rest.
    func get(_ request: SyncPartRequest) async throws -> Data
    /// Notes that there is something to pull; ends when the connection does. nil if the transport has none: the device
    /// then asks at intervals.
    func news(replica: UUID, shapes: [String]) -> AsyncThrowingStream<SyncNews, any Error>?
}

extension SyncTransport {
    /// No notes.
    public func news(replica: UUID, shapes: [String]) -> AsyncThrowingStream<SyncNews, any Error>? { nil }
}

/// A user, as the server's authority recognized it.
public struct SyncUser: Hashable, Sendable {
    /// Identifies the user.
    public var id: String
    /// Values for the variables of shapes, such as `team`. `user` is always the id.
    public var variables: [String: SyncValue]

    /// Creates a user.
    public init(id: String, variables: [String: SyncValue] = [:]) {
        self.id = id
        self.variables = variables
    }
}

/// A server as its connections see it: `SyncService` of `CoreDataSyncServer`, or a substitute in tests.
///
/// A connection authenticates a request, decodes it and calls one of these. They throw `SyncError`, or an error of the
/// store, which a connection answers with `SyncErrorCode.unavailable` without its text.
public protocol SyncServing: Sendable {
    /// Applies a batch, once.
    func push(_ request: SyncPush, user: SyncUser) async throws -> SyncPushAnswer
    /// Gives a page.
    func pull(_ request: SyncPull, user: SyncUser) async throws -> SyncPage
    /// Keeps a part of a large value.
    func put(_ part: SyncPart, user: SyncUser) async throws -> SyncPartAnswer
    /// Gives a part of a large value.
    func get(_ request: SyncPartRequest, user: SyncUser) async throws -> Data
    /// Notes of new revisions; a slow reader gets the latest only.
    func news(user: SyncUser) -> AsyncStream<SyncNews>
}

/// A transport without a network, for programs that hold the server, and for tests.
public struct DirectTransport: SyncTransport {
    private let server: any SyncServing
    private let user: SyncUser

    /// Creates a transport that calls a server as one user.
    public init(server: any SyncServing, user: SyncUser) {
        self.server = server
        self.user = user
    }

    /// Calls the server.
    public func push(_ request: SyncPush) async throws -> SyncPushAnswer {
        try await server.push(request, user: user)
    }

    /// Calls the server.
    public func pull(_ request: SyncPull) async throws -> SyncPage { try await server.pull(request, user: user) }

    /// Calls the server.
    public func put(_ part: SyncPart) async throws -> SyncPartAnswer { try await server.put(part, user: user) }

    /// Calls the server.
    public func get(_ request: SyncPartRequest) async throws -> Data { try await server.get(request, user: user) }

    /// The server's notes.
    public func news(replica: UUID, shapes: [String]) -> AsyncThrowingStream<SyncNews, any Error>? {
        let notes = server.news(user: user)
        return AsyncThrowingStream { continuation in
            let task = Task {
                for await note in notes { continuation.yield(note) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
