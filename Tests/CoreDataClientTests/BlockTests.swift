// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Blocks that are written on the main actor, and run elsewhere. Examples/PlainApp passes blocks on.

import CoreData
import Foundation
import Testing

@Suite("Blocks that are written on the main actor") @MainActor struct BlockTests {
    @Test("run on the queue of the context, with the closures in them") func contexts() async throws {
        let shelf = try Shelf()
        let context = shelf.container.newBackgroundContext()
        let isOnMainThread = await context.perform { [1].contains { _ in Thread.isMainThread } }
        #expect(!isOnMainThread)
        await withCheckedContinuation { continuation in
            context.perform {
                if [1, 2].filter({ $0 > 1 }) == [2] { continuation.resume() }
            }
        }
    }

    @Test("so do those of containers and coordinators") func containers() async throws {
        let shelf = try Shelf()
        let titles = try await shelf.container.performBackgroundTask { context in
            for title in ["Dune", "Emma"] { Book(context: context).title = title }
            try context.save()
            return try context.fetch(NSFetchRequest<Book>(entityName: "Book")).map(\.title).filter { $0 > "E" }
        }
        #expect(titles == ["Emma"])
        await withCheckedContinuation { continuation in
            shelf.container.performBackgroundTask { _ in [1].forEach { _ in continuation.resume() } }
        }
        let coordinator = shelf.container.persistentStoreCoordinator
        let count = await coordinator.perform { coordinator.persistentStores.filter { $0.url != nil }.count }
        #expect(count == 1)
    }
}
