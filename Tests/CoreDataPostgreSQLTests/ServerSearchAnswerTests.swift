// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Searches by the full-text indexes of a server: candidates by the index, and the answers of an evaluation of all rows.

import CoreDataFoundation
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Copies objects, so that a migration is one by objects.
final class PlainPolicy: NSEntityMigrationPolicy {}

/// Proves: ServerSearch-4, ServerSearch-6, ServerSearch-8, ServerSearch-9, ServerSearch-10
@Suite("Searches by full-text indexes in PostgreSQL", .needsServer) struct ServerSearchAnswerTests {
    private static var on: [AnyHashable: Any] { ServerSearchTests.on }

    private func request(_ format: String, _ arguments: Any...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return request
    }

    @Test("candidates come from the index, alone and with other conditions") func candidates() throws {
        let papers = try Papers(in: .postgresql, options: Self.on)
        let folder = papers.folder("Home")
        papers.paper(1, "swift linux", "open", in: folder)
        papers.paper(2, "reader", in: folder)
        papers.paper(3, "linux")
        try papers.context.save()
        let narrowed: [(String, String, [Int])] = [
            ("SELF MATCHING %@", "linux", [1, 3]), ("SELF MATCHING %@", "\"swift linux\"", [1]),
            ("SELF MATCHING %@", "linux NOT swift", [3]), ("title MATCHING %@", "li*", [1, 3]),
            ("number > 1 AND SELF MATCHING %@", "linux", [3]), ("number == 2 OR title MATCHING %@", "swift", [1, 2]),
            ("folder MATCHING %@", "home", [1, 2]), ("folder.name MATCHING %@", "home", [1, 2]),
            ("ANY folder.papers MATCHING %@", "reader", [1, 2]),
            ("ANY folder.papers.title MATCHING %@", "reader", [1, 2]),
        ]
        let all: [(String, String, [Int])] = [
            ("NOT SELF MATCHING %@", "linux", [2]), ("NONE folder.papers MATCHING %@", "reader", [3]),
            ("ALL folder.papers.title MATCHING %@", "swift OR reader", [1, 2, 3]),
            ("SUBQUERY(folder.papers, $p, $p MATCHING %@).@count == 0", "reader", [3]),
            ("SELF MATCHING %@", "keywords: 東京", []),
        ]
        for (cases, isNarrowed) in [(narrowed, true), (all, false)] {
            for (format, text, expected) in cases {
                let query = try SearchQuery(text)
                #expect(
                    try papers.numbers(format, query, in: papers.stack.newContext()) == expected, "\(format) \(text)")
                let sql = try request(format, query).explain(in: papers.context).stores[0].sql ?? ""
                #expect(sql.contains("AS tsquery") == isNarrowed, "\(format) \(text): \(sql)")
            }
        }
        #expect(throws: SearchQueryError.self) {
            do { _ = try papers.context.fetch(request("SELF MATCHING 'a AND'")) } catch let error as NSError {
                throw error.userInfo[NSUnderlyingErrorKey] as? any Error ?? error
            }
        }
    }

    @Test("the server reads the index of the tokens") func plan() throws {
        let papers = try Papers(in: .postgresql, options: Self.on)
        let body = (0..<100).map { "text\($0)" }.joined(separator: " ")
        for number in 0..<2_000 { papers.paper(number, "word\(number) common", body) }
        try papers.context.save()
        let index = try papers.stack.index(of: "paper")
        try papers.stack.execute(
            "ANALYZE \(index.sql)", "ANALYZE %s.paper",
            "SELECT gin_clean_pending_list('%s.\(index.tokenIndexName)'::regclass)")
        let plan = try request("SELF MATCHING 'word1234'").explain(in: papers.context).stores[0].queryPlan
        #expect(plan.contains { $0.contains("Bitmap Index Scan on \(index.tokenIndexName)") }, "\(plan)")
        #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan)")
        #expect(try papers.numbers("SELF MATCHING 'word1234 OR word7'") == [7, 1_234])
    }

    @Test("10,000 random searches find the objects for which their predicates are true") func random() throws {
        var random = RandomSearches(seed: 44)
        let papers = try Papers(in: .postgresql, options: Self.on)
        for number in 0..<12 { random.paper(number, in: papers) }
        try papers.context.save()
        var count = 0
        for round in 0..<10 {
            // Rows of other programs, unsaved changes, and rows of this store.
            try papers.stack.execute(
                "UPDATE %s.paper SET version = version + 1, title = 'abc don''t x1' WHERE number = \(round)",
                "DELETE FROM %s.paper WHERE number >= 100",
                "INSERT INTO %s.paper (kind, number, body) VALUES ('Letter', \(100 + round), '東京都 É ab')")
            let context = papers.stack.newContext()
            let present = try context.fetch(Papers.request("number >= 0"))
            random.change(present[11 - round])
            if round % 2 == 1 { try context.save() }
            for _ in 0..<1_000 {
                let query = try SearchQuery(random.query())
                let predicate = NSPredicate(format: "SELF MATCHING %@", query)
                let expected = present.filter { predicate.evaluate(with: $0) }
                    .map { $0.value(forKey: "number") as? Int ?? -1 }
                let found = try papers.numbers("SELF MATCHING %@", query, in: context)
                if found != expected { Issue.record("round \(round), \(query): \(found), not \(expected)") }
                count += 1
            }
        }
        #expect(count == 10_000)
        #expect(try papers.stack.searchDefects().isEmpty)
    }

    /// Results with their relevance, rounded.
    private func ranked(
        _ query: String, _ context: NSManagedObjectContext, limit: Int = 0
    ) throws -> [String] {
        let request = request("number >= 0")
        request.fetchLimit = limit
        return try context.search(SearchQuery(query), in: request).map {
            "\($0.object.value(forKey: "number") ?? "") \(($0.relevance * 1e9).rounded())"
        }
    }

    @Test("relevance is that of a store without an index, also with pending rows and long words") func relevance()
        throws
    {
        let stores = try [Papers(in: .postgresql, options: Self.on), Papers(in: .inMemory)]
        for papers in stores {
            var random = RandomSearches(seed: 7)
            for number in 0..<30 { random.paper(number, in: papers) }
            papers.paper(31, String(repeating: "z", count: 5_000) + " abc")
            papers.paper(32, String(repeating: "z", count: 4_000), String(repeating: "é", count: 700))
            try papers.context.save()
        }
        let long = String(repeating: "z", count: 5_000)
        let queries = [
            "abc", "ab OR c", "\"ab c\"", "don't*", "^a", "NEAR(a b, 2)", "ab NOT title: c", "東京都", "word",
            "keywords: 東京都", "(a AND b) OR abc", long, "\(long)*", "\(long)z",
            String(repeating: "z", count: 4_500) + "*",
            "eeeee*", "zzz*",
        ]
        for isPending in [false, true] {
            if isPending {
                try stores[0].stack.execute(
                    "UPDATE %s.paper SET version = version + 1, body = 'abc ab c' WHERE number < 8",
                    "UPDATE %s.paper SET version = version + 1, body = NULL WHERE number = 8")
                for paper in try stores[1].context.fetch(Papers.request("number <= 8")) {
                    paper.setValue(paper.value(forKey: "number") as? Int == 8 ? nil : "abc ab c", forKey: "body")
                }
                try stores[1].context.save()
            }
            for query in queries {
                for limit in [0, 3] {
                    let answers = try stores.map { try ranked(query, $0.stack.newContext(), limit: limit) }
                    #expect(answers[0] == answers[1], "\(query.prefix(30)), pending: \(isPending), limit: \(limit)")
                }
            }
            let layout = try #require(stores[0].stack.server.schema.model.layout(named: "Paper"))
            let search = try #require(try layout.resolved(SearchQuery("abc \"ab c\"")))
            let store = try #require(stores[0].stack.store as? PostgreSQLStore)
            #expect(try store.statistics(of: search, layout) != nil)
            let few = request("number >= 0")
            few.fetchLimit = 2
            let context = stores[0].stack.newContext()
            let route = try FetchExecution(context.state, few).route
            let fetch = try #require(route.onlyFetch(in: context.state.scope)).fetch
            let frequent = try #require(try layout.resolved(SearchQuery("abc")))
            #expect(try store.ranked(frequent, in: fetch)?.count == 2)
        }
        #expect(try stores[0].stack.searchDefects().isEmpty)
    }

    @Test("a row with more tokens than the server can keep is found and ranked") func longRow() throws {
        let word = String(repeating: "y", count: 480)
        let stores = try [Papers(in: .postgresql, options: Self.on), Papers(in: .inMemory)]
        for papers in stores {
            papers.paper(1, "abc word " + (0..<2_200).map { "\(word)\($0)" }.joined(separator: " "), "ab c")
            for number in 2..<6 { papers.paper(number, "abc", number == 4 ? "ab c" : "ab") }
            try papers.context.save()
        }
        let index = try stores[0].stack.index(of: "paper").sql
        #expect(try stores[0].stack.number("SELECT count(*) FROM \(index) WHERE tokens IS NULL") == 1)
        for query in ["word", "abc", "\"ab c\"", "none"] {
            let answers = try stores.map { try ranked(query, $0.stack.newContext(), limit: 3) }
            #expect(answers[0] == answers[1] && answers[0].isEmpty == (query == "none"), "\(query)")
        }
        #expect(try stores[0].stack.searchDefects().isEmpty)
    }

    @Test("a generation is searched in its state") func generation() throws {
        let papers = try Papers(in: .postgresql, options: Self.on)
        papers.paper(1, "garden")
        try papers.context.save()
        let context = papers.stack.newContext()
        try context.setQueryGenerationFrom(.current)
        #expect(try papers.numbers("SELF MATCHING 'garden'", in: context) == [1])
        papers.paper(2, "garden")
        try papers.context.save()
        #expect(try papers.numbers("SELF MATCHING 'garden'", in: context) == [1])
        #expect(try papers.numbers("SELF MATCHING 'garden'", in: papers.stack.newContext()) == [1, 2])
    }

    @Test(
        "a save with a line that is cut while it writes tokens is there with all of them, or not at all",
        arguments: LineProxy.Cut.allCases, ["COMMIT", "CAST(v AS tsvector)"])
    func cutLine(cut: LineProxy.Cut, word: String) throws {
        let server = try #require(StoreKind.serverURL)
        let folder = try #require(server.components(separatedBy: "host=").last?.components(separatedBy: "&").first)
        let proxy = try LineProxy(to: folder)
        defer { proxy.stop() }
        let papers = try Papers(in: .postgresql, options: Self.on)
        let text: String = papers.stack.url.absoluteString.replacing(folder, with: proxy.folder.path)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PapersModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: URL(string: text),
            options: [NSPostgreSQLAnswerTimeoutOption: 0.5, NSPostgreSQLPreparedStatementsOption: false])
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        for round in 0..<2 {
            for number in 0..<3 {
                let paper = NSEntityDescription.insertNewObject(forEntityName: "Paper", into: context)
                paper.setValue(round * 10 + number, forKey: "number")
                paper.setValue("garden \(number)", forKey: "title")
            }
            proxy.arm(cut, at: word)
            do {
                try context.save()
            } catch {
                #expect(try papers.numbers("SELF MATCHING 'garden'", in: papers.stack.newContext()).count == round * 3)
                try context.save()
            }
            #expect(proxy.cuts == round + 1)
            #expect(try papers.numbers("SELF MATCHING 'garden'", in: papers.stack.newContext()).count == round * 3 + 3)
            #expect(try papers.stack.searchDefects().isEmpty)
        }
        try coordinator.remove(store)
    }

    @Test("a migrated store has the indexes of its new version", arguments: [false, true])
    func migration(isByObjects: Bool) throws {
        let papers = try Papers(in: .postgresql, options: Self.on)
        papers.paper(1, "garden", "gate")
        papers.paper(2, nil, "letter", sender: "Ann")
        try papers.context.save()
        let stack = papers.stack
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let model = PapersModel.make()
        let paper = try #require(model.entitiesByName["Paper"])
        let title = try #require(paper.attributesByName["title"])
        title.name = "heading"
        title.renamingIdentifier = "title"
        paper.properties.removeAll { $0.name == "body" }
        var options: [AnyHashable: Any] = [NSMigratePersistentStoresAutomaticallyOption: true]
        options[NSInferMappingModelAutomaticallyOption] = true
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if isByObjects {
            let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: stack.model, destinationModel: model)
            for entity in mapping.entityMappings {
                entity.entityMigrationPolicyClassName = String(reflecting: PlainPolicy.self)
            }
            let file = stack.folder.appending(path: "own.cdm")
            try mapping.document().data().write(to: file)
            options[storeMappingFilesOption] = [file]
        }
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: stack.url, options: options)
        let opened = try #require(store as? PostgreSQLStore).opened()
        #expect(opened.searches.tables.count == 2 && opened.searches.missing.isEmpty)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        #expect(try papers.numbers("heading MATCHING 'gard*'", in: context) == [1])
        #expect(try papers.numbers("SELF MATCHING 'gate OR ann'", in: context) == [2])
        let defects = try #require(store as? PostgreSQLStore).defects(limit: 10) { _ in }
        #expect(defects.map(\.text) == [])
        try coordinator.remove(store)
    }
}
