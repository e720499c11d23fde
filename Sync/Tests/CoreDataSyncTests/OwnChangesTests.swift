// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A device's own changes come back where it may lack them: with shapes, other versions, resets.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@testable import CoreDataSync

@Suite("Own changes that come back") struct OwnChangesTests {
    private let ada = SyncUser(id: "ada")

    /// Notes with an owner in an account with an owner. Version 2 of a note has a color.
    private static func model(_ version: Int = 1) -> NSManagedObjectModel {
        func text(_ name: String) -> NSAttributeDescription {
            ModelParts.attribute(name, .stringAttributeType, isOptional: true)
        }
        let account = ModelParts.entity("Account", [text("name"), text("owner")])
        let note = ModelParts.entity(
            "Note", [text("name"), text("owner")] + (version > 1 ? [text("color")] : []))
        ModelParts.relate(
            ModelParts.relationship("notes", note, .nullifyDeleteRule, isToMany: true), account,
            ModelParts.relationship("account", account, .nullifyDeleteRule), note)
        let model = NSManagedObjectModel()
        model.entities = [account, note]
        return model
    }

    private func shaped(_ kind: SyncStoreKind) throws -> SyncFixture {
        try SyncFixture(
            kind, model: Self.model(),
            authority: ShapedAuthority([
                SyncShape("accounts", entity: "Account", predicate: "owner == $user"),
                SyncShape("notes", entity: "Note", predicate: "owner == $user"),
            ]))
    }

    private func push(_ engine: SyncEngine, _ service: SyncService) throws {
        try engine.capture()
        while let push = try engine.nextPush() { try engine.receive(try service.pushAndWait(push, user: ada)) }
    }

    private func pull(_ engine: SyncEngine, _ service: SyncService) throws -> [SyncRecordState] {
        var records: [SyncRecordState] = []
        repeat {
            var request = try engine.beginPull()
            while let present = request {
                let page = try service.pullAndWait(present, user: ada)
                records += page.records
                request = engine.receive(page, for: present)
            }
            #expect(try engine.apply() != nil)
        } while try engine.isSettingUp()
        return records
    }

    private func account(_ context: NSManagedObjectContext) throws -> String? {
        let note = try #require(try context.all("Note", by: "name").first)
        return (note.value(forKey: "account") as? NSManagedObject)?.value(forKey: "name") as? String
    }

    /// Proves: Y10
    @Test(
        "a note that a device made loses its account there when that leaves the shapes, and keeps it on the server",
        arguments: SyncStoreKind.allCases)
    func ownLink(kind: SyncStoreKind) async throws {
        let fixture = try shaped(kind)
        let device = try fixture.device(of: ada)
        try device.save { context in
            let account = context.insert("Account", ["name": "account", "owner": "ada"])
            context.insert("Note", ["name": "note", "owner": "ada"]).setValue(account, forKey: "account")
        }
        _ = try await device.client.syncNow()
        #expect(try device.read(account) == "account")
        try fixture.server.saveTest { try $0.all("Account", by: "name")[0].setValue("bob", forKey: "owner") }
        _ = try await device.client.syncNow()
        #expect(try device.read { try $0.all("Account", by: "name").count } == 0)
        #expect(try device.read(account) == nil)
        try device.save { try $0.all("Note", by: "name")[0].setValue("changed", forKey: "name") }
        _ = try await device.client.syncNow()
        let context = fixture.server.newBackgroundContext()
        #expect(try context.performAndWait { try account(context) } == "account")
        try fixture.server.saveTest { try $0.all("Account", by: "name")[0].setValue("ada", forKey: "owner") }
        _ = try await device.client.syncNow()
        #expect(try device.read(account) == "account")
    }

    /// Proves: Y10
    @Test("pages of a device with shapes have few bytes, and bring what enters and leaves", arguments: [1, 300])
    func pageBytes(bytes: Int) async throws {
        let fixture = try shaped(.sqlite)
        var limits = SyncLimits()
        limits.pageBytes = bytes
        let service = try SyncService(
            container: fixture.server,
            authority: ShapedAuthority([SyncShape("notes", entity: "Note", predicate: "owner == $user")]),
            limits: limits)
        try fixture.server.saveTest { context in
            for number in 0..<12 { context.insert("Note", ["name": "note \(number)", "owner": "ada"]) }
        }
        let device = try fixture.device(of: ada)
        let engine = try SyncEngine(coordinator: device.container.persistentStoreCoordinator)
        func names() throws -> [String] {
            try device.read { try $0.all("Note", by: "name").map { $0.value(forKey: "name") as? String ?? "" } }
        }
        try engine.capture()
        _ = try pull(engine, service)
        #expect(try names().count == 12)
        try fixture.server.saveTest { context in
            for (index, note) in try context.all("Note", by: "name").enumerated() {
                let (key, value) = index < 5 ? ("owner", "bob") : ("name", "\(index)")
                note.setValue(value, forKey: key)
            }
        }
        let request = try #require(try engine.beginPull())
        let page = try service.pullAndWait(request, user: ada)
        #expect(!page.isLast)
        #expect(page.records.count < 12)
        _ = try pull(engine, service)
        #expect(try names() == ["10", "11", "5", "6", "7", "8", "9"])
    }

    @Test("a device with another version of the model than the server's pulls what it sent", arguments: [1, 2])
    func versions(version: Int) throws {
        let fixture = try SyncFixture(.sqlite, model: Self.model(2))
        let url = fixture.folder.appendingPathComponent("Other.sqlite")
        let container = try SyncFixture.container(.sqlite, Self.model(version), url)
        let engine = try SyncEngine(coordinator: container.persistentStoreCoordinator)
        try container.saveTest { $0.insert("Note", ["name": "note"]) }
        try push(engine, fixture.service)
        #expect(try pull(engine, fixture.service).count == (version == 1 ? 1 : 0))
        try container.saveTest { try $0.all("Note", by: "name")[0].setValue("changed", forKey: "name") }
        try push(engine, fixture.service)
        #expect(try pull(engine, fixture.service).count == (version == 1 ? 1 : 0))
    }

    /// Proves: V6
    @Test("a device whose model was migrated before its first pull gets the values of new properties")
    func migrated() throws {
        let fixture = try SyncFixture(.sqlite, model: Self.model(2))
        let url = fixture.folder.appendingPathComponent("Migrated.sqlite")
        let old = try SyncFixture.container(.sqlite, Self.model(1), url)
        let former = try SyncEngine(coordinator: old.persistentStoreCoordinator)
        try old.saveTest { $0.insert("Note", ["name": "note"]) }
        try push(former, fixture.service)
        #expect(try former.beginPull()?.number == 1)
        try old.persistentStoreCoordinator.remove(old.persistentStoreCoordinator.persistentStores[0])
        let new = try SyncFixture.container(.sqlite, Self.model(2), url)
        let engine = try SyncEngine(coordinator: new.persistentStoreCoordinator)
        #expect(try engine.capture() == 0)
        let request = try #require(try engine.beginPull())
        #expect(request.number == nil && request.after == nil)
        #expect(try pull(engine, fixture.service).count == 1)
        #expect(try engine.beginPull()?.number == 1)
    }

    @Test("a store that was made a new replica pulls everything, and what the server lacks leaves it")
    func reset() throws {
        let fixture = try SyncFixture(.sqlite, model: Self.model())
        let device = try fixture.device()
        try device.save { $0.insert("Note", ["name": "note"]) }
        let engine = try SyncEngine(coordinator: device.container.persistentStoreCoordinator)
        try push(engine, fixture.service)
        _ = try SidecarInspection(of: device.url, isWritable: true).reset()
        let later = try SyncEngine(coordinator: device.container.persistentStoreCoordinator)
        try later.capture()
        #expect(try later.beginPull()?.number == nil)
        #expect(try pull(later, fixture.service).count == 1)
    }

    @Test("what a device knows about a record outside of its shapes and its model comes back from the compact form")
    func knownState() throws {
        let name = UUID()
        let known = KnownState(
            members: ["notes": [name]], orders: ["lines": [name.uuidString: "i"]], counters: ["views": -3],
            outside: ["account", "folder"], unknown: ["color": .string("red"), "size": .composite(["w": .integer(1)])])
        #expect(try KnownState(packed: known.packed) == known)
        #expect(try KnownState(packed: KnownState().packed) == KnownState())
        #expect(!known.isEmpty)
    }
}

@Suite("Compaction with shapes") struct ShapeCompactionTests {
    private let ada = SyncUser(id: "ada")
    private static let day = 86_400.0

    private func fixture() throws -> SyncFixture {
        let note = ModelParts.entity(
            "Note",
            ["name", "owner"].map { ModelParts.attribute($0, .stringAttributeType, isOptional: true) })
        let model = NSManagedObjectModel()
        model.entities = [note]
        return try SyncFixture(
            .sqlite, model: model,
            authority: ShapedAuthority([SyncShape("notes", entity: "Note", predicate: "owner == $user")]))
    }

    private func names(_ device: SyncDevice) throws -> [String] {
        try device.read { try $0.all("Note", by: "name").map { $0.value(forKey: "name") as? String ?? "" } }
    }

    /// A client that a test writes: it sends changes of one record.
    private struct Writer {
        let replica = UUID()
        let name = UUID()
        let service: SyncService
        let user: SyncUser

        func send(_ number: Int64, _ kind: SyncChange.Kind, _ text: String, observed: Int64) throws {
            let stamp = SyncStamp(clock: UInt64(1) << 50 + UInt64(number), replica: replica)
            let values: [String: SyncValue] =
                kind == .delete ? [:] : ["name": .string(text), "owner": .string(user.id)]
            let change = SyncChange(
                kind, name: name, entity: "Note", group: 0, stamp: stamp,
                fields: values.mapValues { SyncField($0, stamp) })
            let push = SyncPush(
                replica: replica, number: number, id: UUID(), schema: SyncSchema(entities: [:]), observed: observed,
                changes: [change])
            #expect(try service.pushAndWait(push, user: user).outcomes.map(\.result) == [.taken])
        }

        /// Pulls, and says that it has applied the page.
        func pull() throws -> Int64 {
            let schema = SyncSchema(entities: [:])
            let first = try service.pullAndWait(
                SyncPull(replica: replica, schema: schema, after: nil, applied: 0, limit: 100), user: user)
            let second = SyncPull(
                replica: replica, schema: schema, after: first.next, applied: first.revision, limit: 100)
            return try service.pullAndWait(second, user: user).revision
        }
    }

    @Test("a record whose deletion was forgotten reaches devices with shapes when it comes back, and its changes too")
    func comesBack() async throws {
        let fixture = try fixture()
        let device = try fixture.device(of: ada)
        let writer = Writer(service: fixture.service, user: ada)
        try writer.send(1, .insert, "first", observed: 0)
        _ = try await device.client.syncNow()
        #expect(try names(device) == ["first"])
        try writer.send(2, .delete, "", observed: try writer.pull())
        _ = try await device.client.syncNow()
        #expect(try names(device) == [])
        // The next requests say that both have applied the deletion.
        _ = try await device.client.syncNow()
        _ = try writer.pull()
        #expect(try await fixture.service.compact(inactivity: 90 * Self.day).forgotten == 1)
        try writer.send(3, .insert, "second", observed: try writer.pull())
        _ = try await device.client.syncNow()
        #expect(try names(device) == ["second"])
        try writer.send(4, .update, "third", observed: try writer.pull())
        _ = try await device.client.syncNow()
        #expect(try names(device) == ["third"])
    }

    @Test("a device with shapes that was away too long pulls its scope anew, and sends what waited")
    func awayTooLong() async throws {
        let fixture = try fixture()
        let (one, two) = (try fixture.device(of: ada), try fixture.device(of: ada))
        try one.save { context in
            for name in ["gone", "kept"] { context.insert("Note", ["name": name, "owner": "ada"]) }
        }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        try one.save { context in context.delete(try context.all("Note", by: "name")[0]) }
        _ = try await one.client.syncNow()
        _ = try await one.client.syncNow()
        // Each replica without a request in the last moment is away too long.
        let later = try SyncService(
            container: fixture.server,
            authority: ShapedAuthority([SyncShape("notes", entity: "Note", predicate: "owner == $user")]),
            environment: SyncEnvironment(now: { Date().addingTimeInterval(91 * Self.day) }, makeID: { UUID() }))
        let first = try SyncClient(
            container: one.container, transport: DirectTransport(server: later, user: ada))
        _ = try await first.syncNow()
        let result = try await later.compact(inactivity: 90 * Self.day)
        #expect(result.expired == 1)
        #expect(result.forgotten == 1)
        try two.save { $0.insert("Note", ["name": "late", "owner": "ada"]) }
        let second = try SyncClient(
            container: two.container, transport: DirectTransport(server: later, user: ada))
        _ = try await second.syncNow()
        #expect(try names(two) == ["kept", "late"])
        _ = try await first.syncNow()
        #expect(try names(one) == ["kept", "late"])
    }
}
