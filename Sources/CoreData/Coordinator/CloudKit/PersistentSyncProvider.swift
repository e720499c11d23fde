// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border between a container for iCloud and a package that syncs its store with a server.

public import Foundation
import Synchronization

/// A server that the store of a `NSPersistentCloudKitContainer` syncs with.
///
/// ```swift
/// options.syncServer = PersistentSyncServer(url: address) { try await token() }
/// ```
/// - SeeAlso: `NSPersistentCloudKitContainerOptions.syncServer`.
public struct PersistentSyncServer: Sendable {
    /// The address in front of `/sync/v1`, such as `https://sync.example.com`.
    public var url: URL
    /// Gives the user's token; called for each request, on any thread.
    public var token: @Sendable () async throws -> String

    /// Creates a server from its address and the source of the user's token.
    public init(url: URL, token: @escaping @Sendable () async throws -> String) {
        self.url = url
        self.token = token
    }
}

/// The parts of a sync that a container posts events about; the numbers are Apple's.
public enum PersistentSyncStage: Int, Sendable {
    /// The preparation of the store.
    case setup = 0
    /// The application of changes that others made.
    case `import` = 1
    /// The sending of this store's changes.
    case export = 2
}

/// The beginning or the end of a stage.
public enum PersistentSyncStep: Sendable {
    /// A stage began.
    case began(PersistentSyncStage)
    /// A stage ended, with its error or nil.
    case ended(PersistentSyncStage, (any Error)?)
}

/// Syncs stores for `NSPersistentCloudKitContainer`. `CoreData` has none, so that it needs no network: the product
/// `CoreDataCloudSync` of the package `Sync` registers one.
public protocol PersistentSyncProvider: Sendable {
    /// Begins to sync the one store of a coordinator.
    ///
    /// - Parameters:
    ///   - coordinator: it has one store, with a history unless the description forbids it.
    ///   - server: its address and the source of the user's token.
    ///   - report: takes each beginning and end of a stage, in order, on any thread.
    /// - Returns: a function that ends the sync. The container calls it when it is released.
    /// - Throws: an error that lets the store's loading fail, such as one of the server's address.
    func startSync(
        of coordinator: NSPersistentStoreCoordinator, with server: PersistentSyncServer,
        report: @escaping @Sendable (PersistentSyncStep) -> Void
    ) throws -> @Sendable () -> Void
}

extension NSPersistentStoreCoordinator {
    private static let registered = Mutex<(any PersistentSyncProvider)?>(nil)

    /// The sync that containers for iCloud use, in place of any before. nil removes it.
    ///
    /// - Important: register it before a container loads its stores; may be called on any thread.
    public class func registerSyncProvider(_ provider: (any PersistentSyncProvider)?) {
        registered.withLock { $0 = provider }
    }

    /// nil until one is registered.
    static var syncProvider: (any PersistentSyncProvider)? { registered.withLock { $0 } }
}
