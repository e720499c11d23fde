// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that saved rows are read again, also after the store was closed.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Saving rows in a SQLite store") struct SavingRowsTests {
    @Test("values of every kind come back as they were saved") func values() throws {
        let library = try Library()
        let isbn = UUID()
        var changes = ChangeSet()
        changes.inserts = [
            library.insert("Author", -1, ["name": "Ada", "born": Date(timeIntervalSinceReferenceDate: 12.5)]),
            library.insert(
                "Novel", -2,
                [
                    "title": "Notes", "pages": 120, "price": Decimal(string: "9.99"), "isbn": isbn, "isLent": true,
                    "rating": 4.5, "cover": Data([1, 2, 3]), "extra": ["a", "b"],
                    "home": URL(string: "https://x.org/a b"),
                    "genre": "science", "author": library.reference("Author", -1),
                ]),
        ]
        let outcome = try library.store.save(changes)
        #expect(outcome.permanentKeys == [-1: 1, -2: 1])
        try library.reopen()
        let found = try library.row("Book", 1)
        let row = try #require(found?.snapshot)
        #expect(row.layout.name == "Novel")
        #expect(row.version == 1)
        let layout = row.layout
        func value(_ name: String) -> Any? { row.value(layout.slot(name)!) }
        #expect(value("title") as? String == "Notes")
        #expect((value("pages") as? NSNumber)?.intValue == 120)
        #expect((value("price") as? NSDecimalNumber)?.stringValue == "9.99")
        #expect(value("isbn") as? UUID == isbn)
        #expect((value("isLent") as? NSNumber)?.boolValue == true)
        #expect(value("cover") as? Data == Data([1, 2, 3]))
        #expect(value("genre") as? String == "science")
        #expect(row.reference(layout.slot("author")!) == library.reference("Author", 1))
    }

    @Test("a change on an old version is a conflict, and nothing is written") func versions() throws {
        let library = try Library()
        var changes = ChangeSet()
        changes.inserts = [library.insert("Author", -1, ["name": "Ada"])]
        _ = try library.store.save(changes)
        let slot = library.entity("Author").slot("name")!
        func update(_ name: String, base: Int64) throws -> SaveOutcome {
            var changed = SlotSet()
            changed.insert(slot)
            var changes = ChangeSet()
            changes.updates = [
                .init(key: 1, snapshot: library.snapshot("Author", ["name": name]), baseVersion: base, changed: changed)
            ]
            changes.inserts = [library.insert("Author", -5, ["name": "other"])]
            return try library.store.save(changes)
        }
        #expect(try update("Grace", base: 1).conflicts.isEmpty)
        let refused = try update("Alan", base: 1)
        #expect(refused.conflicts.count == 1)
        #expect(refused.conflicts.first?.row?.version == 2)
        #expect(refused.conflicts.first?.row?.string(slot) == "Grace")
        #expect(refused.permanentKeys.isEmpty)
        #expect(try library.keys("Author") == [1, 2])
    }

    @Test("unique values can be swapped in one save") func swap() throws {
        let library = try Library()
        let (one, two) = (UUID(), UUID())
        var changes = ChangeSet()
        changes.inserts = [library.insert("Book", -1, ["isbn": one]), library.insert("Book", -2, ["isbn": two])]
        _ = try library.store.save(changes)
        var changed = SlotSet()
        changed.insert(library.entity("Book").slot("isbn")!)
        var swap = ChangeSet()
        swap.updates = [
            .init(key: 1, snapshot: library.snapshot("Book", ["isbn": two]), baseVersion: 1, changed: changed),
            .init(key: 2, snapshot: library.snapshot("Book", ["isbn": one]), baseVersion: 1, changed: changed),
        ]
        #expect(try library.store.save(swap).conflicts.isEmpty)
        #expect(try library.keys("Book", "isbn == %@", [two]) == [1])
    }

    @Test("a value that another row has is a conflict that names the row") func uniqueness() throws {
        let library = try Library()
        let isbn = UUID()
        var changes = ChangeSet()
        changes.inserts = [library.insert("Book", -1, ["isbn": isbn, "title": "old"])]
        _ = try library.store.save(changes)
        changes.inserts = [library.insert("Book", -2, ["isbn": isbn, "title": "new"])]
        let outcome = try library.store.save(changes)
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.rowKey == 1)
        #expect(conflict.key == -2)
        #expect(conflict.row?.string(library.entity("Book").slot("title")!) == "old")
        #expect(try library.keys("Book") == [1])
        let same = UUID()
        changes.inserts = [library.insert("Book", -3, ["isbn": same]), library.insert("Book", -4, ["isbn": same])]
        let rivalry = try library.store.save(changes).conflicts
        #expect(rivalry.map(\.key) == [-3])
        #expect(rivalry.map(\.rivals) == [[-4]])
    }

    @Test("links and their order are kept") func links() throws {
        let library = try Library()
        let books = (1...3).map { library.reference("Book", Int64(-$0 - 10)) }
        var changes = ChangeSet()
        changes.inserts =
            [
                library.insert(
                    "Author", -1, ["name": "Ada"],
                    links: [library.links("Author", "books", added: books, order: [books[2], books[0], books[1]])]),
                library.insert(
                    "Reader", -2, ["name": "Bo"],
                    links: [
                        library.links("Reader", "borrowed", added: [books[0], books[1]]),
                        library.links("Reader", "wishes", added: [library.reference("Author", -1)]),
                        library.links("Reader", "friends", added: [library.reference("Reader", -3)]),
                    ]),
                library.insert("Reader", -3, ["name": "Cy"]),
            ]
            + books.map {
                library.insert("Book", $0.key, ["title": "\($0.key)", "author": library.reference("Author", -1)])
            }
        let outcome = try library.store.save(changes)
        let keys = books.map { outcome.permanentKeys[$0.key]! }
        func members(_ entity: String, _ name: String, _ owner: Int64) throws -> [Int64] {
            let layout = library.entity(entity)
            return try library.store.members(of: layout.slot(name)!, layout: layout, owners: [owner], in: nil)[owner]?
                .map(\.key) ?? []
        }
        #expect(try members("Author", "books", 1) == [keys[2], keys[0], keys[1]])
        #expect(try members("Reader", "borrowed", 1).sorted() == [keys[0], keys[1]].sorted())
        #expect(try members("Book", "readers", keys[1]) == [1])
        #expect(try members("Reader", "wishes", 1) == [1])
        #expect(try members("Reader", "friends", 1) == [2])
        #expect(try members("Reader", "friends", 2) == [1])
        var removal = ChangeSet()
        removal.deletes = [.init(key: 1, layout: library.entity("Reader"), baseVersion: 1)]
        #expect(try library.store.save(removal).conflicts.isEmpty)
        #expect(try members("Book", "readers", keys[1]) == [])
        #expect(try members("Reader", "friends", 2) == [])
    }

    @Test("large data goes into an external file and leaves with its row") func external() throws {
        let library = try Library()
        let cover = Data(repeating: 7, count: 150_000)
        var changes = ChangeSet()
        changes.inserts = [library.insert("Book", -1, ["cover": cover])]
        _ = try library.store.save(changes)
        let folder = library.folder.appendingPathComponent(".library_SUPPORT/_EXTERNAL_DATA")
        func files() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).count) ?? 0 }
        #expect(files() == 1)
        try library.reopen()
        let slot = library.entity("Book").slot("cover")!
        #expect(try library.row("Book", 1)?.snapshot.value(slot) as? Data == cover)
        var removal = ChangeSet()
        removal.deletes = [.init(key: 1, layout: library.entity("Book"), baseVersion: 1)]
        _ = try library.store.save(removal)
        // Not before the commit is durable.
        #expect(files() == 1)
        try library.store.close()
        #expect(files() == 0)
    }
}
