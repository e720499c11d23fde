// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of SwiftData. In this file the macros are SwiftData's.

import Foundation
import SwiftData
import Testing

// snippet: attributes
@Model final class Photo {
    @Attribute(.unique) var name: String
    @Attribute(.externalStorage) var pixels: Data?
    @Attribute(originalName: "caption") var title: String = ""

    init(name: String) { self.name = name }
}
// end

// snippet: relationships
@Model final class Album {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Page.album) var pages: [Page] = []

    init(name: String) { self.name = name }
}

@Model final class Page {
    var number: Int
    var album: Album?

    init(number: Int) { self.number = number }
}
// end

@Suite("Comments: SwiftData") struct ModelExamples {
    private func memory() throws -> ModelContext {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        return ModelContext(try ModelContainer(for: Album.self, Photo.self, configurations: configuration))
    }

    @Test("a container in a file") func container() throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Albums.store")
        // snippet: container
        let configuration = ModelConfiguration(url: url)
        let container = try ModelContainer(for: Album.self, configurations: configuration)  // Page comes along
        let context = ModelContext(container)
        // end
        context.insert(Album(name: "North"))
        try context.save()
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("models are inserted, fetched and deleted") func models() throws {
        let context = try memory()
        // snippet: insert
        let album = Album(name: "North")
        album.pages = [Page(number: 1), Page(number: 2)]
        context.insert(album)  // with its pages
        try context.save()
        // end
        // snippet: fetch
        let descriptor = FetchDescriptor<Page>(
            predicate: #Predicate { $0.number > 1 && $0.album?.name == "North" }, sortBy: [SortDescriptor(\.number)])
        let pages = try context.fetch(descriptor)
        // end
        #expect(pages.map(\.number) == [2])
        // snippet: delete
        context.delete(album)  // Album.pages has the rule cascade: its pages go, too
        try context.save()
        // end
        #expect(try context.fetchCount(FetchDescriptor<Page>()) == 0)
    }

    @Test("a window of an ordered fetch") func window() throws {
        let context = try memory()
        for number in 1...30 { context.insert(Page(number: number)) }
        // snippet: window
        var descriptor = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.number, order: .reverse)])
        descriptor.fetchLimit = 10
        descriptor.relationshipKeyPathsForPrefetching = [\.album]
        let newest = try context.fetch(descriptor)
        // end
        #expect(newest.count == 10 && newest.first?.number == 30)
    }

    @Test("pages with cursors") func pages() throws {
        let context = try memory()
        for number in 1...3 { context.insert(Page(number: number)) }
        // snippet: cursors
        let descriptor = FetchDescriptor<Page>(sortBy: [SortDescriptor(\.number)])
        let first = try context.page(descriptor, size: 2)
        let second = try context.page(descriptor, after: first.next, size: 2)
        // end
        #expect(first.results.map(\.number) == [1, 2])
        #expect(second.results.map(\.number) == [3])
    }

    @Test("a condition with values of the program") func predicate() throws {
        let context = try memory()
        for number in 1...3 { context.insert(Page(number: number)) }
        // snippet: predicate
        let first = 2
        var descriptor = FetchDescriptor<Page>()
        descriptor.predicate = #Predicate<Page> { $0.number >= first }
        let pages = try context.fetch(descriptor)
        // end
        #expect(pages.count == 2)
    }

    @Test("a broken rule, and a transaction") func save() throws {
        let context = try memory()
        // snippet: save
        context.insert(Photo(name: "fjord"))
        do {
            try context.save()
        } catch let error as ModelError {
            print(error.entityName ?? "", error.propertyName ?? "", error.reason)
        }
        // end
        #expect(!context.hasChanges)
        // snippet: transaction
        try context.transaction {
            context.insert(Album(name: "North"))
            context.insert(Album(name: "South"))
        }
        // end
        #expect(try context.fetchCount(FetchDescriptor<Album>()) == 2)
    }

    @Test("the context of the main actor") @MainActor func main() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: Album.self, configurations: configuration)
        // snippet: main
        let context = container.mainContext
        context.insert(Album(name: "North"))  // saved soon, without a call
        let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.name)]))
        // end
        #expect(albums.count == 1)
    }

    @Test("an identifier as text") func identifier() throws {
        let context = try memory()
        let album = Album(name: "North")
        context.insert(album)
        try context.save()
        // snippet: identifier
        let data = try JSONEncoder().encode(album.persistentModelID)
        let id = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        let same: Album = try context.existingModel(for: id)
        // end
        #expect(same === album)
    }

    @Test("results that follow their context") func results() throws {
        let context = try memory()
        // snippet: results
        let observer = try ResultsObserver<Album, Never>(
            sortBy: [SortDescriptor(\.name)], modelContext: context)
        context.insert(Album(name: "South"))
        context.insert(Album(name: "North"))
        try context.save()
        print(observer.results.map(\.name))  // ["North", "South"]
        // end
        #expect(observer.results.map(\.name) == ["North", "South"])
    }
}
