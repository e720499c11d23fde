// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The index of stores with their rows in memory finds all rows that match, and reads a text once.

import CoreDataTestSupport
import Testing

@testable import CoreData

/// Proves: Search-X1, Search-X2
@Suite("Search indexes in memory") struct SearchIndexTests {
    private let model = PapersModel.make()
    private let layouts: ModelLayout
    private let layout: EntityLayout

    init() throws {
        layouts = ModelLayout(entities: model.entities)
        layout = try #require(layouts.layout(named: "Paper"))
    }

    private func row(_ key: Int64, title: String?, keywords: String? = nil) throws -> FetchedRow {
        let row = Snapshot.make(layout)
        for (name, text) in [("title", title), ("keywords", keywords)] {
            if let text { _ = row.setValue(text, try #require(layout.slot(name))) }
        }
        return FetchedRow(key: key, snapshot: row)
    }

    private func keys(_ index: inout SearchIndex, _ query: String) throws -> Set<Int64>? {
        index.keys(matching: try #require(try layout.resolved(SearchQuery(query))))
    }

    @Test("a search finds the rows with its words") func words() throws {
        var index = SearchIndex()
        index.update(
            [
                try row(1, title: "Swift on Linux"), try row(2, title: "École", keywords: "東京タワー"),
                try row(3, title: nil),
                try row(4, title: "Swiss linen"),
            ], of: 4)
        #expect(try keys(&index, "title: swift") == [1])
        #expect(try keys(&index, "title: swi*") == [1, 4])
        #expect(try keys(&index, "title: (swi* lin*)") == [1, 4])
        #expect(try keys(&index, "title: (ecole OR linen)") == [2, 4])
        #expect(try keys(&index, "title: (lin* NOT swift)") == [1, 4])
        #expect(try keys(&index, "title: zebra*") == [])
        #expect(try keys(&index, "keywords: 京タワ") == [2])
        #expect(try keys(&index, "keywords: 京タ") == nil)
        #expect(try keys(&index, "title: swift keywords: 京タ") == [1])
        #expect(try keys(&index, "title: swift OR keywords: 京タ") == nil)
    }

    @Test("a row with another snapshot is indexed again, and no other") func changes() throws {
        var index = SearchIndex()
        var rows = try (1...100).map { try row(Int64($0), title: "paper \($0)") }
        index.update(rows, of: rows.count)
        index.update(rows, of: rows.count)
        #expect(index.indexedCount == 100)
        rows[4] = try row(5, title: "letter")
        rows.append(try row(101, title: "letter"))
        index.update(rows, of: rows.count)
        #expect(index.indexedCount == 102)
        #expect(try keys(&index, "title: letter*") == [5, 101])
        #expect(try keys(&index, "title: paper")?.isSuperset(of: [1, 4, 6, 100]) == true)
    }

    @Test("a beginning finds words that came after an earlier search for it") func laterWords() throws {
        var index = SearchIndex()
        var rows = [try row(1, title: "linen")]
        index.update(rows, of: rows.count)
        #expect(try keys(&index, "title: lin*") == [1])
        rows.append(try row(2, title: "linux"))
        index.update(rows, of: rows.count)
        #expect(try keys(&index, "title: lin*") == [1, 2])
    }

    @Test("an index begins again when former rows outnumber the present ones") func growth() throws {
        var index = SearchIndex()
        for round in 0..<1_200 { index.update([try row(1, title: "round \(round)")], of: 1) }
        #expect(index.indexedCount < 1_003)
        #expect(try keys(&index, "title: 1199") == [1])
        #expect(try keys(&index, "title: 0") == [])
    }
}
