// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements of pages with shapes.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

/// S3 of `Sync/Documentation/Shapes.md`.
@Suite("Pages with shapes") struct ScopedPageTests {
    /// A container whose contexts throw when faults fire one at a time.
    private final class StrictContainer: NSPersistentContainer, @unchecked Sendable {  // adds no state
        override func newBackgroundContext() -> NSManagedObjectContext {
            let context = super.newBackgroundContext()
            context.repeatedFaultingPolicy = .strict
            return context
        }
    }

    /// Notes in folders.
    private static func model() -> NSManagedObjectModel {
        let note = ModelParts.entity(
            "Note", ["title", "owner"].map { ModelParts.attribute($0, .stringAttributeType, isOptional: true) })
        let folder = ModelParts.entity("Folder", [ModelParts.attribute("owner", .stringAttributeType)])
        ModelParts.relate(
            ModelParts.relationship("notes", note, .nullifyDeleteRule, isToMany: true), folder,
            ModelParts.relationship("folder", folder, .nullifyDeleteRule), note)
        let model = NSManagedObjectModel()
        model.entities = [note, folder]
        return model
    }

    /// A server and a device.
    private func synced(
        _ isInMemory: Bool, _ body: (StrictContainer, SyncDevice) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = StrictContainer(name: "Server", managedObjectModel: try .syncServer(of: Self.model()))
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Server.sqlite"))
        if isInMemory { description.type = NSInMemoryStoreType }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        server.persistentStoreDescriptions = [description]
        try await server.loadPersistentStores()
        let authority = ShapedAuthority(
            ["Note", "Folder"].map { SyncShape($0, entity: $0, predicate: "owner == $user") })
        let service = try SyncService(container: server, authority: authority)
        let url = folder.appendingPathComponent("Device.sqlite")
        let container = try SyncFixture.container(.sqlite, Self.model(), url)
        let transport = DirectTransport(server: service, user: SyncUser(id: "ada"))
        let client = try SyncClient(container: container, transport: transport)
        try await body(server, SyncDevice(container: container, client: client, url: url))
    }

    @Test("a page reads the records that changed, entered and left in few statements", arguments: [true, false])
    func statements(isInMemory: Bool) async throws {
        try await synced(isInMemory) { server, device in
            try server.saveTest { context in
                let folder = context.insert("Folder", ["owner": "ada"])
                for number in 0..<40 {
                    context.insert("Note", ["title": "\(number)", "owner": "ada"]).setValue(folder, forKey: "folder")
                }
            }
            #expect(try await device.client.syncNow().inserted == 41)
            try server.saveTest { context in
                let notes = try context.all("Note", by: "title")
                for note in notes.prefix(20) { note.setValue("bob", forKey: "owner") }
                for note in notes.dropFirst(20) { note.setValue("x", forKey: "title") }
            }
            let report = try await device.client.syncNow()
            #expect(report.updated >= 20)
            #expect(report.deleted == 20)
        }
    }
}
