// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Devices that have some of the server's records: these enter and leave, and some may be changed.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

/// The promise Y10 of `Sync/Documentation/Design.md`, and S1 to S5 of `Sync/Documentation/Shapes.md`.
@Suite("Shapes") struct ShapeTests {
    /// Accounts deny their deletion while they have notes, and go with a note that is deleted; notes have ordered lines
    /// (cascade) that need a note.
    private static func model() -> NSManagedObjectModel {
        func text(_ name: String) -> NSAttributeDescription {
            ModelParts.attribute(name, .stringAttributeType, isOptional: true)
        }
        let account = ModelParts.entity("Account", [text("name"), text("owner")])
        let note = ModelParts.entity("Note", [text("name"), text("owner"), text("color"), text("number")])
        note.uniquenessConstraints = [["number"]]
        let line = ModelParts.entity("Line", [text("name"), text("owner")])
        ModelParts.relate(
            ModelParts.relationship("notes", note, .denyDeleteRule, isToMany: true), account,
            ModelParts.relationship("account", account, .cascadeDeleteRule), note)
        let lines = ModelParts.relationship("lines", line, .cascadeDeleteRule, isToMany: true)
        lines.isOrdered = true
        let owner = ModelParts.relationship("note", note, .nullifyDeleteRule)
        owner.isOptional = false
        ModelParts.relate(lines, note, owner, line)
        let model = NSManagedObjectModel()
        model.entities = [account, note, line]
        return model
    }

    private static let shapes = [
        SyncShape("accounts", entity: "Account", predicate: "owner == $user"),
        SyncShape("notes", entity: "Note", predicate: "owner == $user", follows: ["lines"]),
    ]

    private func fixture(_ kind: SyncStoreKind, _ shapes: [SyncShape] = Self.shapes) throws -> SyncFixture {
        try SyncFixture(kind, model: Self.model(), authority: ShapedAuthority(shapes))
    }

    private let ada = SyncUser(id: "ada")
    private let bob = SyncUser(id: "bob")

    /// A note of each user in the account of the same user, with a line.
    private func fill(_ fixture: SyncFixture) throws {
        try fixture.server.saveTest { context in
            for user in ["ada", "bob"] {
                let account = context.insert("Account", ["name": "account of \(user)", "owner": user])
                let note = context.insert("Note", ["name": "note of \(user)", "owner": user, "number": user])
                note.setValue(account, forKey: "account")
                context.insert("Line", ["name": "line of \(user)"]).setValue(note, forKey: "note")
            }
        }
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        try ["Account", "Note", "Line"].flatMap { entity in
            try context.all(entity, by: "name").map { $0.value(forKey: "name") as? String ?? "" }
        }
    }

    private func named(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let entity = name.prefix(while: { $0 != " " }).capitalized
        return try #require(try context.all(entity, by: "name").first { $0.value(forKey: "name") as? String == name })
    }

    private func namesOnServer(_ fixture: SyncFixture) throws -> [String] {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait { try names(context) }
    }

    private static let all = [
        "account of ada", "account of bob", "note of ada", "note of bob", "line of ada", "line of bob",
    ]

    @Test("a device has the records of its user's shapes and those that they follow", arguments: SyncStoreKind.allCases)
    func arrival(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        for user in [ada, bob] {
            let device = try fixture.device(of: user)
            _ = try await device.client.syncNow()
            #expect(try device.read(names) == ["account of \(user.id)", "note of \(user.id)", "line of \(user.id)"])
        }
    }

    @Test(
        "a mandatory destination arrives with its record, although it matches no predicate",
        arguments: SyncStoreKind.allCases)
    func mandatory(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind, [SyncShape("lines", entity: "Line", predicate: "owner == $user")])
        try fill(fixture)
        try fixture.server.saveTest { try named("line of bob", $0).setValue("ada", forKey: "owner") }
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        #expect(try device.read(names) == ["note of bob", "line of bob"])
    }

    @Test(
        "a record that leaves the shapes leaves the device with what it followed, and is deleted nowhere else",
        arguments: SyncStoreKind.allCases)
    func leaving(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let (one, other) = (try fixture.device(of: ada), try fixture.device(of: bob))
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        // Deny would forbid the deletion of the account while the device has its note.
        try fixture.server.saveTest { try named("account of ada", $0).setValue("bob", forKey: "owner") }
        let report = try await one.client.syncNow()
        #expect(report.deleted == 1)
        #expect(try one.read(names) == ["note of ada", "line of ada"])
        try fixture.server.saveTest { try named("note of ada", $0).setValue("bob", forKey: "owner") }
        _ = try await one.client.syncNow()
        #expect(try one.read(names) == [])
        _ = try await other.client.syncNow()
        #expect(try other.read(names) == Self.all)
        #expect(try namesOnServer(fixture) == Self.all)
    }

    @Test(
        "a device that gives a record away loses it, and the new owner's device gets it",
        arguments: SyncStoreKind.allCases)
    func givenAway(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let (one, other) = (try fixture.device(of: ada), try fixture.device(of: bob))
        _ = try await one.client.syncNow()
        try one.save { context in
            try named("note of ada", context).setValue("bob", forKey: "owner")
            context.insert("Note", ["name": "note for bob", "owner": "bob"])
        }
        _ = try await one.client.syncNow()
        #expect(try one.read(names) == ["account of ada"])
        _ = try await other.client.syncNow()
        #expect(
            try other.read(names) == [
                "account of bob", "note for bob", "note of ada", "note of bob", "line of ada", "line of bob",
            ])
    }

    @Test(
        "a waiting change of a record that has left is refused, kept for the app, and changes nothing",
        arguments: SyncStoreKind.allCases)
    func waitingChange(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        try device.save { try named("note of ada", $0).setValue("red", forKey: "color") }
        try fixture.server.saveTest { try named("note of ada", $0).setValue("bob", forKey: "owner") }
        let report = try await device.client.syncNow()
        #expect(report.refused == 1)
        let refused = try await device.client.refusedChanges()
        #expect(refused.map { Array($0.change.fields.keys) } == [["color"]])
        #expect(refused.first?.reasons.map(\.code) == [SyncErrorCode.notPermitted.rawValue])
        #expect(try device.read(names) == ["account of ada"])
        let context = fixture.server.newBackgroundContext()
        let color = try context.performAndWait { try named("note of ada", context).value(forKey: "color") as? String }
        #expect(color == nil)
    }

    @Test(
        "a link to a record outside of the shapes is nil on the device, stays on the server, and comes back",
        arguments: SyncStoreKind.allCases)
    func outsideLink(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        try fixture.server.saveTest { try named("account of ada", $0).setValue("bob", forKey: "owner") }
        _ = try await device.client.syncNow()
        func account(_ context: NSManagedObjectContext) throws -> String? {
            let account = try named("note of ada", context).value(forKey: "account") as? NSManagedObject
            return account?.value(forKey: "name") as? String
        }
        #expect(try device.read(account) == nil)
        try device.save { try named("note of ada", $0).setValue("red", forKey: "color") }
        _ = try await device.client.syncNow()
        let context = fixture.server.newBackgroundContext()
        #expect(try context.performAndWait { try account(context) } == "account of ada")
        try fixture.server.saveTest { try named("account of ada", $0).setValue("ada", forKey: "owner") }
        _ = try await device.client.syncNow()
        #expect(try device.read(account) == "account of ada")
        try device.save { try named("note of ada", $0).setValue(nil, forKey: "account") }
        _ = try await device.client.syncNow()
        let later = fixture.server.newBackgroundContext()
        #expect(try later.performAndWait { try account(later) } == nil)
    }

    /// Runs a function after each batch that the server took, before the device pulls.
    private struct InterruptedTransport: SyncTransport {
        let server: DirectTransport
        let afterPush: @Sendable () throws -> Void

        func push(_ request: SyncPush) async throws -> SyncPushAnswer {
            let answer = try await server.push(request)
            try afterPush()
            return answer
        }
        func pull(_ request: SyncPull) async throws -> SyncPage { try await server.pull(request) }
        func put(_ part: SyncPart) async throws -> SyncPartAnswer { try await server.put(part) }
        func get(_ request: SyncPartRequest) async throws -> Data { try await server.get(request) }
    }

    /// Proves: S3
    @Test(
        "an object that the server merged into a record leaves the device, if the record left before the device got it",
        arguments: SyncStoreKind.persistent)
    func mergedAndLeft(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        try fixture.server.saveTest { $0.insert("Note", ["name": "note", "owner": "ada", "number": "1"]) }
        try device.save { $0.insert("Note", ["name": "note", "owner": "ada", "number": "1"]) }
        let server = fixture.server
        let transport = InterruptedTransport(server: DirectTransport(server: fixture.service, user: ada)) {
            try server.saveTest { context in
                for note in try context.all("Note", by: "name") { note.setValue("bob", forKey: "owner") }
            }
        }
        _ = try await SyncClient(container: device.container, transport: transport).syncNow()
        #expect(try device.read(names) == [])
        #expect(try namesOnServer(fixture) == ["note"])
    }

    @Test("a device may ask for some shapes, and what the others have leaves it", arguments: SyncStoreKind.persistent)
    func chosenShapes(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        let client = try SyncClient(
            container: device.container, transport: DirectTransport(server: fixture.service, user: ada),
            shapes: ["accounts"])
        _ = try await client.syncNow()
        #expect(try device.read(names) == ["account of ada"])
        let unknown = try fixture.device(of: ada, shapes: ["nothing"])
        let error = await #expect(throws: SyncError.self) { try await unknown.client.syncNow() }
        #expect(error?.code == .notPermitted)
    }

    /// Proves: S6
    @Test(
        "an authority that lets no record leave refuses what would leave, with the property",
        arguments: SyncStoreKind.allCases)
    func leavingRefused(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(
            kind, model: Self.model(), authority: ShapedAuthority(Self.shapes, mayLeave: false))
        try fill(fixture)
        let device = try fixture.device(of: ada)
        _ = try await device.client.syncNow()
        try device.save { try named("note of ada", $0).setValue("bob", forKey: "owner") }
        try device.save { $0.insert("Note", ["name": "note for bob", "owner": "bob"]) }
        try device.save { $0.insert("Note", ["name": "note for ada", "owner": "ada"]) }
        try device.save { try named("line of ada", $0).setValue("line 2 of ada", forKey: "name") }
        #expect(try await device.client.syncNow().refused == 2)
        let refused = try await device.client.refusedChanges()
        #expect(refused.map(\.change.kind).sorted { $0.rawValue < $1.rawValue } == [.insert, .update])
        let reasons = refused.flatMap(\.reasons)
        #expect(reasons.map(\.code) == [SyncErrorCode.notPermitted.rawValue, SyncErrorCode.notPermitted.rawValue])
        #expect(reasons.map(\.key) == ["owner", "owner"])
        let expected = ["account of ada", "note for ada", "note of ada", "line 2 of ada"]
        #expect(try device.read(names) == expected)
        #expect(
            try namesOnServer(fixture) == [
                "account of ada", "account of bob", "note for ada", "note of ada", "note of bob", "line 2 of ada",
                "line of bob",
            ])
    }

    @Test("changed variables of a user bring and take records", arguments: SyncStoreKind.persistent)
    func changedVariables(kind: SyncStoreKind) async throws {
        let shapes = [SyncShape("notes", entity: "Note", predicate: "color == $color")]
        let fixture = try fixture(kind, shapes)
        try fixture.server.saveTest { context in
            for color in ["red", "blue"] { context.insert("Note", ["name": "note \(color)", "color": color]) }
        }
        let device = try fixture.device(of: SyncUser(id: "ada", variables: ["color": .string("red")]))
        _ = try await device.client.syncNow()
        #expect(try device.read(names) == ["note red"])
        let user = SyncUser(id: "ada", variables: ["color": .string("blue")])
        let client = try SyncClient(
            container: device.container, transport: DirectTransport(server: fixture.service, user: user))
        _ = try await client.syncNow()
        #expect(try device.read(names) == ["note blue"])
        #expect(try namesOnServer(fixture) == ["note blue", "note red"])
    }

    // MARK: Hostile devices

    private func push(_ fixture: SyncFixture, _ changes: [SyncChange], _ user: SyncUser) async throws -> [Int] {
        let request = SyncPush(
            replica: UUID(), number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0, changes: changes)
        return try await fixture.service.push(request, user: user).outcomes.flatMap(\.refusals).map(\.code)
    }

    /// The names of a user's records, as a device of the user gets them.
    private func records(_ fixture: SyncFixture, _ user: SyncUser) async throws -> [String: UUID] {
        let pull = SyncPull(
            replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 100)
        let page = try await fixture.service.pull(pull, user: user)
        return Dictionary(page.records.map { ($0.entity, $0.name) }) { first, _ in first }
    }

    @Test("changes of foreign records, and links to them, are refused", arguments: SyncStoreKind.allCases)
    func foreignRecords(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let foreign = try await records(fixture, bob)
        let (note, account) = (try #require(foreign["Note"]), try #require(foreign["Account"]))
        let stamp = SyncStamp(clock: 1 << 60, replica: UUID())
        let mine = UUID()
        let changes = [
            SyncChange(
                .update, name: note, entity: "Note", group: 0, stamp: stamp,
                fields: ["owner": SyncField(.string("ada"), stamp)]),
            SyncChange(.delete, name: account, entity: "Account", group: 1, stamp: stamp),
            SyncChange(
                .insert, name: mine, entity: "Note", group: 2, stamp: stamp,
                fields: ["account": SyncField(.link(account), stamp)]),
        ]
        let denied = SyncErrorCode.notPermitted.rawValue
        #expect(try await push(fixture, changes, ada) == [denied, denied, denied])
        #expect(try namesOnServer(fixture) == Self.all)
    }

    @Test(
        "an insertion with the unique value of a foreign record is refused, and does not change it",
        arguments: SyncStoreKind.allCases)
    func foreignUniqueValue(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let stamp = SyncStamp(clock: 1 << 60, replica: UUID())
        let fields: [String: SyncValue] = ["name": .string("note of eve"), "number": .string("bob")]
        let insertion = SyncChange(
            .insert, name: UUID(), entity: "Note", group: 0, stamp: stamp,
            fields: fields.mapValues { SyncField($0, stamp) })
        #expect(try await push(fixture, [insertion], ada) == [NSManagedObjectConstraintMergeError])
        #expect(try namesOnServer(fixture) == Self.all)
    }

    @Test("a foreign deleted record does not come back by a change of another user", arguments: SyncStoreKind.allCases)
    func foreignRevival(kind: SyncStoreKind) async throws {
        let fixture = try fixture(kind)
        try fill(fixture)
        let note = try #require(try await records(fixture, bob)["Note"])
        try fixture.server.saveTest { context in context.delete(try named("note of bob", context)) }
        let stamp = SyncStamp(clock: 1 << 60, replica: UUID())
        let change = SyncChange(
            .insert, name: note, entity: "Note", group: 0, stamp: stamp,
            fields: ["owner": SyncField(.string("ada"), stamp)])
        #expect(try await push(fixture, [change], ada) == [SyncErrorCode.notPermitted.rawValue])
    }

    @Test(
        "a shape that cannot be evaluated gives an error, and no record",
        arguments: [
            SyncShape("a", entity: "Nothing"), SyncShape("a", entity: "Note", predicate: "owner =="),
            SyncShape("a", entity: "Note", predicate: "owner == $missing"),
            SyncShape("a", entity: "Note", predicate: "nothing == 1"),
            SyncShape("a", entity: "Note", follows: ["nothing"]),
        ])
    func brokenShape(shape: SyncShape) async throws {
        let fixture = try fixture(.memory, [shape])
        try fill(fixture)
        let device = try fixture.device(of: ada)
        let error = await #expect(throws: SyncError.self) { try await device.client.syncNow() }
        #expect(error?.code == .unavailable)
        #expect(try device.read(names) == [])
    }
}
