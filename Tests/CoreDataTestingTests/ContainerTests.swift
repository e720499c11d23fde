// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what containers for tests promise: a separate store, nothing left behind, and rolling back.

import CoreData
import CoreDataPostgreSQL
import CoreDataTestSupport
import CoreDataTesting
import Foundation
import Testing

/// Proves: Testing-C1 to C4
@Suite("Containers for tests") struct ContainerTests {
    static let places: [TestPlace] =
        [.memory, .file, .temporaryFile(type: NSXMLStoreType), .temporaryFile(type: NSBinaryStoreType)]
        + (serverPlace.map { [$0] } ?? [])

    static let serverPlace: TestPlace? = {
        guard let text = StoreKind.serverURL, let url = URL(string: text) else { return nil }
        PostgreSQLStore.register()
        return .server(url, type: NSPostgreSQLStoreType)
    }()

    @Test("have separate empty stores", arguments: places)
    func own(place: TestPlace) throws {
        let (one, other) = (
            try TestContainer(BookshopModel.make(), in: place), try TestContainer(BookshopModel.make(), in: place)
        )
        try insert("Dune", one)
        let texts = try [one, other].map { try StoreContents(of: $0, entities: ["Book"]).text }
        #expect(texts[0].contains("Book \"Dune\""))
        #expect(texts[1] == "")
    }

    private func insert(_ title: String, _ container: TestContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let book = Book(context: context)
            book.title = title
            try context.save()
        }
    }

    @Test("many tests at once do not see each other", arguments: places)
    func parallel(place: TestPlace) async throws {
        let titles = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let container = try TestContainer(BookshopModel.make(), in: place)
                    try self.insert("book \(number)", container)
                    return try StoreContents(of: container, entities: ["Book"]).text.prefix { $0 != "\n" }.description
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(titles.sorted() == (0..<8).map { "Book \"book \($0)\"" })
    }

    @Test("leave no file behind")
    func cleaning() throws {
        var container: TestContainer? = try TestContainer(BookshopModel.make(), in: .file)
        let url = try #require(container?.storeURL)
        #expect(FileManager.default.fileExists(atPath: url.path))
        container = nil
        #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
    }

    @Test("name the place that cannot hold a store")
    func wrongPlace() {
        let error = #expect(throws: (any Error).self) {
            try TestContainer(BookshopModel.make(), in: .temporaryFile(type: "Card index"))
        }
        #expect((error as NSError?)?.code == 134000)
    }

    @Test(
        "what a block saves is gone after rolling back",
        arguments: [TestPlace.file, .temporaryFile(type: NSXMLStoreType), .temporaryFile(type: NSBinaryStoreType)])
    @MainActor func rollingBack(place: TestPlace) throws {
        let container = try TestContainer(BookshopModel.make(), in: place)
        try insert("Dune", container)
        let before = try StoreContents(of: container)
        container.viewContext.performAndWait { Book(context: container.viewContext).title = "unsaved" }
        let count = try container.rollBackAfter {
            try insert("Emma", container)
            return try container.viewContext.count(for: Book.request())
        }
        #expect(count == 2)
        #expect(try StoreContents(of: container) == before)
        #expect(!container.viewContext.hasChanges)
        // The store works as before.
        try insert("Ulysses", container)
        #expect(try StoreContents(of: container).text.contains("Book \"Ulysses\""))
    }

    @Test("an error of the block is thrown after the store is back")
    func failingBlock() throws {
        struct Failure: Error {}
        let container = try TestContainer(BookshopModel.make(), in: .file)
        #expect(throws: Failure.self) {
            try container.rollBackAfter {
                try insert("Emma", container)
                throw Failure()
            }
        }
        #expect(try StoreContents(of: container).text == "")
    }

    @Test("asynchronous blocks are rolled back, too")
    func asynchronous() async throws {
        let container = try TestContainer(BookshopModel.make(), in: .file)
        let count = try await container.rollBackAfter {
            try await container.performBackgroundTask { context in
                Book(context: context).title = "Emma"
                try context.save()
                return try context.count(for: Book.request())
            }
        }
        #expect(count == 1)
        #expect(try StoreContents(of: container).text == "")
    }

    @Test("a store without a file cannot be rolled back, and the block does not run")
    func withoutFile() throws {
        let container = try TestContainer(BookshopModel.make())
        var hasRun = false
        let error = #expect(throws: TestingError.self) { try container.rollBackAfter { hasRun = true } }
        #expect(error?.description.contains("in: .file") == true)
        #expect(!hasRun)
    }
}
