// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Entities on existing tables: reading, saving, conflicts, refusals.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Tables that are there already", .needsServer) struct MappingTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 86_400 * 8_000 + 3_723.25)

    private static func filled(_ tables: ForeignTables, version: String? = "lock_version") throws
        -> NSManagedObjectContext
    {
        let context = try tables.open(Rental.model(version: version))
        let language = Rental.add("Language", ["name": "German"], to: context)
        let first = Rental.add(
            "Film",
            [
                "title": "Ärger", "stock": 3, "price": NSDecimalNumber(string: "1.25"), "isNew": true, "day": date,
                "seen": date, "notes": "{\"a\": 1}", "rating": "PG", "minutes": 90, "language": language, "code": "a",
            ], to: context)
        let second = Rental.add("Film", ["title": "Zebra", "language": language, "code": "b"], to: context)
        first.setValue(second, forKey: "sequel")
        for name in ["Ann", "Bob"] {
            Rental.add("Actor", ["name": name, "roles": Set([first, second])], to: context)
        }
        try context.save()
        return context
    }

    /// Proves: MappedTables-T1, MappedTables-K4
    @Test("values of all fitting types are written and read, and objects show the table's form of them") func values()
        throws
    {
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables)
        context.refreshAllObjects()
        let film = try #require(Rental.fetch("Film", context, "code == 'a'").first)
        #expect(film.value(forKey: "day") as? Date == Date(timeIntervalSinceReferenceDate: 86_400 * 8_000))
        #expect(film.value(forKey: "seen") as? Date == Self.date)
        for part in [
            "title = 'Ärger'", "\"select\" = 3", "price = 1.25", "is_new = 1", "notes->>'a' = '1'",
            "rating = 'PG'", "minutes = 90", "lock_version = 1", "seen::text LIKE '%01:02:03.25'",
        ] {
            let condition = part.replacing("title", with: "\"the title\"")
            #expect(
                try tables.column("SELECT 'x' FROM %s.\"Film\" WHERE \(condition) AND code = 'a'") == ["x"], "\(part)")
        }
        let other = try tables.open(Rental.model())
        for format in [
            "title == 'Ärger'", "isNew == YES", "notes CONTAINS 'a'", "rating == 'PG'", "minutes > 80",
            "language.name == 'German' AND stock == 3", "ANY players.name == 'Ann' AND sequel.title == 'Zebra'",
            "players.@count == 2 AND title BEGINSWITH 'Ä'", "title CONTAINS[c] 'ÄRGER'", "seen > day", "price == 1.25",
        ] {
            let found = try Rental.fetch("Film", other, format)
            #expect(found.map { $0.value(forKey: "code") as? String } == ["a"], "\(format)")
        }
        #expect(
            try tables.column(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(tables.schema)' "
                    + "AND tablename NOT LIKE 'ocd\\_%'"
            ).count == 4)
    }

    /// Proves: MappedTables-C1, MappedTables-C2
    @Test("texts are sorted by their bytes under any collation, and the explanation names lost indexes")
    func orders() throws {
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables)
        let titles = try Rental.fetch("Film", context, nil, "title").map { $0.value(forKey: "title") as? String }
        #expect(titles == ["Zebra", "Ärger"])
        #expect(try Rental.fetch("Film", context, "title > 'a'").count == 1)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Film")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.predicate = NSPredicate(format: "rating == 'G'")
        let explanation = try request.explain(in: context).description
        #expect(explanation.contains("the title serves: it has another collation"))
        #expect(explanation.contains("rating serves: it is "))
        #expect(!explanation.contains("minutes serves"))
    }

    /// Proves: MappedTables-S1, MappedTables-S2
    @Test("rows are deleted, changed and inserted in one save, against foreign keys that are checked at once")
    func anyOrder() throws {
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables)
        let old = try #require(Rental.fetch("Language", context).first)
        let films = try Rental.fetch("Film", context, nil, "code")
        let new = Rental.add("Language", ["name": "Latin"], to: context)
        films[0].setValue(new, forKey: "language")
        films[0].setValue(nil, forKey: "sequel")
        context.delete(old)  // and the second film with it
        let third = Rental.add("Film", ["title": "Third", "language": new, "code": "b"], to: context)
        films[0].setValue(third, forKey: "sequel")
        try context.save()
        #expect(try tables.column("SELECT name::text FROM %s.language") == ["Latin"])
        #expect(try tables.column("SELECT code FROM %s.\"Film\" ORDER BY code") == ["a", "b"])
        #expect(try tables.column("SELECT count(*)::text FROM %s.film_actor") == ["2"])
        let reader = try tables.open(Rental.model())
        let names = try Rental.fetch("Film", reader, "code == 'a'").map {
            $0.value(forKeyPath: "sequel.title") as? String
        }
        #expect(names == ["Third"])
    }

    /// Proves: MappedTables-K3
    @Test("a row that others have changed is a conflict, with a version column and without", arguments: [true, false])
    func conflicts(hasColumn: Bool) throws {
        let tables = try ForeignTables(Rental.tables)
        let version = hasColumn ? "lock_version" : nil
        let context = try Self.filled(tables, version: version)
        let film = try #require(Rental.fetch("Film", context, "code == 'a'").first)
        film.setValue(4, forKey: "stock")
        try context.save()
        film.setValue(5, forKey: "stock")
        try tables.run(["UPDATE %s.\"Film\" SET minutes = 91, lock_version = lock_version + 1 WHERE code = 'a'"])
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .managedObjectMerge)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(try tables.column("SELECT \"select\" || ' ' || minutes FROM %s.\"Film\" WHERE code = 'a'") == ["5 91"])
        try tables.run([
            "UPDATE %s.\"Film\" SET minutes = 92, lock_version = coalesce(lock_version, 0) + 5 WHERE code = 'a'"
        ])
        context.mergePolicy = NSMergePolicy.error
        context.refreshAllObjects()
        #expect(try Rental.fetch("Film", context).count == 2)
        film.setValue(6, forKey: "stock")
        try context.save()
        #expect(film.value(forKey: "minutes") as? Int == 92)
        context.delete(film)
        try tables.run(["UPDATE %s.\"Film\" SET minutes = 93, lock_version = 70 WHERE code = 'a'"])
        #expect(throws: CocoaError.self) { try context.save() }
        // A row without a version has version 0.
        try tables.run([
            "INSERT INTO %s.\"Film\" (\"the title\", code, language_id) SELECT 'New', 'c', language_id FROM %s.language"
        ])
        let reader = try tables.open(Rental.model(version: version))
        let new = try #require(Rental.fetch("Film", reader, "code == 'c'").first)
        new.setValue(9, forKey: "stock")
        try reader.save()
        #expect(
            try tables.column("SELECT lock_version::text FROM %s.\"Film\" WHERE code = 'c'") == [hasColumn ? "1" : nil])
    }

    /// Proves: MappedTables-K3
    @Test(
        "a checked row that others have changed is a conflict, with a version column and without",
        arguments: [true, false])
    func checkedRows(hasColumn: Bool) throws {
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables, version: hasColumn ? "lock_version" : nil)
        let checked = try #require(Rental.fetch("Film", context, "code == 'a'").first)
        let changed = try #require(Rental.fetch("Film", context, "code == 'b'").first)
        context.detectConflicts(for: checked)
        changed.setValue(4, forKey: "stock")
        try context.save()
        context.detectConflicts(for: checked)
        changed.setValue(5, forKey: "stock")
        try tables.run(["UPDATE %s.\"Film\" SET minutes = 91, lock_version = lock_version + 1 WHERE code = 'a'"])
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .managedObjectMerge)
        #expect(try tables.column("SELECT \"select\"::text FROM %s.\"Film\" WHERE code = 'b'") == ["4"])
        withExtendedLifetime(checked) {}
    }

    struct Refusal: Sendable {
        let values: @Sendable (NSManagedObject) -> Void
        let code: CocoaError.Code
        let key: String
        let rule: String
    }

    static let refusals = [
        Refusal(
            values: { $0.setValue("much too long a title", forKey: "title") }, code: .validationStringTooLong,
            key: "title", rule: "22001"),
        Refusal(
            values: { $0.setValue(NSDecimalNumber(value: -1), forKey: "price") }, code: .managedObjectValidation,
            key: "price", rule: "price_check"),
        Refusal(
            values: { $0.setValue(NSDecimalNumber(value: 1_000), forKey: "price") }, code: .validationNumberTooLarge,
            key: "price", rule: "22003"),
        Refusal(
            values: { $0.setValue(70_000, forKey: "stock") }, code: .validationNumberTooLarge, key: "stock",
            rule: "22003"),
        Refusal(
            values: { $0.setValue(nil, forKey: "title") }, code: .validationMissingMandatoryProperty, key: "title",
            rule: "23502"),
        Refusal(
            values: { $0.setValue("XXX", forKey: "rating") }, code: .managedObjectValidation, key: "rating",
            rule: "22P02"),
        Refusal(
            values: { $0.setValue("{", forKey: "notes") }, code: .managedObjectValidation, key: "notes", rule: "22P02"),
        Refusal(
            values: { $0.setValue(nil, forKey: "language") }, code: .validationMissingMandatoryProperty,
            key: "language", rule: "23502"),
    ]

    /// Proves: MappedTables-S3
    @Test("a value that does not fit is a validation error of its object, and nothing is lost", arguments: 0..<8)
    func refused(number: Int) throws {
        let refusal = Self.refusals[number]
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables)
        let language = try #require(Rental.fetch("Language", context).first)
        var objects: [NSManagedObject] = []
        for place in 0..<9 {
            objects.append(
                Rental.add("Film", ["title": "\(place)", "code": "n\(place)", "language": language], to: context))
        }
        refusal.values(objects[5])
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == refusal.code)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === objects[5])
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == refusal.key)
        #expect(try #require(error).localizedDescription.contains("Film.\(refusal.key)"))
        #expect(try #require(error).localizedDescription.contains(refusal.rule))
        #expect(context.insertedObjects.count == 9)
        context.delete(objects[5])
        try context.save()
        // The same in an update.
        refusal.values(objects[6])
        let second = #expect(throws: CocoaError.self) { try context.save() }
        #expect(second?.code == refusal.code)
        #expect(second?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === objects[6])
        #expect(second?.userInfo[NSValidationKeyErrorKey] as? String == refusal.key)
    }

    @Test("a link to a deleted record, and the deletion of one that is needed, name their objects")
    func foreignKeys() throws {
        let tables = try ForeignTables(Rental.tables)
        let context = try Self.filled(tables)
        try tables.run(["INSERT INTO %s.language (name) VALUES ('Gone')"])
        let gone = try #require(Rental.fetch("Language", context, "name == 'Gone'").first)
        try tables.run(["DELETE FROM %s.language WHERE name = 'Gone'"])
        let film = Rental.add("Film", ["title": "New", "language": gone], to: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === film)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "language")
        context.delete(film)
        let actor = try #require(Rental.fetch("Actor", context, "name == 'Ann'").first)
        try tables.run([
            "CREATE TABLE %s.award (id int, actor_id bigint REFERENCES %s.actor)",
            "INSERT INTO %s.award SELECT 1, actor_id FROM %s.actor WHERE name = 'Ann'",
        ])
        context.delete(actor)
        let denied = #expect(throws: CocoaError.self) { try context.save() }
        #expect(denied?.code == .validationRelationshipDeniedDelete)
        #expect(denied?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === actor)
        #expect(context.deletedObjects == [actor])
    }

    @Test("taken unique values are conflicts; of a rule that the model lacks, validation errors") func unique() throws {
        let tables = try ForeignTables(Rental.tables + ["CREATE UNIQUE INDEX actor_name ON %s.actor (name)"])
        let context = try Self.filled(tables)
        let language = try #require(Rental.fetch("Language", context).first)
        let twin = Rental.add("Film", ["title": "Twin", "code": "a", "language": language], to: context)
        let conflict = #expect(throws: CocoaError.self) { try context.save() }
        #expect(conflict?.code == .managedObjectConstraintMerge)
        context.delete(twin)
        let actor = Rental.add("Actor", ["name": "Ann"], to: context)
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .managedObjectValidation)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === actor)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(try #require(error).localizedDescription.contains("actor_name"))
    }
}
