// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Clients for the stores of SwiftData.
public import CoreDataSync
public import CoreDataSyncProtocol
public import Foundation
public import SwiftData

extension SyncClient {
    /// Keeps the store of a container of SwiftData in step with the server at an address.
    ///
    /// ```swift
    /// let container = try ModelContainer(for: Note.self)
    /// let client = try SyncClient(
    ///     container: container, server: URL(string: "https://sync.example.com")!, credentials: .token(token))
    /// client.start()
    /// ```
    /// The container's contexts get the changes of other devices as they get those of each other. The server's model
    /// has an entity for each class, with the same names and types of properties.
    ///
    /// - Parameters:
    ///   - container: it has one configuration, which allows saves.
    ///   - server: the address in front of `/sync/v1`, with the scheme `https`, or `http` in a trusted network.
    ///   - shapes: the names of the server's shapes that this device wants; empty for all that its user may
    ///     have.
    ///   - credentials: those of the user.
    /// - Throws: as `init(container:server:shapes:credentials:)` of a container of Core Data.
    /// - Important: may be called on any thread. One client for each store, and one process at a time.
    /// - Complexity: opens a second store, and reads the transactions of the app's history since the last sync.
    public convenience init(
        container: ModelContainer, server: URL, shapes: [String] = [], credentials: SyncCredentials
    ) throws {
        try self.init(
            coordinator: container.persistentStoreCoordinator, server: server, shapes: shapes, credentials: credentials)
    }

    /// The same with another way to the server.
    public convenience init(
        container: ModelContainer, transport: any SyncTransport, shapes: [String] = []
    ) throws {
        try self.init(coordinator: container.persistentStoreCoordinator, transport: transport, shapes: shapes)
    }

    /// Whether the server has the changes of a model.
    ///
    /// - Returns: `waiting` for a model that was never saved or sent, too.
    public func status(of id: PersistentIdentifier) async throws -> SyncStatus {
        guard let id = id.managedObjectID else { return .waiting }
        return try await status(of: id)
    }
}
