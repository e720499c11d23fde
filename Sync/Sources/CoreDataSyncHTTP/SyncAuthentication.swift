// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border to whatever knows the tokens of users.
public import CoreDataSyncProtocol

/// Recognizes users by the token of the header `Authorization: Bearer TOKEN`.
///
/// The `SyncAuthority` of the service then decides the user's rights.
public protocol SyncAuthentication: Sendable {
    /// The user that a token belongs to.
    ///
    /// Called for each request, and again for an open stream at each of its heartbeats.
    ///
    /// - Parameter token: as the client sent it. Must not be logged.
    /// - Returns: nil if the token belongs to no user; the answer is then `unauthenticated`.
    /// - Throws: any error if that cannot be said now; the answer is then `unavailable`.
    func user(of token: String) async throws -> SyncUser?
}
