// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of full-text search.

import CoreDataModeling
import Foundation
import Testing

@Suite("Comments: search") struct SearchExamples {
    @Test("queries of the language and of a search field") func queries() throws {
        // snippet: queries
        let query = try SearchQuery(#"swift AND (linux OR "open source") NOT title: draft"#)
        let typed = SearchQuery(userText: "open sour")  // the word "open", and a word that begins with "sour"
        // end
        #expect(query.description == #""swift" AND (("linux" OR "open source") NOT {"title"}: "draft")"#)
        #expect(typed.description == #""open" AND "sour"*"#)
    }

    @Test("an error has a place") func errors() {
        // snippet: errors
        do {
            _ = try SearchQuery("swift AND (linux")
        } catch {
            print(error.message, error.offset)  // A ")" is expected, not the end. 16
        }
        // end
        #expect(throws: SearchQueryError.self) { try SearchQuery("swift AND (linux") }
    }
}
