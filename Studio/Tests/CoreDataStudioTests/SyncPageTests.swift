// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The page about a sync server, while the server runs.

import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@testable import CoreDataStudio

@Suite("The page of a sync server")
struct SyncPageTests {
    /// A server in a file, and the store of a device in memory.
    private final class Server {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        let container: NSPersistentContainer
        let service: SyncService

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            container = try Self.open(try .syncServer(of: Self.model()), folder.appendingPathComponent("Server.sqlite"))
            service = try SyncService(container: container, authority: OpenAuthority())
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        var path: String { folder.appendingPathComponent("Server.sqlite").path }

        static func model() -> NSManagedObjectModel {
            let title = NSAttributeDescription()
            title.name = "title"
            title.attributeType = .stringAttributeType
            let note = NSEntityDescription()
            note.name = "Note"
            note.properties = [title]
            note.uniquenessConstraints = [["title"]]
            let model = NSManagedObjectModel()
            model.entities = [note]
            return model
        }

        static func open(_ model: NSManagedObjectModel, _ url: URL?) throws -> NSPersistentContainer {
            let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
            let description = url.map { NSPersistentStoreDescription(url: $0) } ?? NSPersistentStoreDescription()
            if url == nil { description.type = NSInMemoryStoreType }
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            container.persistentStoreDescriptions = [description]
            var failure: (any Error)?
            container.loadPersistentStores { _, error in failure = error }
            if let failure { throw failure }
            return container
        }

        func device(_ user: String) throws -> (container: NSPersistentContainer, client: SyncClient) {
            let container = try Self.open(Self.model(), nil)
            let transport = DirectTransport(server: service, user: SyncUser(id: user))
            return (container, try SyncClient(container: container, transport: transport))
        }
    }

    private func change(_ container: NSPersistentContainer, _ title: String, to new: String? = nil) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "title == %@", title)
            let note =
                try context.fetch(request).first
                ?? NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(new ?? title, forKey: "title")
            try context.save()
        }
    }

    @Test func theServersPageListsReplicasWithLagAndRefusals() async throws {
        let server = try Server()
        let (one, other) = (try server.device("ann"), try server.device("<b>bob"))
        try change(one.container, "Milk")
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        for title in ["Bread", "Salt"] {
            try change(other.container, title)
            _ = try await other.client.syncNow()
        }
        try change(one.container, "Milk", to: "Bread")
        _ = try await one.client.syncNow()
        let site = try Site.open(server.path)
        let answer = await site.ask(["sync"])
        #expect(answer.status == 200)
        #expect(answer.text.contains("<td>ann</td>") && answer.text.contains("<td>&lt;b&gt;bob</td>"))
        #expect(answer.text.contains("NSCocoaErrorDomain 133021"))
        #expect(answer.text.contains("1 refusal"))
        let replicas = try #require(answer.text.range(of: "<h2>Replicas</h2>"))
        let row = try #require(answer.text[replicas.upperBound...].range(of: "<td>ann</td>"))
        let cells = answer.text[row.upperBound...].components(separatedBy: "<td class=\"number\">").dropFirst()
        #expect(cells.prefix(2).map { $0.prefix { $0 != "<" } } == ["2", "3"])
        #expect(answer.text.contains("aria-current=\"page\">Sync</a>"))
        let overview = await site.ask([])
        #expect(overview.text.contains(">Sync</a>"))
    }

    @Test func aStoreWithoutAServerHasNoSection() async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session(isWritable: false))
        #expect(await !site.ask([]).text.contains(">Sync</a>"))
        let answer = await site.ask(["sync"])
        #expect(answer.status == 200 && answer.text.contains("coredata-tool sync status"))
    }
}
