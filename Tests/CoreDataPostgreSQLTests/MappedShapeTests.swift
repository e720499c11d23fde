// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Composites and ordered relationships in existing tables.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Composites in mapped tables", .needsServer) struct MappedCompositeTests {
    private static let tables = [
        """
        CREATE TABLE %s.parcel (id serial PRIMARY KEY, name text, "Street" varchar(10) COLLATE "de-x-icu", size_width numeric(6,2),
        size_unit text NOT NULL DEFAULT 'cm', sent date, is_big smallint)
        """,
        "INSERT INTO %s.parcel (name, size_width, sent) VALUES ('theirs', 2.5, '2020-01-02')",
    ]

    private static func model() -> NSManagedObjectModel {
        func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
            let result = NSCompositeAttributeDescription()
            result.name = name
            result.isOptional = true
            result.elements = elements
            return result
        }
        let size = composite(
            "size",
            [
                Rental.attribute("width", .doubleAttributeType), Rental.attribute("unit", .stringAttributeType),
                Rental.attribute("isBig", .booleanAttributeType, ["column": "is_big"]),
            ])
        let place = composite("place", [Rental.attribute("street", .stringAttributeType, ["column": "Street"])])
        let address = composite(
            "address", [place, Rental.attribute("since", .dateAttributeType, ["column": "sent"])])
        let parcel = Rental.entity(
            "Parcel", ["table": "parcel"], [Rental.attribute("name", .stringAttributeType), size, address])
        let model = NSManagedObjectModel()
        model.entities = [parcel]
        return model
    }

    private static let day = Date(timeIntervalSinceReferenceDate: 86_400 * 8_000)

    /// Proves: MappedTables-K4
    @Test("elements have columns of other names and types; absent elements get the defaults of the table")
    func values() throws {
        let tables = try ForeignTables(Self.tables)
        let context = try tables.open(Self.model())
        let theirs = try #require(Rental.fetch("Parcel", context, "size.width == 2.5").first)
        #expect(theirs.value(forKeyPath: "size.unit") as? String == "cm")
        #expect(theirs.value(forKeyPath: "address.place.street") == nil)
        let mine = Rental.add(
            "Parcel",
            [
                "name": "mine", "size": ["width": 0.1, "isBig": true] as [String: Any],
                "address": ["place": ["street": "Öde"], "since": Self.day.addingTimeInterval(60)] as [String: Any],
            ], to: context)
        let empty = Rental.add("Parcel", ["name": "empty"], to: context)
        try context.save()
        #expect(
            try tables.column(
                "SELECT concat_ws(' ', \"Street\", size_width, size_unit, is_big, sent - '2022-11-27') FROM %s.parcel "
                    + "WHERE name = 'mine'") == ["Öde 0.10 cm 1 0"])
        // The table's form of the values, without another fetch: the save has read the rows back.
        context.refreshAllObjects()
        #expect(mine.value(forKeyPath: "size.unit") as? String == "cm")
        #expect(empty.value(forKeyPath: "size.unit") as? String == "cm")
        #expect(mine.value(forKeyPath: "address.since") as? Date == Self.day)
        let other = try tables.open(Self.model())
        for format in [
            "size.isBig == YES", "address.place.street == 'Öde'",
            "address.place.street BEGINSWITH 'Ö' AND size.unit == 'cm'",
            "size.width < 1", "address.since > %@", "address.place.street CONTAINS[c] 'ÖD'",
        ] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parcel")
            request.predicate = NSPredicate(format: format, Self.day.addingTimeInterval(-60) as NSDate)
            request.sortDescriptors = [NSSortDescriptor(key: "size.width", ascending: true)]
            #expect(try other.fetch(request).map { $0.value(forKey: "name") as? String } == ["mine"], "\(format)")
        }
    }

    /// Proves: MappedTables-S3
    @Test("a changed element is written, nil clears all elements, and a refused one names the composite")
    func changes() throws {
        let tables = try ForeignTables(Self.tables)
        let context = try tables.open(Self.model())
        let parcel = try #require(Rental.fetch("Parcel", context).first)
        parcel.setValue(["width": 7.25, "unit": "m"] as [String: Any], forKey: "size")
        try context.save()
        #expect(try tables.column("SELECT size_width || size_unit FROM %s.parcel") == ["7.25m"])
        parcel.setValue(["place": ["street": "much too long a street"]], forKey: "address")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationStringTooLong)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === parcel)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "address")
        parcel.setValue(nil, forKey: "address")
        try context.save()
        #expect(try tables.column("SELECT count(*)::text FROM %s.parcel WHERE sent IS NULL") == ["1"])
        // The unit may not be null in this table.
        parcel.setValue(nil, forKey: "size")
        let missing = #expect(throws: CocoaError.self) { try context.save() }
        #expect(missing?.code == .validationMissingMandatoryProperty)
        #expect(missing?.userInfo[NSValidationKeyErrorKey] as? String == "size")
        parcel.setValue(["unit": "km"], forKey: "size")
        try context.save()
        #expect(try tables.column("SELECT concat_ws(' ', size_width, size_unit) FROM %s.parcel") == ["km"])
    }
}

@Suite("Ordered relationships in mapped tables", .needsServer) struct MappedOrderTests {
    private static func tables(_ place: String) -> [String] {
        [
            "CREATE TABLE %s.album (id serial PRIMARY KEY, name text)",
            """
            CREATE TABLE %s.track (id serial PRIMARY KEY, name text, album int REFERENCES %s.album, place \(place))
            """,
            "CREATE TABLE %s.singer (id serial PRIMARY KEY, name text)",
            """
            CREATE TABLE %s.album_singer (album int NOT NULL REFERENCES %s.album, singer int NOT NULL REFERENCES %s.singer,
            place \(place), since timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (album, singer))
            """,
            "INSERT INTO %s.album (name) VALUES ('first')",
            "INSERT INTO %s.track (name, album, place) VALUES ('a', 1, 1), ('b', 1, 2), ('c', 1, 3)",
            "INSERT INTO %s.singer (name) VALUES ('x'), ('y'), ('z')",
            "INSERT INTO %s.album_singer VALUES (1, 1, 2), (1, 2, 3), (1, 3, 1)",
        ]
    }

    private static func model() -> NSManagedObjectModel {
        let (tracks, album) = (
            Rental.relationship("tracks", isToMany: true, .nullifyDeleteRule, ["order": "place"]),
            Rental.relationship("album", isToMany: false, .nullifyDeleteRule, ["column": "album"])
        )
        let (singers, albums) = (
            Rental.relationship(
                "singers", isToMany: true, .nullifyDeleteRule,
                ["table": "album_singer", "column": "album", "order": "place"]),
            Rental.relationship("albums", isToMany: true, .nullifyDeleteRule, ["column": "singer"])
        )
        tracks.isOrdered = true
        singers.isOrdered = true
        func named(_ name: String, _ relationships: [NSRelationshipDescription]) -> NSEntityDescription {
            Rental.entity(
                name, ["table": name.lowercased()], [Rental.attribute("name", .stringAttributeType)] + relationships)
        }
        let (one, track, singer) = (
            named("Album", [tracks, singers]), named("Track", [album]), named("Singer", [albums])
        )
        Rental.join(tracks, album, one, track)
        Rental.join(singers, albums, one, singer)
        let model = NSManagedObjectModel()
        model.entities = [one, track, singer]
        return model
    }

    private static func names(_ object: NSManagedObject, _ key: String) -> String {
        let members = (object.value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
        return members.map { $0.value(forKey: "name") as? String ?? "?" }.joined()
    }

    private static func set(_ names: String, _ key: String, _ entity: String, of object: NSManagedObject) throws {
        let context = try #require(object.managedObjectContext)
        let members = try names.map { try #require(Rental.fetch(entity, context, "name == '\($0)'").first) }
        object.setValue(NSOrderedSet(array: members), forKey: key)
    }

    /// Proves: MappedTables-O1, MappedTables-O2
    @Test(
        "members are in the order of their column, and in another one after a save",
        arguments: ["int", "bigint", "smallint", "int NOT NULL"])
    func order(place: String) throws {
        let tables = try ForeignTables(Self.tables(place))
        let context = try tables.open(Self.model())
        let album = try #require(Rental.fetch("Album", context).first)
        #expect(Self.names(album, "tracks") == "abc")
        #expect(Self.names(album, "singers") == "zxy")
        try Self.set("cab", "tracks", "Track", of: album)
        try Self.set("xyz", "singers", "Singer", of: album)
        try context.save()
        Rental.add("Track", ["name": "d"], to: context)
        Rental.add("Singer", ["name": "w"], to: context)
        try context.save()
        try Self.set("cdab", "tracks", "Track", of: album)
        try Self.set("wxyz", "singers", "Singer", of: album)
        try context.save()
        let other = try tables.open(Self.model())
        let same = try #require(Rental.fetch("Album", other).first)
        #expect(Self.names(same, "tracks") == "cdab")
        #expect(Self.names(same, "singers") == "wxyz")
        try Self.set("ba", "tracks", "Track", of: same)
        try Self.set("y", "singers", "Singer", of: same)
        try other.save()
        #expect(try tables.column("SELECT name FROM %s.track WHERE album = 1 ORDER BY place") == ["b", "a"])
        #expect(try tables.column("SELECT singer::text FROM %s.album_singer") == ["2"])
    }

    /// Proves: MappedTables-O3
    @Test("a member with a change only of its place, or of its link at the other end, is saved next without a conflict")
    func versions() throws {
        let tables = try ForeignTables(Self.tables("int"))
        let context = try tables.open(Self.model())
        let album = try #require(Rental.fetch("Album", context).first)
        for (name, order) in [("a", "cba"), ("b", "bca"), ("c", "acb")] {
            let track = try #require(Rental.fetch("Track", context, "name == '\(name)'").first)
            try Self.set(order, "tracks", "Track", of: album)
            try context.save()
            track.setValue("changed", forKey: "name")
            try context.save()
            track.setValue(name, forKey: "name")
            try context.save()
        }
        #expect(try tables.column("SELECT name FROM %s.track ORDER BY place") == ["a", "c", "b"])
    }

    /// Proves: MappedTables-O2
    @Test("unique places have to be deferrable; then members come and change places in one save") func uniquePlaces()
        throws
    {
        func tables(_ end: String) throws -> ForeignTables {
            try ForeignTables(
                Self.tables("int NOT NULL") + [
                    "ALTER TABLE %s.track ADD CONSTRAINT tracks UNIQUE (album, place)\(end)",
                    "ALTER TABLE %s.album_singer ADD CONSTRAINT singers UNIQUE (album, place)\(end)",
                ])
        }
        let text = try tables("").refusal(Self.model())
        #expect(text.contains("Track: tracks keeps places unique") && text.contains("singers keeps places unique"))
        let deferrable = try tables(" DEFERRABLE")
        let context = try deferrable.open(Self.model())
        for name in ["d", "e"] { Rental.add("Track", ["name": name], to: context) }
        for name in ["v", "w"] { Rental.add("Singer", ["name": name], to: context) }
        try context.save()
        let album = try #require(Rental.fetch("Album", context).first)
        try Self.set("ecbad", "tracks", "Track", of: album)
        try Self.set("wyxvz", "singers", "Singer", of: album)
        try context.save()
        let other = try deferrable.open(Self.model())
        let same = try #require(Rental.fetch("Album", other).first)
        #expect(Self.names(same, "tracks") == "ecbad")
        #expect(Self.names(same, "singers") == "wyxvz")
        withExtendedLifetime(other) {}
    }

    /// Proves: MappedTables-O2
    @Test("rows of others without a place come first, and get one with the next change of the order") func noPlace()
        throws
    {
        let tables = try ForeignTables(Self.tables("int"))
        try tables.run(["INSERT INTO %s.track (name, album) VALUES ('n', 1)"])
        let context = try tables.open(Self.model())
        let album = try #require(Rental.fetch("Album", context).first)
        #expect(Self.names(album, "tracks") == "nabc")
        try Self.set("abcn", "tracks", "Track", of: album)
        try context.save()
        #expect(try tables.column("SELECT name FROM %s.track ORDER BY place") == ["a", "b", "c", "n"])
    }
}
