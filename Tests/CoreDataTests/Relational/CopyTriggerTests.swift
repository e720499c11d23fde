// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the triggers that copy a value over a to-one relationship to a derived attribute.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Triggers of derived attributes over a to-one") struct CopyTriggerTests {
    private func model(rule: NSDeleteRule = .nullifyDeleteRule, derived: Bool = true) -> NSManagedObjectModel {
        version { model in
            let account = model.entity("Account") { $0.attribute("name", .stringAttributeType) }
            let chat = model.entity("Chat") { chat in
                chat.attribute("title", .stringAttributeType)
                if derived { chat.derived("title2", .stringAttributeType, "owner.name") }
            }
            account.relate("chats", .many, rule, to: chat, inverse: "owner", .one)
        }
    }

    private func filled(_ model: NSManagedObjectModel) throws -> MigratingStore {
        try MigratingStore(model) { context in
            let ada = context.make("Account", ["name": "Ada"])
            context.make("Account", ["name": "Bob"])
            context.make("Chat", ["title": "one", "owner": ada])
            context.make("Chat", ["title": "two"])
        }
    }

    /// Changes rows as another program without the model would.
    private func execute(_ store: MigratingStore, _ statements: String...) throws {
        let connection = try Connection(url: store.url)
        try StoreTables.prepare(connection)
        for statement in statements { try connection.execute(statement) }
        try connection.close()
    }

    @Test("a new store has the four triggers of Apple's framework, in its words") func statements() {
        let schema = Schema(model: ModelLayout(entities: model().entities))
        let (insert, update) = (
            "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", "NSCoreDataDATriggerUpdatedAffectedObjectValue"
        )
        #expect(
            SchemaTriggers(schema: schema).statements == [
                "CREATE TRIGGER Z_DA_ZCHAT_Chat_title2_SOURCE_INSERT AFTER INSERT ON ZCHAT FOR EACH ROW BEGIN "
                    + "UPDATE ZCHAT SET ZTITLE2 = (SELECT ZNAME FROM ZACCOUNT WHERE Z_PK = NEW.ZOWNER) WHERE Z_PK = NEW.Z_PK; "
                    + "SELECT \(insert)('ZCHAT', Z_ENT, Z_PK, 'title2', ZTITLE2) FROM ZCHAT WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZCHAT_Chat_title2_SOURCE_UPDATE AFTER UPDATE OF ZOWNER ON ZCHAT FOR EACH ROW BEGIN "
                    + "UPDATE ZCHAT SET ZTITLE2 = (SELECT ZNAME FROM ZACCOUNT WHERE Z_PK = NEW.ZOWNER) WHERE Z_PK = NEW.Z_PK; "
                    + "SELECT \(update)('ZCHAT', Z_ENT, Z_PK, 'title2', ZTITLE2) FROM ZCHAT WHERE Z_PK = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZACCOUNT_Chat_title2_PARAMETER_INSERT AFTER INSERT ON ZACCOUNT FOR EACH ROW BEGIN "
                    + "UPDATE ZCHAT SET ZTITLE2 = NEW.ZNAME WHERE ZOWNER = NEW.Z_PK; "
                    + "SELECT \(insert)('ZCHAT', Z_ENT, Z_PK, 'title2', ZTITLE2) FROM ZCHAT WHERE ZOWNER = NEW.Z_PK; END",
                "CREATE TRIGGER Z_DA_ZACCOUNT_Chat_title2_PARAMETER_UPDATE AFTER UPDATE OF ZNAME ON ZACCOUNT FOR EACH ROW BEGIN "
                    + "UPDATE ZCHAT SET ZTITLE2 = NEW.ZNAME WHERE ZOWNER = NEW.Z_PK; "
                    + "SELECT \(update)('ZCHAT', Z_ENT, Z_PK, 'title2', ZTITLE2) FROM ZCHAT WHERE ZOWNER = NEW.Z_PK; END",
            ])
    }

    @Test("changes of another program keep the copies right") func foreignChanges() throws {
        let store = try filled(model())
        #expect(try store.column("SELECT ZTITLE2 FROM ZCHAT ORDER BY Z_PK") == [.text("Ada"), .null])
        try execute(
            store, "UPDATE ZACCOUNT SET ZNAME = 'Eve' WHERE ZNAME = 'Ada'",
            "UPDATE ZCHAT SET ZOWNER = (SELECT Z_PK FROM ZACCOUNT WHERE ZNAME = 'Bob') WHERE ZTITLE = 'two'",
            "INSERT INTO ZCHAT (Z_PK, Z_ENT, Z_OPT, ZOWNER) SELECT 3, 2, 1, Z_PK FROM ZACCOUNT WHERE ZNAME = 'Eve'")
        #expect(try store.column("SELECT ZTITLE2 FROM ZCHAT ORDER BY Z_PK") == ["Eve", "Bob", "Eve"].map { .text($0) })
        let context = try store.open(model(), options: nil)
        #expect(try context.values("Chat", "title2") == ["Eve", "Bob", "Eve"])
        try store.close(context)
    }

    @Test("a context shows the copy after saves of its source, of the relationship, and after batches")
    func ownChanges() throws {
        let store = try filled(model())
        let context = try store.open(model(), options: nil)
        let (chats, accounts) = (try context.all("Chat"), try context.all("Account"))
        func title(_ position: Int) -> String? {
            context.refresh(chats[position], mergeChanges: false)
            return chats[position].value(forKey: "title2") as? String
        }
        let ada = try #require(accounts.first { $0.value(forKey: "name") as? String == "Ada" })
        #expect(title(0) == "Ada" && title(1) == nil)
        ada.setValue("Eve", forKey: "name")
        chats[1].setValue(ada, forKey: "owner")
        try context.save()
        #expect(title(0) == "Eve" && title(1) == "Eve")
        let batch = NSBatchUpdateRequest(entityName: "Account")
        batch.propertiesToUpdate = ["name": "Ida"]
        batch.predicate = try NSPredicate.parsing("name == 'Eve'")
        try context.execute(batch)
        #expect(title(0) == "Ida")
        context.refresh(ada, mergeChanges: false)
        chats[1].setValue(nil, forKey: "owner")
        try context.save()
        #expect(title(0) == "Ida" && title(1) == nil)
        context.delete(ada)
        try context.save()
        #expect(title(0) == nil)
        try store.close(context)
    }

    @Test("a reference to a deleted object has no value to copy", arguments: [true, false])
    func dangling(inBatch: Bool) throws {
        let model = model(rule: .noActionDeleteRule)
        let store = try filled(model)
        let context = try store.open(model, options: nil)
        let ada = try #require(try context.all("Account").first { $0.value(forKey: "name") as? String == "Ada" })
        if inBatch {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Account")
            try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        } else {
            context.delete(ada)
            try context.save()
        }
        context.reset()
        #expect(try context.values("Chat", "title2") == [nil, nil])
        try store.close(context)
    }

    @Test("a store without the triggers is read and kept right, and a migration makes them") func olderStores() throws {
        let store = try filled(model())
        let names = SchemaTriggers(schema: Schema(model: ModelLayout(entities: model().entities))).names
        #expect(names.count == 4)
        for name in names { try execute(store, "DROP TRIGGER \(name)") }
        let context = try store.open(model(), options: nil)
        try context.all("Account").first { $0.value(forKey: "name") as? String == "Ada" }?.setValue(
            "Eve", forKey: "name")
        try context.save()
        context.reset()
        #expect(try context.values("Chat", "title2") == ["Eve", nil])
        try store.close(context)
        let drift = try SchemaDrift(ofStoreAt: store.url, type: NSSQLiteStoreType, model: model())
        #expect(drift.differences == names.sorted().map { "the trigger \($0) is missing" })
        try drift.mend()
        try execute(store, "UPDATE ZACCOUNT SET ZNAME = 'Ida' WHERE ZNAME = 'Eve'")
        #expect(try store.column("SELECT ZTITLE2 FROM ZCHAT ORDER BY Z_PK") == [.text("Ida"), .null])
    }

    @Test("a migration computes copies of values that it writes") func migrated() throws {
        let store = try filled(model(derived: false))
        let context = try store.migrate(to: model())
        #expect(try context.values("Chat", "title2") == ["Ada", nil])
        try store.close(context)
        let renamed = version { model in
            let account = model.entity("Account") {
                $0.attribute("name", .stringAttributeType, optional: false, default: "none").renamingIdentifier = "nick"
                $0.attribute("nick", .stringAttributeType).renamingIdentifier = "name"
            }
            let chat = model.entity("Chat") { chat in
                chat.attribute("title", .stringAttributeType)
                chat.derived("title2", .stringAttributeType, "owner.name")
            }
            account.relate("chats", .many, to: chat, inverse: "owner", .one)
        }
        let again = try store.migrate(to: renamed)
        #expect(try again.values("Chat", "title2") == ["none", nil])
        try store.close(again)
    }
}
