// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The full-text indexes of a SQLite store: when they are made, used and removed, and that they equal their rows.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Notes with a searched title and body, and tagged notes in the same table with another searched attribute.
enum NotesModel {
    static func make(
        searched: Set<String> = ["title", "body", "tags"], trigrams: Set<String> = []
    ) -> NSManagedObjectModel {
        let note = NSEntityDescription("Note")
        for name in ["title", "body", "remark"] { note.attribute(name, .stringAttributeType) }
        note.attribute("number", .integer64AttributeType, default: 0)
        note.uniquenessConstraints = [["number"]]
        let tagged = NSEntityDescription("TaggedNote")
        tagged.attribute("tags", .stringAttributeType)
        note.subentities = [tagged]
        let folder = NSEntityDescription("Folder")
        folder.attribute("name", .stringAttributeType)
        folder.relate("notes", .many, to: note, inverse: "folder", .one)
        for entity in [note, tagged] {
            for property in entity.properties where searched.contains(property.name) {
                property.isIndexedBySpotlight = true
                if trigrams.contains(property.name) { property.userInfo = ["search": "trigram"] }
            }
        }
        return NSManagedObjectModel(note, tagged, folder)
    }
}

/// Asserts about the indexes of a file, by a separate connection.
struct FullTextFile {
    let url: URL

    func tables() throws -> [FullTextTable] {
        try reading { try FullTextTable.found(on: $0).filter(\.isKept).map(\.table) }
    }

    func names() throws -> [String] {
        try reading { try $0.schema().map(\.name).filter(FullTextTable.isOwn) }
    }

    /// The faults that FTS5 finds when it compares each index with the rows of its table.
    func faults() throws -> [String] {
        let connection = try Connection(url: url)
        defer { try? connection.close() }
        var faults: [String] = []
        for found in try FullTextTable.found(on: connection) {
            let table = found.table
            if !found.isKept { faults.append("\(table.name) is not kept") }
            do {
                try connection.execute("INSERT INTO \(table.sql) (\(table.sql), rank) VALUES ('integrity-check', 1)")
            } catch {
                faults.append("\(table.name): \(error.message)")
            }
            let counts = try [table.sizesSQL, SchemaNaming.quoted(table.content)].map {
                try connection.value("SELECT COUNT(*) FROM \($0)")?.integerValue
            }
            if counts[0] != counts[1] { faults.append("\(table.name) has \(counts) rows") }
        }
        return faults
    }

    func inventory() throws -> StoreInventory { try reading { try StoreInventory($0) } }

    func keys(matching query: String, in table: String = "OCD_FTS_ZNOTE") throws -> [Int64] {
        try reading { connection in
            try connection.rows("SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid", [.text(query)])
                .compactMap { $0[0].integerValue }
        }
    }

    func execute(_ sql: [String]) throws {
        let connection = try Connection(url: url)
        defer { try? connection.close() }
        try SQLiteFunctions.add(to: connection)
        for statement in sql { try connection.execute(statement) }
    }

    private func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try body(connection)
    }
}

@Suite("Full-text indexes of a SQLite store") struct FullTextIndexTests {
    private static var on: [AnyHashable: Any] { [NSFullTextIndexOption: true] }

    private func stack(
        _ options: [AnyHashable: Any]? = FullTextIndexTests.on, model: NSManagedObjectModel = NotesModel.make(),
        notes: Int = 3
    ) throws -> (Stack, FullTextFile) {
        let stack = try Stack(.sqlite, model, options: options)
        for number in 1...max(notes, 1) where notes > 0 {
            let note = stack.insert(number % 3 == 0 ? "TaggedNote" : "Note")
            note.setValue("Title \(number)", forKey: "title")
            note.setValue(number % 2 == 0 ? nil : "The body of number\(number)", forKey: "body")
            note.setValue(number, forKey: "number")
            if number % 3 == 0 { note.setValue("tagged", forKey: "tags") }
        }
        try stack.context.save()
        return (stack, FullTextFile(url: stack.url))
    }

    private func usable(_ stack: Stack) throws -> [FullTextTable] {
        let opened = try #require(stack.store as? SQLiteStore).opened()
        return try opened.pool.read(in: nil, since: 0) { connection in
            try connection.read { try opened.fullText.usable(on: connection) }
        }
    }

    // MARK: Making and removing

    @Test("are absent without the option, made with it, kept without it, and removed when it is false")
    func option() throws {
        let (stack, file) = try stack(nil)
        #expect(try file.names() == [])
        #expect(try usable(stack) == [])
        try stack.reopen(options: Self.on)
        let table = FullTextTable(content: "ZNOTE", tokenizer: .words, columns: ["ZTITLE", "ZBODY", "ZTAGS"])
        #expect(try usable(stack) == [table])
        #expect(try file.keys(matching: "number1") == [1])
        #expect(try file.keys(matching: "tagged") == [3])
        try stack.reopen()
        #expect(try usable(stack) == [table])
        let note = stack.insert("Note")
        note.setValue("Added later", forKey: "title")
        note.setValue(9, forKey: "number")
        try stack.context.save()
        #expect(try file.keys(matching: "later") == [4])
        #expect(try file.faults() == [])
        try stack.reopen(options: [NSFullTextIndexOption: false])
        #expect(try file.names() == [])
        #expect(try usable(stack) == [])
    }

    @Test("leave metadata, version hashes and the tables of the framework as they are") func metadata() throws {
        let (stack, _) = try stack(nil)
        func state() throws -> [[[SQLiteValue]]] {
            let connection = try Connection(url: stack.url)
            defer { try? connection.close() }
            let names = try connection.schema().filter { $0.type == "table" && $0.name.hasPrefix("Z") }.map(\.name)
            return try names.map { try connection.rows("SELECT * FROM \($0)") }
        }
        let before = try state()
        try stack.reopen(options: Self.on)
        #expect(try state() == before)
    }

    @Test("are made again when other attributes are searched, and unused until then") func otherAttributes() throws {
        let (stack, file) = try stack()
        let other = NotesModel.make(searched: ["remark", "title"], trigrams: ["title"])
        let unused = try Stack.open(stack.url, other, nil)
        #expect(try unused.usable() == [])
        try unused.close()
        #expect(try file.faults() == [])
        let made = try Stack.open(stack.url, other, Self.on)
        #expect(
            try made.usable() == [
                FullTextTable(content: "ZNOTE", tokenizer: .words, columns: ["ZREMARK"]),
                FullTextTable(content: "ZNOTE", tokenizer: .trigrams, columns: ["ZTITLE"]),
            ])
        #expect(try file.keys(matching: "itl", in: "OCD_TRI_ZNOTE") == [1, 2, 3])
        #expect(try file.faults() == [])
        try made.close()
    }

    @Test("without one of their triggers are not used, and made again at the next opening with the option")
    func missingTrigger() throws {
        let (stack, file) = try stack()
        try file.execute(["DROP TRIGGER OCD_FTS_ZNOTE_UPDATE", "UPDATE ZNOTE SET ZTITLE = 'unseen' WHERE Z_PK = 1"])
        #expect(try usable(stack) == [])
        try stack.reopen(options: Self.on)
        #expect(try usable(stack).count == 1)
        #expect(try file.keys(matching: "unseen") == [1])
        #expect(try file.faults() == [])
    }

    @Test("that another process removes or makes are noticed by an open store") func otherProcess() throws {
        let (stack, _) = try stack(nil)
        let (second, _) = try stack.secondCoordinator(Self.on)
        #expect(try usable(stack).count == 1)
        try second.remove(second.persistentStores[0])
        let (third, _) = try stack.secondCoordinator([NSFullTextIndexOption: false])
        #expect(try usable(stack) == [])
        try third.remove(third.persistentStores[0])
    }

    @Test("are used by a store that is opened for reading, and never made by it") func reading() throws {
        let (stack, file) = try stack()
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try usable(stack).count == 1)
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true, NSFullTextIndexOption: false])
        #expect(try usable(stack).count == 1)
        try stack.reopen(options: [NSFullTextIndexOption: false])
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true, NSFullTextIndexOption: true])
        #expect(try file.names() == [])
    }

    @Test("work in a database in memory, and with names that SQL needs quoted") func names() throws {
        let entity = NSEntityDescription("Übung")
        entity.attribute("größe", .stringAttributeType).isIndexedBySpotlight = true
        let model = NSManagedObjectModel(entity)
        let stack = try Stack(.sqlite, model, options: Self.on)
        stack.insert("Übung").setValue("klein", forKey: "größe")
        try stack.context.save()
        #expect(try FullTextFile(url: stack.url).faults() == [])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(filePath: "/dev/null"), options: Self.on)
        let opened = try #require(store as? SQLiteStore).opened()
        #expect(try opened.pool.write { try opened.fullText.usable(on: $0) }.count == 1)
    }

    // MARK: In step with the rows

    @Test("follow saves, deletions, undone changes and saves that fail") func saves() throws {
        let (stack, file) = try stack()
        let context = stack.context
        let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            .sorted { ($0.value(forKey: "number") as? Int ?? 0) < ($1.value(forKey: "number") as? Int ?? 0) }
        notes[0].setValue("Renamed", forKey: "title")
        notes[1].setValue("only a remark", forKey: "remark")
        context.delete(notes[2])
        try context.save()
        #expect(try file.keys(matching: "renamed") == [1])
        #expect(try file.keys(matching: "tagged") == [])
        #expect(try file.faults() == [])
        let twin = stack.insert("Note")
        twin.setValue("Twin", forKey: "title")
        twin.setValue(1, forKey: "number")
        notes[1].setValue("Lost with the save", forKey: "title")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try file.keys(matching: "twin OR lost") == [])
        #expect(try file.faults() == [])
    }

    @Test("follow batch requests") func batches() throws {
        let (stack, file) = try stack(notes: 6)
        let insertion = NSBatchInsertRequest(
            entityName: "Note",
            objects: (10..<20).map { ["title": "batch \($0)", "body": "inserted", "number": $0] })
        _ = try stack.context.execute(insertion)
        #expect(try file.keys(matching: "inserted").count == 10)
        let update = NSBatchUpdateRequest(entityName: "Note")
        update.predicate = NSPredicate(format: "number > 14")
        update.propertiesToUpdate = ["body": "updated"]
        _ = try stack.context.execute(update)
        #expect(try file.keys(matching: "updated").count == 5)
        let merge = NSBatchInsertRequest(entityName: "Note", objects: [["title": "merged", "number": 10]])
        let context = stack.newContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        _ = try context.execute(merge)
        #expect(try file.keys(matching: "merged").count == 1)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        request.predicate = NSPredicate(format: "number < 12")
        _ = try stack.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try file.keys(matching: "inserted").count == 3)
        #expect(try file.faults() == [])
    }

    @Test(
        "follow other programs: REPLACE, IGNORE, upserts, moved keys, failed statements and VACUUM",
        arguments: [false, true])
    func otherPrograms(isRecursive: Bool) throws {
        let (stack, file) = try stack(notes: 6)
        try stack.close()
        let columns = "(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBODY, ZNUMBER)"
        let values = "VALUES (2, 2, 1, 'replaced', 'once', 2)"
        let pragma = "PRAGMA recursive_triggers = \(isRecursive)"
        try file.execute([pragma, "INSERT OR REPLACE INTO ZNOTE \(columns) \(values)"])
        #expect(try file.keys(matching: "replaced") == [2])
        #expect(try file.faults() == [])
        try file.execute([pragma, "INSERT OR IGNORE INTO ZNOTE \(columns) VALUES (3, 2, 1, 'ignored', NULL, 3)"])
        #expect(try file.keys(matching: "ignored") == [])
        try file.execute([
            pragma,
            "INSERT INTO ZNOTE \(columns) \(values) ON CONFLICT (Z_PK) DO UPDATE SET ZTITLE = 'upserted'",
            "UPDATE ZNOTE SET Z_PK = 77 WHERE Z_PK = 4", "UPDATE ZNOTE SET ZTITLE = ZTITLE, ZBODY = x'00ff41'",
            "BEGIN", "DELETE FROM ZNOTE WHERE Z_PK = 5", "SAVEPOINT s", "UPDATE ZNOTE SET ZTITLE = 'undone'",
            "ROLLBACK TO s", "COMMIT",
        ])
        #expect(try file.keys(matching: "upserted") == [2])
        #expect(try file.keys(matching: "undone") == [])
        #expect(try file.faults() == [])
        #expect(throws: SQLiteError.self) {
            try file.execute([
                "INSERT INTO ZNOTE \(columns) SELECT 100 + Z_PK, 2, 1, 'half', NULL, 1000 FROM ZNOTE"
            ])
        }
        #expect(try file.keys(matching: "half") == [])
        try file.execute(["VACUUM", "DELETE FROM ZNOTE"])
        #expect(try file.faults() == [])
        #expect(try file.keys(matching: "upserted") == [])
    }

    @Test("are part of a copy and of a replaced store") func copies() throws {
        let (stack, file) = try stack()
        let copy = stack.folder.appending(path: "Copy.sqlite")
        try stack.coordinator.replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: stack.url, sourceOptions: nil,
            type: .sqlite)
        #expect(try FullTextFile(url: copy).faults() == [])
        #expect(try FullTextFile(url: copy).tables() == file.tables())
        let moved = stack.folder.appending(path: "Moved.sqlite")
        _ = try stack.coordinator.migratePersistentStore(stack.store, to: moved, options: Self.on, type: .sqlite)
        #expect(try FullTextFile(url: moved).faults() == [])
        #expect(try FullTextFile(url: moved).tables().count == 1)
    }

    // MARK: Migrations

    private static var migrating: [AnyHashable: Any] { MigratingStore.migrating.merging(on) { $1 } }

    @Test("of unwritten tables survive a migration by statements, others are made again; drift does not name them")
    func statements() throws {
        let (stack, file) = try stack()
        try stack.close()
        let rootPage = try file.rootPage()
        let added = NotesModel.make()
        added.entitiesByName["Note"]?.attribute("color", .stringAttributeType)
        added.entitiesByName["Folder"]?.attribute("color", .stringAttributeType, default: "red")
        try Stack.open(stack.url, added, MigratingStore.migrating).close()
        #expect(try file.faults() == [])
        #expect(try file.rootPage() == rootPage)
        let drift = try SchemaDrift(ofStoreAt: stack.url, type: NSSQLiteStoreType, model: added)
        #expect(drift.differences == [])
        let renamed = NotesModel.make()
        let note = try #require(renamed.entitiesByName["Note"])
        note.attribute("color", .stringAttributeType, default: "blue")
        note.attributesByName["title"]?.renamingIdentifier = "title"
        note.attributesByName["title"]?.name = "heading"
        renamed.entitiesByName["Folder"]?.attribute("color", .stringAttributeType, default: "red")
        try Stack.open(stack.url, renamed, MigratingStore.migrating).close()
        #expect(try file.tables().map(\.columns) == [["ZBODY", "ZHEADING", "ZTAGS"]])
        #expect(try file.keys(matching: "ZHEADING : title") == [1, 2, 3])
        #expect(try file.faults() == [])
    }

    @Test("are there after a migration by objects, with the option and without it", arguments: [false, true])
    func objects(isOptionGiven: Bool) throws {
        let (stack, file) = try stack()
        try stack.close()
        // A root that becomes a subentity has another table, which statements cannot fill.
        let new = NotesModel.make()
        let item = NSEntityDescription("Item")
        item.subentities = new.entities.filter { $0.name == "Folder" }
        new.entities.append(item)
        let options = isOptionGiven ? Self.migrating : MigratingStore.migrating
        try Stack.open(stack.url, new, options).close()
        #expect(try file.tables().count == 1)
        #expect(try file.keys(matching: "tagged").count == 1)
        #expect(try file.faults() == [])
    }
}

extension FullTextFile {
    /// The first page of the index, which changes if it is made again.
    fileprivate func rootPage() throws -> Int64? {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.value("SELECT rowid FROM sqlite_master WHERE name = 'OCD_FTS_ZNOTE'")?.integerValue
    }
}

/// A coordinator with one store on an existing file.
private struct OpenFile {
    let coordinator: NSPersistentStoreCoordinator
    let store: SQLiteStore

    func usable() throws -> [FullTextTable] {
        let opened = try store.opened()
        return try opened.pool.write { try opened.fullText.usable(on: $0) }
    }

    func close() throws { try coordinator.remove(store) }
}

extension Stack {
    fileprivate static func open(_ url: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) throws
        -> OpenFile
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return OpenFile(coordinator: coordinator, store: try #require(store as? SQLiteStore))
    }

    fileprivate func close() throws {
        context.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
