// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which operations of stores observers see, and with which facts. Telemetry-O1 to O6.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

@Suite("Observers of stores") struct StoreObserverTests {
    private let log = OperationLog()
    private let container: NSPersistentContainer
    private let context: NSManagedObjectContext

    init() throws {
        container = try Self.container([log])
        context = container.newBackgroundContext()
    }

    private static func container(_ observers: [any StoreObserver], at url: URL? = nil) throws -> NSPersistentContainer
    {
        let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: BookshopModel.make())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        ]
        container.persistentStoreCoordinator.storeObservers = observers
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    private func addBooks(_ titles: String...) throws {
        try context.performAndWait {
            for title in titles { Book(context: context).title = title }
            try context.save()
        }
    }

    @Test("a save reports its objects, and contains its statements") func save() throws {
        _ = log.take()
        try addBooks("Dune", "Emma")
        let entries = log.take()
        let save = try #require(entries.of(.save).first)
        #expect(save.operation.parentID == nil && save.operation.systemName == "sqlite")
        #expect(save.operation.databaseName == nil)
        #expect(save.report?.rows == 2 && save.report?.error == nil)
        let statements = entries.of(.statement)
        #expect(statements.contains { $0.operation.statement?.contains("INTO ZBOOK (Z_PK, ") == true })
        #expect(statements.allSatisfy { $0.operation.parentID == save.operation.id && $0.report != nil })
        #expect(!statements.contains { $0.operation.statement?.contains("Dune") == true })
        let inner = statements.compactMap(\.report?.duration).reduce(.zero, +)
        #expect(try inner <= #require(save.report?.duration))
    }

    @Test("an operation is released after its end, though the closure of its observer retains it")
    func release() throws {
        let witnesses = Witnesses()
        let context = try Self.container([witnesses]).newBackgroundContext()
        let found = try context.performAndWait { try context.fetch(Book.request()).count }
        #expect(found == 0)
        #expect(witnesses.begun > 1)
        #expect(witnesses.alive == 0)
    }

    /// Keeps each operation by its closure for the end, and counts the closures that are alive.
    private final class Witnesses: StoreObserver {
        private final class Witness: Sendable {
            let operation: StoreOperation
            init(_ operation: StoreOperation) { self.operation = operation }
        }

        private struct Weak: Sendable {
            weak var witness: Witness?
        }

        private let list = Mutex<[Weak]>([])
        var begun: Int { list.withLock { $0.count } }
        var alive: Int { list.withLock { $0.count { $0.witness != nil } } }

        func begin(_ operation: StoreOperation) -> StoreOperation.End? {
            let witness = Witness(operation)
            list.withLock { $0.append(Weak(witness: witness)) }
            return { _ in withExtendedLifetime(witness) {} }
        }
    }

    @Test("a fetch and a count report entity, context and results") func reads() throws {
        try addBooks("Dune", "Emma", "Ulysses")
        _ = log.take()
        context.name = "reader"
        let numbers = try context.performAndWait {
            [try context.fetch(Book.request()).count, try context.count(for: Book.request())]
        }
        #expect(numbers == [3, 3])
        let entries = log.take()
        for kind in [StoreOperation.Kind.fetch, .count] {
            let entry = try #require(entries.of(kind).first)
            #expect(entry.operation.entityName == "Book" && entry.operation.contextName == "reader")
            #expect(entry.report?.rows == 3)
        }
        let selects = entries.of(.statement).filter { $0.operation.statement?.hasPrefix("SELECT t0.Z_PK") == true }
        #expect(selects.first?.report?.rows == 3)
    }

    /// Executes an asynchronous fetch in a task of the request "request 8", and waits for its results.
    private func fetchLater(_ predicate: String? = nil, in context: NSManagedObjectContext) async {
        await OperationLog.$request.withValue("request 8") {
            await withCheckedContinuation { continuation in
                context.perform {
                    let request = Book.request()
                    request.predicate = predicate.map { NSPredicate(format: $0) }
                    let later = NSAsynchronousFetchRequest(fetchRequest: request) { _ in continuation.resume() }
                    do { _ = try context.execute(later) } catch { continuation.resume() }
                }
            }
        }
    }

    @Test("an asynchronous fetch is one operation with its results, and contains its statements")
    func asynchronous() async throws {
        try addBooks("Dune", "Emma")
        context.name = "reader"
        _ = log.take()
        await fetchLater(in: context)
        var entries = log.take()
        let fetch = try #require(entries.of(.fetch).first)
        #expect(entries.of(.fetch).count == 1 && fetch.report?.rows == 2 && fetch.report?.error == nil)
        #expect(fetch.operation.entityName == "Book" && fetch.operation.contextName == "reader")
        #expect(fetch.operation.caller as? String == "request 8")
        #expect(entries.of(.statement).allSatisfy { $0.operation.parentID == fetch.operation.id })
        #expect(entries.of(.statement).contains { $0.report?.rows == 2 })
        // Only the child can answer with its changes, on its queue.
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.performAndWait { Book(context: child).title = "Ulysses" }
        await fetchLater(in: child)
        entries = log.take()
        #expect(entries.of(.fetch).map(\.report?.rows) == [3])
    }

    @Test("an asynchronous fetch that fails reports its error") func asynchronousFailure() async throws {
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first as? SQLiteStore)
        try addBooks("Dune")
        _ = log.take()
        try store.opened().pool.write { try $0.execute("DROP TABLE ZBOOK") }
        await fetchLater("pages > 3", in: context)
        let fetch = try #require(log.take().of(.fetch).first)
        #expect(fetch.report?.rows == 0 && fetch.report?.errorCode == 134180)
    }

    @Test("a fault that is read alone is reported as one, and one from the row cache is not") func faults() throws {
        try addBooks("Dune")
        let other = container.newBackgroundContext()
        let (title, first, second) = try other.performAndWait {
            let book = try other.fetch(Book.request()).first
            _ = log.take()
            let title = book?.title
            let first = log.take()
            _ = book?.chapters.count
            return (title, first, log.take())
        }
        #expect(title == "Dune" && first.isEmpty)
        let entry = try #require(second.of(.faults).first)
        #expect(entry.operation.isLoneFault && entry.operation.entityName == "Book")
    }

    @Test("the members that a fetch prefetches for a single object belong to the fetch, and are not read alone")
    func prefetching() throws {
        try addBooks("Dune")
        _ = log.take()
        let other = container.newBackgroundContext()
        let found = try other.performAndWait {
            let request = Book.request()
            request.relationshipKeyPathsForPrefetching = ["chapters"]
            return try other.fetch(request).count
        }
        let entries = log.take()
        let fetch = try #require(entries.of(.fetch).first)
        let faults = entries.of(.faults).map(\.operation)
        #expect(found == 1 && !faults.isEmpty)
        #expect(faults.allSatisfy { $0.objectCount == 1 && $0.parentID == fetch.operation.id && !$0.isLoneFault })
    }

    @Test("each of several observers sees the beginning of an operation, and its end") func several() throws {
        let logs = [OperationLog(), OperationLog(), OperationLog()]
        let context = try Self.container(logs).newBackgroundContext()
        let number = try context.performAndWait { try context.count(for: Book.request()) }
        let counts = logs.map { $0.take().of(.count) }
        #expect(number == 0 && counts.map(\.count) == [1, 1, 1])
        #expect(counts.joined().allSatisfy { $0.report != nil })
    }

    @Test("a batch request reports the records that it counts") func batch() throws {
        try addBooks("Dune", "Emma")
        _ = log.take()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["pages": 7]
        request.resultType = .updatedObjectsCountResultType
        _ = try context.performAndWait { try context.execute(request) }
        let entry = try #require(log.take().of(.batch).first)
        #expect(entry.report?.rows == 2 && entry.operation.entityName == "Book")
    }

    @Test("a conflict reports its policy, its retry, and the code of its error") func conflicts() throws {
        try addBooks("Dune")
        let other = container.newBackgroundContext()
        func change(_ first: NSManagedObjectContext, _ title: String) throws {
            try first.performAndWait { try first.fetch(Book.request()).first?.title = title }
        }
        try change(context, "A")
        try change(other, "B")
        try other.performAndWait { try other.save() }
        _ = log.take()
        let error = #expect(throws: CocoaError.self) { try context.performAndWait { try context.save() } }
        var save = try #require(log.take().of(.save).first?.report)
        #expect(save.conflicts == 1 && save.conflictPolicy == "error" && save.errorCode == error?.code.rawValue)
        #expect(save.errorCode == 133020)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.performAndWait { try context.save() }
        save = try #require(log.take().of(.save).first?.report)
        #expect(save.conflictPolicy == "mergeByPropertyObjectTrump" && save.retries == 1 && save.error == nil)
    }

    @Test("operations of a block know the task that awaits it, others begin in the caller's thread")
    func caller() async throws {
        _ = log.take()
        let context = context
        try await OperationLog.$request.withValue("request 7") {
            try await context.perform { _ = try context.count(for: Book.request()) }
            context.performAndWait { _ = try? context.count(for: Book.request()) }
        }
        try await context.perform { _ = try context.count(for: Book.request()) }
        let counts = log.take().of(.count)
        #expect(counts.map { $0.operation.caller as? String } == ["request 7", nil, nil])
    }

    @Test("a migration is reported") func migration() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Store.sqlite")
        let first = try Self.container([], at: url)
        for store in first.persistentStoreCoordinator.persistentStores {
            try first.persistentStoreCoordinator.remove(store)
        }
        let model = BookshopModel.make()
        model.entitiesByName["Author"]?.attribute("mail", .stringAttributeType)
        let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.persistentStoreCoordinator.storeObservers = [log]
        container.loadPersistentStores { _, _ in }
        let migration = try #require(log.take().of(.migration).first?.report)
        #expect(migration.duration > .zero && migration.error == nil)
    }

    @Test("each operation that began ends once, in parallel") func balance() async throws {
        let log = OperationLog()
        let container = try Self.container([log])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let context = container.newBackgroundContext()
                    try? await context.perform {
                        for _ in 0..<20 {
                            Book(context: context).title = "Dune"
                            try context.save()
                            _ = try context.fetch(Book.request())
                        }
                    }
                }
            }
        }
        let entries = log.take()
        #expect(entries.of(.save).count == 160 && entries.allSatisfy { $0.report != nil })
        #expect(Set(entries.map(\.operation.id)).count == entries.count)
        let containers = Set(entries.filter { $0.operation.kind != .statement }.map(\.operation.id))
        #expect(entries.of(.statement).compactMap(\.operation.parentID).allSatisfy(containers.contains))
    }

    @Test("observers that are set after a store was opened are refused with a sentence") func late() async {
        await #expect(processExitsWith: .failure) {
            let container = try StoreObserverTests.container([])
            container.persistentStoreCoordinator.storeObservers = [OperationLog()]
        }
    }
}
