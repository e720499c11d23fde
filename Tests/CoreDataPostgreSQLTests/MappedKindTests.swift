// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A root entity and its subentities in one existing table, with a column for the kind of a row.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

private enum Media {
    static func tables(_ type: String = "varchar(8)") -> [String] {
        [
            "CREATE TYPE %s.medium AS ENUM ('film', 'song', 'live', 'radio')",
            """
            CREATE TABLE %s.media (id serial PRIMARY KEY, sort \(type) NOT NULL, title text NOT NULL, length int,
            code char(3) NOT NULL DEFAULT 'abc', label text UNIQUE, original int REFERENCES %s.media, lock_version int)
            """,
            "CREATE TABLE %s.review (id serial PRIMARY KEY, text text, media_id int REFERENCES %s.media)",
        ]
    }

    /// Media (abstract) > Film, Song > LiveSong. Reviews refer to media, songs to their original.
    static func model(values: [String: String] = ["Film": "film", "Song": "song", "LiveSong": "live"])
        -> NSManagedObjectModel
    {
        func value(_ name: String) -> [String: String] { values[name].map { ["value": $0] } ?? [:] }
        let (subject, reviews) = (
            Rental.relationship("media"), Rental.relationship("reviews", isToMany: true, .cascadeDeleteRule)
        )
        let (original, covers) = (
            Rental.relationship("original", isToMany: false, .nullifyDeleteRule, ["column": "original"]),
            Rental.relationship("covers", isToMany: true)
        )
        let media = Rental.entity(
            "Media", ["table": "media", "kind": "sort", "version": "lock_version"],
            [Rental.attribute("title", .stringAttributeType), Rental.attribute("code", .stringAttributeType), reviews])
        media.isAbstract = true
        let film = Rental.entity(
            "Film", value("Film"), [Rental.attribute("minutes", .integer32AttributeType, ["column": "length"])])
        let song = Rental.entity(
            "Song", value("Song"),
            [
                Rental.attribute("seconds", .integer32AttributeType, ["column": "length"]),
                Rental.attribute("label", .stringAttributeType), original, covers,
            ])
        song.uniquenessConstraints = [["label"]]
        let live = Rental.entity("LiveSong", value("LiveSong"), [])
        let review = Rental.entity(
            "Review", ["table": "review"], [Rental.attribute("text", .stringAttributeType), subject])
        media.subentities = [film, song]
        song.subentities = [live]
        Rental.join(subject, reviews, review, media)
        Rental.join(original, covers, song, song)
        let model = NSManagedObjectModel()
        model.entities = [media, film, song, live, review]
        return model
    }

    static func filled(_ tables: ForeignTables) throws -> NSManagedObjectContext {
        let context = try tables.open(model())
        let film = Rental.add("Film", ["title": "Dune", "minutes": 155], to: context)
        let song = Rental.add("Song", ["title": "Aria", "seconds": 200, "label": "x"], to: context)
        let live = Rental.add("LiveSong", ["title": "Aria live", "seconds": 230, "original": song], to: context)
        for (text, media) in [("long", film), ("fine", live)] {
            Rental.add("Review", ["text": text, "media": media], to: context)
        }
        try context.save()
        return context
    }

    static func titles(_ entity: String, _ context: NSManagedObjectContext, _ format: String? = nil) throws -> [String]
    {
        try Rental.fetch(entity, context, format, entity == "Review" ? "text" : "title").map {
            "\($0.entity.name ?? "") \($0.value(forKey: entity == "Review" ? "text" : "title") as? String ?? "")"
        }
    }
}

@Suite("Subentities in a mapped table", .needsServer) struct MappedKindTests {
    /// Proves: MappedTables-I1, MappedTables-I2, MappedTables-W2
    @Test(
        "rows are of the entity that their column says, in fetches of every entity and through every link",
        arguments: ["varchar(8)", "char(6)", "%s.medium", "text"])
    func kinds(type: String) throws {
        let tables = try ForeignTables(Media.tables(type))
        _ = try Media.filled(tables)
        #expect(
            try tables.column("SELECT trim(sort::text) || ' ' || code FROM %s.media ORDER BY id")
                == ["film abc", "song abc", "live abc"])
        let other = try tables.open(Media.model())
        #expect(try Media.titles("Media", other) == ["Song Aria", "LiveSong Aria live", "Film Dune"])
        #expect(try Media.titles("Song", other) == ["Song Aria", "LiveSong Aria live"])
        #expect(
            try Media.titles("LiveSong", other, "seconds > 200 AND original.label == 'x'") == ["LiveSong Aria live"])
        #expect(try Media.titles("Film", other, "minutes == 155") == ["Film Dune"])
        #expect(try Media.titles("Media", other, "ANY reviews.text == 'fine'") == ["LiveSong Aria live"])
        #expect(try Media.titles("Song", other, "covers.@count == 1") == ["Song Aria"])
        #expect(try Media.titles("Review", other, "media.title BEGINSWITH 'Aria'") == ["Review fine"])
        let exact = NSFetchRequest<NSManagedObject>(entityName: "Song")
        exact.includesSubentities = false
        #expect(try other.count(for: exact) == 1)
        let counted = NSFetchRequest<NSManagedObject>(entityName: "Media")
        #expect(try other.count(for: counted) == 3)
        other.reset()
        let review = try #require(Rental.fetch("Review", other, "text == 'fine'").first)
        let media = try #require(review.value(forKey: "media") as? NSManagedObject)
        #expect(media.entity.name == "LiveSong")
        #expect((media.value(forKey: "original") as? NSManagedObject)?.entity.name == "Song")
        let song = try #require(media.value(forKey: "original") as? NSManagedObject)
        let covers = try #require(song.value(forKey: "covers") as? Set<NSManagedObject>)
        #expect(covers == [media])
    }

    /// Proves: MappedTables-I1
    @Test("a number may be the kind, and a value that is not named is the name of the entity") func values() throws {
        let tables = try ForeignTables(Media.tables("smallint"))
        let context = try tables.open(Media.model(values: ["Film": "1", "Song": "2", "LiveSong": "-3"]))
        Rental.add("LiveSong", ["title": "a"], to: context)
        try context.save()
        #expect(try tables.column("SELECT sort::text FROM %s.media") == ["-3"])
        let named = try ForeignTables(Media.tables())
        let second = try named.open(Media.model(values: [:]))
        Rental.add("LiveSong", ["title": "a"], to: second)
        Rental.add("Film", ["title": "b"], to: second)
        try second.save()
        #expect(try named.column("SELECT sort FROM %s.media ORDER BY title") == ["LiveSong", "Film"])
    }

    @Test("rows of all kinds are changed and deleted in one save, and conflicts and rules name their objects")
    func saves() throws {
        let tables = try ForeignTables(Media.tables())
        let context = try Media.filled(tables)
        let film = try #require(Rental.fetch("Film", context).first)
        let song = try #require(Rental.fetch("Song", context, "label == 'x'").first)
        let live = try #require(Rental.fetch("LiveSong", context).first)
        film.setValue(156, forKey: "minutes")
        live.setValue(231, forKey: "seconds")
        live.setValue("y", forKey: "label")
        context.delete(song)
        try context.save()
        #expect(
            try tables.column("SELECT concat_ws(' ', sort, length, label, original) FROM %s.media ORDER BY id")
                == ["film 156", "live 231 y"])
        let twin = Rental.add("Song", ["title": "Twin", "label": "y"], to: context)
        let conflict = #expect(throws: CocoaError.self) { try context.save() }
        #expect(conflict?.code == .managedObjectConstraintMerge)
        context.delete(twin)
        try tables.run(["UPDATE %s.media SET title = 'theirs', lock_version = 7 WHERE sort = 'live'"])
        live.setValue("mine", forKey: "title")
        #expect(throws: CocoaError.self) { try context.save() }
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        live.setValue(nil, forKey: "title")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === live)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "title")
        live.setValue("again", forKey: "title")
        context.delete(film)
        try context.save()
        #expect(try tables.column("SELECT count(*)::text FROM %s.review") == ["1"])
    }

    /// Proves: MappedTables-I2
    @Test(
        "rows of a kind that is not in the model are not read, counted or deleted, and links to them read as nil"
    )
    func otherKinds() throws {
        let tables = try ForeignTables(Media.tables())
        let context = try Media.filled(tables)
        try tables.run([
            "INSERT INTO %s.media (sort, title) VALUES ('radio', 'News')",
            "INSERT INTO %s.review (text, media_id) SELECT 'other', id FROM %s.media WHERE sort = 'radio'",
        ])
        let other = try tables.open(Media.model())
        #expect(try Media.titles("Media", other).count == 3)
        #expect(try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Media")) == 3)
        let review = try #require(Rental.fetch("Review", other, "text == 'other'").first)
        #expect(try Rental.fetch("Review", other, "media.title == 'News'").isEmpty)
        review.setValue("changed", forKey: "text")
        try other.save()
        #expect(
            try tables.column(
                "SELECT title FROM %s.review JOIN %s.media AS m ON m.id = media_id WHERE text = 'changed'") == ["News"])
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Media"))
        try tables.run(["DELETE FROM %s.review"])
        try context.execute(request)
        #expect(try tables.column("SELECT title FROM %s.media") == ["News"])
    }

    /// Proves: MappedTables-T2, MappedTables-I1
    @Test("a missing, unfit or double kind, and a table of a subentity, are named when the store is opened")
    func problems()
        throws
    {
        let tables = try ForeignTables(Media.tables("%s.medium"))
        let text = try tables.refusal(Media.model(values: ["Film": "film", "Song": "song", "LiveSong": "song"]))
        #expect(text.contains("LiveSong and Song have the same postgresql.value 'song'"))
        let unknown = try tables.refusal(Media.model(values: ["Film": "movie", "Song": "song", "LiveSong": "live"]))
        #expect(unknown.contains("Film: the value 'movie' does not fit the column media.sort"))
        let model = Media.model()
        for entity in model.entities {
            switch entity.name {
            case "Media": entity.userInfo = ["postgresql.table": "media"]
            case "Film": entity.userInfo = ["postgresql.table": "film"]
            default: break
            }
        }
        let missing = try tables.refusal(model)
        #expect(missing.contains("Media has subentities: name the column with the kind of a row"))
        #expect(missing.contains("Film is below Media, and so in its table"))
        let shared = Media.model()
        for entity in shared.entities where entity.name == "Media" {
            entity.properties.append(Rental.attribute("sort", .stringAttributeType))
        }
        #expect(try tables.refusal(shared).contains("sort and the kind cannot share the column sort"))
    }

    @Test("an entity without subentities may take only the rows of one kind") func part() throws {
        let tables = try ForeignTables(
            Media.tables() + ["INSERT INTO %s.media (sort, title) VALUES ('film', 'Dune'), ('song', 'Aria')"])
        let model = NSManagedObjectModel()
        model.entities = [
            Rental.entity(
                "Film", ["table": "media", "kind": "sort", "value": "film"],
                [Rental.attribute("title", .stringAttributeType)])
        ]
        let context = try tables.open(model)
        #expect(try Media.titles("Film", context) == ["Film Dune"])
        Rental.add("Film", ["title": "Emma"], to: context)
        try context.save()
        #expect(try tables.column("SELECT title FROM %s.media WHERE sort = 'film' ORDER BY id") == ["Dune", "Emma"])
    }
}
