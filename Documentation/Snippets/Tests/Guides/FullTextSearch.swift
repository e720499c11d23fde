// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page and of the comments about full-text search.

import CoreDataModeling
import Foundation
import Testing

@Suite("Guides: full-text search") @MainActor struct FullTextSearch {
    @Test("a search field") func field() async throws {
        let context = try await Article.filled()
        var titles: [String] = []
        // snippet: field
        let typed = SearchQuery(userText: "open gard")
        for result in try context.search(typed, in: Article.fetchRequest()) {
            let snippet = result.snippet(in: "body", tokens: 8)
            print(result.object.title, result.relevance, snippet?.text ?? "", snippet?.highlights.count ?? 0)
        }
        // end
        titles = try context.search(typed, in: Article.fetchRequest()).map(\.object.title)
        #expect(titles == ["Gardens", "École"])
    }

    @Test("the language") func language() async throws {
        let context = try await Article.filled()
        // snippet: language
        let request = Article.fetchRequest()
        request.fetchLimit = 20
        do {
            let query = try SearchQuery(#""open source" OR title: (ecole NOT swift)"#)
            for result in try context.search(query, in: request) { print(result.object.title) }
        } catch let error as SearchQueryError {
            print(error.message, error.offset)
        }
        // end
        let query = try SearchQuery(#""open source" OR title: (ecole NOT swift)"#)
        #expect(Set(try context.search(query, in: request).map(\.object.title)) == ["Swift on Linux", "École"])
    }

    @Test("a predicate") func predicate() async throws {
        let context = try await Article.filled()
        // snippet: predicate
        let request = Article.fetchRequest()
        request.predicate = NSPredicate(
            format: "isDraft == NO AND SELF MATCHING %@", SearchQuery(userText: "open gard"))
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let articles = try context.fetch(request)
        // end
        #expect(articles.map(\.title) == ["Gardens", "École"])
    }

    @Test("results") func results() async throws {
        let context = try await Article.filled()
        // snippet: search
        let request = Article.fetchRequest()
        request.fetchLimit = 20
        let results = try context.search(SearchQuery(userText: "gard"), in: request)
        for result in results { print(result.object.title, result.relevance) }
        // end
        #expect(results.map(\.object.title) == ["Gardens", "École"])
        // snippet: highlights
        for range in results[0].highlights(in: "body") { print(results[0].object.body[range]) }
        // end
        #expect(results[0].highlights(in: "body").map { results[0].object.body[$0] } == ["Garden", "garden"])
        // snippet: result
        for result in try context.search(SearchQuery(userText: "gard"), in: Article.fetchRequest()) {
            print(result.object.title, result.relevance)
            if let snippet = result.snippet(in: "body", tokens: 8) { print(snippet.text, snippet.highlights.count) }
        }
        // end
    }
}
