// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Windows of rows, filters with completion, exports, the picture of a model.

import CoreData
import CoreDataToolKit
import Foundation
import Testing

@testable import CoreDataStudio

/// Proves: Studio-R1, Studio-R2, Studio-R3, Studio-R4, Studio-R5, Studio-P1, Studio-P2
@Suite("A grid shows any window of its rows, and a filter says where it is wrong")
struct RowTests {
    private func site(_ count: Int) throws -> (SampleStore, Site) {
        let sample = try SampleStore(books: (1...count).map { "Book \($0)" })
        return (sample, Site(session: try sample.session()))
    }

    @Test func windowsFollowTheOrder() async throws {
        let (sample, site) = try site(1000)
        let session = try #require(site.session)
        for key in ["pages", "-pages", ""] {
            for from in [0, 1, 450, 995, 2000] {
                let definition = try ViewDefinition(entityName: "Book", query: ["sort": key])
                let window = try await session.read { try $0.window(definition, from: from, count: 10) }
                let expected = (from..<(from + 10)).filter { $0 < 1000 }
                    .map { key == "-pages" ? "Book \(1000 - $0)" : "Book \($0 + 1)" }
                #expect(window.total == 1000)
                if key.isEmpty {
                    #expect(window.rows.count == expected.count)
                } else {
                    #expect(window.rows.map(\.title) == expected)
                }
            }
        }
        #expect(
            try await session.read {
                try $0.window(ViewDefinition(entityName: "Book", query: [:]), from: 0, count: 9999)
            }.rows.count == 200)
        #expect(try sample.titles().count == 1000)
    }

    @Test func objectsAreCountedBeforeTheFirstRequest() async throws {
        struct Counted: Error {}
        let (_, site) = try site(30)
        let session = try #require(site.session)
        await site.prepare()
        let counts = try await session.read { try $0.views.counts { throw Counted() } }
        #expect(counts.first { $0.name == "Book" }?.count == 30)
        #expect(await site.ask(["edit", "state"]).text.contains(#""changes":0"#))
        #expect(await site.ask(["data", "Book"]).text.contains("30 objects"))
    }

    @Test func anEditEndsAView() async throws {
        let (sample, site) = try site(300)
        let query = ["from": "200", "count": "10", "sort": "pages"]
        #expect(await site.ask(["rows", "Book"], query: query).text.contains("Book 201"))
        _ = await site.post("delete", #"{"object": "Book/1"}"#)
        #expect(await site.ask(["rows", "Book"], query: query).status == 200)
        #expect(await site.ask(["data", "Book"]).text.contains("299 objects"))
        #expect(try sample.titles().count == 300)
    }

    @Test func anEditedRowKeepsItsPlace() async throws {
        let (sample, site) = try site(30)
        let session = try #require(site.session)
        _ = await site.post("set", #"{"object": "Book/3", "property": "title", "value": "Edited"}"#)
        let definition = try ViewDefinition(entityName: "Book", query: [:])
        let rows = try await session.read { try $0.window(definition, from: 0, count: 10) }.rows
        #expect(rows.map(\.id) == (1...10).map { "Book/\($0)" })
        #expect(rows[2].title == "Edited")
        #expect(rows[2].edit == .updated)
        #expect(try sample.titles().count == 30)
    }

    @Test func aSearchMarksItsWords() async throws {
        let sample = try SampleStore(books: ["Dune", "Dune Messiah", "Heretics of Dune", "A Messiah and a dune"])
        for isWritable in [true, false] {
            let site = Site(session: try sample.session(isWritable: isWritable))
            let page = await site.ask(["data", "Book"], query: ["search": "messiah dun"]).text
            #expect(page.contains("2 objects"))
            let best = try #require(page.firstRange(of: "<mark>Dune</mark> <mark>Messiah</mark>"))
            let other = try #require(page.firstRange(of: "A <mark>Messiah</mark> and a <mark>dune</mark>"))
            #expect(best.lowerBound < other.lowerBound)
            #expect(page.contains("name=\"search\" type=\"search\" value=\"messiah dun\""))
            let query = ["search": "dune", "q": "pages > 1", "sort": "-pages"]
            let rows = await site.ask(["rows", "Book"], query: query).text
            #expect(
                try #require(rows.firstRange(of: "data-id=\"Book/4\"")).lowerBound
                    < #require(rows.firstRange(of: "data-id=\"Book/3\"")).lowerBound)
            #expect(rows.contains("data-id=\"Book/2\"") && !rows.contains("data-id=\"Book/1\""))
            // Not an entity without searched attributes.
            #expect(await !site.ask(["data", "Author"]).text.contains("id=\"search\""))
            #expect(await site.ask(["rows", "Author"], query: ["search": "frank"]).status == 400)
        }
    }

    @Test func windowsFollowTheRelevance() async throws {
        let titles = (1...300).map { $0 % 100 == 0 ? "Dune" : "The dune of \($0)" }
        let sample = try SampleStore(books: titles + ["Heretics"])
        let site = Site(session: try sample.session())
        let session = try #require(site.session)
        let definition = try ViewDefinition(entityName: "Book", query: ["search": "dune"])
        for edits in [false, true] {
            if edits { _ = await site.post("set", #"{"object": "Book/5", "property": "title", "value": "Dune"}"#) }
            for from in [0, 2, 295, 400] {
                let window = try await session.read { try $0.window(definition, from: from, count: 10) }
                #expect(window.total == 300)
                #expect(window.rows.count == (from == 400 ? 0 : from == 295 ? 5 : 10))
                let best = (edits ? 4 : 3) - from
                #expect(window.rows.prefix(max(0, best)).allSatisfy { $0.title == "Dune" })
                #expect(window.rows.dropFirst(max(0, best)).allSatisfy { $0.title != "Dune" })
            }
        }
        let csv = await site.ask(["export", "Book.csv"], query: ["search": "dune"]).text
        #expect(csv.split(separator: "\r\n").count == 301)
        #expect(try sample.titles().count == 301)
    }

    @Test func aLongTextIsShownByItsExcerptAndEditedInADialog() async throws {
        let long = (1...60).map { "word\($0)" }.joined(separator: " ")
        let sample = try SampleStore(books: [long])
        let site = Site(session: try sample.session())
        let text = await site.ask(["rows", "Book"], query: ["search": "word40"]).text
        #expect(text.contains("<mark>word40</mark>") && !text.contains("word1 "))
        #expect(text.contains("data-dialog=\"title\"") && !text.contains("data-editable=\"title\""))
        #expect(try sample.titles() == [long])
    }

    @Test(arguments: [
        ("title = ", "title = ".count), ("titel == 'x'", 0), ("pages > 3 AND (", "pages > 3 AND (".count),
        ("pages > 3 AND titel == 'x'", 14),
    ])
    func aMistakeHasItsPlace(_ filter: String, _ offset: Int) async throws {
        let (sample, site) = try site(3)
        let session = try #require(site.session)
        let answer = try await site.completion(session, "Book", ["q": filter])
        #expect(!answer.isValid)
        #expect(!answer.message.isEmpty)
        let place = try #require(answer.offset)
        #expect(abs(place - offset) <= 1)
        #expect(await site.ask(["data", "Book"], query: ["q": filter]).text.contains("<mark>"))
        #expect(try sample.titles().count == 3)
    }

    @Test(arguments: [
        ("ti", "title"), ("title ", "CONTAINS[cd] "), ("author.", "author.name"), ("title == \"Book", "\"Book 1\""),
        ("author == ", "\"Author/1\""), ("pages > 2 ", "AND "), ("NOT pa", "pages"),
    ])
    func wordsAreProposed(_ filter: String, _ expected: String) async throws {
        let (sample, site) = try site(3)
        let session = try #require(site.session)
        let answer = try await site.completion(session, "Book", ["q": filter])
        #expect(answer.items.map(\.text).contains(expected))
        #expect(try sample.titles().count == 3)
    }

    @Test func exportsHaveAllRowsOfTheView() async throws {
        let (sample, site) = try site(1200)
        let csv = await site.ask(
            ["export", "Book.csv"],
            query: [
                "q": "pages <= 1100", "hide": "cover,facts,page,added,price,size,tags,publisher,lines,reviews,subjects",
            ]
        ).text
        let lines = csv.split(separator: "\r\n")
        #expect(lines.count == 1101)
        #expect(lines.first == "objectID,title,author,pages")
        let json = await site.ask(["export", "Book.json"]).text
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(rows.count == 1200)
        #expect(Set(rows.compactMap { $0["title"] as? String }).count == 1200)
        #expect(try sample.titles().count == 1200)
    }

    @Test func theFirstPageIsSmall() async throws {
        let (sample, site) = try site(500)
        let page = await site.ask(["data", "Book"]).text
        #expect(page.utf8.count < 100_000)
        #expect(page.contains("500 objects"))
        #expect(try sample.titles().count == 500)
    }

    @Test func theExplanationHasSQLAndPlan() async throws {
        let (sample, site) = try site(3)
        let text = await site.ask(["explain", "Book"], query: ["q": "author.name == 'x'"]).text
        #expect(text.contains("SELECT") && text.contains("Plan"))
        #expect(try sample.titles().count == 3)
    }

    @Test func aChangeOfAnotherProgramIsTold() async throws {
        for isWritable in [true, false] {
            let sample = try SampleStore()
            let session = try sample.session(isWritable: isWritable)
            let site = Site(session: session)
            #expect(await site.ask(["data", "Book"]).text.contains("3 objects"))
            var events = session.news.listen().makeAsyncIterator()
            _ = try await events.next()
            try sample.edit { context in
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("Heretics", forKey: "title")
            }
            let event = try #require(try await events.next())
            #expect(String(decoding: event, as: UTF8.self).contains("event: store"))
            #expect(await site.ask(["data", "Book"]).text.contains("4 objects"))
        }
    }

    @Test func boxesOfAPictureDoNotOverlap() {
        let sizes = (0..<40).map { LayeredLayout.Size(width: 120, height: 60 + Double($0 % 5) * 20) }
        let edges =
            (0..<39).map { LayeredLayout.Edge(source: $0 / 2, target: $0 + 1) }
            + [.init(source: 39, target: 0), .init(source: 5, target: 5), .init(source: 12, target: 30)]
        let layout = LayeredLayout(sizes, edges)
        var overlaps = 0
        for one in 0..<40 {
            for other in 0..<one {
                let (a, b) = (layout.places[one], layout.places[other])
                if a.x < b.x + sizes[other].width, b.x < a.x + sizes[one].width, a.y < b.y + sizes[other].height,
                    b.y < a.y + sizes[one].height
                {
                    overlaps += 1
                }
            }
        }
        #expect(overlaps == 0)
        #expect(layout.size.width > 0 && layout.size.height > 0)
    }

    @Test func labelsOfAPictureDoNotOverlap() {
        let labels = (0..<60).map { number -> PictureLabel in
            let text = ["1", "0..1", "0..*", "1..*"][number % 4]
            let (x, y) = (Double(number % 3) * 12, Double(number % 5) * 3)
            return PictureLabel(text: text, x: x, y: y, isRight: number % 7 != 0)
        }
        let spread = PictureLabel.spread(labels)
        var overlaps = 0
        for (place, label) in spread.enumerated() {
            overlaps += spread[..<place].count { $0.overlaps(label) }
        }
        #expect(overlaps == 0)
        #expect(spread.map { $0.text } == labels.map { $0.text })
        // A label with room stays where its line ends.
        #expect(spread[0].y == labels[0].y)
    }

    @Test func requiredAndOptionalRelationshipsDifferInThePicture() async throws {
        let (sample, site) = try site(1)
        let text = await site.ask(["model"]).text
        #expect(text.contains("class=\"line optional\" d=\"") && text.contains("class=\"legend\""))
        // Only the lines of an order need an order.
        #expect(text.components(separatedBy: "class=\"end required\" cx=").count == 3)
        #expect(text.contains(">0..*</text>") && text.contains(">0..1</text>") && text.contains(">1</text>"))
        #expect(try sample.titles().count == 1)
    }

    @Test func datesReadBackAsTheyAreShown() throws {
        for seconds in [0.0, 736_123_456.789, -1e9, 1.5] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let read = try #require(LocalTime.date(of: LocalTime.text(of: date)))
            #expect(abs(read.timeIntervalSince(date)) < 0.001)
        }
    }

    @Test func datesJustBeforeASecondStayInTheirs() throws {
        let whole = try #require(LocalTime.date(of: "2024-05-01 23:59:59"))
        #expect(LocalTime.text(of: whole.addingTimeInterval(0.9996)) == "2024-05-01 23:59:59.999")
        #expect(LocalTime.text(of: whole) == "2024-05-01 23:59:59")
    }
}
