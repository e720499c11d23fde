// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts, sums and extremes of models.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("Aggregates of models")
struct AggregateTests {
    @Test("Groups by properties, enumerations and members of structures, with unsaved models")
    func groups() throws {
        let context = try Stack.library()
        for isChanged in [false, true] {
            if isChanged { context.insert(Book(title: "New", pages: 10)) }
            let byAuthor = try context.aggregate(Book.self, by: \.author?.name) {
                (count: $0.count, pages: $0.sum(\.pages), last: $0.max(\.title), born: $0.max(\.author?.born))
            }
            #expect(byAuthor.map(\.key) == (isChanged ? [nil, "Eco", "Herbert"] : ["Eco", "Herbert"]))
            #expect(byAuthor.map(\.value.pages) == (isChanged ? [10, 590, 412] : [590, 412]))
            #expect(byAuthor.last?.value.last == "Dune")
            #expect(byAuthor.last?.value.born == Date(timeIntervalSinceReferenceDate: 0))
            let byGenre = try context.aggregate(
                Book.self, where: #Predicate { $0.pages > 50 }, by: \.genre, having: { $0.count > 1 }
            ) { $0.count }
            #expect(byGenre.map(\.key) == [.novel])
            #expect(byGenre.map(\.value) == [2])
            let byCity = try context.aggregate(Book.self, by: \.address?.city, \.genre) { $0.count }
            #expect(byCity.contains { $0.key == ("Arrakeen", .novel) && $0.value == 1 })
        }
    }

    @Test("All models, and a condition that is evaluated on models")
    func all() throws {
        let context = try Stack.library()
        let (count, most) = try context.aggregate(Book.self) { ($0.count, $0.max(\.pages)) }
        #expect(count == 3)
        #expect(most == 500)
        try #require(try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])).first).words = ["list"]
        try context.save()
        let pages = try context.aggregate(Book.self, where: #Predicate { $0.words.contains("list") }) {
            $0.sum(\.pages)
        }
        #expect(pages == 90)
    }

    @Test("Key paths that no store knows are errors")
    func errors() throws {
        let context = try Stack.library()
        #expect(throws: AggregateError.self) { try context.aggregate(Book.self, by: \.isOpen) { $0.count } }
        #expect(throws: AggregateError.self) { try context.aggregate(Book.self) { $0.max(\.title.count) } }
    }
}
