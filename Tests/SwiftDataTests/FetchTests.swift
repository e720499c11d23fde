// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Predicates, orders and windows.

import CoreData
import Foundation
import SwiftData
import Testing

@Suite("Fetches answer typed predicates")
struct FetchTests {
    private func titles(_ predicate: Predicate<Book>) throws -> [String] {
        let context = try Stack.library()
        return try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    /// Proves: S39, S37
    @Test("Comparisons, logic and text")
    func comparisons() throws {
        #expect(try titles(#Predicate { $0.pages > 300 && $0.title.starts(with: "Du") }) == ["Dune"])
        #expect(try titles(#Predicate { $0.title.localizedStandardContains("ROSE") }) == ["The Rose"])
        let same = ComparisonResult.orderedSame
        #expect(try titles(#Predicate { $0.title.caseInsensitiveCompare("dune") == same }) == ["Dune"])
        #expect(try titles(#Predicate { !($0.pages < 400) }) == ["Dune", "The Rose"])
    }

    /// Proves: S39, S46
    @Test("Predicates are put together, in a store and in memory")
    func joined() throws {
        let long = #Predicate<Book> { $0.pages > 300 }
        let eco = #Predicate<Book> { $0.author?.name == "Eco" }
        let tagged = #Predicate<Book> { book in book.tags.contains { $0.name == "desert" } }
        for (predicate, expected) in [
            (long.and(eco), ["The Rose"]), (long.or(eco), ["Dune", "Lists", "The Rose"]), (long.negated(), ["Lists"]),
            (long.and(eco.or(tagged).negated()), []), (tagged.or(eco.and(long.negated())), ["Dune", "Lists"]),
        ] {
            #expect(try titles(predicate) == expected)
            let context = try Stack.library()
            let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
            #expect(try all.filter { try predicate.evaluate($0) }.map(\.title) == expected)
        }
    }

    /// Proves: S39, S43
    @Test("Relationships and optional chains")
    func chains() throws {
        #expect(try titles(#Predicate { $0.author?.name == "Eco" }) == ["Lists", "The Rose"])
        #expect(try titles(#Predicate { $0.tags.contains { $0.name == "desert" } }) == ["Dune"])
        #expect(try titles(#Predicate { $0.tags.isEmpty }) == ["Lists", "The Rose"])
        #expect(try titles(#Predicate { ($0.author?.books.count ?? 0) > 1 }) == ["Lists", "The Rose"])
    }

    /// Proves: S41
    @Test("Enumerations")
    func enumerations() throws {
        let (novel, some) = (Genre.novel, [Genre.essay, .poem])
        #expect(try titles(#Predicate { $0.genre == novel }) == ["Dune", "The Rose"])
        #expect(try titles(#Predicate { $0.genre?.rawValue == "essay" }) == ["Lists"])
        #expect(try titles(#Predicate { $0.genre == nil }) == [])
        #expect(try titles(#Predicate { $0.genre.flatMap { some.contains($0) } == true }) == ["Lists"])
    }

    /// Proves: S42
    @Test("Members of structures")
    func structures() throws {
        #expect(try titles(#Predicate { $0.address?.city == "Arrakeen" }) == ["Dune"])
        #expect(try titles(#Predicate { $0.address?.zip == nil }) == ["Lists", "The Rose"])
    }

    /// Proves: S40
    @Test("Identifiers as such, through to-ones and captured")
    func identifiers() throws {
        let context = try Stack.library()
        let all = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        let (id, ids) = (all[0].persistentModelID, Set(all.map(\.persistentModelID)))
        let author = try #require(all[0].author?.persistentModelID)
        #expect(
            try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == id })) == 1)
        #expect(
            try context.fetchCount(
                FetchDescriptor<Book>(predicate: #Predicate { ids.contains($0.persistentModelID) })) == 3)
        #expect(
            try context.fetchCount(
                FetchDescriptor<Book>(predicate: #Predicate { $0.author?.persistentModelID == author })) == 1)
    }

    /// Proves: S45
    @Test("A property that a store lacks is thrown with its name, before and at the fetch")
    func refused() throws {
        let context = try Stack.library()
        let descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.isOpen })
        let error = #expect(throws: ModelError.self) { try context.fetch(descriptor) }
        #expect(error?.kind == .unsupportedKeyPath)
        #expect(error?.description.contains("isOpen") == true)
        #expect(throws: ModelError.self) { try descriptor.checked(in: context.container) }
    }

    /// Proves: S32, S34, S36
    @Test("Windows, counts, identifiers, batches and enumerations agree")
    func windows() throws {
        let context = try Stack.library()
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages, order: .reverse)])
        descriptor.fetchLimit = 2
        descriptor.fetchOffset = 1
        descriptor.relationshipKeyPathsForPrefetching = [\.author]
        let found = try context.fetch(descriptor)
        #expect(found.map(\.pages) == [412, 90])
        #expect(try context.fetchCount(descriptor) == 2)
        #expect(try context.fetchIdentifiers(descriptor) == found.map(\.persistentModelID))
        #expect(try context.fetch(descriptor, batchSize: 1).map(\.pages) == [412, 90])
        var seen: [Int] = []
        try context.enumerate(descriptor) { seen.append($0.pages) }
        #expect(seen == [412, 90])
    }

    /// Proves: S36
    @Test("Related models are read along, so that none is read by itself")
    func prefetching() throws {
        let saved = ModelContext(try Stack.memory())
        for number in 0..<100 { saved.insert(Book(title: "\(number)", author: Author(name: "\(number)"))) }
        try saved.save()
        func lonelyReads(_ paths: [PartialKeyPath<Book>]) throws -> Int {
            let context = ModelContext(saved.container)
            context.managedObjectContext.repeatedFaultingPolicy = .strict
            var descriptor = FetchDescriptor<Book>()
            descriptor.relationshipKeyPathsForPrefetching = paths
            let books = try context.fetch(descriptor)
            #expect(Set(books.compactMap { $0.author?.books.count }) == [1])
            return context.managedObjectContext.repeatedFaulting.count
        }
        #expect(try lonelyReads([]) > 0)
        #expect(try lonelyReads([\.author, \.author?.books]) == 0)
    }

    /// Proves: S36, S45
    @Test("The other properties of records are there without another statement; an unknown one is refused")
    func propertiesToFetch() throws {
        let saved = ModelContext(try Stack.memory())
        for number in 0..<100 {
            let book = Book(title: "\(number)", pages: number)
            book.address = Address(city: "city \(number)", zip: number)
            saved.insert(book)
        }
        try saved.save()
        let context = ModelContext(saved.container)
        context.managedObjectContext.repeatedFaultingPolicy = .strict
        var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
        descriptor.propertiesToFetch = [\.title]
        let books = try context.fetch(descriptor)
        #expect(books.map(\.pages) == Array(0..<100))
        #expect(books.map { $0.address?.zip } == Array(0..<100))
        #expect(context.managedObjectContext.repeatedFaulting.isEmpty)
        descriptor.propertiesToFetch = [\.isOpen]
        let error = #expect(throws: ModelError.self) { try context.fetch(descriptor) }
        #expect(error?.kind == .unsupportedKeyPath)
    }

    /// Proves: S105
    @Test("The store computes groups in a fetch of the managed object context") func groups() throws {
        let context = try Stack.library()
        let number = NSExpressionDescription()
        number.name = "number"
        number.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
        number.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: Schema.entityName(for: Book.self))
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["author.name"]
        request.propertiesToFetch = ["author.name", number]
        request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        let rows = try context.managedObjectContext.fetch(request)
        #expect(rows.map { $0["author.name"] as? String } == ["Eco", "Herbert"])
        #expect(rows.map { $0["number"] as? Int } == [2, 1])
    }

    /// Proves: S45
    @Test("An order by a property that no store has is thrown, with its entity")
    func refusedOrder() throws {
        let context = try Stack.library()
        let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title.count)])
        let error = #expect(throws: ModelError.self) { try context.fetch(descriptor) }
        #expect(error?.kind == .unsupportedSortDescriptor)
        #expect(error?.entityName == "Book")
        #expect(error?.description.contains("which is no stored property") == true)
    }

    /// Proves: S33
    @Test("Unsaved changes count, unless they are not wanted")
    func pending() throws {
        let context = try Stack.library()
        context.insert(Book(title: "Zero"))
        var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 0 })
        #expect(try context.fetchCount(descriptor) == 1)
        descriptor.includePendingChanges = false
        #expect(try context.fetchCount(descriptor) == 0)
    }

    /// An order of any comparable property.
    private func order<Value: Comparable>(
        _ path: any KeyPath<Book, Value> & Sendable
    ) -> SortDescriptor<Book> { SortDescriptor(path) }

    /// Proves: S37
    @Test("An order of texts that generic code makes is that of `<`, in a fetch and in memory")
    func genericOrder() throws {
        let context = try Stack.library()
        for title in ["dune", "Emma", "Book 10", "Book 9", "Ähre"] { context.insert(Book(title: title)) }
        try context.save()
        let found = try context.fetch(FetchDescriptor<Book>(sortBy: [order(\.title)]))
        #expect(found.map(\.title) == found.map(\.title).sorted())
        #expect(found.sorted(using: order(\.title)).map(\.title) == found.map(\.title))
    }

    /// Proves: S37
    @Test("An order may lead through to-ones, optional ones too, and nil comes first")
    func orderThroughToOnes() throws {
        let context = try Stack.library()
        context.insert(Book(title: "Nobody's"))
        try context.save()
        func titles(_ order: [SortDescriptor<Book>]) throws -> [String] {
            try context.fetch(FetchDescriptor<Book>(sortBy: order)).map(\.title)
        }
        #expect(
            try titles([SortDescriptor(\.author?.name), SortDescriptor(\.title)])
                == ["Nobody's", "Lists", "The Rose", "Dune"])
        #expect(
            try titles([SortDescriptor(\.author?.born, order: .reverse), SortDescriptor(\.title)])
                == ["Dune", "Lists", "Nobody's", "The Rose"])
    }
}
