// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Devices and a server: what arrives, what merges, what is refused.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@Suite("Sync") struct SyncTests {
    @Test("an object that one device saves reaches the other one with every value", arguments: SyncStoreKind.allCases)
    func values(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (one, other) = (try fixture.device(), try fixture.device())
        let values: [String: Any] = [
            "title": "e\u{301}", "pages": Int16.min, "copies": Int32.max, "sold": Int64.min, "views": 3,
            "price": try #require(NSDecimalNumber(string: "123456789012345678901234567.89") as NSDecimalNumber?),
            "weight": 0.1, "rating": Float(0.1), "isRead": true, "day": Date(timeIntervalSinceReferenceDate: 0.1),
            "cover": Data([0, 255]), "key": UUID(), "site": try #require(URL(string: "https://example.org/a?b")),
            "notes": ["a", "b"],
        ]
        try one.save { context in
            let book = context.insert("Book", values)
            book.setValue(context.insert("Author", ["name": "Ada"]), forKey: "author")
        }
        let sent = try await one.client.syncNow()
        #expect(sent.sent == 2)
        let received = try await other.client.syncNow()
        #expect(received.inserted == 2)
        let found = try other.read { context in
            let book = try #require(try context.books().first)
            let author = book.value(forKey: "author") as? NSManagedObject
            let texts = [
                "pages", "copies", "sold", "views", "price", "weight", "rating", "isRead", "day", "cover", "key",
                "site",
            ]
            .map { key in "\(book.value(forKey: key) ?? "nil")" }
            let title = book.value(forKey: "title") as? String
            return (
                texts, title.map { Array($0.utf8) }, book.value(forKey: "notes") as? [String],
                author?.value(forKey: "name") as? String
            )
        }
        let expected = try one.read { context in
            let book = try #require(try context.books().first)
            return [
                "pages", "copies", "sold", "views", "price", "weight", "rating", "isRead", "day", "cover", "key",
                "site",
            ]
            .map { key in "\(book.value(forKey: key) ?? "nil")" }
        }
        #expect(found.0 == expected)
        #expect(found.1 == [0x65, 0xCC, 0x81])
        #expect(found.2 == ["a", "b"])
        #expect(found.3 == "Ada")
    }

    @Test("different properties of one object merge, and of one property the later change wins")
    func merging() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Book", ["title": "Emma", "pages": 1]) }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        try one.save { try $0.books()[0].setValue(2, forKey: "pages") }
        try other.save { try $0.books()[0].setValue("Emma II", forKey: "title") }
        try await Task.sleep(for: .milliseconds(5))
        try one.save { try $0.books()[0].setValue("Emma III", forKey: "title") }
        _ = try await one.client.syncNow()
        let report = try await other.client.syncNow()
        #expect(report.superseded == 1)
        _ = try await one.client.syncNow()
        for device in [one, other] {
            let book = try device.read { context in
                let book = try context.books()[0]
                return [book.value(forKey: "title") as? String, "\(book.value(forKey: "pages") ?? "")"]
            }
            #expect(book == ["Emma III", "2"])
        }
    }

    @Test(
        "a save of the server's own code reaches devices, and a device's change reaches it",
        arguments: SyncStoreKind.allCases)
    func ownCode(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let device = try fixture.device()
        try fixture.server.saveTest { $0.insert("Book", ["title": "Persuasion"]) }
        _ = try await device.client.syncNow()
        #expect(try device.titles() == ["Persuasion"])
        try device.save { try $0.books()[0].setValue("Sanditon", forKey: "title") }
        _ = try await device.client.syncNow()
        let context = fixture.server.newBackgroundContext()
        let title = try context.performAndWait { try context.books()[0].value(forKey: "title") as? String }
        #expect(title == "Sanditon")
        try fixture.server.saveTest { context in context.delete(try context.books()[0]) }
        let report = try await device.client.syncNow()
        #expect(report.deleted == 1)
        #expect(try device.titles() == [])
    }

    @Test("two insertions with equal unique values become one object")
    func unique() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Book", ["title": "Emma", "number": "7"]) }
        try await Task.sleep(for: .milliseconds(5))
        try other.save { context in
            let book = context.insert("Book", ["title": "Emma, too", "number": "7", "pages": 9])
            context.insert("Chapter", ["name": "I"]).setValue(book, forKey: "book")
        }
        _ = try await one.client.syncNow()
        let report = try await other.client.syncNow()
        #expect(report.merged == 1)
        _ = try await one.client.syncNow()
        for device in [one, other] {
            #expect(try device.titles() == ["Emma, too"])
            let chapters = try device.read {
                try $0.all("Chapter", by: "name").map { ($0.value(forKey: "book") as? NSManagedObject) != nil }
            }
            #expect(chapters == [true])
        }
    }

    @Test(
        "a deletion that a rule denies is refused with its code, and the object comes back",
        arguments: SyncStoreKind.allCases)
    func refusal(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (_, other) = try await fixture.refusedDeletion()
        let refused = try await other.client.refusedChanges()
        #expect(refused.map(\.change.kind) == [.delete])
        #expect(refused.first?.reasons.map(\.code) == [NSValidationRelationshipDeniedDeleteError])
        #expect(refused.first?.reasons.first?.key == "books")
        let names = try other.read {
            try $0.books().map { ($0.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String }
        }
        #expect(names == ["Ada"])
        try await other.client.forgetRefusedChange(try #require(refused.first?.id))
        #expect(try await other.client.refusedChanges().isEmpty)
    }

    @Test("a newer change brings a deleted object back")
    func revival() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Book", ["title": "Emma", "pages": 5]) }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        try one.save { context in context.delete(try context.books()[0]) }
        try await Task.sleep(for: .milliseconds(5))
        try other.save { try $0.books()[0].setValue("Emma II", forKey: "title") }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        _ = try await one.client.syncNow()
        for device in [one, other] {
            let pages = try device.read {
                try $0.books().map { "\($0.value(forKey: "title") ?? "") \($0.value(forKey: "pages") ?? "")" }
            }
            #expect(pages == ["Emma II 5"])
        }
    }

    @Test("counters add up, and members that one device adds survive a removal by another")
    func sums() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { context in
            let book = context.insert("Book", ["title": "Emma", "views": 10])
            book.setValue(Set([context.insert("Subject", ["name": "a"])]), forKey: "subjects")
        }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        try one.save { context in
            let book = try context.books()[0]
            book.setValue(13, forKey: "views")
            book.setValue(Set<NSManagedObject>(), forKey: "subjects")
        }
        try other.save { context in
            let book = try context.books()[0]
            book.setValue(12, forKey: "views")
            let members = book.value(forKey: "subjects") as? Set<NSManagedObject> ?? []
            book.setValue(members.union([context.insert("Subject", ["name": "b"])]), forKey: "subjects")
        }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        _ = try await one.client.syncNow()
        for device in [one, other] {
            let found = try device.read { context in
                let book = try context.books()[0]
                let members = book.value(forKey: "subjects") as? Set<NSManagedObject> ?? []
                return ["\(book.value(forKey: "views") ?? "")"]
                    + members.compactMap { $0.value(forKey: "name") as? String }
            }
            #expect(found == ["15", "b"])
        }
    }

    @Test("moves of different members of an ordered relationship are both kept")
    func order() async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { context in
            let book = context.insert("Book", ["title": "Emma"])
            let chapters = ["a", "b", "c", "d"].map { context.insert("Chapter", ["name": $0]) }
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        func move(_ name: String, to index: Int, _ context: NSManagedObjectContext) throws {
            let book = try context.books()[0]
            var chapters = (book.value(forKey: "chapters") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            let place = try #require(chapters.firstIndex { $0.value(forKey: "name") as? String == name })
            chapters.insert(chapters.remove(at: place), at: index)
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
        }
        try one.save { try move("d", to: 0, $0) }
        try other.save { try move("a", to: 2, $0) }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        _ = try await one.client.syncNow()
        for device in [one, other] {
            let names = try device.read { context in
                let chapters = try context.books()[0].value(forKey: "chapters") as? NSOrderedSet
                return (chapters?.array as? [NSManagedObject] ?? []).compactMap { $0.value(forKey: "name") as? String }
            }
            #expect(names == ["d", "b", "c", "a"] || names == ["d", "b", "a", "c"])
        }
    }

    /// A change of a chapter that the server does not take.
    enum LostChange: CaseIterable { case refusedDeletion, refusedMove, olderDeletion }

    /// Proves: Y4
    @Test(
        "a chapter whose deletion or move to another book does not count comes back to its place",
        arguments: LostChange.allCases)
    func place(lost: LostChange) async throws {
        let fixture = try SyncFixture(.memory)
        let (one, other) = (try fixture.device(), try fixture.device())
        try one.save { context in
            let chapters = ["a", "b", "c"].map { context.insert("Chapter", ["name": $0]) }
            context.insert("Book", ["title": "Emma"]).setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            context.insert("Book", ["title": "Sanditon"])
            context.insert("Author", ["name": "Ada"])
        }
        _ = try await one.client.syncNow()
        _ = try await other.client.syncNow()
        // The transaction changes no key of "Emma", so that the book does not come with the chapter.
        try other.save { context in
            let (chapter, sanditon) = (try context.all("Chapter", by: "name")[0], try context.books()[1])
            if lost == .refusedMove { chapter.setValue(sanditon, forKey: "book") } else { context.delete(chapter) }
            if lost != .olderDeletion { context.delete(try context.all("Author", by: "name")[0]) }
        }
        try await Task.sleep(for: .milliseconds(5))
        // Deny keeps the author of a book.
        try one.save { context in
            try context.all("Chapter", by: "name")[0].setValue("a, newer", forKey: "name")
            try context.books()[1].setValue(try context.all("Author", by: "name")[0], forKey: "author")
        }
        _ = try await one.client.syncNow()
        let refused: [LostChange: Int] = [.refusedDeletion: 2, .refusedMove: 3]
        #expect(try await other.client.syncNow().refused == refused[lost] ?? 0)
        let names = try other.read { context in
            let chapters = try context.books()[0].value(forKey: "chapters") as? NSOrderedSet
            return (chapters?.array as? [NSManagedObject] ?? []).compactMap { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["a, newer", "b", "c"])
    }

    @Test("the state of an object is waiting before a sync and synced after it")
    func status() async throws {
        let fixture = try SyncFixture(.memory)
        let device = try fixture.device()
        try device.save { $0.insert("Book", ["title": "Emma"]) }
        let id = try device.read { try $0.books()[0].objectID }
        #expect(try await device.client.status(of: id) == .waiting)
        let events = device.client.events()
        _ = try await device.client.syncNow()
        #expect(try await device.client.status(of: id) == .synced)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .pushing(changes: 1))
        #expect(await iterator.next() == .pushed(changes: 1))
        #expect(await iterator.next() == .pulling)
    }
}
