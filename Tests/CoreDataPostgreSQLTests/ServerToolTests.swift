// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tool on tables of a server: models of them, and the doctor.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import CoreDataToolKit

@Suite("The tool on tables of a server", .needsServer) struct ServerToolTests {
    /// A schema like the Pagila sample database.
    private static let tables = [
        "CREATE TYPE %s.mpaa AS ENUM ('G', 'PG')",
        "CREATE TABLE %s.language (language_id serial PRIMARY KEY, name character(20) NOT NULL)",
        """
        CREATE TABLE %s.film (film_id serial PRIMARY KEY, title varchar(255) NOT NULL, description text,
        language_id int NOT NULL REFERENCES %s.language ON DELETE RESTRICT,
        original_language_id int REFERENCES %s.language ON DELETE SET NULL,
        rental_rate numeric(4,2) NOT NULL DEFAULT 4.99 CHECK (rental_rate >= 0), rating %s.mpaa DEFAULT 'G',
        special_features text[], fulltext tsvector, last_update timestamp NOT NULL DEFAULT now(), UNIQUE (title))
        """,
        "COMMENT ON TABLE %s.film IS 'What is rented'", "COMMENT ON COLUMN %s.film.title IS 'As on the box'",
        "CREATE TABLE %s.actor (actor_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, first_name text NOT NULL, last_name text)",
        "CREATE INDEX idx_actor_last_name ON %s.actor (last_name)",
        """
        CREATE TABLE %s.film_actor (actor_id bigint NOT NULL REFERENCES %s.actor, film_id int NOT NULL REFERENCES %s.film,
        last_update timestamp NOT NULL DEFAULT now(), PRIMARY KEY (actor_id, film_id))
        """,
        "CREATE TABLE %s.staff (staff_id serial PRIMARY KEY, active boolean NOT NULL DEFAULT true, picture bytea, manager_id int REFERENCES %s.staff, token uuid)",
        """
        CREATE TABLE %s.inventory (inventory_id serial PRIMARY KEY, film_id int NOT NULL REFERENCES %s.film ON DELETE CASCADE)
        """,
        """
        CREATE TABLE %s.payment (day date NOT NULL, number int NOT NULL, amount numeric(5,2), PRIMARY KEY (day, number))
        """,
        "CREATE TABLE %s.session (id uuid PRIMARY KEY, data jsonb)",
        "CREATE VIEW %s.film_list AS SELECT film_id, title FROM %s.film",
        "CREATE TABLE %s.\"Odd Name!\" (id serial PRIMARY KEY, \"select\" int, hash text)",
    ]

    private static func model(_ tables: ForeignTables) throws -> ServerModel {
        let (catalog, schema) = try tables.sessions.with(repeats: true) {
            (try ServerCatalog($0, schemas: [tables.schema], tables.sessions.deadline), tables.schema)
        }
        return ServerModel(catalog, schema: schema)
    }

    /// Proves: MappedTables-M1, MappedTables-M2
    @Test("a model of tables has entities, relationships and rules, and lists the rest") func model() throws {
        let tables = try ForeignTables(Self.tables)
        let made = try Self.model(tables)
        let entities = Dictionary(uniqueKeysWithValues: made.document.entities.map { ($0.name, $0) })
        #expect(entities.keys.sorted() == ["Actor", "Film", "Inventory", "Language", "OddName", "Staff"])
        let film = try #require(entities["Film"])
        #expect(
            film.attributes.map(\.traits.name) == ["filmDescription", "lastUpdate", "rating", "rentalRate", "title"])
        #expect(
            film.relationships.map { "\($0.traits.name) \($0.isToMany) \($0.deleteRule) \($0.inverseName ?? "")" } == [
                "actors true 1 films", "inventories true 2 film", "language false 1 filmsOfLanguage",
                "originalLanguage false 1 filmsOfOriginalLanguage",
            ])
        let title = try #require(film.attributes.last)
        #expect(title.traits.isOptional == false)
        #expect(title.maximum == "255")
        #expect(title.traits.userInfo["comment"] == .string("As on the box"))
        #expect(film.attributes[3].minimum == "0")
        #expect(film.uniquenessConstraints == [["title"]])
        #expect(film.userInfo["comment"] == .string("What is rented"))
        let language = try #require(entities["Language"])
        #expect(language.relationships.map(\.deleteRule) == [3, 1])
        #expect(
            try #require(entities["Staff"]).relationships.map(\.traits.name) == ["manager", "staffsOfManager"].sorted()
                || entities["Staff"]?.relationships.map(\.traits.name) == ["manager", "staffOfManager"])
        #expect(try #require(entities["OddName"]).attributes.map(\.traits.name) == ["oddNameHash", "select"])
        #expect(try #require(entities["Actor"]).indexes.map { $0.elements.map(\.property) } == [["lastName"]])
        let notes = made.notes.joined(separator: "\n")
        for part in [
            "special_features of type text[]", "fulltext of type tsvector", "payment has a primary key",
            "session has a primary key",
            "film_list is a view",
        ] { #expect(notes.contains(part), "\(part)") }
    }

    /// Proves: MappedTables-M1
    @Test("the model of tables opens as a store, which fetches and saves") func roundTrip() throws {
        let tables = try ForeignTables(Self.tables)
        let model = NSManagedObjectModel(document: try Self.model(tables).document)
        try model.check()
        let context = try tables.open(model)
        let language = Rental.add("Language", ["name": "German"], to: context)
        let film = Rental.add("Film", ["title": "Emma", "language": language], to: context)
        let actor = Rental.add("Actor", ["firstName": "Ann", "films": Set([film])], to: context)
        let boss = Rental.add("Staff", ["token": UUID()], to: context)
        Rental.add("Staff", ["manager": boss, "picture": Data([1])], to: context)
        try context.save()
        #expect(
            try tables.column(
                "SELECT rental_rate || coalesce(rating::text, '-') || title FROM %s.film JOIN %s.film_actor USING (film_id)"
            )
                == ["4.99-Emma"])
        let other = try tables.open(model)
        let found = try Rental.fetch("Actor", other, "ANY films.language.name == 'German'")
        #expect(found.map { $0.value(forKey: "firstName") as? String } == ["Ann"])
        context.delete(actor)
        context.delete(film)
        try context.save()
        #expect(try tables.column("SELECT 1::text FROM %s.film").isEmpty)
        let url = try #require(
            URL(
                string: tables.url.absoluteString + "&schema="
                    + (tables.schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")))
        // The schema holds a store now, so the store's own model comes back.
        let again = try ServerModel(url)
        #expect(again.document.entities.map(\.name) == model.entities.compactMap(\.name).sorted())
        let store = try OpenedStore(url)
        #expect(try store.ask { try Rental.fetch("Language", $0).count } == 1)
        #expect(try Doctor(url).examine().isEmpty)
    }

    @Test("the doctor finds dangling references, missing places, values and indexes, and rows of no entity")
    func doctor() throws {
        let shop = try Bookshop(in: .postgresql)
        let author = shop.author("Herbert")
        for (title, pages) in [("Dune", 1), ("Emma", 2)] { shop.book(title, pages: pages, by: author) }
        try shop.context.save()
        let url = URL(place: shop.stack.url.absoluteString)
        #expect(try Doctor(url).examine().filter { $0.severity != .note }.isEmpty)
        let opened = try shop.stack.server
        try opened.sessions.with(repeats: false) { connection in
            for text in [
                "UPDATE \(opened.dialect.qualified("book")) SET author_id = 4711 WHERE title = 'Dune'",
                "DROP INDEX \(opened.dialect.qualified("book_author_id_idx"))",
            ] { try connection.run(.init(text, isReused: false), opened.sessions.deadline) }
        }
        let rules = Set(try Doctor(url).examine().map(\.rule))
        #expect(rules.isSuperset(of: ["reference.dangling", "index.missing"]))
        let dangling = try #require(try Doctor(url).examine(.init(rules: ["reference.dangling"])).first)
        #expect(dangling.entity == "Book")
        #expect(dangling.property == "author")
        #expect(dangling.count == 1)
        #expect(dangling.objects.count == 1)
        try opened.sessions.with(repeats: false) { connection in
            _ = try connection.run(
                .init("ALTER TABLE \(opened.dialect.qualified("book")) DROP COLUMN pages CASCADE", isReused: false),
                opened.sessions.deadline)
        }
        #expect(try Doctor(url).examine().map(\.rule) == ["table.missing"])
        let secret = URL(place: url.absoluteString + "&password=sesame")
        let refusal = #expect(throws: ToolError.self) { try RepairPlan(secret, rules: ["reference.dangling"]) }
        let text = "\(try #require(refusal))"
        #expect(text.contains("postgresql://") && text.contains("Nothing was changed") && !text.contains("sesame"))
    }

    @Test("a migration of a store on a server is checked, planned with its statements, and run") func migrates() throws
    {
        let shop = try Bookshop(in: .postgresql)
        shop.book("Dune", pages: 1, by: shop.author("Herbert"))
        try shop.context.save()
        let url = URL(place: shop.stack.url.absoluteString)
        var document = shop.stack.model.document()
        let place = try #require(document.entities.firstIndex { $0.name == "Book" })
        var attribute = ModelDocument.Attribute(name: "blurb", type: AttributeKind.string.rawValue)
        attribute.traits.isOptional = true
        document.entities[place].attributes.append(attribute)
        let folder = shop.stack.folder.appending(path: "Shop.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ModelXMLWriter.write(document).0.write(to: folder.appending(path: "contents"))
        let check = try MigrationCheck(MigrationTask(url, model: folder))
        #expect(check.verdict == .needed)
        let statements = check.plan?.steps.flatMap(\.statements) ?? []
        #expect(statements.contains { $0.contains("ALTER TABLE") && $0.contains("blurb") })
        #expect(check.plan?.countedSteps == 1)
        guard case .migrated(let report, _) = try check.run() else {
            Issue.record("Nothing was migrated.")
            return
        }
        #expect(report.steps.flatMap(\.statements) == statements)
        #expect(try MigrationCheck(MigrationTask(url, model: folder)).verdict == .fits)
        let store = try OpenedStore(url)
        #expect(try store.ask { try Rental.fetch("Book", $0, "blurb == nil").count } == 1)
    }

    /// Proves: PostgreSQL-M7
    @Test("the former rows of a store on a server are named by their URLs, and verified") func formerRows() throws {
        let shop = try Bookshop(in: .postgresql)
        shop.book("Dune", pages: 1, by: shop.author("Herbert"))
        try shop.context.save()
        let url = URL(place: shop.stack.url.absoluteString)
        var document = shop.stack.model.document()
        let place = try #require(document.entities.firstIndex { $0.name == "Book" })
        document.entities[place].attributes.append(
            ModelDocument.Attribute(name: "blurb", type: AttributeKind.string.rawValue))
        let folder = shop.stack.folder.appending(path: "Shop.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ModelXMLWriter.write(document).0.write(to: folder.appending(path: "contents"))
        let outcome = try MigrationCheck(
            MigrationTask(url, model: folder, keepsOriginal: true, quarantines: true, isWritten: true)
        ).run()
        guard case .migrated(let report, let plan) = outcome else {
            Issue.record("Nothing was migrated.")
            return
        }
        #expect(plan.warnings.map(\.rows) == [1])
        let (original, quarantine) = (try #require(report.originalURL), try #require(report.quarantineURL))
        for isJSON in [false, true] {
            let text = outcome.text(isJSON: isJSON).replacing("\\/", with: "/")
            #expect(text.contains(original.absoluteString) && text.contains(quarantine.absoluteString))
        }
        let verified = try StoreVerification(url, model: nil, original: original, quarantines: [quarantine])
        #expect(verified.isWhole && verified.quarantinedObjects == 1)
        for store in [original, quarantine] {
            try NSPersistentStoreCoordinator(managedObjectModel: shop.stack.model)
                .destroyPersistentStore(at: store, ofType: StoreKind.postgresql.type)
        }
    }

    @Test("a migrated store on a server is verified, by itself and against its original in a file or on a server")
    func verifies() throws {
        let shop = try Bookshop(in: .postgresql)
        shop.book("Dune", pages: 1, by: shop.author("Herbert"))
        try shop.context.save()
        let url = URL(place: shop.stack.url.absoluteString)
        let original = shop.stack.folder.appending(path: "Before.sqlite")
        let count = try OpenedStore(url).copy(to: original)
        let sound = try StoreVerification(url, model: nil, original: original)
        #expect(sound.isWhole && sound.comparedObjects == count && sound.unmatched.isEmpty)
        let served = StoreKind.postgresql.place(shop.stack.folder.appending(path: "Before"))
        #expect(try OpenedStore(url).copy(to: served) == count)
        let beside = try StoreVerification(url, model: nil, original: served)
        #expect(beside.isWhole && beside.comparedObjects == count && beside.unmatched.isEmpty)
        let opened = try shop.stack.server
        func run(_ text: String) throws {
            try opened.sessions.with(repeats: false) { connection in
                _ = try connection.run(.init(text, isReused: false), opened.sessions.deadline)
            }
        }
        try run("UPDATE \(opened.dialect.qualified("book")) SET pages = 2")
        let changed = try StoreVerification(url, model: nil, original: original)
        #expect(changed.defects.isEmpty && changed.differences.count == 1)
        #expect(changed.differences.first?.contains("Book.pages") == true)
        #expect(try StoreVerification(url, model: nil, original: served).differences == changed.differences)
        try NSPersistentStoreCoordinator(managedObjectModel: shop.stack.model)
            .destroyPersistentStore(at: served, ofType: StoreKind.postgresql.type)
        try run("UPDATE \(opened.dialect.qualified("book")) SET author_id = 4711")
        try run("DROP INDEX \(opened.dialect.qualified("book_author_id_idx"))")
        let broken = try StoreVerification(url, model: nil)
        #expect(Set(broken.defects.map(\.kind)) == [.schema, .reference])
        #expect(broken.comparedObjects == nil)
    }
}
