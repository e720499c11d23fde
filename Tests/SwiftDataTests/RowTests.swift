// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL queries with the names of models.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("SQL queries of models")
struct RowTests {
    @Test("Rows have the given types, and identifiers are values and results")
    func rows() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let context = ModelContext(
            try ModelContainer(for: Author.self, configurations: ModelConfiguration(url: file)))
        let eco = Author(name: "Eco")
        context.insert(Book(title: "Dune", pages: 412, author: Author(name: "Herbert")))
        for (title, pages) in [("The Rose", 500), ("Lists", 90)] {
            context.insert(Book(title: title, pages: pages, author: eco))
        }
        #expect(throws: SQLQueryError.self) { try context.rows("SELECT count(*) FROM Book", as: Int.self) }
        try context.save()
        let authors = try context.rows(
            "SELECT author.name, count(*) FROM Book WHERE pages > \(100) GROUP BY 1 ORDER BY 1", as: (String?, Int).self
        )
        #expect(authors.map(\.0) == ["Eco", "Herbert"])
        #expect(authors.map(\.1) == [1, 1])
        let id = eco.persistentModelID
        #expect(
            try context.rows("SELECT title FROM Book WHERE author = \(id) ORDER BY 1", as: String.self)
                == ["Lists", "The Rose"])
        #expect(
            try context.rows("SELECT objectID FROM Author WHERE name = \("Eco")", as: PersistentIdentifier.self) == [id]
        )
        #expect("\(try context.explain("SELECT title FROM Book WHERE author = \(id)"))".contains("plan: "))
    }

    @Test("A container in memory answers, too")
    func memory() throws {
        let context = try Stack.library()
        #expect(try context.rows("SELECT count(*) FROM Book WHERE author.name = \("Eco")", as: Int.self) == [2])
    }
}
