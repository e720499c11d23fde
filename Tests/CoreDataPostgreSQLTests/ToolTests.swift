// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tool on stores in PostgreSQL: describing, querying, and copying to a server and back.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import CoreDataToolKit

@Suite("The tool on a PostgreSQL store", .needsServer) struct ToolTests {
    private static func filled(_ kind: StoreKind) throws -> Bookshop {
        let shop = try Bookshop(in: kind)
        let author = shop.author("Herbert")
        for (title, pages) in [("Dune", 1), ("Emma", 2)] { shop.book(title, pages: pages, by: author) }
        try shop.context.save()
        return shop
    }

    private static func titles(_ store: OpenedStore, _ predicate: String?) throws -> String {
        let query = Query(
            entityName: "Book", format: predicate, sortKeys: ["title"], selection: ["title", "author.name"])
        var text = ""
        try query.run(on: store, into: ResultText(.csv, width: nil) { text += $0 })
        return text
    }

    @Test("it describes and queries with the model that the store keeps") func reads() throws {
        let shop = try Self.filled(.postgresql)
        let store = try OpenedStore(URL(place: shop.stack.url.absoluteString))
        #expect(store.origin == .cache)
        let summary = try ModelSummary(store: store).text(.table, width: nil)
        #expect(summary.contains("Book"))
        #expect(summary.contains(NSPostgreSQLStoreType))
        let found = try Self.titles(store, "pages > 1")
        #expect(found.contains("Emma,Herbert"))
        #expect(!found.contains("Dune"))
    }

    @Test("a copy to a server and back has the same objects under the same keys") func copies() throws {
        let shop = try Self.filled(.sqlite)
        let expected = try Self.titles(OpenedStore(shop.stack.url), nil)
        #expect(expected.contains("Dune,Herbert"))
        let server = StoreKind.postgresql.place(shop.stack.folder.appending(path: "Copied"))
        let count = try OpenedStore(shop.stack.url).copy(to: server)
        let copy = try OpenedStore(server)
        #expect(try Self.titles(copy, nil) == expected)
        #expect(
            try Self.titles(copy, "SELF == 'Book/1'") == Self.titles(OpenedStore(shop.stack.url), "SELF == 'Book/1'"))
        // It is no place for a second copy.
        #expect(throws: ToolError.self) { try OpenedStore(shop.stack.url).copy(to: server) }
        let file = shop.stack.folder.appending(path: "Back.sqlite")
        #expect(try copy.copy(to: file) == count)
        #expect(try Self.titles(OpenedStore(file), nil) == expected)
        try NSPersistentStoreCoordinator(managedObjectModel: shop.stack.model)
            .destroyPersistentStore(at: server, ofType: StoreKind.postgresql.type)
    }

    @Test("a store that is not there is an error without the password") func missing() throws {
        let server = try #require(StoreKind.serverURL)
        let place = URL(place: server + "&schema=nothing_here&password=sesame")
        let error = #expect(throws: ToolError.self) { try OpenedStore(place) }
        #expect("\(try #require(error))".contains("sesame") == false)
    }
}
