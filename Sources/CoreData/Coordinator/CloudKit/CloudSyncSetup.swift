// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides whether the store of a container for iCloud syncs, and with which server.

import Foundation

/// Decides whether a description syncs, and with which server. Makes no input and output.
struct CloudSyncSetup {
    static let serverVariable = "OCD_SYNC_SERVER"
    static let tokenVariable = "OCD_SYNC_TOKEN"

    private let described: PersistentSyncServer?
    private let address: String?
    private let token: String?
    private let count: Int

    @available(*, deprecated)
    init(
        _ description: NSPersistentStoreDescription, among all: [NSPersistentStoreDescription],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        described = description.cloudKitContainerOptions?.syncServer
        let isMeant =
            description.cloudKitContainerOptions != nil || all.allSatisfy { $0.cloudKitContainerOptions == nil }
        address = isMeant ? environment[Self.serverVariable].flatMap { $0.isEmpty ? nil : $0 } : nil
        token = environment[Self.tokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        count = all.count
    }

    /// Whether the description syncs. A server of its options counts before that of the environment.
    var hasServer: Bool { described != nil || address != nil }

    /// The sync and the server to start with.
    ///
    /// - Throws: 134400 if there is a server, but the sync cannot begin.
    func start(container: String) throws -> (any PersistentSyncProvider, PersistentSyncServer) {
        guard count == 1 else {
            throw Self.error("The container '\(container)' has \(count) stores; a container that syncs has one.")
        }
        guard let provider = NSPersistentStoreCoordinator.syncProvider else {
            throw Self.error(
                "The container '\(container)' has a sync server, but the program has no sync. Link the product "
                    + "CoreDataCloudSync of the package Sync, and call CloudContainerSync.register() before the stores "
                    + "are loaded.")
        }
        if let described { return (provider, described) }
        guard let url = address.flatMap({ URL(string: $0) }) else {
            throw Self.error("\(Self.serverVariable) has '\(address ?? "")', which is not an address.")
        }
        guard let token else {
            throw Self.error("\(Self.serverVariable) is set, but \(Self.tokenVariable), the user's token, is not.")
        }
        return (provider, PersistentSyncServer(url: url) { token })
    }

    private static func error(_ text: String) -> any Error {
        CoreDataError.make(CocoaError.Code(rawValue: 134_400), text)
    }
}
