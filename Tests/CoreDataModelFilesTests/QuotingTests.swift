// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Marks of other languages within text, followed by combining marks.

import CoreDataModelFiles
import Testing

@Suite struct QuotingTests {
    @Test(arguments: [
        ("it's", "it''s"), ("'", "''"), ("", ""), ("no mark", "no mark"), ("é'é", "é''é"),
        // One character for Swift.
        ("'\u{301}", "''\u{301}"), ("a'\u{20E3} DROP", "a''\u{20E3} DROP"), ("''\u{301}'", "''''\u{301}''"),
    ])
    func `a mark is replaced wherever it stands, also with a combining mark behind it`(text: String, replaced: String) {
        #expect(Array(text.replacingEach("'", with: "''").utf8) == Array(replaced.utf8))
    }
}
