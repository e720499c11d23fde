// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The container for iCloud with a server: the sync that it starts, its events, and its errors.

import CoreData
import Foundation
import Synchronization
import Testing

/// Serialized: the registered sync belongs to the process.
@Suite("The container for iCloud with a server", .serialized) struct CloudSyncSpecification {
    @Test("a server without a registered sync is an error, and nothing is opened") func noSync() {
        NSPersistentStoreCoordinator.registerSyncProvider(nil)
        let container = (ServerCloud() as any ServerContainers).container("https://sync.example.com", stores: 1)
        let error = load(container)
        #expect(error?.code == 134_400)
        #expect(error?.localizedDescription.contains("CloudContainerSync.register()") == true)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        // Another try, after the mistake is mended.
        let sync = RecordedSync()
        NSPersistentStoreCoordinator.registerSyncProvider(sync)
        defer { NSPersistentStoreCoordinator.registerSyncProvider(nil) }
        #expect(load(container) == nil)
        #expect(sync.starts == ["https://sync.example.com"])
    }

    @Test("a sync that cannot begin closes the store, which another call opens") func failure() {
        let sync = RecordedSync()
        NSPersistentStoreCoordinator.registerSyncProvider(sync)
        defer { NSPersistentStoreCoordinator.registerSyncProvider(nil) }
        let container = (ServerCloud() as any ServerContainers).container("https://sync.example.com", stores: 1)
        sync.fails.withLock { $0 = true }
        #expect(load(container)?.code == CocoaError.Code.featureUnsupported.rawValue)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        sync.fails.withLock { $0 = false }
        #expect(load(container) == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("a container with two stores does not sync") func twoStores() {
        NSPersistentStoreCoordinator.registerSyncProvider(RecordedSync())
        defer { NSPersistentStoreCoordinator.registerSyncProvider(nil) }
        let container = (ServerCloud() as any ServerContainers).container("https://sync.example.com", stores: 2)
        #expect(load(container)?.localizedDescription.contains("has 2 stores") == true)
    }

    @Test("an event is posted when a stage begins and when it ends, with one identifier") func events() throws {
        let sync = RecordedSync()
        NSPersistentStoreCoordinator.registerSyncProvider(sync)
        defer { NSPersistentStoreCoordinator.registerSyncProvider(nil) }
        let cloud: any ServerContainers = ServerCloud()
        let container = cloud.container("https://sync.example.com", stores: 1)
        #expect(load(container) == nil)
        let notes = Mutex<[ServerEvent]>([])
        let token = NotificationCenter.default.addObserver(
            forName: cloud.notification, object: container, queue: nil
        ) { note in if let event = cloud.event(note) { notes.withLock { $0.append(event) } } }
        defer { NotificationCenter.default.removeObserver(token) }
        sync.report(.began(.import))
        sync.report(.ended(.import, nil))
        sync.report(.began(.export))
        sync.report(.ended(.export, CocoaError(.fileNoSuchFile)))
        sync.report(.ended(.export, nil))
        let events = notes.withLock { $0 }
        #expect(events.map(\.type) == [.import, .import, .export, .export])
        #expect(events.map(\.hasEnded) == [false, true, false, true])
        #expect(events.map(\.succeeded) == [false, true, false, false])
        #expect(events.map(\.code) == [nil, nil, nil, 4])
        #expect(events[0].identifier == events[1].identifier && events[2].identifier == events[3].identifier)
        #expect(events[0].identifier != events[2].identifier)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(events.allSatisfy { $0.store == store.identifier })
    }

    @Test("a container that is released ends its sync") func release() {
        let sync = RecordedSync()
        NSPersistentStoreCoordinator.registerSyncProvider(sync)
        defer { NSPersistentStoreCoordinator.registerSyncProvider(nil) }
        do {
            let container = (ServerCloud() as any ServerContainers).container("https://sync.example.com", stores: 1)
            #expect(load(container) == nil)
            #expect(sync.ends.withLock { $0 } == 0)
        }
        #expect(sync.ends.withLock { $0 } == 1)
    }

    @Test("the environment names a server and a token for containers without one") func environment() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            setenv("OCD_SYNC_SERVER", "https://sync.example.org", 1)
            func load(_ container: NSPersistentContainer) -> String {
                var text = "loaded"
                container.loadPersistentStores { _, error in if let error { text = error.localizedDescription } }
                return text
            }
            let cloud: any ServerContainers = ServerCloud()
            print(load(cloud.container(nil, stores: 1)))
            let sync = RecordedSync()
            NSPersistentStoreCoordinator.registerSyncProvider(sync)
            print(load(cloud.container(nil, stores: 1)))
            setenv("OCD_SYNC_TOKEN", "secret", 1)
            print(load(cloud.container(nil, stores: 1)))
            print(load(cloud.container("https://sync.example.com", stores: 1)))
            print(sync.starts.joined(separator: " "), try await sync.server.withLock { $0 }?.token() ?? "-")
        }
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        let last = lines.suffix(5).map(String.init)
        #expect(last.count == 5)
        #expect(last.first?.contains("CloudContainerSync.register()") == true)
        #expect(last.dropFirst().first?.contains("OCD_SYNC_TOKEN") == true)
        #expect(
            Array(last.dropFirst(2)) == [
                "loaded", "loaded", "https://sync.example.org https://sync.example.com token-of-the-program",
            ])
    }

    private func load(_ container: NSPersistentContainer) -> NSError? {
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        return failure as NSError?
    }
}

/// A sync that only remembers its calls.
private final class RecordedSync: PersistentSyncProvider {
    let server = Mutex<PersistentSyncServer?>(nil)
    let fails = Mutex(false)
    let ends = Mutex(0)
    private let addresses = Mutex<[String]>([])
    private let reports = Mutex<(@Sendable (PersistentSyncStep) -> Void)?>(nil)

    var starts: [String] { addresses.withLock { $0 } }

    func report(_ step: PersistentSyncStep) { reports.withLock { $0 }?(step) }

    func startSync(
        of coordinator: NSPersistentStoreCoordinator, with server: PersistentSyncServer,
        report: @escaping @Sendable (PersistentSyncStep) -> Void
    ) throws -> @Sendable () -> Void {
        if fails.withLock({ $0 }) { throw CocoaError(.featureUnsupported) }
        self.server.withLock { $0 = server }
        addresses.withLock { $0.append(server.url.absoluteString) }
        reports.withLock { $0 = report }
        return { [self] in ends.withLock { $0 += 1 } }
    }
}

/// The parts of an event.
private struct ServerEvent {
    var identifier: UUID
    var store: String
    var type: PersistentSyncStage
    var hasEnded: Bool
    var succeeded: Bool
    var code: Int?
}

/// Names the deprecated API without a warning.
private protocol ServerContainers: Sendable {
    var notification: Notification.Name { get }
    func container(_ address: String?, stores: Int) -> NSPersistentContainer
    func event(_ notification: Notification) -> ServerEvent?
}

private struct ServerCloud: ServerContainers {
    @available(*, deprecated)
    var notification: Notification.Name { NSPersistentCloudKitContainer.eventChangedNotification }

    @available(*, deprecated)
    func container(_ address: String?, stores: Int) -> NSPersistentContainer {
        let container = NSPersistentCloudKitContainer(name: "Shop", managedObjectModel: RecordedShop.model())
        container.persistentStoreDescriptions = (0..<stores).map { _ in
            let description = NSPersistentStoreDescription()
            description.type = NSInMemoryStoreType
            let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.Shop")
            if let url = address.flatMap({ URL(string: $0) }) {
                options.syncServer = PersistentSyncServer(url: url) { "token-of-the-program" }
            }
            description.cloudKitContainerOptions = options
            return description
        }
        return container
    }

    @available(*, deprecated)
    func event(_ notification: Notification) -> ServerEvent? {
        let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
        guard let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event else { return nil }
        return ServerEvent(
            identifier: event.identifier, store: event.storeIdentifier, type: event.type,
            hasEnded: event.endDate != nil, succeeded: event.succeeded, code: (event.error as NSError?)?.code)
    }
}
