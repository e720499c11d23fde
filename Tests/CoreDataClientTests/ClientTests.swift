// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs code as users write it in Swift 6 mode. Half of the proof is that it compiles without a warning.

import CoreData
import Foundation
import Testing

/// Proves: P3
@Suite("Code of users") struct ClientTests {
    @Test("an actor imports in the background")
    func importing() async throws {
        let shelf = try Shelf()
        let importer = Importer(shelf.container)
        let ids = try await importer.add(["Dune", "Emma", "Dubliners"])
        #expect(ids.count == 3)
        #expect(await importer.imported == 3)
        #expect(try await importer.count(titlePrefix: "Du") == 2)
        #expect(try importer.titlesWaiting() == ["Dubliners", "Dune", "Emma"])
        #expect(try await importer.addInParallel(8).count == 8)
    }

    @Test("errors keep their type across queues")
    func errors() async throws {
        let shelf = try Shelf()
        let importer = Importer(shelf.container)
        let id = try await importer.add(["Dune"])[0]
        try await importer.lengthen(id, by: 500)
        try await delete(id, in: shelf.container)
        var missing: String?
        do throws(NotFound) {
            try await importer.lengthen(id, by: 1)
        } catch {
            missing = error.title
        }
        #expect(missing == "\(id)")
    }

    private func delete(_ id: NSManagedObjectID, in container: NSPersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
    }

    @Test("a view model works on the main actor, and sends work away")
    @MainActor func viewModel() async throws {
        let shelf = try Shelf()
        let model = ShelfModel(shelf)
        try model.add("Dune")
        #expect(model.changes == 1)
        #expect(try await model.addInBackground("Emma") == "Emma")
        #expect(model.books.map(\.title) == ["Dune", "Emma"])
        try await model.edit(model.books[0].id, title: "Dune Messiah")
        #expect(model.books.map(\.title) == ["Dune Messiah", "Emma"])
        #expect(try await model.pagesThroughContext() == 0)
    }

    @Test("the ids of saved objects arrive as a sequence, from any context")
    func sequence() async throws {
        let shelf = try Shelf()
        let importer = Importer(shelf.container)
        let saved = SavedIDs(of: shelf.container.persistentStoreCoordinator)
        let reader = Task {
            var count = 0
            for await ids in saved {
                count += ids.count
                if count >= 3 { break }
            }
            return count
        }
        _ = try await importer.add(["Dune", "Emma"])
        importer.addLater("Dubliners") { _ in }
        #expect(await reader.value == 3)
    }

    @Test("a block in an autorelease pool runs once, and passes its result or error on")
    func autoreleasePool() {
        var count = 0
        let result = autoreleasepool { () -> Int in
            count += 1
            return count
        }
        #expect(result == 1)
        #expect(count == 1)
        #expect(throws: NotFound.self) { try autoreleasepool { throw NotFound(title: "Dune") } }
    }
}
