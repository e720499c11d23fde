// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pushes that wait share a save where they fit together, and are applied one by one otherwise.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@Suite("Shared saves of pushes") struct SharedSaveTests {
    private let ada = SyncUser(id: "ada")

    /// A batch of a new replica that inserts one book.
    private func insertion(_ values: [String: SyncValue], name: UUID = UUID()) -> SyncPush {
        let replica = UUID()
        let stamp = SyncStamp(clock: SyncHybridClock.clock(of: Date()), replica: replica)
        let change = SyncChange(
            .insert, name: name, entity: "Book", group: 0, stamp: stamp,
            fields: values.mapValues { SyncField($0, stamp) })
        return SyncPush(
            replica: replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0, changes: [change])
    }

    private func revision(_ fixture: SyncFixture) throws -> Int64 {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait {
            try context.all("CoreDataSyncState", by: "key").first?.value(forKey: "revision") as? Int64 ?? 0
        }
    }

    private func titles(_ fixture: SyncFixture) throws -> [String] {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait { try context.books().map { $0.value(forKey: "title") as? String ?? "" } }
    }

    private func outcomes(
        _ pushes: [SyncPush], _ fixture: SyncFixture
    ) throws -> [SyncOutcome.Result] {
        let results = fixture.service.pushTogetherAndWait(pushes.map { ($0, ada) })
        let answers = try results.sorted { $0.index < $1.index }.map { try $0.answer.get() }
        return answers.flatMap { $0.outcomes.map(\.result) }
    }

    /// Proves: Y1, Y3
    @Test(
        "batches of several replicas are one save, and a repetition gets the same answer",
        arguments: SyncStoreKind.allCases)
    func together(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let pushes = (0..<5).map { insertion(["title": .string("book \($0)"), "number": .string("\($0)")]) }
        _ = try fixture.service.pushAndWait(insertion(["title": .string("first")]), user: ada)
        let before = try revision(fixture)
        let results = fixture.service.pushTogetherAndWait(pushes.map { ($0, ada) })
        #expect(try revision(fixture) == before + 1)
        #expect(try titles(fixture) == (0..<5).map { "book \($0)" } + ["first"])
        for (index, result) in results {
            let answer = try result.get()
            #expect(answer.outcomes.map(\.result) == [.taken])
            #expect(try fixture.service.pushAndWait(pushes[index], user: ada) == answer)
        }
        #expect(try revision(fixture) == before + 1)
        #expect(try fixture.service.wrongForm().text == nil)
    }

    /// Proves: Y1
    @Test("differences of counters of several records share a save", arguments: SyncStoreKind.allCases)
    func counters(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let names = [UUID(), UUID()]
        for name in names {
            _ = try fixture.service.pushAndWait(insertion(["title": .string("")], name: name), user: ada)
        }
        let before = try revision(fixture)
        let pushes = names.map { name in
            let stamp = SyncStamp(clock: SyncHybridClock.clock(of: Date()), replica: UUID())
            let change = SyncChange(
                .update, name: name, entity: "Book", group: 0, stamp: stamp, counters: ["views": 2])
            return SyncPush(
                replica: stamp.replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                changes: [change])
        }
        #expect(try outcomes(pushes, fixture) == [.taken, .taken])
        #expect(try revision(fixture) == before + 1)
        let context = fixture.server.newBackgroundContext()
        let views = try context.performAndWait { try context.books().map { "\($0.value(forKey: "views") ?? "")" } }
        #expect(views == ["2", "2"])
    }

    /// Proves: Y5, Y6
    @Test("a batch that breaks a rule is refused alone, and the others are taken", arguments: SyncStoreKind.allCases)
    func brokenRule(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let pushes = [
            insertion(["title": .string("one")]), insertion(["title": .null]), insertion(["title": .string("two")]),
        ]
        #expect(try outcomes(pushes, fixture) == [.taken, .refused, .taken])
        #expect(try titles(fixture) == ["one", "two"])
        #expect(try outcomes(pushes, fixture) == [.taken, .refused, .taken])
        #expect(try titles(fixture) == ["one", "two"])
    }

    /// Proves: Y2, Y6
    @Test("batches with one unique value are merged, and those about one record are applied in turn")
    func conflicts() throws {
        let fixture = try SyncFixture(.sqlite)
        let same = (0..<2).map { insertion(["title": .string("same \($0)"), "number": .string("7")]) }
        #expect(try outcomes(same, fixture) == [.taken, .taken])
        #expect(try titles(fixture).count == 1)
        let name = UUID()
        let pushes = [
            insertion(["title": .string("old")], name: name), insertion(["title": .string("new")], name: name),
            insertion(["title": .string("third")]),
        ]
        #expect(try outcomes(pushes, fixture) == [.taken, .taken, .taken])
        // The stamps of the two decide, in either order.
        let greater = pushes[0].changes[0].stamp > pushes[1].changes[0].stamp ? "old" : "new"
        #expect(try Set(titles(fixture)).isSuperset(of: [greater, "third"]))
        #expect(try titles(fixture).count == 3)
        #expect(try fixture.service.wrongForm().text == nil)
    }

    /// Proves: Y1, Y5
    @Test("a store that fails gives each batch of a shared save its error, and takes none of them")
    func failure() throws {
        struct Full: Error {}
        let fixture = try SyncFixture(.sqlite)
        let pushes = (0..<3).map { insertion(["title": .string("book \($0)")]) }
        fixture.service.plant([], beforeSave: { throw Full() })
        for (_, result) in fixture.service.pushTogetherAndWait(pushes.map { ($0, ada) }) {
            #expect(throws: Full.self) { try result.get() }
        }
        fixture.service.plant([])
        #expect(try titles(fixture).isEmpty)
        #expect(try outcomes(pushes, fixture) == [.taken, .taken, .taken])
        #expect(try titles(fixture).count == 3)
    }

    /// A batch of a new replica that deletes a book.
    private func deletion(_ name: UUID) -> SyncPush {
        var push = insertion([:], name: name)
        push.changes = [SyncChange(.delete, name: name, entity: "Book", group: 0, stamp: push.changes[0].stamp)]
        return push
    }

    /// Proves: Y1, Y3
    @Test("deletions share a save with insertions", arguments: SyncStoreKind.allCases)
    func deletions(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let old = (0..<3).map { insertion(["title": .string("old \($0)"), "number": .string("\($0)")]) }
        for push in old { _ = try fixture.service.pushAndWait(push, user: ada) }
        let before = try revision(fixture)
        let new = insertion(["title": .string("new"), "number": .string("9")])
        let pushes = [deletion(old[0].changes[0].name), new, deletion(old[2].changes[0].name), deletion(UUID())]
        #expect(try outcomes(pushes, fixture) == [.taken, .taken, .taken, .taken])
        #expect(try titles(fixture) == ["new", "old 1"])
        #expect(try revision(fixture) == before + 1)
        #expect(try fixture.service.wrongForm().text == nil)
    }

    /// Proves: Y1, Y4
    @Test("many tasks push at once, and a device gets all of it", arguments: SyncStoreKind.allCases)
    func tasks(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (service, user) = (fixture.service, ada)
        let pushes = (0..<40).map { insertion(["title": .string("book \($0)")]) }
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for push in pushes {
                group.addTask { try await service.push(push, user: user).outcomes.map(\.result) == [.taken] }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 40)
        let device = try fixture.device()
        _ = try await device.client.syncNow()
        #expect(try device.titles().count == 40)
    }
}
