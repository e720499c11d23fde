// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetches that return dictionaries: columns, aggregates, groups.

import CoreDataFoundation
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Dictionaries from a SQLite store") struct DictionaryFetchTests {
    private let library: Library

    init() throws {
        library = try Library()
        var changes = ChangeSet()
        changes.inserts = [
            library.insert("Author", -1, ["name": "Ada"]), library.insert("Author", -2, ["name": "Bo"]),
            library.insert("Book", -3, ["title": "a", "pages": 100, "author": library.reference("Author", -1)]),
            library.insert("Novel", -4, ["title": "b", "pages": 201, "author": library.reference("Author", -1)]),
            library.insert("Book", -5, ["title": "c", "pages": 50, "author": library.reference("Author", -2)]),
        ]
        _ = try library.store.save(changes)
    }

    private func path(_ names: String...) -> [PathStep] {
        var layout = library.entity("Book")
        return names.map { name in
            let slot = layout.slot(name)!  // the names are in this file
            defer {
                if layout[slot].destination >= 0 { layout = library.layout.layouts[Int(layout[slot].destination)] }
            }
            return PathStep(layoutIndex: layout.index, slot: slot)
        }
    }

    private func fetch(_ request: DictionaryRequest, _ predicate: String? = nil) throws -> [[String: Any]] {
        var fetch = try library.resolved("Book", predicate)
        fetch.result = .dictionaries(request)
        guard case .dictionaries(let rows) = try library.store.fetch(fetch, in: nil) else { return [] }
        return rows
    }

    private func column(_ name: String, _ expression: String, _ type: NSAttributeType? = nil) throws
        -> DictionaryRequest.Column
    {
        .init(name: name, value: .expression(try ExpressionSyntax.parsing(expression)), resultType: type)
    }

    /// Proves: F44
    @Test("properties, objects and values through to-ones") func properties() throws {
        let rows = try fetch(
            .init(columns: [
                .init(name: "title", value: .property(path("title"))),
                .init(name: "author", value: .property(path("author"))),
                .init(name: "writer", value: .property(path("author", "name"))),
                .init(name: "id", value: .objectID),
            ]), "title == 'b'")
        #expect(rows.count == 1)
        #expect(rows[0]["title"] as? String == "b")
        #expect(rows[0]["author"] as? ObjectKey == ObjectKey(library.entity("Author").index, 1))
        #expect(rows[0]["writer"] as? String == "Ada")
        #expect(rows[0]["id"] as? ObjectKey == ObjectKey(library.entity("Novel").index, 2))
    }

    /// Proves: F47, F49
    @Test("aggregates without groups give one row, in the type asked for") func aggregates() throws {
        let rows = try fetch(
            .init(columns: [
                try column("sum", "sum:(pages)", .integer64AttributeType),
                try column("average", "average:(pages)", .doubleAttributeType),
                try column("whole", "average:(pages)", .integer32AttributeType),
                try column("count", "count:(title)", .integer64AttributeType),
                try column("most", "max:(pages)"),
            ]))
        #expect(rows.count == 1)
        #expect((rows[0]["sum"] as? NSNumber)?.intValue == 351)
        #expect((rows[0]["average"] as? NSNumber)?.doubleValue == 117)
        #expect((rows[0]["whole"] as? NSNumber)?.intValue == 117)
        #expect((rows[0]["count"] as? NSNumber)?.intValue == 3)
        #expect((rows[0]["most"] as? NSNumber)?.intValue == 201)
    }

    /// Proves: F45, F48
    @Test("groups with a condition on an aggregate; distinct rows") func groups() throws {
        let sum = try column("sum", "sum:(pages)", .integer64AttributeType)
        let byAuthor = DictionaryRequest.Column(name: "writer", value: .property(path("author", "name")))
        var request = DictionaryRequest(columns: [byAuthor, sum], groupBy: [.init(path: path("author", "name"))])
        #expect(try fetch(request).count == 2)
        request.having = try PredicateSyntax.parsing("$sum > 100")
        #expect(try fetch(request).map { $0["writer"] as? String } == ["Ada"])
        request.having = try PredicateSyntax.parsing("sum > 100")
        #expect(try fetch(request).count == 1)
        let distinct = DictionaryRequest(columns: [byAuthor], isDistinct: true)
        #expect(try fetch(distinct).count == 2)
    }
}
