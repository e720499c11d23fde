// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Properties of SwiftUI that fetch models, in types that are no views.

import Foundation
import SwiftData
import SwiftDataShims
import Testing

@Model final class ShelfBook {
    var title: String
    var pages: Int
    var note: String?

    init(_ title: String, pages: Int) { (self.title, self.pages) = (title, pages) }
}

@Suite("Queries outside of views") struct QueryTests {
    private struct Shelf {
        @Query(sort: \ShelfBook.title) var books: [ShelfBook]
        @Query(filter: #Predicate<ShelfBook> { $0.pages > 100 }, sort: \.pages, order: .reverse) var long: [ShelfBook]
        @Query var all: [ShelfBook]
        @Query(sort: [SortDescriptor(\ShelfBook.pages)]) var byPages: [ShelfBook]
        @Query(FetchDescriptor<ShelfBook>(predicate: #Predicate { $0.title == "b" })) var one: [ShelfBook]
        @Query(sort: \ShelfBook.note) var byNote: [ShelfBook]

        init(_ context: ModelContext? = nil) { _books.modelContext = context }
    }

    private struct Cleaner: DynamicProperty {
        @Environment(\.modelContext) private var context

        func clean() throws { try context.delete(model: ShelfBook.self) }
    }

    private func context() throws -> ModelContext {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: ShelfBook.self, configurations: configuration))
        for (title, pages) in [("b", 50), ("a", 300), ("c", 200)] { context.insert(ShelfBook(title, pages: pages)) }
        return context
    }

    @Test("a query fetches from its own context") func own() throws {
        let context = try context()
        let shelf = Shelf(context)
        #expect(shelf.books.map(\.title) == ["a", "b", "c"])
        context.insert(ShelfBook("0", pages: 1))
        #expect(shelf.books.map(\.title) == ["0", "a", "b", "c"])
    }

    @Test("queries of each form fetch from the context of the environment") func environment() throws {
        let context = try context()
        let shelf = Shelf()
        let titles = EnvironmentValues.with(modelContext: context) {
            [shelf.long, shelf.byPages, shelf.one, shelf.byNote].map { $0.map(\.title) }
        }
        #expect(Array(titles.prefix(3)) == [["a", "c"], ["b", "c", "a"], ["b"]] && titles[3].count == 3)
        #expect(EnvironmentValues.with(modelContext: context) { shelf.all.count } == 3)
        #expect(shelf.all.isEmpty)
    }

    @Test("a type has the context of the environment") func reading() throws {
        let context = try context()
        var cleaner = Cleaner()
        cleaner.update()
        try EnvironmentValues.with(modelContext: context) { try cleaner.clean() }
        #expect(try context.fetchCount(FetchDescriptor<ShelfBook>()) == 0)
    }

    @Test("a query that fails is empty, and has its error") func failing() throws {
        var query = Query<ShelfBook>(sort: [SortDescriptor(\.title.count)])
        #expect(query.wrappedValue.isEmpty && query.fetchError == nil)
        query.modelContext = try context()
        #expect(query.wrappedValue.isEmpty)
        #expect((query.fetchError as? ModelError)?.kind == .unsupportedSortDescriptor)
    }
}
