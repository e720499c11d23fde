// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The first pull of an empty device, in parts: the app's view in between, and after the end of its process.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@testable import CoreDataSync

@Suite("First pulls in parts") struct SetupTests {
    private let user = SyncUser(id: "ada")

    /// Applies one page. With a crash, the process ends after a step, and another one begins.
    private func part(_ engine: SyncEngine, _ service: SyncService) throws {
        guard let request = try engine.beginPull() else { return }
        #expect(engine.receive(try service.pullAndWait(request, user: user), for: request) == nil)
        _ = try engine.apply()
    }

    private func engine(_ device: SyncDevice) throws -> SyncEngine {
        try SyncEngine(coordinator: device.container.persistentStoreCoordinator, pageSize: 7)
    }

    /// Books with authors, subjects and ordered chapters. Their names mix them in all pages.
    private func fill(_ fixture: SyncFixture) throws {
        try fixture.server.saveTest { context in
            for number in 0..<5 {
                context.insert("Author", ["name": "Author \(number)"])
                context.insert("Subject", ["name": "Subject \(number)"])
            }
        }
        // The authors and subjects get an earlier revision, so that books need not wait for them.
        let request = SyncPull(replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 1)
        _ = try fixture.service.pullAndWait(request, user: user)
        try fixture.server.saveTest { context in
            let authors = try context.all("Author", by: "name")
            let subjects = try context.all("Subject", by: "name")
            for number in 0..<60 {
                let book = context.insert("Book", ["title": "Book \(number)", "number": "N\(number)"])
                book.setValue(authors[number % 5], forKey: "author")
                book.setValue(Set([subjects[number % 5], subjects[(number + 1) % 5]]), forKey: "subjects")
                let chapters = (0..<3).map { context.insert("Chapter", ["name": "Chapter \($0)"]) }
                book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            }
        }
    }

    /// The titles of books, each checked for all that it leads to.
    private func wholeBooks(_ device: SyncDevice) throws -> Int {
        try device.read { context in
            let books = try context.books()
            for book in books {
                #expect(book.value(forKey: "author") != nil)
                #expect((book.value(forKey: "subjects") as? Set<NSManagedObject>)?.count == 2)
            }
            return books.count
        }
    }

    @Test(
        "the app sees only books with all that they lead to, and all of them at the end",
        arguments: SyncStoreKind.allCases)
    func parts(kind: SyncStoreKind) throws {
        let fixture = try SyncFixture(kind)
        try fill(fixture)
        let device = try fixture.device()
        let engine = try engine(device)
        try engine.capture()
        var (parts, fewest) = (0, Int.max)
        repeat {
            try part(engine, fixture.service)
            parts += 1
            fewest = min(fewest, try wholeBooks(device))
        } while try engine.isSettingUp()
        #expect(parts > 20)
        #expect(fewest < 60)
        #expect(try wholeBooks(device) == 60)
        let names = try device.read { context in
            try context.books().map { book in
                (book.value(forKey: "chapters") as? NSOrderedSet)?.array
                    .compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String } ?? []
            }
        }
        #expect(names == Array(repeating: ["Chapter 0", "Chapter 1", "Chapter 2"], count: 60))
        #expect(try engine.appliedRevision() > 0)
        // Nothing is left to send or to pull.
        #expect(try engine.capture() == 0)
        let request = try #require(try engine.beginPull())
        #expect(try fixture.service.pullAndWait(request, user: user).records.isEmpty)
    }

    /// Proves: Y1
    @Test(
        "a process that ends in any step of a part goes on after the last whole part",
        arguments: [SyncEngine.Step.beforeJournal, .afterJournal, .afterSave, .afterApplication])
    func crashes(step: SyncEngine.Step) throws {
        struct Crash: Error {}
        let fixture = try SyncFixture(.sqlite)
        try fill(fixture)
        let device = try fixture.device()
        var ends = 0
        var isFinished = false
        while !isFinished {
            let engine = try engine(device)
            try engine.capture()
            var steps = 0
            // Each process gets two parts further: the first one may be empty.
            engine.onStep = { reached in
                guard reached == step else { return }
                steps += 1
                if steps == 3 { throw Crash() }
            }
            do {
                repeat { try part(engine, fixture.service) } while try engine.isSettingUp()
                isFinished = true
            } catch is Crash { ends += 1 }
            _ = try wholeBooks(device)
        }
        #expect(ends >= 1)
        #expect(try wholeBooks(device) == 60)
        #expect(try device.read { try $0.all("Chapter", by: "name").count } == 180)
    }

    /// A page has deletions of records that wait, and the process ends after its save (seed 654149).
    ///
    /// Proves: Y2
    @Test("a record that waited and was deleted does not come back after the end of a process")
    func deletedWhileWaiting() throws {
        struct Crash: Error {}
        let fixture = try SyncFixture(.sqlite)
        try fill(fixture)
        let device = try fixture.device()
        let first = try engine(device)
        try first.capture()
        for _ in 0..<15 { try part(first, fixture.service) }
        #expect(try first.isSettingUp())
        #expect(try device.read { try $0.all("Chapter", by: "name").count } < 180)
        try fixture.server.saveTest { context in for book in try context.books() { context.delete(book) } }
        var ends = 0
        var isFinished = false
        while !isFinished {
            let engine = try engine(device)
            try engine.capture()
            engine.onStep = { reached in if reached == .afterSave { throw Crash() } }
            do {
                repeat { try part(engine, fixture.service) } while try engine.isSettingUp()
                isFinished = true
            } catch is Crash { ends += 1 }
        }
        #expect(ends >= 1)
        #expect(try device.titles() == [])
        #expect(try device.read { try $0.all("Chapter", by: "name").count } == 0)
    }

    /// Proves: Y4
    @Test("changes that others make during the parts arrive, deletions too, and the app's own ones are sent")
    func changesMeanwhile() throws {
        let fixture = try SyncFixture(.sqlite)
        try fill(fixture)
        let device = try fixture.device()
        let engine = try engine(device)
        try engine.capture()
        for _ in 0..<15 { try part(engine, fixture.service) }
        #expect(try engine.isSettingUp())
        try fixture.server.saveTest { context in
            let books = try context.books()
            books[0].setValue("Changed", forKey: "title")
            context.delete(books[1])
            context.delete(books[30])
        }
        try device.save { $0.insert("Author", ["name": "Mine"]) }
        repeat {
            try engine.capture()
            while let push = try engine.nextPush() {
                try engine.receive(try fixture.service.pushAndWait(push, user: user))
            }
            try part(engine, fixture.service)
        } while try engine.isSettingUp()
        let context = fixture.server.newBackgroundContext()
        let expected = try context.performAndWait {
            try context.books().map { $0.value(forKey: "title") as? String ?? "" }
        }
        #expect(try device.titles() == expected)
        #expect(expected.count == 58)
        let authors = try context.performAndWait { try context.all("Author", by: "name").count }
        #expect(authors == 6)
    }

    @Test("records that lead to each other in a circle, and minimum counts, arrive at the end")
    func circles() throws {
        let person = ModelParts.entity("Person", [ModelParts.attribute("name", .stringAttributeType)])
        let next = ModelParts.relationship("next", person, .nullifyDeleteRule)
        next.isOptional = false
        let previous = ModelParts.relationship("previous", person, .nullifyDeleteRule, isToMany: true)
        previous.isOptional = false
        previous.minCount = 1
        ModelParts.relate(next, person, previous, person)
        let model = NSManagedObjectModel()
        model.entities = [person]
        let fixture = try SyncFixture(.memory, model: model)
        try fixture.server.saveTest { context in
            let people = (0..<50).map { context.insert("Person", ["name": "P\($0)"]) }
            for index in people.indices { people[index].setValue(people[(index + 1) % 50], forKey: "next") }
        }
        let device = try fixture.device()
        let engine = try engine(device)
        try engine.capture()
        repeat { try part(engine, fixture.service) } while try engine.isSettingUp()
        let links = try device.read { context in
            try context.all("Person", by: "name").map { ($0.value(forKey: "next") as? NSManagedObject) != nil }
        }
        #expect(links == Array(repeating: true, count: 50))
    }
}
