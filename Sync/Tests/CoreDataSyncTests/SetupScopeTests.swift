// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// First pulls in parts of devices with shapes and with an older model, and the records that wait in them.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@testable import CoreDataSync

@Suite("First pulls in parts, with shapes and versions") struct SetupScopeTests {
    private let ada = SyncUser(id: "ada", variables: ["year": .integer(1)])

    /// Notes need an account; version 2 has a reviewer of an entity that version 1 lacks.
    private static func model(_ version: Int = 1) -> NSManagedObjectModel {
        func text(_ name: String) -> NSAttributeDescription {
            ModelParts.attribute(name, .stringAttributeType, isOptional: true)
        }
        let account = ModelParts.entity("Account", [text("name"), text("owner")])
        let note = ModelParts.entity(
            "Note", [text("name"), text("owner"), ModelParts.attribute("year", .integer64AttributeType)])
        ModelParts.relate(
            ModelParts.relationship("notes", note, .nullifyDeleteRule, isToMany: true), account,
            ModelParts.relationship("account", account, .nullifyDeleteRule), note)
        let model = NSManagedObjectModel()
        model.entities = [account, note]
        if version > 1 {
            let person = ModelParts.entity("Person", [text("name")])
            ModelParts.relate(
                ModelParts.relationship("reviews", note, .nullifyDeleteRule, isToMany: true), person,
                ModelParts.relationship("reviewer", person, .nullifyDeleteRule), note)
            model.entities.append(person)
        }
        return model
    }

    private func shaped() throws -> SyncFixture {
        let fixture = try SyncFixture(
            .sqlite, model: Self.model(),
            authority: ShapedAuthority([
                SyncShape("accounts", entity: "Account", predicate: "owner == $user"),
                SyncShape("notes", entity: "Note", predicate: "owner == $user AND year == $year"),
            ]))
        try fixture.server.saveTest { context in
            let accounts = ["ada", "bob"].map { context.insert("Account", ["name": $0, "owner": $0]) }
            for number in 0..<60 {
                // Each third note of a user is in the account of the other one.
                let index = number % 2
                let note = context.insert(
                    "Note", ["name": "note \(number)", "owner": ["ada", "bob"][index], "year": number < 40 ? 1 : 2])
                note.setValue(accounts[number % 3 == 0 ? 1 - index : index], forKey: "account")
            }
        }
        return fixture
    }

    private func engine(_ container: NSPersistentContainer) throws -> SyncEngine {
        let engine = try SyncEngine(coordinator: container.persistentStoreCoordinator, pageSize: 7)
        try engine.capture()
        return engine
    }

    /// One round: waiting batches are sent, and one page is applied; all of them if the pull is not one in parts.
    private func round(_ engine: SyncEngine, _ service: SyncService, _ user: SyncUser) throws {
        try engine.capture()
        while let push = try engine.nextPush() { try engine.receive(try service.pushAndWait(push, user: user)) }
        var request = try engine.beginPull()
        do {
            while let present = request {
                request = engine.receive(try service.pullAndWait(present, user: user), for: present)
            }
        } catch let error as SyncError where error.code == .startAnew { return try engine.startAnew() }
        _ = try engine.apply()
    }

    private func finish(_ engine: SyncEngine, _ service: SyncService, _ user: SyncUser) throws {
        var rounds = 0
        repeat {
            try round(engine, service, user)
            rounds += 1
        } while try (engine.isSettingUp() || engine.appliedRevision() == 0) && rounds < 200
    }

    private func names(_ container: NSPersistentContainer) throws -> Set<String> {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            Set(try context.all("Note", by: "name").map { $0.value(forKey: "name") as? String ?? "" })
        }
    }

    private func expected(_ years: ClosedRange<Int>) -> Set<String> {
        Set((0..<60).filter { $0 % 2 == 0 && years.contains($0 < 40 ? 1 : 2) }.map { "note \($0)" })
    }

    /// Proves: Y10
    @Test("only records of the shapes arrive, and links that lead outside stay on the server")
    func outside() throws {
        let fixture = try shaped()
        let device = try fixture.device(of: ada)
        let engine = try engine(device.container)
        try round(engine, fixture.service, ada)
        #expect(try engine.isSettingUp())
        try finish(engine, fixture.service, ada)
        #expect(try names(device.container) == expected(1...1))
        let links = try device.read { context in
            try context.all("Note", by: "name").filter { $0.value(forKey: "account") == nil }.count
        }
        #expect(links == 7)
        #expect(try device.read { try $0.all("Account", by: "name").count } == 1)
        try device.save { context in
            for note in try context.all("Note", by: "name") { note.setValue("changed", forKey: "name") }
        }
        try round(engine, fixture.service, ada)
        let context = fixture.server.newBackgroundContext()
        let found = try context.performAndWait {
            try context.all("Note", by: "name").filter { $0.value(forKey: "account") == nil }.count
        }
        #expect(found == 0)
    }

    /// Proves: Y10
    @Test("records that leave and enter the shapes between two parts are gone and there at the end")
    func moves() throws {
        let fixture = try shaped()
        let device = try fixture.device(of: ada)
        let engine = try engine(device.container)
        for _ in 0..<2 { try round(engine, fixture.service, ada) }
        #expect(try engine.isSettingUp())
        try fixture.server.saveTest { context in
            for note in try context.all("Note", by: "name") {
                let number = Int((note.value(forKey: "name") as? String ?? "").dropFirst(5)) ?? 0
                if number % 4 == 0 { note.setValue("bob", forKey: "owner") }
                if number % 4 == 1 { note.setValue("ada", forKey: "owner") }
            }
        }
        try finish(engine, fixture.service, ada)
        #expect(try names(device.container) == Set((0..<40).filter { [1, 2].contains($0 % 4) }.map { "note \($0)" }))
    }

    /// Proves: Y10
    @Test("a user's variables that change between two parts begin the pull anew, without records of the former ones")
    func changedVariables() throws {
        let fixture = try shaped()
        let device = try fixture.device(of: ada)
        let engine = try engine(device.container)
        for _ in 0..<2 { try round(engine, fixture.service, ada) }
        #expect(try engine.isSettingUp())
        let later = SyncUser(id: "ada", variables: ["year": .integer(2)])
        try finish(engine, fixture.service, later)
        #expect(try !engine.isSettingUp())
        #expect(try names(device.container) == expected(2...2))
        #expect(try engine.capture() == 0)
    }

    // MARK: Older models

    /// A device with the older model, in the middle of its first pull of 60 notes that each have a reviewer.
    private struct OlderDevice {
        let fixture: SyncFixture
        let url: URL
        let container: NSPersistentContainer
        let engine: SyncEngine
    }

    private func olderDevice() throws -> OlderDevice {
        let fixture = try SyncFixture(.sqlite, model: Self.model(2))
        try fixture.server.saveTest { context in
            for number in 0..<60 {
                let person = context.insert("Person", ["name": "person \(number)"])
                context.insert("Note", ["name": "note \(number)", "year": 1]).setValue(person, forKey: "reviewer")
            }
        }
        let url = fixture.folder.appendingPathComponent("Older.sqlite")
        let container = try SyncFixture.container(.sqlite, Self.model(1), url)
        let engine = try engine(container)
        for _ in 0..<9 { try round(engine, fixture.service, ada) }
        #expect(try engine.isSettingUp())
        return OlderDevice(fixture: fixture, url: url, container: container, engine: engine)
    }

    /// Migrates the store to the newer model, and pulls everything.
    private func update(_ device: OlderDevice) throws -> NSManagedObjectContext {
        let coordinator = device.container.persistentStoreCoordinator
        try coordinator.remove(coordinator.persistentStores[0])
        let migrated = try SyncFixture.container(.sqlite, Self.model(2), device.url)
        try finish(try engine(migrated), device.fixture.service, ada)
        return migrated.newBackgroundContext()
    }

    private func reviewedNotes(_ context: NSManagedObjectContext) throws -> Int {
        try context.performAndWait {
            try context.all("Note", by: "name").filter { $0.value(forKey: "reviewer") != nil }.count
        }
    }

    @Test("records do not wait for those of relationships that an older model does not have")
    func olderModel() throws {
        let device = try olderDevice()
        #expect(try !names(device.container).isEmpty)
        #expect(try staged(device.engine).isEmpty)
        try finish(device.engine, device.fixture.service, ada)
        #expect(try names(device.container).count == 60)
        // With the newer model the next pull is one of everything.
        #expect(try reviewedNotes(update(device)) == 60)
    }

    @Test("a model that changes between two parts begins the pull anew, and no object is there twice")
    func changedModel() throws {
        let context = try update(olderDevice())
        #expect(try reviewedNotes(context) == 60)
        #expect(try context.performAndWait { try context.all("Person", by: "name").count } == 60)
    }

    // MARK: Ends of processes

    private func staged(_ engine: SyncEngine) throws -> Set<String> {
        try engine.sidecar.perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)
            return Set(try engine.sidecar.context.fetch(request).compactMap { $0.value(forKey: "name") as? String })
        }
    }

    /// Proves: Y4
    @Test("what waited is not applied again over the app's changes when the process ended after the app's save")
    func stagedRecords() throws {
        struct Crash: Error {}
        let fixture = try SyncFixture(.sqlite, model: Self.model())
        try fixture.server.saveTest { context in
            let account = context.insert("Account", ["name": "first"])
            for number in 0..<60 {
                context.insert("Note", ["name": "note \(number)", "year": 1]).setValue(account, forKey: "account")
            }
        }
        // The account gets a later revision than the notes, which wait for it.
        let pull = SyncPull(replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 1)
        _ = try fixture.service.pullAndWait(pull, user: ada)
        try fixture.server.saveTest { try $0.all("Account", by: "name")[0].setValue("second", forKey: "name") }
        let device = try fixture.device(of: ada)
        let former = try engine(device.container)
        for _ in 0..<5 { try round(former, fixture.service, ada) }
        #expect(try staged(former).count == 35)
        #expect(try names(device.container).isEmpty)
        // The first save is that of the account, the second one that of the notes.
        var saves = 0
        former.onStep = { step in
            guard step == .afterSave else { return }
            saves += 1
            if saves == 2 { throw Crash() }
        }
        #expect(throws: Crash.self) { try finish(former, fixture.service, ada) }
        #expect(try names(device.container).count == 60)
        let later = try engine(device.container)
        #expect(try later.isSettingUp())
        #expect(try staged(later).isEmpty)
        try device.save { context in
            for note in try context.all("Note", by: "name") { note.setValue("changed", forKey: "name") }
        }
        try finish(later, fixture.service, ada)
        try finish(later, fixture.service, ada)
        #expect(try names(device.container) == ["changed"])
        #expect(try device.read { try $0.all("Note", by: "name").count } == 60)
    }
}
