// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which parts of a store's statements are logged, by level.

import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

@Suite("The log of SQL") struct SQLLogTests {
    @Test("its level is a number from 1 to 4, or a word for yes")
    func levels() {
        let values = [nil, "0", "-3", "1", "3", "4", "9", "YES", "no", "False", "off", ""]
        #expect(values.map { SQLDebug.level($0) } == [0, 0, 0, 1, 3, 4, 4, 1, 0, 0, 0, 0])
    }

    /// The log of a program at a level.
    private static func written(_ level: String) async -> String {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [level = level as String] in
            try SQLLogTests.work(level)
        }
        return String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    private static func work(_ level: String) throws {
        setenv(SQLDebug.key, level, 1)
        let shop = try Bookshop(in: .sqlite)
        for title in ["Dune", "Emma"] { shop.book(title, pages: 412) }
        try shop.context.save()
        let request = Book.request()
        request.predicate = NSPredicate(format: "pages == 412")
        _ = try shop.context.fetch(request)
        request.predicate = NSPredicate(format: "pages == 412 AND chapters[0].heading == 'private'")
        _ = try shop.context.fetch(request)
    }

    @Test("is silent unless asked")
    func silence() async {
        let text = await Self.written("0")
        #expect(!text.contains("sql:"))
    }

    @Test("level 1 logs statements, times, and work in memory")
    func statements() async {
        let text = await Self.written("1")
        #expect(text.contains("sql: SELECT t0.Z_PK"))
        #expect(text.contains("INTO ZBOOK (Z_PK, "))
        #expect(text.contains("ZPAGES = ?"))
        #expect(text.contains("annotation: sql execution time: 0."))
        #expect(text.contains("annotation: total fetch execution time: 0."))
        #expect(text.contains("annotation: fetch of Book, done in memory because SQL cannot: predicate chapters[0]"))
        #expect(!text.contains("for 2 rows"))
        #expect(!text.contains("412"))
        #expect(!text.contains("private"))
    }

    @Test("level 2 logs numbers of rows")
    func rows() async {
        let text = await Self.written("2")
        #expect(text.contains("for 2 rows"))
        #expect(!text.contains("412"))
    }

    @Test("level 3 logs values")
    func values() async {
        let text = await Self.written("3")
        #expect(text.contains("details: SELECT"))
        #expect(text.contains("ZPAGES = 412"))
        #expect(text.contains("'Dune'"))
        #expect(!text.contains("plan:"))
    }

    @Test("level 4 logs plans")
    func plans() async {
        let text = await Self.written("4")
        #expect(text.contains("plan: SCAN t0") || text.contains("plan: SEARCH t0"), "\(text)")
    }
}
