// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Conditions that menus write into the filter.

import CoreData
import Foundation
import Testing

@testable import CoreDataStudio

/// Proves: Studio-F1
@Suite("Menus write conditions that the filter understands")
struct FilterConditionTests {
    private struct Answer: Decodable {
        var filter: String?
        var message: String
    }

    private func ask(_ site: Site, _ column: String, _ comparison: String, _ value: String, _ filter: String = "")
        async throws -> Answer
    {
        let answer = await site.ask(
            ["condition", "Book"],
            query: ["column": column, "comparison": comparison, "value": value, "q": filter])
        #expect(answer.status == 200)
        return try JSONDecoder().decode(Answer.self, from: Data(answer.text.utf8))
    }

    @Test(arguments: [
        ("title", "contains", "UNE M", 1), ("title", "is", "Dune", 1), ("title", "is not", "Dune", 2),
        ("title", "begins with", "dune", 2), ("title", "ends with", "dune", 2), ("title", "has a value", "", 3),
        ("pages", "is less than", "3", 2), ("pages", "is at most", "2", 2), ("pages", "is greater than", "2", 1),
        ("pages", "is at least", "2", 2), ("pages", "has no value", "", 0), ("author", "is", "Author/1", 3),
        ("author", "has no value", "", 0), ("reviews", "has no members", "", 3), ("reviews", "has members", "", 0),
        ("reviews", "has more than", "0", 0), ("reviews", "has fewer than", "2", 3),
        ("subjects", "includes", "Subject/9", 0), ("added", "is before", "2030-01-01", 1),
        ("added", "is at or after", "2030-01-01", 0), ("cover", "has a value", "", 1),
        ("size.width", "is greater than", "1.5", 0),
    ])
    func eachComparisonFindsItsObjects(_ column: String, _ title: String, _ value: String, _ count: Int) async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session(isWritable: false))
        let session = try #require(site.session)
        let comparison = try await session.read { desk -> String? in
            let place = FilterCondition.places(try desk.entity("Book")).first { $0.path == column }
            return place.flatMap { place in place.kind.comparisons.first { $0.title(place.kind) == title }?.rawValue }
        }
        let filter = try #require(try await ask(site, column, comparison ?? "", value).filter)
        let window = try await session.read {
            try $0.window(ViewDefinition(entityName: "Book", query: ["q": filter]), from: 0, count: 10)
        }
        #expect(window.total == count)
    }

    @Test func everyComparisonOfTheMenusIsAFilterThatParses() async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session(isWritable: false))
        let session = try #require(site.session)
        let filters = try await session.read { desk in
            let entity = try desk.entity("Book")
            return try FilterCondition.places(entity).flatMap { place in
                let destination = entity.relationshipsByName[place.path]?.destinationEntity?.name ?? ""
                return try place.kind.comparisons.map { comparison in
                    let value =
                        switch place.kind {
                        case .date: "2024-05-01"
                        case .identifier: "7A4F6E0C-3B5D-4C8E-9F1A-2B3C4D5E6F70"
                        case .object: "\(destination)/1"
                        case .members where comparison == .includes: "\(destination)/1"
                        default: "3"
                        }
                    return try FilterCondition.text(place.path, comparison.rawValue, value, of: entity)
                }
            }
        }
        #expect(filters.count > 40)
        for filter in filters {
            #expect(await site.ask(["rows", "Book"], query: ["q": filter]).status == 200, "\(filter)")
        }
    }

    @Test(arguments: ["\"", "\\", "a\" OR 1 == 1 OR title == \"", "\n", "\t", "<script>", "\u{202E}x", "%@", "$a"])
    func aTextIsComparedAsItIs(_ text: String) async throws {
        let sample = try SampleStore(books: ["Dune", text])
        let site = Site(session: try sample.session(isWritable: false))
        let session = try #require(site.session)
        let filter = try #require(try await ask(site, "title", "is", text).filter)
        let titles = try await session.read {
            try $0.window(ViewDefinition(entityName: "Book", query: ["q": filter]), from: 0, count: 10).total
        }
        #expect(titles == 1)
    }

    @Test func aConditionIsAddedToTheTextThatIsThere() async throws {
        let sample = try SampleStore()
        let site = Site(session: try sample.session(isWritable: false))
        #expect(
            try await ask(site, "pages", "is", "2", "title == 'a' OR pages > 1").filter
                == "(title == 'a' OR pages > 1) AND pages == 2")
        #expect(try await ask(site, "pages", "is", "2", "pages > 1").filter == "pages > 1 AND pages == 2")
    }

    @Test(arguments: [
        ("pages", "is", "many"), ("pages", "contains", "1"), ("nothing", "is", "1"), ("author", "is", "\" OR 1==1"),
        ("added", "is less than", "soon"), ("reviews", "has more than", "-1"),
    ])
    func aWrongChoiceIsAMessage(_ column: String, _ comparison: String, _ value: String) async throws {
        let sample = try SampleStore()
        let answer = try await ask(Site(session: try sample.session()), column, comparison, value)
        #expect(answer.filter == nil && !answer.message.isEmpty)
    }
}
