// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide "Sync": a server, clients, and the state of a device.
import CoreData
import CoreDataSync
import CoreDataSyncHTTP
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Hummingbird
import SwiftData
import SwiftDataSync
import Testing

@Suite("Guide: Sync") struct SyncGuide {
    private let model = NoteServer.plainModel()
    private let token = NoteServer.token

    @Test("a device with the address of a server gets the notes of another one") func devices() async throws {
        try await NoteServer.run { server in
            let address = server.url
            let url = server.folder.appendingPathComponent("Notes.sqlite")
            let other = try SyncClient(
                container: try server.plainDevice("Other"), server: address, credentials: .token(token))
            // snippet: client
            let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
            let description = NSPersistentStoreDescription(url: url)
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            container.persistentStoreDescriptions = [description]
            try await container.loadPersistentStores()

            let client = try SyncClient(container: container, server: address, credentials: .token(token))
            client.start()
            // end
            // snippet: save
            let id = try await container.performBackgroundTask { context in
                let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                note.setValue("Milk", forKey: "title")
                try context.save()  // sent soon; without a network, when there is one
                return note.objectID
            }
            // end
            // snippet: state
            let report = try await client.syncNow()
            print("sent \(report.sent), refused \(report.refused), got \(report.inserted + report.updated)")
            print(try await client.status(of: id))  // synced, waiting or refused
            for refused in try await client.refusedChanges() {
                print(refused.change.entity, refused.reasons.map { "\($0.code) \($0.key ?? "")" })
                try await client.forgetRefusedChange(refused.id)
            }
            // end
            #expect(try await client.status(of: id) == .synced)
            #expect(try await other.syncNow().inserted == 1)
            client.stop()
        }
    }

    @Test("a client of SwiftData needs the container") func models() async throws {
        try await NoteServer.run { server in
            let (address, url) = (server.url, server.folder.appendingPathComponent("Notes.store"))
            // snippet: swiftdata
            let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
            let client = try SyncClient(container: container, server: address, credentials: .token(token))
            // end
            ModelContext(container).insert(Note(title: "unsaved"))
            #expect(try await client.syncNow() == SyncReport())
        }
    }

    @Test("a server is a container with a service, on a router") func server() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, tokens) = (folder.appendingPathComponent("Server.sqlite"), token + " ann\n")
        // snippet: server
        let serverModel = try NSManagedObjectModel.syncServer(of: model)
        let container = NSPersistentContainer(name: "Server", managedObjectModel: serverModel)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()

        let service = try SyncService(container: container, authority: OpenAuthority())
        let router = Router()
        SyncRoutes(service: service, authentication: try TokenTable(text: tokens)).add(to: router)
        // end
        let device = try SyncClient(
            container: try NoteServer.store(model, nil),
            transport: DirectTransport(server: service, user: SyncUser(id: "ann")))
        #expect(try await device.syncNow() == SyncReport())
    }
}
