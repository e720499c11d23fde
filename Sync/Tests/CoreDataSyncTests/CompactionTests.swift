// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Forgotten deletions and replicas, and a server's history that was purged too early.
import CoreData
import CoreDataSyncProtocol
import Foundation
import Synchronization
import Testing

@testable import CoreDataSync
@testable import CoreDataSyncServer

@Suite("Compaction") struct CompactionTests {
    /// A server with a clock that the test sets.
    private final class Clock: Sendable {
        private let days = Mutex(0.0)
        func pass(days count: Double) { days.withLock { $0 += count } }
        var environment: SyncEnvironment {
            SyncEnvironment(now: { Date().addingTimeInterval(self.days.withLock { $0 } * 86_400) }, makeID: { UUID() })
        }
    }

    private static let limit = 90.0 * 86_400

    private func service(_ fixture: SyncFixture, _ clock: Clock) throws -> SyncService {
        try SyncService(container: fixture.server, authority: OpenAuthority(), environment: clock.environment)
    }

    private func client(_ device: SyncDevice, _ service: SyncService) throws -> SyncClient {
        try SyncClient(
            container: device.container, transport: DirectTransport(server: service, user: SyncUser(id: "ada")))
    }

    private func recordCount(_ fixture: SyncFixture) throws -> Int {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record))
        }
    }

    private func deleteBooks(_ device: SyncDevice) throws {
        try device.save { context in try context.books().forEach(context.delete) }
    }

    @Test(
        "a deletion is kept until each known replica has it, then its name is forgotten",
        arguments: SyncStoreKind.allCases)
    func slowestReplica(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (one, two) = (try fixture.device(), try fixture.device())
        let service = try service(fixture, Clock())
        let (first, second) = (try client(one, service), try client(two, service))
        try one.save { $0.insert("Book", ["title": "Gone"]) }
        _ = try await first.syncNow()
        _ = try await second.syncNow()
        try deleteBooks(one)
        _ = try await first.syncNow()
        _ = try await first.syncNow()
        #expect(try await service.compact(inactivity: Self.limit).forgotten == 0)
        _ = try await second.syncNow()
        #expect(try two.titles() == [])
        _ = try await second.syncNow()
        _ = try await first.syncNow()
        #expect(try await service.compact(inactivity: Self.limit).forgotten == 1)
        #expect(try recordCount(fixture) == 0)
        try two.save { $0.insert("Book", ["title": "New"]) }
        _ = try await second.syncNow()
        _ = try await first.syncNow()
        #expect(try one.titles() == ["New"])
    }

    /// Proves: Y5
    @Test("a replica that was away too long starts anew, sends what waited, and loses the deleted objects")
    func awayTooLong() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        let clock = Clock()
        let service = try service(fixture, clock)
        let (first, second) = (try client(one, service), try client(two, service))
        try one.save { context in
            context.insert("Book", ["title": "Gone"])
            context.insert("Book", ["title": "Kept"])
        }
        _ = try await first.syncNow()
        try two.save { $0.insert("Author", ["name": "Early"]) }
        _ = try await second.syncNow()
        try one.save { context in context.delete(try context.books()[0]) }
        _ = try await first.syncNow()
        clock.pass(days: 91)
        _ = try await first.syncNow()
        let result = try await service.compact(inactivity: Self.limit)
        #expect(result.expired == 1)
        #expect(result.forgotten == 1)
        try two.save { $0.insert("Author", ["name": "Late"]) }
        try two.save { try $0.books()[0].setValue("Changed", forKey: "title") }
        try two.save { try $0.books()[1].setValue("Kept and changed", forKey: "title") }
        _ = try await second.syncNow()
        #expect(try two.titles() == ["Kept and changed"])
        let names = try two.read { try $0.all("Author", by: "name").map { $0.value(forKey: "name") as? String } }
        #expect(names == ["Early", "Late"])
        let refused = try await second.refusedChanges()
        #expect(refused.map(\.reasons.first?.code) == [SyncErrorCode.unknownRecord.rawValue])
    }

    private func tags(_ fixture: SyncFixture) throws -> (tags: Int, settled: Int) {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait {
            let all = try RecordRow.fetch(NSPredicate(value: true), in: context).map(\.metadata)
            return (
                all.reduce(0) { $0 + $1.edges.values.reduce(0) { $0 + $1.count } },
                all.reduce(0) { $0 + $1.settled.values.reduce(0) { $0 + $1.count } }
            )
        }
    }

    private func addTaggedBook(_ subjects: [String], to device: SyncDevice) throws {
        try device.save { context in
            let members = Set(subjects.map { context.insert("Subject", ["name": $0]) })
            context.insert("Book", ["title": "Tagged"]).setValue(members, forKey: "subjects")
        }
    }

    private func subjects(_ device: SyncDevice) throws -> [String] {
        try device.read { context in
            let all = try context.books().first?.value(forKey: "subjects") as? Set<NSManagedObject> ?? []
            return all.compactMap { $0.value(forKey: "name") as? String }.sorted()
        }
    }

    private func change(_ device: SyncDevice, _ body: (inout Set<NSManagedObject>, [NSManagedObject]) -> Void) throws {
        try device.save { context in
            let book = try context.books()[0]
            var members = book.value(forKey: "subjects") as? Set<NSManagedObject> ?? []
            body(&members, try context.all("Subject", by: "name"))
            book.setValue(members, forKey: "subjects")
        }
    }

    @Test(
        "the tag of a member is kept until each known replica has it, then its name only",
        arguments: SyncStoreKind.allCases)
    func memberTags(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (one, two) = (try fixture.device(), try fixture.device())
        let service = try service(fixture, Clock())
        let (first, second) = (try client(one, service), try client(two, service))
        try addTaggedBook(["A", "B", "C"], to: one)
        _ = try await first.syncNow()
        _ = try await second.syncNow()
        #expect(try await service.compact(inactivity: Self.limit).settled == 0)
        #expect(try tags(fixture) == (3, 0))
        for client in [second, first] { _ = try await client.syncNow() }
        #expect(try await service.compact(inactivity: Self.limit).settled == 1)
        #expect(try tags(fixture) == (0, 3))
        // Removed, added again and left alone: the tags of the new additions are there, the others stay away.
        try change(one) { members, all in members.remove(all[0]) }
        _ = try await first.syncNow()
        _ = try await second.syncNow()
        #expect(try subjects(two) == ["B", "C"])
        try change(one) { members, all in
            members.insert(all[0])
            members.remove(all[1])
        }
        _ = try await first.syncNow()
        #expect(try tags(fixture) == (1, 1))
        // The second device has not seen that addition: its removal of the same member does not count.
        try change(two) { members, all in members.remove(all[2]) }
        _ = try await second.syncNow()
        _ = try await first.syncNow()
        #expect(try subjects(one) == ["A"])
        #expect(try subjects(two) == ["A"])
        #expect(try tags(fixture) == (1, 0))
    }

    @Test("a removal by a device that has not seen the collected additions is superseded")
    func oldRemoval() async throws {
        let fixture = try SyncFixture(.sqlite)
        let one = try fixture.device()
        let service = try service(fixture, Clock())
        let first = try client(one, service)
        try addTaggedBook(["A"], to: one)
        for _ in 0..<3 { _ = try await first.syncNow() }
        #expect(try await service.compact(inactivity: Self.limit).settled == 1)
        var other = try await Remover(service)
        #expect(try await other.remove(observed: 0).map(\.property) == ["subjects"])
        #expect(try await other.remove(observed: other.revision).isEmpty)
        _ = try await first.syncNow()
        #expect(try subjects(one) == [])
    }

    /// A replica of the user Ada that removes the only subject of the only book.
    private struct Remover {
        private let service: SyncService
        private let replica = UUID()
        private let book: UUID
        private let subject: UUID
        private let ada = SyncUser(id: "ada")
        private var number: Int64 = 0
        /// The revision of its pull.
        let revision: Int64

        init(_ service: SyncService) async throws {
            self.service = service
            let page = try await service.pull(Self.pull(replica, applied: 0), user: ada)
            book = try #require(page.records.first { $0.entity == "Book" }).name
            subject = try #require(page.records.first { $0.entity == "Subject" }).name
            revision = page.revision
        }

        private static func pull(_ replica: UUID, applied: Int64) -> SyncPull {
            SyncPull(replica: replica, schema: SyncSchema(entities: [:]), after: nil, applied: applied, limit: 10)
        }

        /// Tells the server, by another pull, that the first one is applied.
        func applyPull() async throws { _ = try await service.pull(Self.pull(replica, applied: revision), user: ada) }

        /// - Returns: the superseded properties in the server's answer.
        mutating func remove(observed: Int64) async throws -> [SyncSuperseded] {
            number += 1
            let change = SyncChange(
                .update, name: book, entity: "Book", group: 0, stamp: SyncStamp(clock: 1 << 60, replica: replica),
                members: ["subjects": SyncMembers(removed: [subject])])
            let push = SyncPush(
                replica: replica, number: number, id: UUID(), schema: SyncSchema(entities: [:]), observed: observed,
                changes: [change])
            return try await service.push(push, user: ada).outcomes[0].superseded
        }
    }

    /// It may have been restored since it said that it has applied the addition.
    @Test("a removal does not count if the device says that it has not seen the addition", arguments: [true, false])
    func removalOfRestored(isCollected: Bool) async throws {
        let fixture = try SyncFixture(.sqlite)
        let one = try fixture.device()
        let service = try service(fixture, Clock())
        let first = try client(one, service)
        try addTaggedBook(["A"], to: one)
        for _ in 0..<(isCollected ? 3 : 1) { _ = try await first.syncNow() }
        var other = try await Remover(service)
        try await other.applyPull()
        #expect(try await service.compact(inactivity: Self.limit).settled == (isCollected ? 1 : 0))
        #expect(try await other.remove(observed: 0).map(\.property) == ["subjects"])
        _ = try await first.syncNow()
        #expect(try subjects(one) == ["A"])
    }

    @Test(
        "a history that was purged before the server folded it is made good by comparing",
        arguments: SyncStoreKind.allCases)
    func purgedHistory(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let device = try fixture.device()
        try fixture.server.saveTest { context in
            for title in ["Deleted", "Changed", "Same"] { context.insert("Book", ["title": title]) }
        }
        _ = try await device.client.syncNow()
        #expect(try device.titles() == ["Changed", "Deleted", "Same"])
        try fixture.server.saveTest { context in
            let books = try context.books()
            books[0].setValue("Changed by the server", forKey: "title")
            books[0].setValue(Set([context.insert("Subject", ["name": "New"])]), forKey: "subjects")
            context.delete(books[1])
            context.insert("Book", ["title": "Inserted"])
        }
        let context = fixture.server.newBackgroundContext()
        try context.performAndWait {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
        _ = try await device.client.syncNow()
        #expect(try device.titles() == ["Changed by the server", "Inserted", "Same"])
        try device.save { try $0.books()[2].setValue("Changed by the device", forKey: "title") }
        _ = try await device.client.syncNow()
        let titles = try context.performAndWait { try context.books().map { $0.value(forKey: "title") as? String } }
        #expect(titles == ["Changed by the device", "Changed by the server", "Inserted"])
    }
}
