// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Blocks that are passed on: functions of apps take any block and give it to contexts, containers and coordinators.

import CoreData
import Foundation
import Testing

@testable import PlainApp

/// Wrappers as apps and packages write them. They test compiling, with warnings in Swift 6 mode; PlainAppSwift5Tests
/// has them in Swift 5.
private enum Wrappers {
    static func perform(
        _ context: NSManagedObjectContext, _ block: @escaping (NSManagedObjectContext) throws -> Int
    ) async throws -> Int { try await context.perform { try block(context) } }

    static func schedule<T>(_ context: NSManagedObjectContext, _ block: @escaping () throws -> T) async throws -> T {
        try await context.perform(schedule: .enqueued, block)
    }

    static func later(_ context: NSManagedObjectContext, _ changes: @escaping (NSManagedObjectContext) -> Void) {
        context.perform { changes(context) }
    }

    static func wait<T>(_ context: NSManagedObjectContext, _ block: () throws -> T) rethrows -> T {
        try context.performAndWait(block)
    }

    static func load(_ container: NSPersistentContainer, _ completion: @escaping (Result<Int, any Error>) -> Void) {
        container.loadPersistentStores { description, error in
            completion(error.map { .failure($0) } ?? .success(description.isReadOnly ? 1 : 0))
        }
    }

    static func add(_ coordinator: NSPersistentStoreCoordinator, _ completion: @escaping ((any Error)?) -> Void) {
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        coordinator.addPersistentStore(with: description) { _, error in completion(error) }
    }

    static func background(_ container: NSPersistentContainer, _ block: @escaping (NSManagedObjectContext) -> Void) {
        container.performBackgroundTask { block($0) }
    }

    static func background<T>(
        _ container: NSPersistentContainer, _ block: @escaping (NSManagedObjectContext) throws -> T
    ) async throws -> T { try await container.performBackgroundTask { try block($0) } }

    static func exclusive<T>(
        _ coordinator: NSPersistentStoreCoordinator, _ block: @escaping () throws -> T
    ) async throws -> T { try await coordinator.perform { try block() } }

    static func exclusive(_ coordinator: NSPersistentStoreCoordinator, _ block: @escaping () -> Void) {
        coordinator.perform { block() }
    }
}

private struct Missing: Error, Equatable {}

/// Not Sendable, as most classes of apps.
private final class Tally {
    var count = 0
}

@Suite("Blocks that are passed on") struct BlockTests {
    @Test("run on the queue of the context, and give values and errors") func contexts() async throws {
        let context = Stack().container.newBackgroundContext()
        let tally = Tally()
        let companies = try await Wrappers.perform(context) { context in
            _ = Company(name: "Acme", context: context)
            tally.count += 1
            return try context.count(for: NSFetchRequest<Company>(entityName: "Company"))
        }
        #expect(companies == 1 && tally.count == 1)
        await #expect(throws: Missing()) {
            try await Wrappers.schedule(context) { throw Missing() }
        }
        let count = Wrappers.wait(context) { context.insertedObjects.count }
        #expect(count == 1)
        await withCheckedContinuation { continuation in
            Wrappers.later(context) { _ in
                tally.count += 1
                continuation.resume()
            }
        }
        #expect(tally.count == 2)
    }

    @Test("of containers and coordinators run likewise") func containers() async throws {
        let container = NSPersistentContainer(name: "Blocks", managedObjectModel: Stack.model)
        container.persistentStoreDescriptions[0].url = URL(filePath: "/dev/null")
        let tally = Tally()
        Wrappers.load(container) { result in if case .success = result { tally.count += 1 } }
        Wrappers.add(container.persistentStoreCoordinator) { error in if error == nil { tally.count += 1 } }
        #expect(tally.count == 2)
        let stores = try await Wrappers.exclusive(container.persistentStoreCoordinator) {
            container.persistentStoreCoordinator.persistentStores.count
        }
        #expect(stores == 2)
        let type = try await Wrappers.background(container) { $0.concurrencyType }
        #expect(type == .privateQueueConcurrencyType)
        await withCheckedContinuation { continuation in
            Wrappers.background(container) { _ in continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            Wrappers.exclusive(container.persistentStoreCoordinator) { continuation.resume() }
        }
    }
}
