// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of values of a SQLite store: when they are made, used and removed, and that they agree with their rows.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Notes with a dictionary and JSON, and scans in the same table with a further dictionary.
enum ValueModel {
    static let paths = "tags, tags.name, size, date, parts.kind"

    static func make(meta: Any? = paths, json: Any? = "tags.name, size", extra: Any? = "dpi") -> NSManagedObjectModel {
        let note = NSEntityDescription("Note")
        note.attribute("number", .integer64AttributeType, default: 0)
        ask(note.attribute("meta", .transformableAttributeType), meta)
        ask(note.attribute("json", .binaryDataAttributeType), json)
        note.uniquenessConstraints = [["number"]]
        let scan = NSEntityDescription("Scan")
        ask(scan.attribute("extra", .transformableAttributeType), extra)
        note.subentities = [scan]
        let folder = NSEntityDescription("Folder")
        folder.attribute("name", .stringAttributeType)
        folder.relate("notes", .many, to: note, inverse: "folder", .one)
        return NSManagedObjectModel(note, scan, folder)
    }

    private static func ask(_ attribute: NSAttributeDescription, _ paths: Any?) {
        if let paths { attribute.userInfo = [NSAttributeDescription.indexedPathsKey: paths] }
    }
}

/// Reads and writes a file by a separate connection.
struct ValueFile {
    let url: URL

    func names() throws -> Set<String> { try reading { Set(try $0.schema().map(\.name).filter(ValueTable.isOwn)) } }

    /// The indexes that are not kept, and the numbers of rows with wrong entries.
    func faults(_ model: NSManagedObjectModel) throws -> [String] {
        try reading { connection in
            try StoreTables.valueIndexes(connection, model: model).compactMap { index in
                guard index.isKept else { return "\(index.name) is not kept" }
                let count = try index.differences(connection)
                return count == 0 ? nil : "\(index.name) differs in \(count) rows"
            }
        }
    }

    func pending() throws -> [Int64] {
        try reading { try $0.rows("SELECT K FROM OCD_NEW_ZNOTE ORDER BY K").compactMap { $0[0].integerValue } }
    }

    func entries(_ path: String) throws -> [SQLiteValue] {
        try reading { connection in
            try connection.rows("SELECT V FROM OCD_VAL_ZNOTE WHERE PATH = ? ORDER BY V, K", [.text(path)]).map { $0[0] }
        }
    }

    func execute(_ sql: [String], _ values: [SQLiteValue] = []) throws {
        let connection = try Connection(url: url)
        defer { try? connection.close() }
        try SQLiteFunctions.add(to: connection)
        for statement in sql { try connection.run(statement, values) }
    }

    func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try body(connection)
    }
}

/// Proves: StructuredValues-6, StructuredValues-7, StructuredValues-10, StructuredValues-11, StructuredValues-12
@Suite("Indexes of values in a SQLite store") struct ValueIndexTests {
    static var on: [AnyHashable: Any] { [NSValueIndexOption: true] }
    private static let all: Set = [
        "OCD_VAL_ZNOTE", "OCD_KEY_ZNOTE", "OCD_NEW_ZNOTE", "OCD_VAL_ZNOTE_INSERT", "OCD_VAL_ZNOTE_UPDATE",
        "OCD_VAL_ZNOTE_DELETE",
    ]

    private func stack(
        _ options: [AnyHashable: Any]? = ValueIndexTests.on, _ model: NSManagedObjectModel = ValueModel.make(),
        notes: Int = 6
    ) throws -> (Stack, ValueFile) {
        let stack = try Stack(.sqlite, model, options: options)
        for number in 1...max(notes, 1) where notes > 0 { Self.insert(number, stack) }
        try stack.context.save()
        return (stack, ValueFile(url: stack.url))
    }

    @discardableResult private static func insert(_ number: Int, _ stack: Stack) -> NSManagedObject {
        let note = stack.insert(number % 3 == 0 ? "Scan" : "Note")
        note.setValue(number, forKey: "number")
        note.setValue(meta(number), forKey: "meta")
        note.setValue(Data("{\"tags\": {\"name\": \"Json \(number)\"}, \"size\": \(number).5}".utf8), forKey: "json")
        if number % 3 == 0 { note.setValue(["dpi": number * 100], forKey: "extra") }
        return note
    }

    private static func meta(_ number: Int) -> [String: Any] {
        ["tags": ["name": "Tag \(number)"], "size": number, "parts": [["kind": "a"], ["kind": "b\(number)"]]]
    }

    private func keys(_ stack: Stack, _ format: String, _ arguments: [Any] = [], _ entity: String = "Note") throws
        -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try stack.stored(request) { $0.value(forKey: "number") as? Int ?? -1 }.sorted()
    }

    private func usesIndex(_ stack: Stack, _ format: String, _ arguments: [Any] = [], _ entity: String = "Note") throws
        -> Bool
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        let store = try #require(try request.explain(in: stack.context).stores.first)
        let isNamed = store.inMemory.contains { $0.reason.hasSuffix("for the rows that an index gives") }
        #expect(store.sql?.contains("OCD_VAL_") == isNamed)
        return isNamed
    }

    // MARK: Making and removing

    @Test("are absent without the option, made with it, kept without it, and removed when it is false")
    func option() throws {
        let (stack, file) = try stack(nil)
        #expect(try file.names() == [])
        #expect(try !usesIndex(stack, "meta.size == 2"))
        try stack.reopen(options: Self.on)
        #expect(try file.names() == Self.all)
        #expect(try file.pending() == [])
        #expect(try usesIndex(stack, "meta.size == 2"))
        #expect(try keys(stack, "meta.size == 2") == [2])
        try stack.reopen()
        Self.insert(9, stack)
        try stack.context.save()
        #expect(try file.pending() == [])
        #expect(try file.faults(stack.model) == [])
        #expect(try keys(stack, "meta.tags.name == 'Tag 9'") == [9])
        try stack.reopen(options: [NSValueIndexOption: false])
        #expect(try file.names() == [])
        #expect(try keys(stack, "meta.tags.name == 'Tag 9'") == [9])
    }

    @Test("of a model without paths leave the file as it is, and the hash of a model does not depend on them")
    func withoutPaths() throws {
        let plain = ValueModel.make(meta: nil, json: nil, extra: nil)
        let (stack, file) = try stack(Self.on, plain)
        #expect(try file.names() == [])
        #expect(try !usesIndex(stack, "meta.size == 2"))
        #expect(plain.entityVersionHashesByName == ValueModel.make().entityVersionHashesByName)
        // The same file with a model that asks.
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let asking = NSPersistentStoreCoordinator(managedObjectModel: ValueModel.make())
        let store = try asking.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url, options: Self.on)
        #expect(try file.names() == Self.all)
        try asking.remove(store)
        // And again with one that no longer asks.
        try stack.reopen(options: Self.on)
        #expect(try file.names() == [])
    }

    @Test("for other paths are unused by a model, and made again with the option") func otherPaths() throws {
        let (stack, file) = try stack()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let other = ValueModel.make(meta: "size")
        let before = try file.names()
        for options in [nil, Self.on] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: other)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url, options: options)
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "meta.size == 3")
            let sql = try #require(try request.explain(in: context).stores.first?.sql)
            #expect(sql.contains("OCD_VAL_") == (options != nil))
            #expect(try context.count(for: request) == 1)
            try coordinator.remove(store)
        }
        #expect(try file.names() == before)
        #expect(try file.faults(other) == [])
        #expect(try file.entries("Note/meta/tags/name") == [])
    }

    @Test(
        "of a path that none can have are an error with entity, attribute and path",
        arguments: [
            ("tags..name", "json", "tags..name"), ("a, ,b", "meta", ""), ("tags.@count", "meta", "tags.@count"),
            ("a/b", "meta", "a/b"), ("x", "number", "x"),
        ])
    func wrongPath(asked: String, attribute: String, path: String) throws {
        let model = ValueModel.make(meta: nil, json: nil, extra: nil)
        model.entitiesByName["Note"]?.attributesByName[attribute]?.userInfo = ["indexedPaths": asked]
        let error = #expect(throws: NSError.self) { try Stack(.sqlite, model, options: Self.on) }
        #expect(error?.code == 134080)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("'Note.\(attribute)'") && text.contains("'\(path)'"), "\(text)")
        _ = try Stack(.sqlite, model)
    }

    @Test("are used by a store that is opened for reading, and never made by it") func reading() throws {
        let (stack, file) = try stack()
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try usesIndex(stack, "meta.size == 2"))
        #expect(try keys(stack, "meta.size == 2") == [2])
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true, NSValueIndexOption: false])
        #expect(try usesIndex(stack, "meta.size == 2"))
        try stack.reopen(options: [NSValueIndexOption: false])
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true, NSValueIndexOption: true])
        #expect(try file.names() == [])
    }

    @Test("without one of their triggers, or of another version of the rules, are unused, and made again")
    func unkept() throws {
        let (stack, file) = try stack()
        try file.execute(["DROP TRIGGER OCD_VAL_ZNOTE_UPDATE", "UPDATE ZNOTE SET ZMETA = NULL WHERE Z_PK = 1"])
        #expect(try !usesIndex(stack, "meta.size == 2"))
        #expect(try keys(stack, "meta == nil") == [1])
        try stack.reopen(options: Self.on)
        #expect(try usesIndex(stack, "meta.size == 2"))
        #expect(try file.faults(stack.model) == [])
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try file.execute([
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = replace(sql, 'RULES_1', 'RULES_0') WHERE name = 'OCD_VAL_ZNOTE'",
        ])
        try stack.reopen()
        #expect(try !usesIndex(stack, "meta.size == 2"))
        try stack.reopen(options: Self.on)
        #expect(try usesIndex(stack, "meta.size == 2"))
    }

    @Test("that another process makes or removes are noticed by an open store") func otherProcess() throws {
        let (stack, _) = try stack(nil)
        let (second, _) = try stack.secondCoordinator(Self.on)
        #expect(try usesIndex(stack, "meta.size == 2"))
        Self.insert(12, stack)
        try stack.context.save()
        #expect(try ValueFile(url: stack.url).pending() == [])
        #expect(try keys(stack, "meta.size == 12") == [12])
        try second.remove(second.persistentStores[0])
        let (third, _) = try stack.secondCoordinator([NSValueIndexOption: false])
        #expect(try !usesIndex(stack, "meta.size == 2"))
        #expect(try keys(stack, "meta.size == 12") == [12])
        try third.remove(third.persistentStores[0])
    }

    // MARK: In step with the rows

    @Test("follow saves, deletions, undone changes and saves that fail") func saves() throws {
        let (stack, file) = try stack()
        let notes = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            .sorted { ($0.value(forKey: "number") as? Int ?? 0) < ($1.value(forKey: "number") as? Int ?? 0) }
        notes[0].setValue(["size": 77], forKey: "meta")
        notes[1].setValue(nil, forKey: "meta")
        stack.context.delete(notes[2])
        try stack.context.save()
        #expect(try file.pending() == [])
        #expect(try file.faults(stack.model) == [])
        #expect(try file.entries("Note/meta/size") == [4.0, 5.0, 6.0, 77.0])
        #expect(try file.entries("Scan/extra/dpi") == [600.0])
        Self.insert(4, stack)
        notes[1].setValue(["size": 88], forKey: "meta")
        #expect(throws: (any Error).self) { try stack.context.save() }
        #expect(try file.entries("Note/meta/size") == [4.0, 5.0, 6.0, 77.0])
        #expect(try file.faults(stack.model) == [])
    }

    @Test("follow batch requests, without pending rows") func batches() throws {
        let (stack, file) = try stack()
        let objects = (10..<20).map { ["meta": Self.meta($0), "number": $0] as [String: Any] }
        _ = try stack.context.execute(NSBatchInsertRequest(entityName: "Note", objects: objects))
        #expect(try file.pending() == [])
        #expect(try keys(stack, "meta.size BETWEEN {11, 13}") == [11, 12, 13])
        let update = NSBatchUpdateRequest(entityName: "Note")
        update.predicate = NSPredicate(format: "meta.size > 14")
        update.propertiesToUpdate = ["json": Data("{\"size\": 1}".utf8)]
        _ = try stack.context.execute(update)
        #expect(try keys(stack, "json.size == 1") == [15, 16, 17, 18, 19])
        let merge = NSBatchInsertRequest(entityName: "Note", objects: [["meta": ["size": 1000], "number": 10]])
        let context = stack.newContext()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        _ = try context.execute(merge)
        #expect(try keys(stack, "meta.size == 1000") == [10])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        request.predicate = NSPredicate(format: "meta.size < 12")
        _ = try stack.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try keys(stack, "number > 0") == [10, 12, 13, 14, 15, 16, 17, 18, 19])
        #expect(try file.pending() == [])
        #expect(try file.faults(stack.model) == [])
    }

    @Test("find the rows of other programs, which stay pending until a save or an opening", arguments: [false, true])
    func otherPrograms(isRecursive: Bool) throws {
        let (stack, file) = try stack()
        func key(_ number: Int) throws -> Int64 {
            let key = try file.reading { try $0.value("SELECT Z_PK FROM ZNOTE WHERE ZNUMBER = \(number)") }
            return try #require(key?.integerValue)
        }
        let changed = try [key(2), key(5), 70, 71, 80].sorted()
        let copy = "INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZMETA) SELECT"
        try file.execute([
            "PRAGMA recursive_triggers = \(isRecursive)",
            "INSERT OR ROLLBACK \(copy) 70, Z_ENT, 1, 70, ZMETA FROM ZNOTE WHERE ZNUMBER = 1",
            "INSERT OR REPLACE \(copy) \(changed[0]), Z_ENT, 9, 2, ZMETA FROM ZNOTE WHERE ZNUMBER = 1",
            "INSERT OR REPLACE \(copy) 71, Z_ENT, 1, 3, ZMETA FROM ZNOTE WHERE ZNUMBER = 1",
            "UPDATE OR ROLLBACK ZNOTE SET Z_PK = 80 WHERE ZNUMBER = 4",
            "UPDATE ZNOTE SET ZNUMBER = ZNUMBER + 100, Z_OPT = Z_OPT + 1",
            "UPDATE ZNOTE SET ZMETA = NULL WHERE ZNUMBER = 105", "DELETE FROM ZNOTE WHERE ZNUMBER = 106",
        ])
        #expect(try file.pending() == changed)
        #expect(try file.faults(stack.model) == [])
        #expect(try usesIndex(stack, "meta.size == 1"))
        #expect(try keys(stack, "meta.size == 1") == [101, 102, 103, 170])
        #expect(try keys(stack, "meta.size == nil") == [105])
        Self.insert(50, stack)
        try stack.context.save()
        #expect(try file.pending() == [])
        #expect(try keys(stack, "meta.size == 1") == [101, 102, 103, 170])
        try file.execute(["UPDATE ZNOTE SET ZJSON = CAST('{\"size\": 3}' AS BLOB), Z_OPT = Z_OPT + 1"])
        #expect(try keys(stack, "json.size == 3").count == 7)
        try stack.reopen()
        #expect(try file.pending() == [])
        #expect(try keys(stack, "json.size == 3").count == 7)
        #expect(try file.faults(stack.model) == [])
    }

    @Test("of damaged tables are passed over: the answer comes from the rows") func damaged() throws {
        let (stack, file) = try stack()
        try file.execute([
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE') "
                + "WHERE name = 'OCD_VAL_ZNOTE'",
        ])
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try usesIndex(stack, "meta.size == 2"))
        #expect(try keys(stack, "meta.size == 2") == [2])
    }

    @Test("that are half made are not there, and the next opening makes them") func ended() throws {
        let (stack, file) = try stack(nil, notes: 60)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let inventory = try file.reading { try StoreInventory($0) }
        let schema = try Schema(model: ValueModel.make().compiledLayout(), in: inventory)
        var ended = 0
        for step in 1...40 {
            let connection = try Connection(url: stack.url)
            var calls = 0
            connection.setWatch(every: 20) {
                calls += 1
                return calls >= step * 3
            }
            do {
                let indexes = SideIndexes<ValueTable>(schema: schema)
                try indexes.settle(.on, on: connection)
                try ValueSettlement.settleAll(indexes, schema, on: connection)
            } catch {
                ended += 1
                #expect(try file.names() == [] || file.faults(stack.model) == [])
            }
            connection.setWatch(nil)
            try connection.close()
        }
        #expect(ended > 3)
        try stack.reopen(options: Self.on)
        #expect(try file.pending() == [])
        #expect(try file.faults(stack.model) == [])
        #expect(try keys(stack, "meta.size == 44") == [44])
    }

    // MARK: Migrations

    private static var migrating: [AnyHashable: Any] { MigratingStore.migrating.merging(on) { $1 } }

    private func reopen(_ stack: Stack, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws {
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url, options: options)
        try coordinator.remove(store)
    }

    @Test("survive a migration by statements or are made again, with and without the option; drift does not name them")
    func statements() throws {
        let (stack, file) = try stack()
        func rootPage() throws -> SQLiteValue? {
            try file.reading { try $0.value("SELECT rootpage FROM sqlite_master WHERE name = 'OCD_VAL_ZNOTE'") }
        }
        let root = try rootPage()
        let added = ValueModel.make()
        added.entitiesByName["Note"]?.attribute("color", .stringAttributeType)
        try reopen(stack, added, MigratingStore.migrating)
        #expect(try rootPage() == root)
        #expect(try file.pending() == [])
        #expect(try file.faults(added) == [])
        let drift = try SchemaDrift(ofStoreAt: stack.url, type: NSSQLiteStoreType, model: added)
        #expect(drift.differences == [])
        let renamed = ValueModel.make()
        let note = try #require(renamed.entitiesByName["Note"])
        note.attribute("color", .stringAttributeType, default: "blue")
        note.attributesByName["meta"]?.renamingIdentifier = "meta"
        note.attributesByName["meta"]?.name = "traits"
        try reopen(stack, renamed, MigratingStore.migrating)
        #expect(try file.faults(renamed) == [])
        #expect(try file.pending() == [])
        #expect(try file.entries("Note/traits/size") == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    }

    @Test("are there after a migration by objects, with the option and without it", arguments: [false, true])
    func objects(isOptionGiven: Bool) throws {
        let (stack, file) = try stack()
        // A root that becomes a subentity has another table, which statements cannot fill.
        let new = ValueModel.make()
        let item = NSEntityDescription("Item")
        item.subentities = new.entities.filter { $0.name == "Folder" }
        new.entities.append(item)
        try reopen(stack, new, isOptionGiven ? Self.migrating : MigratingStore.migrating)
        #expect(try file.pending() == [])
        #expect(try file.faults(new) == [])
        #expect(try file.entries("Scan/extra/dpi") == [300.0, 600.0])
    }
}
