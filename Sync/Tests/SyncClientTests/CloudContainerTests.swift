// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Containers for iCloud that sync with a server over HTTP, and their events.
import CoreData
import CoreDataCloudSync
import CoreDataSync
import CoreDataSyncProtocol
import Foundation
import Synchronization
import Testing

@Suite("Containers for iCloud with a server", .serialized) struct CloudContainerTests {
    @Test("two containers get each other's objects, and post setup, import and export events")
    func events() async throws {
        try await NoteServer.run { server in
            CloudContainerSync.register()
            let cloud: any CloudContainers = Cloud()
            let notes = EventNotes(cloud.notification)
            let one = cloud.container(server, "One")
            let other = cloud.container(server, "Other")
            try await one.loadPersistentStores()
            try await other.loadPersistentStores()
            try insert("Milk", one)
            while try count(other) < 1 { try await Task.sleep(for: .milliseconds(10)) }
            let client = try #require(CloudContainerSync.client(of: one))
            _ = try await client.syncNow()
            let ended = notes.all(of: one).filter(\.hasEnded)
            #expect(Set(ended.map(\.type)) == [.setup, .import, .export])
            #expect(ended.allSatisfy { $0.succeeded && $0.error == nil })
            for event in ended {
                let both = notes.all(of: one).filter { $0.identifier == event.identifier }
                #expect(both.map(\.hasEnded) == [false, true])
            }
        }
    }

    @Test("a server that is not there ends an export with an error, and the store stays usable")
    func unreachable() async throws {
        try await NoteServer.run { server in
            CloudContainerSync.register()
            let cloud: any CloudContainers = Cloud()
            let notes = EventNotes(cloud.notification)
            let container = cloud.container(server, "One", at: "http://127.0.0.1:1")
            try await container.loadPersistentStores()
            try insert("Milk", container)
            while !notes.all(of: container).contains(where: { $0.error != nil }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let failed = try #require(notes.all(of: container).first { $0.error != nil })
            #expect(!failed.succeeded)
            #expect((failed.error as NSError?)?.domain == "CoreDataSyncHTTP")
            #expect(try count(container) == 1)
        }
    }

    @Test("a container that is released ends its sync")
    func release() async throws {
        try await NoteServer.run { server in
            CloudContainerSync.register()
            weak var coordinator: NSPersistentStoreCoordinator?
            do {
                let container = (Cloud() as any CloudContainers).container(server, "One")
                try await container.loadPersistentStores()
                _ = try await CloudContainerSync.client(of: container)?.syncNow()
                coordinator = container.persistentStoreCoordinator
            }
            for _ in 0..<500 where coordinator != nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(coordinator == nil)
        }
    }

    @Test("a container that is released at once ends its sync")
    func releaseAtOnce() async throws {
        try await NoteServer.run { server in
            CloudContainerSync.register()
            weak var coordinator: NSPersistentStoreCoordinator?
            for number in 0..<20 {
                let container = (Cloud() as any CloudContainers).container(server, "\(number)")
                try await container.loadPersistentStores()
                coordinator = container.persistentStoreCoordinator
            }
            for _ in 0..<500 where coordinator != nil { try await Task.sleep(for: .milliseconds(10)) }
            #expect(coordinator == nil)
        }
    }

    @Test("an address that is not one of HTTP keeps the store from loading")
    func address() async throws {
        try await NoteServer.run { server in
            CloudContainerSync.register()
            let container = (Cloud() as any CloudContainers).container(server, "One", at: "ftp://127.0.0.1")
            let error = await #expect(throws: SyncFailure.self) { try await container.loadPersistentStores() }
            #expect(error != nil)
            #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        }
    }

    @Test("stages open one after the other, and each ends once")
    func stages() {
        var stages = CloudStages()
        let failure = NSError(domain: "test", code: 7)
        let events: [SyncEvent] = [
            .failed(failure), .pushing(changes: 1), .pushed(changes: 1), .refused(changes: 1), .pushing(changes: 2),
            .pulling, .progress(records: 1), .pushing(changes: 1), .pulling, .finished(SyncReport()), .pulling,
            .failed(failure), .finished(SyncReport()),
        ]
        let steps = events.flatMap { stages.steps(of: $0) }.map { step in
            switch step {
            case .began(let stage): "\(stage)+"
            case .ended(let stage, let error): "\(stage)-" + (error.map { "\(($0 as NSError).domain)" } ?? "")
            }
        }
        #expect(
            steps == [
                "export+", "export-test", "export+", "export-CoreDataCloudSync", "import+", "import-", "export+",
                "export-", "import+", "import-", "import+", "import-test",
            ])
    }

    private func insert(_ title: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            try context.save()
        }
    }

    private func count(_ container: NSPersistentContainer) throws -> Int {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        }
    }
}

/// The parts of an event.
struct CloudEvent: @unchecked Sendable {  // errors are not changed
    var container: ObjectIdentifier
    var identifier: UUID
    var type: PersistentSyncStage
    var hasEnded: Bool
    var succeeded: Bool
    var error: (any Error)?
}

/// Keeps the events of all containers.
final class EventNotes: @unchecked Sendable {  // the token is set once
    private let events = Mutex<[CloudEvent]>([])
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name) {
        let cloud: any CloudContainers = Cloud()
        token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
            guard let self, let event = cloud.event(note) else { return }
            events.withLock { $0.append(event) }
        }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    func all(of container: NSPersistentContainer) -> [CloudEvent] {
        events.withLock { $0.filter { $0.container == ObjectIdentifier(container) } }
    }
}

/// Names the deprecated API without a warning.
protocol CloudContainers: Sendable {
    var notification: Notification.Name { get }
    func container(_ server: NoteServer, _ name: String, at address: String?) -> NSPersistentContainer
    func event(_ notification: Notification) -> CloudEvent?
}

extension CloudContainers {
    func container(_ server: NoteServer, _ name: String) -> NSPersistentContainer { container(server, name, at: nil) }
}

struct Cloud: CloudContainers {
    @available(*, deprecated)
    var notification: Notification.Name { NSPersistentCloudKitContainer.eventChangedNotification }

    @available(*, deprecated)
    func container(_ server: NoteServer, _ name: String, at address: String?) -> NSPersistentContainer {
        let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: NoteServer.plainModel())
        let description = NSPersistentStoreDescription(url: server.folder.appendingPathComponent(name + ".sqlite"))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.Notes")
        options.syncServer = PersistentSyncServer(url: address.flatMap { URL(string: $0) } ?? server.url) {
            NoteServer.token
        }
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        return container
    }

    @available(*, deprecated)
    func event(_ notification: Notification) -> CloudEvent? {
        let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
        guard let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event,
            let container = notification.object as? NSPersistentContainer
        else { return nil }
        return CloudEvent(
            container: ObjectIdentifier(container), identifier: event.identifier, type: event.type,
            hasEnded: event.endDate != nil, succeeded: event.succeeded, error: event.error)
    }
}
