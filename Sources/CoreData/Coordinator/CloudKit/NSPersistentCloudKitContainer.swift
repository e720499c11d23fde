// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The container class of apps that synchronize with iCloud; here with a server of the app's, or not at all.

public import Foundation
import Synchronization

/// A container that syncs its store with a server of yours, and keeps it locally without one.
///
/// Programs that name Apple's class compile and run with this one. It opens its stores with a history and never
/// synchronizes with iCloud. With a server it posts `eventChangedNotification` as Apple's class does:
///
/// ```swift
/// let container = NSPersistentCloudKitContainer(name: "Notes")
/// let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.Notes")
/// options.syncServer = PersistentSyncServer(url: address) { try await token() }
/// container.persistentStoreDescriptions[0].cloudKitContainerOptions = options
/// try await container.loadPersistentStores()
/// ```
/// The program links the product `CoreDataCloudSync` of the package `Sync`, and calls `CloudContainerSync.register()`
/// before. Without a change of the program, the environment names the server: `OCD_SYNC_SERVER` has its address and
/// `OCD_SYNC_TOKEN` the user's token. They hold for descriptions with `cloudKitContainerOptions`, or for all if none
/// has any.
///
/// A description with a server, but a sync that cannot begin, is reported as one that cannot be loaded, with 134400: if
/// no sync is registered, if the environment has no token, or if the container has several stores.
@available(*, deprecated, message: "Nothing is synchronised with iCloud; set a server, or use NSPersistentContainer.")
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Posted when the setup, an import or an export begins and when it ends.
    ///
    /// The object is the container, and the user info has an `Event` for `eventNotificationUserInfoKey`. It is posted
    /// on any thread, and never without a server.
    open class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// User info key of `eventChangedNotification`.
    open class var eventNotificationUserInfoKey: String { "event" }

    /// The kinds of events.
    public typealias EventType = PersistentSyncStage

    private static let isLogged = Atomic<Bool>(false)
    private let running = Mutex<[@Sendable () -> Void]>([])

    deinit { for stop in running.withLock({ $0 }) { stop() } }

    /// Opens the stores, with a history unless their descriptions say otherwise, and begins to sync the one with a
    /// server.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let isLocal = persistentStoreDescriptions.allSatisfy { !hasServer($0) }
        if isLocal, !Self.isLogged.exchange(true, ordering: .relaxed) {
            DiagnosisLog.warn("NSPersistentCloudKitContainer synchronises nothing with iCloud: its stores stay local.")
        }
        for description in persistentStoreDescriptions
        where description.options[NSPersistentHistoryTrackingKey] == nil {
            description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        }
        super.loadPersistentStores(completionHandler: block)
    }

    /// Creates the record types of the model in iCloud, on Apple's systems.
    ///
    /// - Throws: 134400 always: there is no iCloud account.
    open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
        throw CoreDataError.make(
            CocoaError.Code(rawValue: 134_400),
            "The schema of '\(name)' cannot be created in iCloud: this framework does not synchronise with it.")
    }

    // MARK: Server

    private func hasServer(_ description: NSPersistentStoreDescription) -> Bool {
        CloudSyncSetup(description, among: persistentStoreDescriptions).hasServer
    }

    override func failureBeforeOpening(_ description: NSPersistentStoreDescription) -> (any Error)? {
        let setup = CloudSyncSetup(description, among: persistentStoreDescriptions)
        guard setup.hasServer else { return nil }
        do { _ = try setup.start(container: name) } catch { return error }
        return nil
    }

    override func failureAfterOpening(_ description: NSPersistentStoreDescription) -> (any Error)? {
        let setup = CloudSyncSetup(description, among: persistentStoreDescriptions)
        guard setup.hasServer, let store = persistentStoreCoordinator.persistentStores.last else { return nil }
        do {
            let (provider, server) = try setup.start(container: name)
            let events = CloudSyncEvents(container: self, storeIdentifier: store.identifier)
            let stop = try provider.startSync(of: persistentStoreCoordinator, with: server) { events.note($0) }
            running.withLock { $0.append(stop) }
            return nil
        } catch {
            // A store that is open, but does not sync, would look like one that does.
            try? persistentStoreCoordinator.remove(store)
            return error
        }
    }
}
