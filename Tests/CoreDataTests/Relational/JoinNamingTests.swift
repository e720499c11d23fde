// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the names of join tables within one entity: the guess for new stores, and the names that a file has.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Names of join tables within one entity") struct JoinNamingTests {
    private func client(_ more: [String] = []) -> NSManagedObjectModel {
        version { model in
            let client = model.entity("Client") { client in
                client.attribute("name", .stringAttributeType)
                for name in more { client.attribute(name, .stringAttributeType) }
            }
            client.relate("ignoredClients", .ordered, to: client, inverse: "ignoredByClients", .many)
        }
    }

    private func tables(_ model: NSManagedObjectModel) -> [String] {
        Schema(model: ModelLayout(entities: model.entities)).joinTables.map(\.name)
    }

    @Test(
        "a new store has the name that Apple's framework chose in nearly all stores that were seen",
        arguments: [
            ("blocking", "blockingBy", "blocking"), ("domainBlocking", "domainBlockingBy", "domainBlocking"),
            ("endorsed", "endorsedBy", "endorsed"), ("favoriteFolders", "favorites", "favorites"),
            ("following", "followingBy", "following"), ("ignoredByClients", "ignoredClients", "ignoredClients"),
            ("trustedByClients", "trustedClients", "trustedClients"),
        ])
    func guess(one: String, other: String, choice: String) {
        let entity = NSEntityDescription("User")
        entity.relate(one, .many, to: entity, inverse: other, .many)
        #expect(JoinNaming.guess(one, other, in: entity) == (choice == one))
        #expect(JoinNaming.guess(other, one, in: entity) == (choice == other))
        #expect(tables(NSManagedObjectModel(entity)) == ["Z_1" + choice.uppercased()])
    }

    @Test("names lie in a table of Foundation's as the join tables of a store of Apple's were made") func order() {
        let made = [
            "domainBlocking", "mutingBy", "followRequested", "muted", "endorsed", "favourite", "showingReblogsBy",
            "followedTags", "reblogged", "blocking", "votePollOptions", "votePolls", "bookmarked", "following",
        ]
        #expect(made.sorted { StringTableOrder.hash($0) % 127 < StringTableOrder.hash($1) % 127 } == made)
    }

    /// A store with a table that has the name of the other relationship.
    private func renamed(_ model: NSManagedObjectModel) throws -> MigratingStore {
        let store = try MigratingStore(model) { context in
            let ada = context.make("Client", ["name": "Ada"])
            let bob = context.make("Client", ["name": "Bob"])
            let cy = context.make("Client", ["name": "Cy"])
            try context.save()
            ada.setValue(NSOrderedSet(array: [cy, bob]), forKey: "ignoredClients")
        }
        let connection = try Connection(url: store.url)
        try connection.execute("ALTER TABLE Z_1IGNOREDCLIENTS RENAME TO Z_1IGNOREDBYCLIENTS")
        try connection.execute("DROP INDEX Z_1IGNOREDCLIENTS_Z_1IGNOREDCLIENTS_INDEX")
        try connection.execute(
            "CREATE INDEX Z_1IGNOREDBYCLIENTS_Z_1IGNOREDBYCLIENTS_INDEX ON Z_1IGNOREDBYCLIENTS "
                + "(Z_1IGNOREDBYCLIENTS, Z_1IGNOREDCLIENTS)")
        try connection.close()
        return store
    }

    private func ignored(_ context: NSManagedObjectContext) throws -> [[String]] {
        try context.all("Client").map { client in
            let members = (client.value(forKey: "ignoredClients") as? NSOrderedSet)?.array as? [NSManagedObject]
            return (members ?? []).compactMap { $0.value(forKey: "name") as? String }
        }
    }

    private let tableQuery = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_1%' ESCAPE '\\'"

    @Test("a table of either name is read and written, and nothing about it is drift") func read() throws {
        let store = try renamed(client())
        let context = try store.open(client(), options: nil)
        #expect(try ignored(context) == [["Cy", "Bob"], [], []])
        let clients = try context.all("Client")
        clients[1].setValue(NSOrderedSet(array: [clients[0]]), forKey: "ignoredClients")
        try context.save()
        context.reset()
        #expect(try ignored(context) == [["Cy", "Bob"], ["Ada"], []])
        try store.close(context)
        #expect(try store.column(tableQuery) == [.text("Z_1IGNOREDBYCLIENTS")])
        let drift = try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: client())
        #expect(drift.differences == [])
    }

    @Test("a migration keeps the name that the file has") func migrated() throws {
        let store = try renamed(client())
        let context = try store.open(client(["note"]))
        let report = try #require(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport)
        #expect(report.isVerified)
        #expect(try ignored(context) == [["Cy", "Bob"], [], []])
        try store.close(context)
        #expect(try store.column(tableQuery) == [.text("Z_1IGNOREDBYCLIENTS")])
        #expect(
            try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: client(["note"])).differences == [])
    }

    @Test("a renamed relationship and another number of the entity keep the end that names the table")
    func renamedEnd() throws {
        let store = try renamed(client())
        let new = version { model in
            model.entity("Animal")
            let client = model.entity("Client") { $0.attribute("name", .stringAttributeType) }
            client.relate("ignoredClients", .ordered, to: client, inverse: "ignorers", .many)
            client.relationshipsByName["ignorers"]?.renamingIdentifier = "ignoredByClients"
        }
        let context = try store.open(new)
        #expect(try ignored(context) == [["Cy", "Bob"], [], []])
        try store.close(context)
        let tables = try store.column("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        #expect(tables == [.text("Z_2IGNORERS")])
    }

    /// Users have reactions and messages; both inverses have the same name.
    private func chat(_ more: [String] = []) -> NSManagedObjectModel {
        version { model in
            let (message, reaction) = (model.entity("Zmessage"), model.entity("Reaction"))
            let user = model.entity("User") { user in
                for name in more { user.attribute(name, .stringAttributeType) }
            }
            // By the name of the relationship the messages would come first.
            user.relate("aMessages", .many, to: message, inverse: "users", .many)
            user.relate("reactions", .many, to: reaction, inverse: "users", .many)
        }
    }

    @Test("equal column names are numbered by the entity at the other end; a migration keeps the numbers of the file")
    func numbers() throws {
        let layout = ModelLayout(entities: chat().entities)
        func columns(_ schema: Schema) -> [String: [String]] {
            Dictionary(uniqueKeysWithValues: schema.joinTables.map { ($0.name, [$0.ownerColumn, $0.memberColumn]) })
        }
        #expect(
            columns(Schema(model: layout)) == [
                "Z_1USERS": ["Z_1REACTIONS", "Z_2USERS"], "Z_2AMESSAGES": ["Z_2USERS1", "Z_3AMESSAGES"],
            ])
        let store = try MigratingStore(chat()) { context in
            let user = context.make("User")
            context.make("Zmessage", ["users": Set([user])])
            context.make("Reaction", ["users": Set([user])])
        }
        let connection = try Connection(url: store.url)
        try connection.execute("ALTER TABLE Z_1USERS RENAME COLUMN Z_2USERS TO Z_2USERS1")
        try connection.execute("ALTER TABLE Z_2AMESSAGES RENAME COLUMN Z_2USERS1 TO Z_2USERS")
        try connection.execute("DROP INDEX Z_1USERS_Z_2USERS_INDEX")
        try connection.execute("CREATE INDEX Z_1USERS_Z_2USERS1_INDEX ON Z_1USERS (Z_2USERS1, Z_1REACTIONS)")
        try connection.close()
        let context = try store.open(chat(["note"]))
        let user = try #require(try context.all("User").first)
        #expect((user.value(forKey: "aMessages") as? Set<NSManagedObject>)?.count == 1)
        #expect((user.value(forKey: "reactions") as? Set<NSManagedObject>)?.count == 1)
        try store.close(context)
        let kept = try store.column("SELECT name FROM pragma_table_info('Z_1USERS') ORDER BY cid")
        #expect(kept == [.text("Z_1REACTIONS"), .text("Z_2USERS1")])
        #expect(try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: chat(["note"])).differences == [])
    }

    @Test("of several tables with other numbers each relationship finds its own") func severalOldNumbers() throws {
        let model = version { model in
            let entities = ["A", "B", "C", "D"].map { model.entity($0) { $0.attribute("name", .stringAttributeType) } }
            entities[0].relate("tags", .many, to: entities[1], inverse: "items", .many)
            entities[2].relate("tags", .many, to: entities[3], inverse: "items", .many)
        }
        let store = try MigratingStore(model) { context in
            let (b, d) = (context.make("B", ["name": "b"]), context.make("D", ["name": "d"]))
            context.make("A", ["tags": Set([b])])
            context.make("C", ["tags": Set([d])])
            context.make("C", ["tags": Set([d])])
        }
        let connection = try Connection(url: store.url)
        for (old, new) in [("1TAGS", "6TAGS"), ("3TAGS", "8TAGS")] {
            try connection.execute("ALTER TABLE Z_\(old) RENAME TO Z_\(new)")
        }
        try connection.close()
        let context = try store.open(model, options: nil)
        #expect((try context.all("B").first?.value(forKey: "items") as? Set<NSManagedObject>)?.count == 1)
        #expect((try context.all("D").first?.value(forKey: "items") as? Set<NSManagedObject>)?.count == 2)
        try store.close(context)
    }
}
