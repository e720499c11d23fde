// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removals of members after the replica took a new id, or began anew, since it added or saw them.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@testable import CoreDataSync

@Suite("Removals of members") struct MemberTests {
    private let user = SyncUser(id: "ada")

    private func push(_ engine: SyncEngine, _ fixture: SyncFixture) throws -> SyncPushAnswer {
        try engine.capture()
        let answer = try fixture.service.pushAndWait(try #require(try engine.nextPush()), user: user)
        try engine.receive(answer)
        return answer
    }

    private func pull(_ engine: SyncEngine, _ fixture: SyncFixture) throws {
        let request = try #require(try engine.beginPull())
        #expect(engine.receive(try fixture.service.pullAndWait(request, user: user), for: request) == nil)
        _ = try engine.apply()
    }

    private func setSubjects(_ device: SyncDevice, isEmpty: Bool) throws {
        try device.save { context in
            let members = isEmpty ? [] : Set(try context.all("Subject", by: "name"))
            try context.books()[0].setValue(members, forKey: "subjects")
        }
    }

    private func subjectCount(_ container: NSPersistentContainer) throws -> Int? {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            (try context.books()[0].value(forKey: "subjects") as? Set<NSManagedObject>)?.count
        }
    }

    /// A device that has sent a book and a subject, and has pulled.
    private func begun(_ fixture: SyncFixture) throws -> (SyncDevice, SyncEngine) {
        let device = try fixture.device()
        let engine = try SyncEngine(coordinator: device.container.persistentStoreCoordinator)
        try device.save { context in
            context.insert("Book", ["title": "Emma"])
            context.insert("Subject", ["name": "A"])
        }
        _ = try push(engine, fixture)
        try pull(engine, fixture)
        return (device, engine)
    }

    /// The addition waited while the replica took a new id, and has the stamp of the former one (seed 653292).
    ///
    /// Proves: Y2
    @Test("a replica with a new id removes what it added under the former one")
    func newIdentity() throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, engine) = try begun(fixture)
        try setSubjects(device, isEmpty: false)
        try engine.capture()
        try engine.takeNewIdentity()
        _ = try push(engine, fixture)
        #expect(try subjectCount(fixture.server) == 1)
        try setSubjects(device, isEmpty: true)
        #expect(try push(engine, fixture).outcomes[0].superseded == [])
        #expect(try subjectCount(fixture.server) == 0)
    }

    /// Such a device still names the revision that it has applied (seed 201160).
    ///
    /// Proves: Y2
    @Test("a device that starts anew removes what it had seen", arguments: [true, false])
    func startingAnew(isCollected: Bool) async throws {
        let fixture = try SyncFixture(.sqlite)
        let (device, engine) = try begun(fixture)
        let other = try fixture.device()
        _ = try await other.client.syncNow()
        try setSubjects(other, isEmpty: false)
        for _ in 0..<(isCollected ? 2 : 1) { _ = try await other.client.syncNow() }
        try pull(engine, fixture)
        if isCollected {
            _ = try engine.beginPull().map { try fixture.service.pullAndWait($0, user: user) }
            #expect(try await fixture.service.compact(inactivity: 1e9).settled == 1)
        }
        try engine.startAnew()
        try setSubjects(device, isEmpty: true)
        #expect(try push(engine, fixture).outcomes[0].superseded == [])
        #expect(try subjectCount(fixture.server) == 0)
    }
}
