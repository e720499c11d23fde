// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Statements in SQL, searches through all entities, and the way from a transaction to its objects.

import CoreData
import CoreDataToolKit
import Foundation
import StudioSample
import Testing

@testable import CoreDataStudio

/// Proves: Studio-Q1, Studio-Q2, Studio-Q3, Studio-H1
@Suite("Statements, searches and the history lead to objects")
struct StatementAndSearchTests {
    private static let endless =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"

    private func store(_ sample: SampleStore) throws -> BrowsedStore {
        try BrowsedStore(path: sample.url.path, isWritable: false)
    }

    @Test func aStatementHasRowsAndAPlan() async throws {
        let sample = try SampleStore()
        for isWritable in [false, true] {
            let site = Site(session: try sample.session(isWritable: isWritable))
            let text = await site.ask(["sql"], query: ["q": "SELECT title, author.name FROM Book WHERE pages = 2"]).text
            #expect(text.contains("Dune Messiah</td>") && text.contains("Frank Herbert</td>"))
            #expect(text.contains("1 row ·") && text.contains("SCAN") || text.contains("SEARCH"))
            #expect(await site.ask(["sql"]).text.contains("<dt><code>Book</code></dt>"))
        }
    }

    @Test(arguments: [
        "DELETE FROM Book", "UPDATE ZBOOK SET ZTITLE = 'x'", "ATTACH 'other' AS o", "PRAGMA journal_mode = DELETE",
        "SELECT * FROM nothing", "SELECT", "SELECT 1; DELETE FROM ZBOOK", "VACUUM",
    ])
    func aStatementThatWritesOrIsWrongIsRefused(_ sql: String) async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session())
        let answer = await site.ask(["sql"], query: ["q": sql])
        #expect(answer.status == 200 && answer.text.contains("<p class=\"error\" role=\"alert\">"))
        #expect(try sample.titles() == ["Children of Dune", "Dune", "Dune Messiah"])
    }

    @Test func rowsAndBytesHaveBounds() async throws {
        let sample = try SampleStore(books: (1...60).map { "Book \($0)" })
        let store = try store(sample)
        let cut = try await store.rows(of: "SELECT title FROM Book", limit: 50, time: .seconds(10))
        #expect(cut.rows.count == 50 && cut.isCut)
        let whole = try await store.rows(of: "SELECT title FROM Book", limit: 60, time: .seconds(10))
        #expect(whole.rows.count == 60 && !whole.isCut)
        let large = "SELECT printf('%.*c', 1000000, 'x') FROM Book"
        let bytes = try await store.rows(of: large, limit: 50, time: .seconds(20))
        #expect(bytes.rows.count == 4 && bytes.isCut)
    }

    @Test func aLongStatementEndsInTime() async throws {
        let sample = try SampleStore()
        let store = try store(sample)
        let start = ContinuousClock.now
        let failure = await #expect(throws: BrowsingError.self) {
            try await store.rows(of: Self.endless, limit: 1, time: .milliseconds(200))
        }
        #expect(failure?.description.contains("took longer") == true)
        #expect(ContinuousClock.now - start < .seconds(8))
    }

    @Test func aStatementEndsWithTheTaskThatAskedForIt() async throws {
        let sample = try SampleStore()
        let store = try store(sample)
        let task = Task { try await store.rows(of: Self.endless, limit: 1, time: .seconds(60)) }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.result
        #expect(throws: BrowsingError.self) { try result.get() }
        #expect(ContinuousClock.now - start < .seconds(8))
    }

    @Test func aSearchFindsObjectsOfAllEntities() async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session(isWritable: false))
        let books = await site.ask(["search"], query: ["q": "messiah dune"]).text
        #expect(books.contains("<mark>Dune</mark> <mark>Messiah</mark>"))
        #expect(books.contains("/data/Book?q=%28title%20CONTAINS"))
        let authors = await site.ask(["search"], query: ["q": "k herb"]).text
        #expect(authors.contains("Fran<mark>k Herb</mark>ert") && authors.contains("/object/Author/1"))
        #expect(await site.ask(["search"], query: ["q": "zzz"]).text.contains("Nothing has these words."))
        #expect(await site.ask(["search"], query: ["q": String(repeating: "x", count: 300)]).status == 400)
        #expect(try sample.titles().count == 3)
    }

    @Test func aSearchEndsInTheMiddleOfAnEntityWithItsRequest() async throws {
        let sample = try SampleStore(books: (1...3000).map { "Book \($0)" })
        let session = try sample.session()
        let task = Task {
            try await session.read { desk in
                // Nine million comparisons.
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(
                    format: "SUBQUERY(author.books, $b, $b.title CONTAINS[cd] 'zzz').@count > 0")
                return try desk.context.count(for: request)
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.result
        let failure = #expect(throws: CocoaError.self) { try result.get() }
        #expect(failure?.code == .userCancelled)
        #expect(ContinuousClock.now - start < .seconds(5))
        let site = Site(session: session)
        let state = await site.post("set", "{\"object\": \"Book/1\", \"property\": \"title\", \"value\": \"Emma\"}")
        #expect(state.status == 200)
        #expect(await site.post("save").status == 200)
        #expect(try sample.titles().contains("Emma"))
    }

    @Test func theGridShowsAllObjectsThatASearchHasFound() async throws {
        let sample = try SampleStore(books: (1...12).map { "a \"quoted\" \\ word \($0)" })
        let site = Site(session: try sample.session(isWritable: false))
        let text = await site.ask(["search"], query: ["q": "\"QUOTED\" \\"]).text
        let start = try #require(text.range(of: "/data/Book?q="))
        let link = text[start.upperBound...].prefix { $0 != "\"" && $0 != "&" }
        let filter = try #require(String(link).removingPercentEncoding)
        let grid = await site.ask(["data", "Book"], query: ["q": filter]).text
        #expect(grid.contains("id=\"total\">12 objects"), "\(filter)")
        // A condition that is longer than filters may be has no link.
        try sample.edit { context in
            for _ in 1...11 {
                NSEntityDescription.insertNewObject(forEntityName: "Publisher", into: context)
                    .setValue("0123456789", forKey: "name")
            }
        }
        let other = Site(session: try sample.session(isWritable: false))
        let words = (1...100).map { String($0 % 10) }.joined(separator: " ")
        let long = await other.ask(["search"], query: ["q": words]).text
        #expect(long.contains("/object/Publisher/1") && long.contains("There are more."))
        #expect(!long.contains("/data/Publisher?q="))
        #expect(await other.ask(["search"], query: ["q": "0123456789"]).text.contains("/data/Publisher?q="))
    }

    @Test(arguments: ["<script>evil</script>", "\"", "\u{202E}abc", "%@ %K", "a\\", "\u{1}"])
    func aHostileTextIsFoundAndStaysText(_ text: String) async throws {
        let sample = try SampleStore(books: [])
        try sample.edit { try SampleShop.fill($0, titles: [] as [String], author: "x \(text) y") }
        let site = Site(session: try sample.session(isWritable: false))
        for (page, query) in [("search", text), ("sql", "SELECT name FROM Author")] {
            let answer = await site.ask([page], query: ["q": query])
            #expect(answer.status == 200 && !answer.text.contains("<script>evil"))
        }
        #expect(await site.ask(["search"], query: ["q": text]).text.contains("/object/Author/"))
    }

    @Test func aTransactionLeadsToItsObjects() async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session())
        let list = await site.ask(["history"]).text
        #expect(list.contains("<bdi>Dune Messiah</bdi></a>") && list.contains("/history?transaction=1\""))
        let one = await site.ask(["history"], query: ["transaction": "1"]).text
        #expect(one.contains("<h1>Transaction 1</h1>") && one.contains("<bdi>Frank Herbert</bdi></a>"))
        let none = await site.ask(["history"], query: ["transaction": "99"]).text
        #expect(none.contains("does not have this transaction"))
        #expect(await site.ask(["object", "Book", "1"]).text.contains("/history?transaction=1\""))
        #expect(try sample.titles().count == 3)
    }
}
