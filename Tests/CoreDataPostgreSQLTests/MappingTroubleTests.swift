// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tables that others alter or damage under an open store: errors say so, nothing is lost, and work continues.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Tables that others alter under an open store", .needsServer) struct MappingTroubleTests {
    private static let tables = [
        "CREATE TABLE %s.note (id serial PRIMARY KEY, text text, size int)",
        "INSERT INTO %s.note (text, size) SELECT 'n' || g, g FROM generate_series(1, 3) AS g",
    ]

    private static func model(_ info: [String: String] = ["table": "note"], isMandatory: Bool = false)
        -> NSManagedObjectModel
    {
        let model = NSManagedObjectModel()
        let text = Rental.attribute("text", .stringAttributeType)
        text.isOptional = !isMandatory
        model.entities = [Rental.entity("Note", info, [text, Rental.attribute("size", .integer64AttributeType)])]
        return model
    }

    @Test("a dropped column is an error, changes stay pending, and are saved when it is there again") func dropped()
        throws
    {
        let tables = try ForeignTables(Self.tables)
        let context = try tables.open(Self.model())
        let notes = try Rental.fetch("Note", context, nil, "size")
        try tables.run(["ALTER TABLE %s.note DROP COLUMN text"])
        #expect(throws: CocoaError.self) { try Rental.fetch("Note", context, "text == 'n1'") }
        notes[0].setValue("changed", forKey: "text")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .persistentStoreSave)
        #expect(try #require(error).localizedDescription.contains("text"))
        #expect(notes[0].hasChanges)
        try tables.run(["ALTER TABLE %s.note ADD COLUMN text text"])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(try tables.column("SELECT text FROM %s.note WHERE text IS NOT NULL") == ["changed"])
    }

    @Test("a column that gets a wider type, and a further column, disturb nothing") func altered() throws {
        let tables = try ForeignTables(Self.tables)
        let context = try tables.open(Self.model())
        for _ in 0..<2 { #expect(try Rental.fetch("Note", context, "size > 1").count == 2) }
        try tables.run([
            "ALTER TABLE %s.note ALTER COLUMN size TYPE bigint", "ALTER TABLE %s.note ADD COLUMN more text DEFAULT 'x'",
        ])
        context.refreshAllObjects()
        let notes = try Rental.fetch("Note", context, "size > 1", "size")
        #expect(notes.count == 2)
        notes[0].setValue(Int64.max, forKey: "size")
        Rental.add("Note", ["text": "new"], to: context)
        try context.save()
        #expect(try tables.column("SELECT count(*)::text FROM %s.note WHERE more = 'x'") == ["4"])
    }

    @Test("a null where the model wants a value is read as nil, and saving the object is a validation error")
    func missingValue() throws {
        let tables = try ForeignTables(Self.tables + ["UPDATE %s.note SET text = NULL WHERE size = 2"])
        let context = try tables.open(Self.model(isMandatory: true))
        let note = try #require(Rental.fetch("Note", context, "size == 2").first)
        #expect(note.value(forKey: "text") == nil)
        note.setValue(5, forKey: "size")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
        note.setValue("there", forKey: "text")
        try context.save()
        #expect(try tables.column("SELECT text FROM %s.note WHERE size = 5") == ["there"])
    }

    @Test("a view that repeats a key gives one object") func repeatedKey() throws {
        let tables = try ForeignTables(
            Self.tables + ["CREATE VIEW %s.twice AS SELECT * FROM %s.note UNION ALL SELECT * FROM %s.note"])
        let context = try tables.open(Self.model(["table": "twice", "key": "id"]))
        let notes = try Rental.fetch("Note", context, "size == 1")
        #expect(Set(notes.map(\.objectID)).count == 1)
    }

    @Test("a sequence that lags the keys is an error that names the constraint, and nothing is lost")
    func lateSequence() throws {
        let tables = try ForeignTables(Self.tables + ["ALTER SEQUENCE %s.note_id_seq RESTART"])
        let context = try tables.open(Self.model())
        let note = Rental.add("Note", ["text": "new"], to: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(try #require(error).localizedDescription.contains("note_pkey"))
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === note)
        try tables.run(["SELECT setval(pg_get_serial_sequence('%s.note', 'id'), 10)"])
        try context.save()
        #expect(try tables.column("SELECT count(*)::text FROM %s.note") == ["4"])
    }

    @Test("a row that another program deleted is a conflict") func deleted() throws {
        let tables = try ForeignTables(Self.tables)
        let context = try tables.open(Self.model())
        let note = try #require(Rental.fetch("Note", context, "size == 2").first)
        note.setValue("mine", forKey: "text")
        try tables.run(["DELETE FROM %s.note WHERE size = 2"])
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .managedObjectMerge)
        #expect(note.hasChanges)
    }

    @Test("rows that are changed by triggers are read back, and the next save is no conflict") func triggers() throws {
        let tables = try ForeignTables(
            Self.tables + [
                "CREATE FUNCTION %s.grow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.size := coalesce(NEW.size, 0) + 100; RETURN NEW; END'",
                "CREATE TRIGGER grow BEFORE INSERT OR UPDATE ON %s.note FOR EACH ROW EXECUTE FUNCTION %s.grow()",
            ])
        let context = try tables.open(Self.model())
        let note = Rental.add("Note", ["text": "new", "size": 1], to: context)
        try context.save()
        context.refresh(note, mergeChanges: false)
        #expect(note.value(forKey: "size") as? Int == 101)
        note.setValue("again", forKey: "text")
        try context.save()
        context.refresh(note, mergeChanges: false)
        #expect(note.value(forKey: "size") as? Int == 201)
    }

    /// Proves: MappedTables-K3
    @Test(
        "a save whose answer was lost is there once, with the server's own versions", arguments: LineProxy.Cut.allCases)
    func lostAnswer(cut: LineProxy.Cut) throws {
        let tables = try ForeignTables(Self.tables)
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let proxy = try LineProxy(to: folder)
        defer { proxy.stop() }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let url = try #require(URL(string: server.replacing(folder, with: proxy.folder.path)))
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url,
            options: [NSPostgreSQLSchemaOption: tables.schema, NSPostgreSQLAnswerTimeoutOption: 0.5])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let note = try #require(Rental.fetch("Note", context, "size == 2").first)
        for round in 0..<2 {
            Rental.add("Note", ["text": "new \(round)"], to: context)
            note.setValue("round \(round)", forKey: "text")
            proxy.arm(cut)
            do {
                try context.save()
            } catch {
                try context.save()
            }
            #expect(try tables.column("SELECT count(*)::text FROM %s.note WHERE text LIKE 'new%'") == ["\(round + 1)"])
            #expect(try tables.column("SELECT text FROM %s.note WHERE size = 2") == ["round \(round)"])
            note.setValue("after \(round)", forKey: "text")
            try context.save()
        }
        try coordinator.remove(store)
    }
}
