// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets `NSPersistentCloudKitContainer` sync its store with a server of the app's.
public import CoreData
public import CoreDataSync
import Foundation
import Synchronization

/// The sync of containers for iCloud, off Apple's systems.
///
/// ```swift
/// CloudContainerSync.register()
/// let container = NSPersistentCloudKitContainer(name: "Notes")
/// try await container.loadPersistentStores()  // syncs if OCD_SYNC_SERVER and OCD_SYNC_TOKEN are set
/// ```
/// `NSPersistentCloudKitContainerOptions.syncServer` names the server in the program instead. The container posts
/// `eventChangedNotification` with setup, import and export events.
public enum CloudContainerSync {
    private static let clients = Mutex<[ObjectIdentifier: SyncClient]>([:])

    /// Gives sync to all containers for iCloud that load their stores later. May be called on any thread.
    public static func register() { NSPersistentStoreCoordinator.registerSyncProvider(Provider()) }

    /// The client of a container that syncs, for its refused changes and the status of its objects.
    ///
    /// - Returns: nil for a container that has not loaded its store, or that has no server.
    public static func client(of container: NSPersistentContainer) -> SyncClient? {
        clients.withLock { $0[ObjectIdentifier(container.persistentStoreCoordinator)] }
    }

    private struct Provider: PersistentSyncProvider {
        func startSync(
            of coordinator: NSPersistentStoreCoordinator, with server: PersistentSyncServer,
            report: @escaping @Sendable (PersistentSyncStep) -> Void
        ) throws -> @Sendable () -> Void {
            report(.began(.setup))
            let client: SyncClient
            do {
                client = try SyncClient(
                    coordinator: coordinator, server: server.url, credentials: SyncCredentials(token: server.token))
            } catch {
                report(.ended(.setup, error))
                throw error
            }
            report(.ended(.setup, nil))
            let key = ObjectIdentifier(coordinator)
            clients.withLock { $0[key] = client }
            let events = client.events()
            let reports = Task {
                var stages = CloudStages()
                for await event in events { for step in stages.steps(of: event) { report(step) } }
            }
            client.start()
            return {
                _ = clients.withLock { $0.removeValue(forKey: key) }
                client.stop()
                reports.cancel()
            }
        }
    }
}

/// The server refused changes of an export. The other changes of the export were taken.
///
/// `CloudContainerSync.client(of:)` has the refused changes, with the reasons.
public struct RefusedChangesError: Error, Equatable, CustomNSError, LocalizedError {
    /// The number of refused changes.
    public var count: Int

    /// `CoreDataCloudSync`.
    public static var errorDomain: String { "CoreDataCloudSync" }
    /// Always 1.
    public var errorCode: Int { 1 }
    /// A sentence for people.
    public var errorDescription: String? { "The server refused \(count) changes." }
    /// The sentence, for programs that see an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
