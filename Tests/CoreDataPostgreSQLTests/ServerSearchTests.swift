// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Full-text indexes of a store on a server: equal to the rows after all writers, and used by searches.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

extension Stack {
    /// Statements of another program.
    func execute(_ statements: String...) throws {
        let opened = try server
        let schema = opened.dialect.quoted(opened.dialect.schema)
        try opened.sessions.with(repeats: false) { connection in
            for text in statements {
                try connection.run(
                    Statement(text.replacing("%s", with: schema), isReused: false), opened.sessions.deadline)
            }
        }
    }

    /// The first number of a query.
    func number(_ query: String) throws -> Int? {
        let opened = try server
        let text = query.replacing("%s", with: opened.dialect.quoted(opened.dialect.schema))
        return try opened.sessions.with(repeats: false) { connection in
            try connection.run(Statement(text, isReused: false), opened.sessions.deadline).first(\.integer).map {
                Int($0)
            }
        }
    }

    /// The defects of the full-text indexes.
    func searchDefects() throws -> [ServerDefect] {
        let store = try #require(store as? PostgreSQLStore)
        return try store.defects(limit: 10) { _ in }.filter { $0.rule.hasPrefix("search.") }
    }

    func index(of table: String) throws -> SearchTable {
        try #require(try server.searches.tables.first { $0.table.name == table })
    }

    /// The number of entries without tokens.
    func pending(_ table: String) throws -> Int? {
        try number("SELECT count(*) FROM \(index(of: table).sql) WHERE words IS NULL")
    }
}

/// Proves: ServerSearch-1, ServerSearch-2, ServerSearch-3, ServerSearch-5, ServerSearch-8
@Suite("Full-text indexes in PostgreSQL", .needsServer) struct ServerSearchTests {
    static var on: [AnyHashable: Any] { [NSFullTextIndexOption: true] }

    private func papers() throws -> Papers {
        let papers = try Papers(in: .postgresql, options: Self.on)
        let folder = papers.folder("Home things")
        papers.paper(1, "Swift on Linux", "An open source language", in: folder)
        papers.paper(2, "École", "The swift bird", keywords: "東京タワー", in: folder)
        papers.paper(3, nil, nil)
        papers.paper(4, "Open letter", "Dear reader", sender: "Swift, Jonathan")
        try papers.context.save()
        return papers
    }

    private func found(_ papers: Papers, _ query: String) throws -> [Int] {
        try papers.numbers("SELF MATCHING %@", SearchQuery(query), in: papers.stack.newContext())
    }

    @Test("a save writes the tokens of its rows, and no row waits for them") func saves() throws {
        let papers = try papers()
        #expect(try papers.stack.pending("paper") == 0)
        #expect(try papers.stack.number("SELECT count(*) FROM \(papers.stack.index(of: "paper").sql)") == 4)
        let first = try #require(try papers.context.fetch(Papers.request("number == 1")).first)
        first.setValue("Garden", forKey: "title")
        first.setValue(nil, forKey: "body")
        papers.context.delete(try #require(try papers.context.fetch(Papers.request("number == 2")).first))
        try papers.context.save()
        #expect(try found(papers, "garden OR école OR source OR bird") == [1])
        // Characters that the server's texts of tokens quote.
        papers.paper(9, "it's", keywords: "a\\b'c:* \n(d)")
        try papers.context.save()
        for part in ["\\b'c", "c:* \n", "(d)"] { #expect(try found(papers, "keywords: \"\(part)\"") == [9]) }
        #expect(try papers.stack.pending("paper") == 0)
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    @Test("rows that other programs write are found at once, and get their tokens later") func otherPrograms() throws {
        let papers = try papers()
        try papers.stack.execute(
            "INSERT INTO %s.paper (kind, number, title) VALUES ('Paper', 5, 'garden'), ('Letter', 6, 'rose')",
            "UPDATE %s.paper SET version = version + 1, title = 'garden party' WHERE number = 1",
            "UPDATE %s.paper SET version = version + 1, number = 7 WHERE number = 3",
            "DELETE FROM %s.paper WHERE number = 4")
        #expect(try papers.stack.pending("paper") == 3)
        #expect(try found(papers, "garden") == [1, 5])
        #expect(try found(papers, "swift") == [2])
        #expect(try papers.stack.searchDefects().isEmpty)
        // A save sees that rows are pending.
        papers.paper(8, "tulip")
        try papers.context.save()
        try eventually { try papers.stack.pending("paper") == 0 }
        #expect(try found(papers, "garden") == [1, 5])
        #expect(try papers.stack.searchDefects().isEmpty)
        try papers.stack.execute("UPDATE %s.paper SET id = id + 1000 WHERE number = 5")
        #expect(try found(papers, "garden") == [1, 5])
        try papers.stack.execute("TRUNCATE %s.paper CASCADE")
        #expect(try found(papers, "garden") == [])
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    private func eventually(_ condition: () throws -> Bool) throws {
        for _ in 0..<200 where try !condition() { usleep(20_000) }
        #expect(try condition())
    }

    @Test("batch requests write tokens") func batches() throws {
        let papers = try papers()
        let context = papers.context
        _ = try context.execute(
            NSBatchInsertRequest(entityName: "Paper", objects: [["number": 5, "title": "garden"], ["number": 6]]))
        let update = NSBatchUpdateRequest(entityName: "Paper")
        update.predicate = NSPredicate(format: "number == 6 OR number == 4")
        update.propertiesToUpdate = ["title": "garden gate"]
        _ = try context.execute(update)
        #expect(try found(papers, "garden") == [4, 5, 6])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Paper")
        request.predicate = NSPredicate(format: "SELF MATCHING 'gate'")
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try found(papers, "garden") == [5])
        #expect(try papers.stack.pending("paper") == 0)
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    @Test("a save that is refused leaves the index as it was") func rollback() throws {
        let papers = try papers()
        let index = try papers.stack.index(of: "paper")
        try papers.stack.execute(
            "CREATE FUNCTION %s.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$",
            "CREATE TRIGGER refuse AFTER INSERT ON \(index.sql) FOR EACH ROW WHEN (NEW.words = 2) "
                + "EXECUTE FUNCTION %s.refuse()")
        papers.paper(5, "garden", nil)
        papers.paper(6, "garden gate", nil)
        #expect(throws: (any Error).self) { try papers.context.save() }
        #expect(try found(papers, "garden") == [])
        #expect(try papers.stack.searchDefects().isEmpty)
        try papers.stack.execute("DROP FUNCTION %s.refuse() CASCADE")
        try papers.context.save()
        #expect(try found(papers, "garden") == [5, 6])
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    @Test("without the option a store has none, false removes them, and an absent option keeps them") func option()
        throws
    {
        let papers = try Papers(in: .postgresql)
        papers.paper(1, "garden")
        try papers.context.save()
        let stack = papers.stack
        let parts =
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'ocd\\_search%' AND relnamespace = '%s'::regnamespace"
        func explanation() throws -> FetchExplanation {
            try Papers.request("SELF MATCHING 'garden'").explain(in: stack.context)
        }
        #expect(try stack.number(parts) == 0)
        #expect(try explanation().stores[0].sql?.contains("tsquery") == false)
        try stack.reopen(options: Self.on)
        #expect(try stack.number(parts) ?? 0 > 0)
        #expect(try stack.pending("paper") == 0)
        #expect(try explanation().stores[0].sql?.contains("tsquery") == true)
        try stack.reopen()
        #expect(try explanation().stores[0].sql?.contains("tsquery") == true)
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try explanation().stores[0].sql?.contains("tsquery") == true)
        try stack.reopen(options: [NSFullTextIndexOption: false])
        #expect(try stack.number(parts) == 0)
        #expect(try explanation().stores[0].sql?.contains("tsquery") == false)
        #expect(
            try stack.number(
                "SELECT count(*) FROM pg_trigger WHERE tgrelid = '%s.paper'::regclass AND NOT tgisinternal") == 0)
    }

    @Test("other searched attributes, and a trigger that is gone, make an index anew") func remade() throws {
        let papers = try papers()
        let stack = papers.stack
        let before = try stack.index(of: "paper").name
        try stack.execute(
            "DROP TRIGGER \(before)_insert ON %s.paper",
            "INSERT INTO %s.paper (kind, number, title) VALUES ('Paper', 5, 'garden')")
        try stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try stack.searchDefects().map(\.rule) == ["search.trigger"])
        #expect(try papers.numbers("SELF MATCHING 'garden'") == [5])
        try stack.reopen()
        #expect(try stack.searchDefects().isEmpty)
        #expect(try papers.numbers("SELF MATCHING 'garden'") == [5])
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let model = PapersModel.make()
        model.entitiesByName["Paper"]?.attributesByName["remark"]?.isIndexedBySpotlight = true
        let other = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try other.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: stack.url)
        let opened = try #require(store as? PostgreSQLStore).opened()
        let names = opened.searches.tables.map(\.name)
        #expect(names.count == 2 && !names.contains(before))
        try other.remove(store)
        try stack.reopen()
        #expect(try stack.index(of: "paper").name == before)
        #expect(try stack.searchDefects().isEmpty)
    }

    @Test("an index that another program removes while the store is open is not missed") func removedMeanwhile() throws
    {
        let papers = try papers()
        let (other, _) = try papers.stack.secondCoordinator([NSFullTextIndexOption: false])
        #expect(try found(papers, "swift") == [1, 2, 4])
        let query = try SearchQuery("swift")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
        #expect(try papers.stack.newContext().search(query, in: request).count == 3)
        papers.paper(5, "swift")
        try papers.context.save()
        #expect(try found(papers, "swift") == [1, 2, 4, 5])
        for store in other.persistentStores { try other.remove(store) }
        let (third, _) = try papers.stack.secondCoordinator(Self.on)
        papers.paper(6, "swift")
        try papers.context.save()
        #expect(try found(papers, "swift") == [1, 2, 4, 5, 6])
        #expect(try papers.stack.searchDefects().isEmpty)
        for store in third.persistentStores { try third.remove(store) }
    }

    @Test("several programs that open a store at once make its indexes once") func opening() throws {
        let papers = try Papers(in: .postgresql)
        for number in 0..<1_200 { papers.paper(number, "garden \(number)") }
        try papers.context.save()
        let stack = papers.stack
        let group = DispatchGroup()
        let failures = Mutex<[String]>([])
        let (url, model) = (stack.url, stack.model)
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                do {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                    let store = try coordinator.addPersistentStore(
                        ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: Self.on)
                    try coordinator.remove(store)
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        try stack.reopen()
        #expect(try stack.pending("paper") == 0)
        #expect(try stack.searchDefects().isEmpty)
        #expect(try papers.numbers("SELF MATCHING 'garden AND 7*'").count == 111)
    }

    @Test("the doctor finds tokens that are not those of the rows, and entries without a row") func defects() throws {
        let papers = try papers()
        let index = try papers.stack.index(of: "paper").sql
        try papers.stack.execute(
            "UPDATE \(index) SET tokens = '''0:wrong''' WHERE id = (SELECT min(id) FROM \(index))",
            "DELETE FROM \(index) WHERE id = (SELECT max(id) FROM \(index))", "INSERT INTO \(index) (id) VALUES (9000)")
        let defects = try papers.stack.searchDefects()
        #expect(defects.map(\.count) == [1, 1, 1])
        #expect(defects.map { $0.entity ?? "" } == ["Paper", "Paper", "Paper"])
        #expect(defects[1].keys == [9000])
        try papers.stack.reopen(options: [NSFullTextIndexOption: false])
        try papers.stack.reopen(options: Self.on)
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    @Test("destroying a store leaves nothing of its indexes") func destroyed() throws {
        let papers = try papers()
        let (stack, dialect) = (papers.stack, try papers.stack.server.dialect)
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try stack.coordinator.destroyPersistentStore(at: stack.url, ofType: StoreKind.postgresql.type)
        let sessions = Sessions(try StoreSettings(stack.url, nil))
        defer { sessions.close() }
        let left = try sessions.with(repeats: false) { connection in
            try connection.run(
                Statement("SELECT count(*) FROM pg_namespace WHERE nspname = $1", [.text(dialect.schema)]),
                sessions.deadline
            ).first(\.integer)
        }
        #expect(left == 0)
    }

    @Test("a program without rights on the index may write rows") func otherRole() throws {
        let papers = try papers()
        let role = "search_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try papers.stack.execute(
            "CREATE ROLE \(role)", "GRANT USAGE ON SCHEMA %s TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.paper TO \(role)",
            "GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO \(role)", "SET ROLE \(role)",
            "INSERT INTO %s.paper (kind, number, title) VALUES ('Paper', 5, 'garden')",
            "UPDATE %s.paper SET version = version + 1, title = 'garden' WHERE number = 1", "RESET ROLE",
            "DROP OWNED BY \(role)",
            "DROP ROLE \(role)")
        #expect(try found(papers, "garden") == [1, 5])
    }
}
