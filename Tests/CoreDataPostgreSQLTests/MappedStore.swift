// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tables that another program has made, and a store on them.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// A schema with tables made in SQL, which is dropped with it.
final class ForeignTables {
    let schema = "Shop \"\(UUID().uuidString.prefix(8))"
    let sessions: Sessions
    let url: URL

    /// - Parameter statements: with `%s` for the schema.
    init(_ statements: [String]) throws {
        let server = try #require(StoreKind.serverURL)
        url = try #require(URL(string: server))
        sessions = Sessions(try StoreSettings(url, nil))
        try run(["CREATE SCHEMA %s"] + statements)
    }

    deinit {
        try? run(["DROP SCHEMA %s CASCADE"])
        sessions.close()
    }

    func run(_ statements: [String]) throws {
        try sessions.with(repeats: false) { connection in
            for statement in statements {
                try connection.run(Statement(text(statement), isReused: false), sessions.deadline)
            }
        }
    }

    /// The values of the first column, as text.
    func column(_ statement: String) throws -> [String?] {
        try sessions.with(repeats: false) { connection in
            var result: [String?] = []
            try connection.run(Statement(text(statement), isReused: false), sessions.deadline)
                .forEachRow { result.append($0[0].text) }
            return result
        }
    }

    private func text(_ statement: String) -> String {
        statement.replacing("%s", with: PostgreSQLDialect.quoted(schema))
    }

    func open(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options = options
        if options[NSPostgreSQLSchemaOption] == nil { options[NSPostgreSQLSchemaOption] = schema }
        try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The text of the error that opening throws.
    func refusal(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]) throws -> String {
        let error = #expect(throws: CocoaError.self) { try open(model, options) }
        #expect(error?.code == .persistentStoreIncompatibleSchema)
        return "\(try #require(error).localizedDescription)"
    }
}

/// A model with entities that name the tables of a film rental.
enum Rental {
    static let tables = [
        """
        CREATE TABLE %s.language (language_id serial PRIMARY KEY, name character(20) NOT NULL)
        """,
        "CREATE TYPE %s.rating AS ENUM ('G', 'PG', 'R')",
        """
        CREATE TABLE %s."Film" (
        film_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "the title" varchar(12) COLLATE "de-x-icu" NOT NULL,
        "select" smallint, price numeric(5,2) CONSTRAINT price_check CHECK (price >= 0), is_new smallint NOT NULL DEFAULT 0,
        language_id integer NOT NULL REFERENCES %s.language, sequel_id integer REFERENCES %s."Film",
        day date, seen timestamp, notes jsonb, rating %s.rating, minutes numeric(4,0), lock_version integer, code text UNIQUE)
        """,
        "CREATE TABLE %s.actor (actor_id bigserial PRIMARY KEY, name text NOT NULL)",
        """
        CREATE TABLE %s.film_actor (actor_id bigint NOT NULL REFERENCES %s.actor, film_id integer NOT NULL REFERENCES %s."Film",
        last_update timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (actor_id, film_id))
        """,
        "CREATE VIEW %s.film_list AS SELECT film_id, \"the title\" AS title FROM %s.\"Film\"",
    ]

    static func entity(_ name: String, _ info: [String: String], _ properties: [NSPropertyDescription])
        -> NSEntityDescription
    {
        let entity = NSEntityDescription()
        entity.name = name
        entity.userInfo = prefixed(info)
        entity.properties = properties
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType, _ info: [String: String] = [:])
        -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.userInfo = prefixed(info)
        return attribute
    }

    static func relationship(
        _ name: String, isToMany: Bool = false, _ rule: NSDeleteRule = .nullifyDeleteRule,
        _ info: [String: String] = [:]
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = rule
        relationship.userInfo = prefixed(info)
        return relationship
    }

    private static func prefixed(_ info: [String: String]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: info.map { ("postgresql." + $0.key, $0.value) })
    }

    static func join(
        _ one: NSRelationshipDescription, _ other: NSRelationshipDescription, _ from: NSEntityDescription,
        _ to: NSEntityDescription
    ) {
        (one.destinationEntity, one.inverseRelationship) = (to, other)
        (other.destinationEntity, other.inverseRelationship) = (from, one)
    }

    /// - Parameter version: the column with the version of films; nil for the server's own.
    static func model(version: String? = "lock_version") -> NSManagedObjectModel {
        let (toLanguage, films) = (relationship("language"), relationship("films", isToMany: true, .cascadeDeleteRule))
        let (sequel, prequels) = (relationship("sequel"), relationship("prequels", isToMany: true))
        let cast = relationship(
            "players", isToMany: true, .nullifyDeleteRule, ["table": "film_actor", "column": "film_id"])
        let roles = relationship("roles", isToMany: true, .nullifyDeleteRule, ["column": "actor_id"])
        let language = entity("Language", ["table": "language"], [attribute("name", .stringAttributeType), films])
        var info = ["table": "Film", "key": "film_id"]
        info["version"] = version
        let film = entity(
            "Film", info,
            [
                attribute("title", .stringAttributeType, ["column": "the title"]),
                attribute("stock", .integer32AttributeType, ["column": "select"]),
                attribute("price", .decimalAttributeType), attribute("isNew", .booleanAttributeType),
                attribute("day", .dateAttributeType), attribute("seen", .dateAttributeType),
                attribute("notes", .stringAttributeType), attribute("rating", .stringAttributeType),
                attribute("minutes", .integer32AttributeType), attribute("code", .stringAttributeType),
                toLanguage, sequel, prequels, cast,
            ])
        film.uniquenessConstraints = [["code"]]
        let actor = entity("Actor", ["table": "actor"], [attribute("name", .stringAttributeType), roles])
        join(toLanguage, films, film, language)
        join(sequel, prequels, film, film)
        join(cast, roles, film, actor)
        let model = NSManagedObjectModel()
        model.entities = [language, film, actor]
        return model
    }

    @discardableResult static func add(_ entity: String, _ values: [String: Any], to context: NSManagedObjectContext)
        -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }

    static func fetch(_ entity: String, _ context: NSManagedObjectContext, _ format: String? = nil, _ keys: String...)
        throws -> [NSManagedObject]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        return try context.fetch(request)
    }
}
