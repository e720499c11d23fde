// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page and of the comments about full-text search of SwiftData's models.

import Foundation
import SwiftData
import Testing

// snippet: model
@Model final class Story {
    @Attribute(.spotlight) var title: String
    var pages: Int

    init(title: String, pages: Int) { (self.title, self.pages) = (title, pages) }
}
// end

@Suite("Guides: searching models") struct SearchedModels {
    private func filled() throws -> ModelContext {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: Story.self, configurations: configuration))
        for (title, pages) in [("Swift birds", 8), ("Birds", 3), ("Swifts and other swift birds", 20)] {
            context.insert(Story(title: title, pages: pages))
        }
        return context
    }

    @Test("a descriptor with a search") func descriptor() throws {
        let context = try filled()
        // snippet: descriptor
        let long = FetchDescriptor<Story>(predicate: #Predicate { $0.pages > 5 }, sortBy: [SortDescriptor(\.pages)])
        let stories = try context.fetch(long.searching(SearchQuery(userText: "swi")))
        // end
        #expect(stories.map(\.pages) == [8, 20])
    }

    @Test("results with relevance") func results() throws {
        let context = try filled()
        try context.save()
        // snippet: results
        var descriptor = FetchDescriptor<Story>()
        descriptor.fetchLimit = 20
        let results = try context.search(SearchQuery(userText: "swi"), in: descriptor)
        for result in results { print(result.object.title, result.relevance) }
        // end
        #expect(results.map(\.object.pages) == [8, 20])
    }
}
