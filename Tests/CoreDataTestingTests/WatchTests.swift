// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what watching a container finds: statements, faults that fire one at a time, contexts and objects that stay.

import CoreData
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Testing

/// Proves: Testing-W1 to W5
@Suite("Watching a container") struct WatchTests {
    private static func shop(in place: TestPlace = .file) throws -> TestContainer {
        let container = try TestContainer(BookshopModel.make(), in: place)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            fill(context)
            try context.save()
        }
        return container
    }

    private static func fill(_ context: NSManagedObjectContext) {
        for number in 0..<20 {
            let book = Book(context: context)
            book.title = "book \(number)"
            let author = Author(context: context)
            author.name = "author \(number)"
            book.author = author
        }
    }

    private static func titles(_ container: TestContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try context.fetch(Book.request()).compactMap(\.title) }
    }

    @Test("statements are counted, without those of transactions", arguments: [TestPlace.memory, .file])
    func statements(place: TestPlace) throws {
        let container = try Self.shop(in: place)
        let report = try container.watch { try Self.titles(container) }
        #expect(report.result.count == 20)
        #expect(report.statements.count == 1 && report.statements[0].hasPrefix("SELECT"))
        #expect(report.leaks == [] && report.repeatedFaulting == [])
        #expect(try report.verify(statements: 1).count == 20)
        let error = #expect(throws: WatchFailure.self) { try report.verify(statements: 0) }
        #expect(error?.description.hasPrefix("1 statements ran, and 0 are allowed:\n  SELECT") == true)
        #expect(try container.watch {}.statements == [])
    }

    @Test("statements of a server are counted", .enabled(if: ContainerTests.serverPlace != nil))
    func serverStatements() throws {
        let place = try #require(ContainerTests.serverPlace)
        let container = try Self.shop(in: place)
        let report = try container.watch { try Self.titles(container) }
        #expect(report.result.count == 20)
        #expect(report.statements.count == 1)
    }

    @Test("faults that fire one at a time are found, with the key path to prefetch, also in a context that is gone")
    func faulting() throws {
        // A copy of a store, whose rows are not in memory.
        let container = try StoreTemplate(BookshopModel.make()) { Self.fill($0) }.makeContainer()
        let report = try container.watch {
            let context = container.newBackgroundContext()
            return try context.performAndWait { try context.fetch(Book.request()).compactMap { $0.author?.name }.count }
        }
        #expect(report.result == 20)
        #expect(report.repeatedFaulting.map(\.keyPath) == ["author"])
        let error = #expect(throws: WatchFailure.self) { try report.verify() }
        #expect(error?.description.contains("Add \"author\" to relationshipKeyPathsForPrefetching") == true)
        #expect(try report.verify(allowsRepeatedFaulting: true) == 20)
    }

    @Test("a context that stays is found with its name and its objects")
    func leakedContext() throws {
        let container = try Self.shop()
        var kept: (NSManagedObjectContext, [Book])?
        let report = try container.watch {
            let context = container.newBackgroundContext()
            context.name = "importer"
            kept = (context, try context.performAndWait { try context.fetch(Book.request()) })
        }
        #expect(report.leaks == [Leak(contextName: "importer", isContext: true, objects: ["Book": 20])])
        let error = #expect(throws: WatchFailure.self) { try report.verify() }
        #expect(
            error?.description.hasPrefix("The context 'importer' outlives the block, with objects: 20 Book.") == true)
        try report.verify(allowsLeaks: true)
        #expect(kept?.1.count == 20)
        kept = nil
        #expect(try container.watch {}.leaks == [])
    }

    @Test("objects that outlive their context are found, and others are not")
    func leakedObjects() throws {
        let container = try Self.shop()
        var kept: [Book] = []
        let report = try container.watch {
            let context = container.newBackgroundContext()
            kept = try context.performAndWait { Array(try context.fetch(Book.request()).prefix(3)) }
        }
        #expect(report.leaks == [Leak(contextName: nil, isContext: false, objects: ["Book": 3])])
        #expect(report.leaks.first?.description.hasPrefix("Objects outlive the block: 3 Book.") == true)
        #expect(kept.count == 3)
    }

    @Test("objects of an earlier context that the block retains are found")
    @MainActor func leakedObjectsOfTheView() throws {
        let container = try Self.shop()
        let before = try #require(try container.viewContext.fetch(Book.request()).first)
        var kept: [Author] = []
        let report = try container.watch {
            kept = try container.viewContext.fetch(NSFetchRequest<Author>(entityName: "Author"))
        }
        #expect(report.leaks.map(\.objects) == [["Author": 20]])
        #expect(kept.count == 20 && before.title != nil)
    }

    /// Not asynchronous, so that `performBackgroundTask` is the form that returns at once.
    private static func countLater(in container: TestContainer) {
        container.performBackgroundTask { context in
            Thread.sleep(forTimeInterval: 0.05)
            _ = try? context.count(for: Book.request())
        }
    }

    @Test("asynchronous work is watched, and a context that another thread releases is no leak")
    func asynchronous() async throws {
        let container = try Self.shop()
        let report = try await container.watch {
            Self.countLater(in: container)
            return try await container.performBackgroundTask { try $0.count(for: Book.request()) }
        }
        #expect(report.result == 20)
        #expect(report.leaks == [])
    }

    @Test("the error of a block is thrown, and the next watch begins anew")
    func failure() throws {
        struct Failure: Error {}
        let container = try Self.shop()
        #expect(throws: Failure.self) {
            try container.watch {
                _ = try Self.titles(container)
                throw Failure()
            }
        }
        #expect(try container.watch {}.statements == [])
    }
}
