// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Clients of a server at an address, over HTTP.
public import CoreData
import CoreDataSyncHTTPClient
import Foundation

/// The proof of a user's identity that a client shows to the server.
///
/// ```swift
/// SyncCredentials.token("0123456789abcdef")
/// SyncCredentials { try await session.currentToken() }
/// ```
/// The token travels in the header `Authorization` of each request to the server, and nowhere else.
public struct SyncCredentials: Sendable {
    let token: @Sendable () async throws -> String

    /// Credentials with a token that may change.
    ///
    /// - Parameter token: gives the user's token. It is called for each request, on any thread, so an expired token can
    ///   be renewed there. An error that it throws ends the sync, which `SyncClient.start()` repeats after a pause.
    public init(token: @escaping @Sendable () async throws -> String) { self.token = token }

    /// Credentials with one token that does not change.
    public static func token(_ token: String) -> SyncCredentials { SyncCredentials { token } }
}

extension SyncClient {
    /// Keeps the store of a container in step with the server at an address.
    ///
    /// ```swift
    /// let container = NSPersistentContainer(name: "Notes")
    /// container.persistentStoreDescriptions[0].setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    /// try await container.loadPersistentStores()
    /// let client = try SyncClient(
    ///     container: container, server: URL(string: "https://sync.example.com")!, credentials: .token(token))
    /// client.start()
    /// ```
    ///
    /// - Parameters:
    ///   - container: one store is loaded, with a history (`NSPersistentHistoryTrackingKey`), in a file or in memory.
    ///   - server: the address in front of `/sync/v1`, with the scheme `https`, or `http` in a trusted network.
    ///   - shapes: the names of the server's shapes that this device wants; empty for all that its user may
    ///     have.
    ///   - credentials: those of the user.
    /// - Throws: `SyncFailure.unsuitableServer` for an address that is not one of HTTP; `SyncFailure.unsuitableStore`;
    ///   `SyncFailure.unknownStore` if the store next to the app's belongs to another one; an error of that store. The
    ///   server is not asked here: `syncNow()` and the events tell its errors.
    /// - Important: may be called on any thread. One client for each store, and one process at a time.
    /// - Complexity: opens a second store, and reads the transactions of the app's history since the last sync.
    /// - SeeAlso: `init(container:transport:environment:)` for another way to the server.
    public convenience init(
        container: NSPersistentContainer, server: URL, shapes: [String] = [], credentials: SyncCredentials
    ) throws {
        try self.init(
            coordinator: container.persistentStoreCoordinator, server: server, shapes: shapes, credentials: credentials)
    }

    /// The same for a coordinator, such as that of an app without a container.
    public convenience init(
        coordinator: NSPersistentStoreCoordinator, server: URL, shapes: [String] = [], credentials: SyncCredentials
    ) throws {
        guard let scheme = server.scheme?.lowercased(), ["http", "https"].contains(scheme),
            server.host?.isEmpty == false
        else {
            throw SyncFailure.unsuitableServer("'\(server.absoluteString)' is not an address with http or https.")
        }
        try self.init(
            coordinator: coordinator, transport: HTTPTransport(server: server, token: credentials.token),
            shapes: shapes)
    }
}
