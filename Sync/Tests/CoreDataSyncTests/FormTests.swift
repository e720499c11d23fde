// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact forms of records on the server: equal to their objects, and only a copy.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@Suite("Forms of records on the server") struct FormTests {
    private let ada = SyncUser(id: "ada")

    private func values(_ number: Int) -> [String: Any] {
        [
            "title": "Ä \(number)", "number": "n\(number)", "pages": Int16.min, "copies": Int32.max, "sold": Int64.min,
            "price": NSDecimalNumber(string: "12.5"), "weight": -0.0, "rating": Float(0.1), "isRead": true,
            "day": Date(timeIntervalSinceReferenceDate: 0.1 + Double(number)), "cover": Data(),
            "key": UUID(), "site": URL(string: "https://example.org/?a=\(number)") ?? URL(fileURLWithPath: "/"),
        ]
    }

    /// A device with three books, an author, subjects and chapters, all of which the server has.
    private func filled(_ kind: SyncStoreKind) async throws -> (SyncFixture, SyncDevice) {
        let fixture = try SyncFixture(kind)
        let device = try fixture.device()
        try device.save { context in
            let author = context.insert("Author", ["name": ""])
            let subjects = (0..<2).map { context.insert("Subject", ["name": "subject \($0)"]) }
            for number in 0..<3 {
                let book = context.insert("Book", values(number))
                book.setValue(author, forKey: "author")
                book.setValue(Set(subjects), forKey: "subjects")
                let chapters = (0..<3).map { context.insert("Chapter", ["name": "chapter \($0)"]) }
                book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            }
        }
        _ = try await device.client.syncNow()
        return (fixture, device)
    }

    /// Proves: Y2
    @Test("forms equal their objects after each change of devices", arguments: SyncStoreKind.allCases)
    func changesOfDevices(kind: SyncStoreKind) async throws {
        let (fixture, device) = try await filled(kind)
        var forms = try fixture.service.wrongForm()
        #expect(forms.text == nil)
        // PostgreSQL rounds the dates of the books, so that their forms come with the first compaction.
        #expect(forms.count == (kind == .postgresql ? 12 : 15))
        #expect(try await fixture.service.compact(inactivity: 1_000).forms == 15 - forms.count)
        #expect(try fixture.service.wrongForm().text == nil)
        try device.save { context in
            let books = try context.books()
            books[0].setValue(nil, forKey: "author")
            books[0].setValue("other", forKey: "title")
            books[1].setValue(7, forKey: "views")
            let chapters = (books[1].value(forKey: "chapters") as? NSOrderedSet)?.reversed
            books[1].setValue(chapters, forKey: "chapters")
            context.delete(try context.all("Subject", by: "name")[0])
            context.delete(books[2])
        }
        _ = try await device.client.syncNow()
        forms = try fixture.service.wrongForm()
        #expect(forms.text == nil)
        #expect(forms.count == (kind == .postgresql ? 8 : 10))
        let other = try fixture.device()
        _ = try await other.client.syncNow()
        #expect(try other.titles() == device.titles())
    }

    /// Proves: Y2
    @Test("forms follow the saves and the batch requests of the server's code", arguments: SyncStoreKind.allCases)
    func changesOfTheServer(kind: SyncStoreKind) async throws {
        let (fixture, _) = try await filled(kind)
        try fixture.server.saveTest { context in
            let books = try context.books()
            books[0].setValue(NSSet(), forKey: "subjects")
            let chapters = try #require(books[0].value(forKey: "chapters") as? NSOrderedSet)
            let rest = chapters.array.dropFirst().compactMap { $0 as? NSManagedObject }
            books[0].setValue(NSOrderedSet(array: rest), forKey: "chapters")
            let price = NSDecimalNumber(string: "0.1234567890123456789")
            context.insert("Book", ["title": "new", "price": price, "day": Date(timeIntervalSinceReferenceDate: 0.1)])
        }
        try await fixture.service.announceOwnChanges()
        #expect(try fixture.service.wrongForm().text == nil)
        guard kind != .memory else { return }
        let context = fixture.server.newBackgroundContext()
        try await context.perform {
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.propertiesToUpdate = ["title": "batch", "sold": 5]
            _ = try context.execute(update)
            let authors = NSFetchRequest<any NSFetchRequestResult>(entityName: "Subject")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: authors))
        }
        try await fixture.service.announceOwnChanges()
        let forms = try fixture.service.wrongForm()
        #expect(forms.text == nil)
        #expect(forms.count >= 14)
        let other = try fixture.device()
        _ = try await other.client.syncNow()
        #expect(try other.titles() == ["batch", "batch", "batch", "batch"])
    }

    /// Proves: Y2
    @Test("a page takes a record from its form, and from its object if the form is of another revision or model")
    func pageOfForms() async throws {
        let (fixture, _) = try await filled(.sqlite)
        func titles() throws -> [SyncValue?] {
            let pull = SyncPull(
                replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 100)
            let page = try fixture.service.pullAndWait(pull, user: ada)
            return page.records.filter { $0.entity == "Book" }.map { $0.values["title"] }
        }
        func changeRows(_ body: @escaping (NSManagedObject) throws -> Void) throws {
            try fixture.server.saveTest { context in
                context.transactionAuthor = "sync:test"
                let rows = try context.all("CoreDataSyncRecord", by: "name")
                for row in rows where row.value(forKey: "entityName") as? String == "Book" { try body(row) }
            }
        }
        try changeRows { row in
            var form = try #require(row.value(forKey: "form") as? Data)
            let range = try #require(form.range(of: Data("Ä ".utf8)))
            form.replaceSubrange(range, with: Data("Ö ".utf8))
            row.setValue(form, forKey: "form")
        }
        #expect(try Set(titles()) == [.string("Ö 0"), .string("Ö 1"), .string("Ö 2")])
        #expect(try fixture.service.wrongForm().text != nil)
        try changeRows { $0.setValue(0, forKey: "formRevision") }
        #expect(try Set(titles()) == [.string("Ä 0"), .string("Ä 1"), .string("Ä 2")])
        try changeRows { row in
            row.setValue(row.value(forKey: "revision"), forKey: "formRevision")
            var form = try #require(row.value(forKey: "form") as? Data)
            form[form.startIndex + 1] ^= 1
            row.setValue(form, forKey: "form")
        }
        #expect(try Set(titles()) == [.string("Ä 0"), .string("Ä 1"), .string("Ä 2")])
    }

    /// Proves: Y2, Y5
    @Test("a store without forms is served, and a compaction makes them")
    func olderStore() async throws {
        let model = SyncFixture.model()
        let older = try NSManagedObjectModel.syncServer(of: model)
        let record = try #require(older.entitiesByName["CoreDataSyncRecord"])
        record.properties.removeAll { $0.name.hasPrefix("form") }
        let fixture = try SyncFixture(.sqlite)
        let url = fixture.folder.appendingPathComponent("Older.sqlite")
        let container = try SyncFixture.container(.sqlite, older, url)
        try container.saveTest { context in
            for number in 0..<5 { context.insert("Book", ["title": "book \(number)"]) }
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        let newer = try SyncFixture.container(.sqlite, try .syncServer(of: SyncFixture.model()), url)
        let service = try SyncService(container: newer, authority: OpenAuthority())
        try await service.announceOwnChanges()
        try newer.saveTest { context in
            context.transactionAuthor = "sync:test"
            for row in try context.all("CoreDataSyncRecord", by: "name") {
                row.setValue(nil, forKey: "form")
                row.setValue(nil, forKey: "formRevision")
            }
        }
        let pull = SyncPull(replica: UUID(), schema: SyncSchema(entities: [:]), after: nil, applied: 0, limit: 100)
        let before = try service.pullAndWait(pull, user: ada)
        #expect(before.records.count == 5)
        #expect(try service.wrongForm().count == 0)
        #expect(try await service.compact(inactivity: 1_000).forms == 5)
        let forms = try service.wrongForm()
        #expect(forms.text == nil)
        #expect(forms.count == 5)
        #expect(try service.pullAndWait(pull, user: ada).records == before.records)
        #expect(try await service.compact(inactivity: 1_000).forms == 0)
    }
}
