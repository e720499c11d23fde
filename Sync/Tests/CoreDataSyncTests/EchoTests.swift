// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A device's own changes come back only if the server has other values; and batches with refused groups.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@testable import CoreDataSync

@Suite("Echoes of own changes") struct EchoTests {
    private let user = SyncUser(id: "ada")

    private func engine(_ device: SyncDevice) throws -> SyncEngine {
        try SyncEngine(coordinator: device.container.persistentStoreCoordinator)
    }

    private func push(_ engine: SyncEngine, _ service: SyncService) throws -> [SyncOutcome] {
        try engine.capture()
        var outcomes: [SyncOutcome] = []
        while let push = try engine.nextPush() {
            let answer = try service.pushAndWait(push, user: user)
            outcomes += answer.outcomes
            try engine.receive(answer)
        }
        return outcomes
    }

    /// Pulls and applies, and gives the records of the pages.
    private func pull(_ engine: SyncEngine, _ service: SyncService) throws -> [SyncRecordState] {
        var records: [SyncRecordState] = []
        var request = try engine.beginPull()
        while let present = request {
            let page = try service.pullAndWait(present, user: user)
            records += page.records
            request = engine.receive(page, for: present)
        }
        #expect(try engine.apply() != nil)
        return records
    }

    /// Proves: Y4
    @Test(
        "a device does not pull what the server took unchanged, from its first pull on",
        arguments: SyncStoreKind.allCases)
    func ownChanges(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let (device, other) = (try fixture.device(), try fixture.device())
        let (first, second) = (try engine(device), try engine(other))
        try device.save { context in
            for number in 0..<20 { context.insert("Book", ["title": "Book \(number)", "views": 1]) }
        }
        _ = try push(first, fixture.service)
        try device.save { $0.insert("Author", ["name": "Ada"]) }
        _ = try push(first, fixture.service)
        #expect(try pull(first, fixture.service).isEmpty)
        _ = try push(second, fixture.service)
        #expect(try pull(second, fixture.service).count == 21)
        try other.save { try $0.all("Author", by: "name")[0].setValue("Grace", forKey: "name") }
        _ = try push(second, fixture.service)
        #expect(try pull(second, fixture.service).isEmpty)
        #expect(try pull(first, fixture.service).map(\.entity) == ["Author"])
        #expect(
            try device.read { try $0.all("Author", by: "name").map { $0.value(forKey: "name") as? String } } == [
                "Grace"
            ])
    }

    /// Proves: Y2, Y4
    @Test(
        "a device pulls the deletion of a record that it deleted before it heard of an insertion merged into it",
        arguments: SyncStoreKind.allCases)
    func deletionOfMergedRecord(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        let (device, other) = (try fixture.device(), try fixture.device())
        let (first, second) = (try engine(device), try engine(other))
        try device.save { $0.insert("Book", ["title": "Old", "number": "N1", "views": 0]) }
        _ = try push(first, fixture.service)
        _ = try pull(first, fixture.service)
        _ = try pull(second, fixture.service)
        try other.save { try $0.books()[0].setValue("N2", forKey: "number") }
        _ = try push(second, fixture.service)
        // The new book is merged into the old one, which then goes with the next batch.
        try device.save { $0.insert("Book", ["title": "New", "number": "N2", "views": 0]) }
        try first.capture()
        try device.save { context in context.delete(try context.books()[1]) }
        let outcomes = try push(first, fixture.service)
        #expect(outcomes.map(\.merged.count) == [1, 0])
        #expect(try pull(first, fixture.service).map(\.state).contains(.deleted))
        #expect(try pull(second, fixture.service).map(\.state).contains(.deleted))
        #expect(try device.titles().isEmpty)
        #expect(try other.titles().isEmpty)
        let context = fixture.server.newBackgroundContext()
        #expect(try context.performAndWait { try context.books().count } == 0)
    }

    @Test("a counter without a value becomes 0 on the server, and comes back as 0")
    func counterWithoutValue() throws {
        let fixture = try SyncFixture(.memory)
        let device = try fixture.device()
        let engine = try engine(device)
        try device.save { $0.insert("Book", ["title": "Book"]) }
        _ = try push(engine, fixture.service)
        #expect(try pull(engine, fixture.service).count == 1)
        #expect(try device.read { try $0.books()[0].value(forKey: "views") as? Int } == 0)
    }

    @Test("a device that lacks the last batch of its replica, as a copy of it does, pulls that batch's records")
    func copies() throws {
        let fixture = try SyncFixture(.memory)
        let device = try fixture.device()
        let engine = try engine(device)
        try device.save { $0.insert("Author", ["name": "Ada"]) }
        _ = try push(engine, fixture.service)
        _ = try pull(engine, fixture.service)
        var request = try #require(try engine.beginPull())
        try device.save { $0.insert("Author", ["name": "Grace"]) }
        _ = try push(engine, fixture.service)
        #expect(try fixture.service.pullAndWait(request, user: user).records.count == 1)
        request.number = nil
        #expect(try fixture.service.pullAndWait(request, user: user).records.count == 1)
        request.number = 2
        #expect(try fixture.service.pullAndWait(request, user: user).records.isEmpty)
    }

    @Test(
        "equal unique values within one batch and on the server become one object each",
        arguments: SyncStoreKind.allCases)
    func uniqueValues(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        try fixture.server.saveTest { context in
            for number in 0..<150 { context.insert("Book", ["title": "Server", "number": "N\(number)"]) }
        }
        let device = try fixture.device()
        try device.save { context in
            for number in 100..<300 { context.insert("Book", ["title": "Device", "number": "N\(number)"]) }
        }
        let outcomes = try push(try engine(device), fixture.service)
        #expect(outcomes.map(\.merged.count) == [50])
        let context = fixture.server.newBackgroundContext()
        let titles = try context.performAndWait { try context.books().map { $0.value(forKey: "title") as? String } }
        #expect(titles.count == 300)
        // The server's objects get their stamps when they are folded, after the device's save.
        #expect(titles.filter { $0 == "Device" }.count == 150)
        #expect(outcomes.flatMap(\.superseded).filter { $0.property == "title" }.count == 50)
    }

    /// Proves: Y5
    @Test("of many groups exactly those that break a rule are refused, in the order of the groups")
    func refusedGroups() throws {
        let fixture = try SyncFixture(.sqlite)
        try fixture.server.saveTest { context in
            for number in 0..<40 {
                let author = context.insert("Author", ["name": "Author \(number)"])
                if [3, 4, 17, 39].contains(number) {
                    context.insert("Book", ["title": "T"]).setValue(author, forKey: "author")
                }
            }
        }
        let device = try fixture.device()
        let engine = try engine(device)
        _ = try push(engine, fixture.service)
        _ = try pull(engine, fixture.service)
        // The device deletes each author in a transaction; the server's books arrived, so that the rule is left out.
        for number in 0..<40 {
            try device.save { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.predicate = NSPredicate(format: "name == %@", "Author \(number)")
                let author = try context.fetch(request)[0]
                for book in author.value(forKey: "books") as? Set<NSManagedObject> ?? [] {
                    book.setValue(nil, forKey: "author")
                }
                context.delete(author)
            }
        }
        try engine.capture()
        var batch = try #require(try engine.nextPush())
        batch.changes.removeAll { $0.entity == "Book" }
        let answer = try fixture.service.pushAndWait(batch, user: user)
        #expect(answer.outcomes.filter { $0.result == .refused }.count == 4)
        #expect(answer.outcomes.map(\.group) == answer.outcomes.map(\.group).sorted())
        #expect(answer.outcomes.filter { $0.result == .refused }.allSatisfy { $0.refusals.first?.code == 1600 })
        #expect(try fixture.service.pushAndWait(batch, user: user) == answer)
    }
}
