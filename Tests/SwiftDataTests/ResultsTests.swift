// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Results that follow their context.

import Foundation
import SwiftData
import Testing

@Suite("Results follow their context")
struct ResultsTests {
    /// Proves: S88, S91
    @Test("Insertions, changes, deletions and other contexts' saves are in the results")
    func following() throws {
        let context = try Stack.library()
        let observer = try ResultsObserver<Book, Never>(
            filterBy: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.map(\.title) == ["Dune", "The Rose"] && observer.sections == nil)
        context.insert(Book(title: "Zero", pages: 200))
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == ["Dune", "The Rose", "Zero"])
        context.delete(observer.results[0])
        try context.save()
        #expect(observer.results.map(\.title) == ["The Rose", "Zero"])

        let other = ModelContext(context.container)
        let rose = try #require(
            try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "The Rose" })).first)
        rose.pages = 1
        try other.save()
        _ = context.hasChanges
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == ["Zero"])
        observer.filterBy = nil
        #expect(observer.results.count == 3)
    }

    /// Proves: S89
    @Test("Sections come by title and by place")
    func sections() throws {
        let context = try Stack.library()
        let observer = try ResultsObserver<Book, String>(
            sortBy: [SortDescriptor(\.pages)], sectionBy: \.title, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.sectionTitles == ["Dune", "Lists", "The Rose"])
        #expect(sections["Lists"]?.map(\.pages) == [90])
        let book = try #require(observer.element(at: IndexPath(indexes: [2, 0])))
        #expect(book.title == "The Rose" && observer.indexPath(for: book) == IndexPath(indexes: [2, 0]))
    }

    /// Proves: S91, S33
    @Test("A change of a related model is in a window that is ordered by it, before and after the save")
    func relatedInWindow() throws {
        let context = try Stack.library()
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name), SortDescriptor(\.title)])
        descriptor.fetchLimit = 2
        let observer = try ResultsObserver<Book, Never>(fetchDescriptor: descriptor, modelContext: context)
        #expect(observer.results.map(\.title) == ["Lists", "The Rose"])
        let eco = try #require(observer.results.first?.author)
        eco.name = "Zeco"
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == ["Dune", "Lists"])
        try context.save()
        #expect(observer.results.map(\.title) == ["Dune", "Lists"])
        let other = ModelContext(context.container)
        let herbert = try #require(
            try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Herbert" })).first)
        herbert.name = "Zz"
        try other.save()
        _ = context.hasChanges
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == ["Lists", "The Rose"])
    }

    /// Proves: S91, S33
    @Test("A change of a related model is in a window that is filtered by it")
    func relatedInFilteredWindow() throws {
        let context = try Stack.library()
        var descriptor = FetchDescriptor<Book>(
            predicate: #Predicate { $0.author?.name == "Eco" }, sortBy: [SortDescriptor(\.title)])
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        let observer = try ResultsObserver<Book, Never>(fetchDescriptor: descriptor, modelContext: context)
        #expect(observer.results.map(\.title) == ["The Rose"])
        let herbert = try #require(
            try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Herbert" })).first)
        let eco = try #require(observer.results.first?.author)
        eco.name = "Umberto"
        herbert.name = "Eco"
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == [])
        observer.filterBy = #Predicate { $0.author?.name == "Umberto" }
        #expect(observer.results.map(\.title) == ["The Rose"])
        try context.save()
        #expect(observer.results.map(\.title) == ["The Rose"])
    }

    /// Proves: S89
    @Test("Sections by an optional property of a related model follow it, and models without one are in none")
    func relatedSections() throws {
        let context = try Stack.library()
        context.insert(Book(title: "Alone"))
        try context.save()
        let observer = try ResultsObserver<Book, String>(
            sortBy: [SortDescriptor(\.title)], sectionBy: \.author?.name, modelContext: context)
        #expect(observer.sections?.sectionTitles == ["Eco", "Herbert"])
        #expect(observer.sections?["Eco"]?.map(\.title) == ["Lists", "The Rose"])
        #expect(observer.results.count == 4)
        let eco = try #require(observer.sections?["Eco"]?.first?.author)
        eco.name = "Umberto"
        context.processPendingChanges()
        #expect(observer.sections?.sectionTitles == ["Herbert", "Umberto"])
    }

    /// Proves: S89
    @Test("Sections may be of any stored type that is Hashable, optional or of a related model")
    func otherSections() throws {
        let context = try Stack.library()
        let byGenre = try ResultsObserver<Book, Genre>(
            sortBy: [SortDescriptor(\.title)], sectionBy: \.genre, modelContext: context)
        #expect(byGenre.sections?.sectionTitles == [.novel, .essay])
        let byPages = try ResultsObserver<Book, Int>(sectionBy: \.pages, modelContainer: context.container)
        #expect(byPages.sections?.sectionTitles == [90, 412, 500])
        let byBirth = try ResultsObserver<Book, Date>(
            fetchDescriptor: FetchDescriptor(), sectionBy: \.author?.born, modelContext: context)
        #expect(byBirth.sections?.sectionTitles == [Date(timeIntervalSinceReferenceDate: 0)])
        #expect(byBirth.sections?.first?.map(\.title) == ["Dune"])
    }

    /// Proves: S90
    @Test("Snapshots give the present results and later ones as values; a slow reader skips those between")
    func snapshots() async throws {
        let context = try Stack.library()
        var observer: ResultsObserver<Book, Never>? = try ResultsObserver(
            sortBy: [SortDescriptor(\.title)], modelContext: context)
        let sequence = try #require(observer?.snapshots)
        var reader = sequence.makeAsyncIterator()
        let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        let first = await reader.next(isolation: nil)
        #expect(first?.identifiers == books.map(\.persistentModelID) && first?.updatedIdentifiers.isEmpty == true)
        #expect(first?.sections.map(\.title) == [""])
        for book in books.dropLast() {
            book.pages += 1
            context.processPendingChanges()
        }
        let second = await reader.next(isolation: nil)
        #expect(second?.identifiers == first?.identifiers)
        #expect(second?.updatedIdentifiers == Set(books.dropLast().map(\.persistentModelID)))
        context.delete(books[0])
        context.processPendingChanges()
        #expect(await reader.next(isolation: nil)?.identifiers == books.dropFirst().map(\.persistentModelID))
        observer = nil
        #expect(await reader.next(isolation: nil) == nil)
    }

    /// Proves: S89
    @Test("Sections by an optional property leave out models without a value, in a context of the observer's own")
    func optionalSections() throws {
        let context = try Stack.library()
        let observer = try ResultsObserver<Book, String>(
            filterBy: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.pages)], sectionBy: \.author?.name,
            modelContainer: context.container)
        #expect(observer.sections?.sectionTitles == ["Eco", "Herbert"])
        #expect(observer.modelContext !== context && observer.results.count == 2)
    }
}
