// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The SQL of translated predicates, and the rows that it finds.

import CoreDataFoundation
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Predicates as SQL") struct PredicateTranslationTests {
    @Test(
        "comparisons, paths and quantifiers have the SQL that is expected",
        arguments: [
            ("name == 'Ada'", "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE t0.ZNAME = ?"),
            ("name != 'Ada'", "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE t0.ZNAME IS NOT ?"),
            ("name == nil", "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE t0.ZNAME IS NULL"),
            (
                "name BEGINSWITH 'A'",
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE (t0.ZNAME >= ? AND t0.ZNAME < ? "
                    + "AND (SUBSTR(t0.ZNAME, 2, 1) < char(768) OR OCD_BEGINS_0(t0.ZNAME, ?)))"
            ),
            (
                "ANY books.pages > 100",
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE EXISTS (SELECT 1 FROM ZBOOK AS t1 "
                    + "WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZPAGES > ?)"
            ),
            (
                "books.@count > 2",
                "SELECT t0.Z_PK, t0.Z_ENT FROM ZAUTHOR AS t0 WHERE "
                    + "(SELECT COUNT(*) FROM ZBOOK AS t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ?"
            ),
        ])
    func text(predicate: String, expected: String) throws {
        let library = try Library()
        #expect(try library.sql("Author", predicate).text == expected)
    }

    @Test("a to-one that several conditions go through is joined once") func joins() throws {
        let library = try Library()
        let sql = try library.sql("Book", "author.name == 'Ada' AND author.born > %@", [Date()])
        #expect(sql.text.ranges(of: "JOIN").count == 1)
    }

    /// Proves: F51, F52, F53, F54, F56
    @Test("rows are found as in memory") func found() throws {
        let library = try Library()
        var changes = ChangeSet()
        changes.inserts = [
            library.insert("Author", -1, ["name": "Ada"]),
            library.insert("Author", -2, ["name": "Éva"]),
            library.insert("Author", -3, [:]),
            library.insert("Book", -4, ["title": "One", "pages": 100, "author": library.reference("Author", -1)]),
            library.insert("Novel", -5, ["title": "two", "pages": 200, "author": library.reference("Author", -1)]),
            library.insert("Book", -6, ["title": "Three"]),
        ]
        _ = try library.store.save(changes)
        func author(_ key: Int64) -> ObjectArgument {
            ObjectArgument(
                key: ObjectKey(library.entity("Author").index, key), rootIndex: library.entity("Author").rootIndex)
        }
        #expect(try library.keys("Author", "name != 'Ada'") == [2, 3])
        #expect(try library.keys("Author", "NOT name == 'Ada'") == [2, 3])
        #expect(try library.keys("Author", "NOT (name IN {'Ada'})") == [2, 3])
        #expect(try library.keys("Author", "NOT (name IN %@)", [[String]()]) == [1, 2, 3])
        #expect(try library.keys("Author", "name IN %@", [[String]()]) == [])
        #expect(try library.keys("Author", "name IN %@", [(0..<3000).map { "x\($0)" } + ["Ada"]]) == [1])
        #expect(try library.keys("Author", "name BEGINSWITH[cd] 'e'") == [2])
        #expect(try library.keys("Author", "name LIKE[c] '?D*'") == [1])
        #expect(try library.keys("Author", "name MATCHES '[A-B].*'") == [1])
        #expect(try library.keys("Author", "name CONTAINS[c] 'VA'") == [2])
        #expect(try library.keys("Author", "NOT name CONTAINS 'd'") == [2, 3])
        #expect(try library.keys("Author", "ANY books.pages >= 200") == [1])
        #expect(try library.keys("Author", "ALL books.pages >= 200") == [2, 3])
        #expect(try library.keys("Author", "NONE books.pages >= 200") == [2, 3])
        #expect(
            try library.keys("Author", "SUBQUERY(books, $b, $b.pages > 50 AND $b.title == 'One').@count == 1") == [1])
        #expect(try library.keys("Author", "books.@sum.pages == 300") == [1])
        #expect(try library.keys("Author", "books.@avg.pages == 150") == [1])
        #expect(try library.keys("Author", "books.@max.pages == 200") == [1])
        #expect(try library.keys("Author", "SELF == %@", [author(2)]) == [2])
        #expect(try library.keys("Author", "SELF IN %@", [[author(2), author(3)]]) == [2, 3])
        #expect(try library.keys("Book", "author == %@", [author(1)]) == [1, 2])
        #expect(try library.keys("Book", "author == nil") == [3])
        #expect(try library.keys("Book", "author.name == 'Ada'") == [1, 2])
        #expect(try library.keys("Book", "author.name != 'Ada'") == [3])
        #expect(try library.keys("Book", "pages BETWEEN {100, 150}") == [1])
        #expect(try library.keys("Book", "NOT pages BETWEEN {100, 150}") == [2, 3])
        #expect(try library.keys("Book", "pages + 100 == 200") == [1])
        #expect(try library.keys("Novel") == [2])
        #expect(try library.keys("Book", "title ==[c] 'TWO'") == [2])
        #expect(try library.keys("Book", "extra == nil") == [1, 2, 3])
        #expect(try library.keys("Book", "title BEGINSWITH 'T' OR pages > 150") == [2, 3])
    }

    @Test("a condition that SQL cannot express is evaluated in memory, with limit and order as usual") func inMemory()
        throws
    {
        let library = try Library()
        var changes = ChangeSet()
        changes.inserts = (1...6).map {
            library.insert("Book", Int64(-$0), ["pages": $0, "extra": [$0 % 2 == 0 ? "even" : "odd"]])
        }
        _ = try library.store.save(changes)
        var fetch = try library.resolved("Book", "pages > 1 AND extra == %@", [["even"]])
        let builder = try SelectBuilder(schema: try library.store.opened().schema, fetch: fetch)
        #expect(builder.remainder.count == 1)
        fetch.result = .count
        let counted = try library.store.fetch(fetch, in: nil)
        guard case .count(3) = counted else {
            Issue.record("\(counted)")
            return
        }
        fetch.result = .keys
        fetch.offset = 1
        fetch.limit = 1
        let found = try library.store.fetch(fetch, in: nil)
        guard case .keys(let keys) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(keys.map(\.key) == [4])
    }

    @Test("an unknown key is an error that names it and its entity") func unknownKey() throws {
        let library = try Library()
        do {
            _ = try library.keys("Book", "author.nmae == 'Ada'")
            Issue.record("no error")
        } catch {
            #expect("\(error)".contains("nmae"))
            #expect("\(error)".contains("Author"))
        }
    }
}
