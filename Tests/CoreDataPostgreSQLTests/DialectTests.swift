// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names, placeholders and patterns: texts letter by letter, without a server.

import CoreDataFoundation
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("PostgreSQL's dialect") struct DialectTests {
    @Test(
        "names are in snake case",
        arguments: [
            ("hireDate", "hire_date"), ("URLString", "url_string"), ("baseURL", "base_url"), ("Employee", "employee"),
            ("a_b", "a_b"), ("isA2ndName", "is_a2nd_name"),
        ]) func snake(name: String, expected: String)
    {
        #expect(SnakeNames.snake(name) == expected)
    }

    @Test("long names are cut, and stay different") func longNames() {
        let names = SnakeNames()
        let one = names.limited(String(repeating: "a", count: 100) + "1")
        let other = names.limited(String(repeating: "a", count: 100) + "2")
        #expect(one.utf8.count <= 63)
        #expect(one != other)
        #expect(names.limited("short") == "short")
    }

    @Test("a name cannot end its quotes") func quotes() {
        #expect(PostgreSQLDialect.quoted("a\"; DROP TABLE b; --") == "\"a\"\"; DROP TABLE b; --\"")
        #expect(PostgreSQLDialect.literal("O'Hara") == "'O''Hara'")
        #expect(
            PostgreSQLDialect.quoted("a\"\u{301}; b").unicodeScalars.elementsEqual("\"a\"\"\u{301}; b\"".unicodeScalars)
        )
        #expect(PostgreSQLDialect.literal("a'\u{301}b").unicodeScalars.elementsEqual("'a''\u{301}b'".unicodeScalars))
        #expect(PostgreSQLDialect.literal("a\\'b") == "E'a\\\\''b'")
    }

    @Test("placeholders are numbered, question marks in names are left") func placeholders() {
        #expect(SQLText.numbered("a = ? AND \"b?\" = ? AND 'c?' <> ?") == "a = $1 AND \"b?\" = $2 AND 'c?' <> $3")
        // The mark and the quotation mark before it are one character.
        #expect(SQLText.numbered("\"\u{301}?\" = ?") == "\"\u{301}?\" = $1")
    }

    @Test(
        "patterns of LIKE",
        arguments: [
            ("ab*", "ab%"), ("a?b", "a_b"), ("100%", "100\\%"), ("a_b", "a\\_b"), ("a\\*", "a*"), ("a\\", "a\\\\"),
        ])
    func like(pattern: String, expected: String) {
        #expect(PostgreSQLDialect.likePattern(pattern) == expected)
    }
}
