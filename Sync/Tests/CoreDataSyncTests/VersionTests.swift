// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Devices and servers with different versions of a model.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

/// The rules V1 to V7 of `Sync/Documentation/Versions.md`.
@Suite("Versions of a model") struct VersionTests {
    /// Version 1: notes have a title. Version 2: the title is a heading, and there are a color and pictures.
    private static func model(_ version: Int) -> NSManagedObjectModel {
        func text(_ name: String, _ former: String? = nil) -> NSAttributeDescription {
            let attribute = ModelParts.attribute(name, .stringAttributeType, isOptional: true)
            attribute.renamingIdentifier = former
            return attribute
        }
        let model = NSManagedObjectModel()
        model.versionIdentifiers = ["Notes \(version)"]
        if version == 1 {
            let note = ModelParts.entity("Note", [text("title"), text("number")])
            note.uniquenessConstraints = [["number"]]
            model.entities = [note]
        } else {
            let note = ModelParts.entity("Memo", [text("heading", "title"), text("number"), text("color")])
            note.renamingIdentifier = "Note"
            note.uniquenessConstraints = [["number"]]
            model.entities = [note, ModelParts.entity("Picture", [text("name")])]
        }
        return model
    }

    /// A server and devices, each with a version.
    private final class Bench {
        let folder: URL
        private(set) var server: NSPersistentContainer
        private(set) var service: SyncService
        private var count = 0

        init(server version: Int, accepted: [NSManagedObjectModel]? = nil) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("versions-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            server = try SyncFixture.container(
                .sqlite, .syncServer(of: VersionTests.model(version)), folder.appendingPathComponent("Server.sqlite"))
            service = try SyncService(container: server, authority: OpenAuthority(), acceptedModels: accepted)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func upgradeServer() throws {
            try close(server)
            server = try SyncFixture.container(
                .sqlite, .syncServer(of: VersionTests.model(2)), folder.appendingPathComponent("Server.sqlite"))
            service = try SyncService(container: server, authority: OpenAuthority())
        }

        func device(_ version: Int, at url: URL? = nil) throws -> SyncDevice {
            count += 1
            let url = url ?? folder.appendingPathComponent("Device\(count).sqlite")
            let container = try SyncFixture.container(.sqlite, VersionTests.model(version), url)
            let transport = DirectTransport(server: service, user: SyncUser(id: "ada"))
            return SyncDevice(
                container: container, client: try SyncClient(container: container, transport: transport), url: url)
        }

        func close(_ container: NSPersistentContainer) throws {
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    private func notes(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let isOld = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Note"] != nil
        return try isOld ? context.all("Note", by: "title") : context.all("Memo", by: "heading")
    }

    private func values(_ key: String) -> (NSManagedObjectContext) throws -> [String] {
        { context in try notes(context).map { $0.value(forKey: key) as? String ?? "" } }
    }

    private func values(_ key: String, on server: NSPersistentContainer) throws -> [String] {
        let context = server.newBackgroundContext()
        return try context.performAndWait { try values(key)(context) }
    }

    @Test("renamed entities and properties reach an older device by their former names, and its changes come back")
    func renamed() async throws {
        let bench = try Bench(server: 2)
        let (old, new) = (try bench.device(1), try bench.device(2))
        try new.save { $0.insert("Memo", ["heading": "Emma", "color": "red"]) }
        _ = try await new.client.syncNow()
        _ = try await old.client.syncNow()
        #expect(try old.read(values("title")) == ["Emma"])
        try old.save { context in
            try notes(context)[0].setValue("Emma II", forKey: "title")
            context.insert("Note", ["title": "Sanditon"])
        }
        _ = try await old.client.syncNow()
        _ = try await new.client.syncNow()
        #expect(try new.read(values("heading")) == ["Emma II", "Sanditon"])
        #expect(try new.read(values("color")) == ["red", ""])
    }

    @Test("a record that an older device brings back keeps the values that the device does not know")
    func revival() async throws {
        let bench = try Bench(server: 2)
        let (old, new) = (try bench.device(1), try bench.device(2))
        try new.save { $0.insert("Memo", ["heading": "Emma", "color": "red"]) }
        _ = try await new.client.syncNow()
        _ = try await old.client.syncNow()
        try new.save { context in context.delete(try notes(context)[0]) }
        try await Task.sleep(for: .milliseconds(5))
        try old.save { try notes($0)[0].setValue("Emma II", forKey: "title") }
        _ = try await new.client.syncNow()
        _ = try await old.client.syncNow()
        _ = try await new.client.syncNow()
        #expect(try new.read(values("heading")) == ["Emma II"])
        #expect(try new.read(values("color")) == ["red"])
    }

    @Test("an older server keeps values that it does not know, sends them, and has them after its update")
    func olderServer() async throws {
        let bench = try Bench(server: 1)
        let one = try bench.device(2)
        // A newer device speaks of memos; the older server cannot know that these were notes.
        let text = try await { () -> String in
            try one.save { $0.insert("Memo", ["heading": "Emma"]) }
            do { _ = try await one.client.syncNow() } catch let error as SyncError {
                return error.code == .unavailable ? error.text : "\(error)"
            }
            return "no error"
        }()
        #expect(text.contains("'Memo'"))
        try bench.upgradeServer()
        let again = try bench.device(2, at: one.url)
        _ = try await again.client.syncNow()
        #expect(try values("heading", on: bench.server) == ["Emma"])
    }

    @Test("a value of a property that the server's model lacks is kept, sent, and in the object after an update")
    func unknownProperty() async throws {
        let bench = try Bench(server: 1)
        let (name, replica) = (UUID(), UUID())
        let stamp = SyncStamp(clock: 1 << 60, replica: replica)
        let fields: [String: SyncValue] = ["title": .string("Emma"), "color": .string("red")]
        let newer = SyncSchema(entities: ["Note": Data([1])])
        let push = SyncPush(
            replica: replica, number: 1, id: UUID(), schema: newer, observed: 0,
            changes: [
                SyncChange(
                    .insert, name: name, entity: "Note", group: 0, stamp: stamp,
                    fields: fields.mapValues { SyncField($0, stamp) })
            ])
        let user = SyncUser(id: "ada")
        #expect(try await bench.service.push(push, user: user).outcomes.map(\.result) == [.taken])
        let pull = SyncPull(replica: UUID(), schema: newer, after: nil, applied: 0, limit: 9)
        #expect(try await bench.service.pull(pull, user: user).records.map { $0.values["color"] } == [.string("red")])
        let old = try bench.device(1)
        _ = try await old.client.syncNow()
        #expect(try old.read(values("title")) == ["Emma"])
        try bench.upgradeServer()
        let new = try bench.device(2)
        _ = try await new.client.syncNow()
        #expect(try new.read(values("heading")) == ["Emma"])
        #expect(try new.read(values("color")) == ["red"])
        #expect(try values("color", on: bench.server) == ["red"])
    }

    @Test("a device with a version that is not accepted is told which one it needs, and its changes wait")
    func upgrade() async throws {
        let bench = try Bench(server: 2, accepted: [])
        let old = try bench.device(1)
        try old.save { $0.insert("Note", ["title": "Emma"]) }
        let error = await #expect(throws: SyncError.self) { try await old.client.syncNow() }
        #expect(error?.code == .upgrade)
        #expect(error?.text.contains("Notes 2") ?? false)
        let new = try bench.device(2, at: old.url)
        _ = try await new.client.syncNow()
        #expect(try values("heading", on: bench.server) == ["Emma"])
    }

    @Test("a lightweight migration of the app's store keeps names, and brings values of new properties")
    func lightweight() async throws {
        let bench = try Bench(server: 2)
        let (old, other) = (try bench.device(1), try bench.device(2))
        try other.save { $0.insert("Memo", ["heading": "Emma", "color": "red"]) }
        _ = try await other.client.syncNow()
        _ = try await old.client.syncNow()
        try old.save { try notes($0)[0].setValue("Emma II", forKey: "title") }
        try bench.close(old.container)
        let migrated = try bench.device(2, at: old.url)
        try migrated.save { $0.insert("Memo", ["heading": "Sanditon"]) }
        _ = try await migrated.client.syncNow()
        #expect(try migrated.read(values("heading")) == ["Emma II", "Sanditon"])
        #expect(try migrated.read(values("color")) == ["red", ""])
        _ = try await other.client.syncNow()
        #expect(try other.read(values("heading")) == ["Emma II", "Sanditon"])
    }

    @Test("a store whose objects have new ids after a migration has none of them twice")
    func byObjects() async throws {
        let bench = try Bench(server: 2)
        let (old, other) = (try bench.device(1), try bench.device(2))
        try old.save { context in
            context.insert("Note", ["title": "Emma", "number": "1"])
            context.insert("Note", ["title": "Sanditon"])
        }
        _ = try await old.client.syncNow()
        try bench.close(old.container)
        let sidecar = old.url.deletingPathExtension().appendingPathExtension("sync.sqlite")
        let url = bench.folder.appendingPathComponent("Migrated.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: sidecar.path + suffix) {
            let copy = url.deletingPathExtension().appendingPathExtension("sync.sqlite").path + suffix
            try FileManager.default.copyItem(atPath: sidecar.path + suffix, toPath: copy)
        }
        let copy = try SyncFixture.container(.sqlite, Self.model(2), url)
        try copy.saveTest { context in
            context.insert("Memo", ["heading": "Sanditon"])
            context.insert("Memo", ["heading": "Emma", "number": "1"])
        }
        let kept = try copy.viewContext.performAndWait { try notes(copy.viewContext)[0].objectID.uriRepresentation() }
        try bench.close(copy)
        let migrated = try bench.device(2, at: url)
        _ = try await migrated.client.syncNow()
        #expect(try migrated.read(values("heading")) == ["Emma", "Sanditon"])
        #expect(try migrated.read { try notes($0)[0].objectID.uriRepresentation() } == kept)
        _ = try await other.client.syncNow()
        #expect(try other.read(values("heading")) == ["Emma", "Sanditon"])
        try migrated.save { try notes($0)[1].setValue("red", forKey: "color") }
        _ = try await migrated.client.syncNow()
        #expect(try values("color", on: bench.server) == ["", "red"])
    }
}
