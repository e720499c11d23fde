// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Subclasses of contexts, containers and coordinators with new methods, as mocks and apps write them.

import CoreData
import Foundation
import Testing

/// Counts the calls of its methods.
private final class WatchedContext: NSManagedObjectContext, @unchecked Sendable {
    var calls: [String] = []

    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        calls.append("fetch")
        return try super.fetch(request)
    }

    override func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
        calls.append("count")
        return try super.count(for: request)
    }

    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        calls.append("execute")
        return try super.execute(request)
    }

    override func perform(_ block: @escaping @Sendable () -> Void) {
        calls.append("perform")
        super.perform(block)
    }

    override func performAndWait(_ block: () -> Void) {
        calls.append("wait")
        super.performAndWait(block)
    }

    func take() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// Returns results without a store.
private final class MockContext: NSManagedObjectContext, @unchecked Sendable {
    var results: [Any] = []
    var failure: (any Error)?

    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        if let failure { throw failure }
        return results
    }

    override func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
        if let failure { throw failure }
        return results.count
    }

    override func performAndWait(_ block: () -> Void) { block() }
}

/// Runs no blocks.
private final class IdleContext: NSManagedObjectContext, @unchecked Sendable {
    override func perform(_ block: @escaping @Sendable () -> Void) {}
    override func performAndWait(_ block: () -> Void) {}
}

private final class OwnStackContainer: NSPersistentContainer, @unchecked Sendable {
    let own = NSPersistentStoreCoordinator(managedObjectModel: Shelf.model)
    lazy var front: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = own
        return context
    }()

    override var name: String { "Own" }
    override var viewContext: NSManagedObjectContext { front }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator { own }
    override var managedObjectModel: NSManagedObjectModel { own.managedObjectModel }
}

private final class SecretiveCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override var persistentStores: [NSPersistentStore] { [] }
}

/// Overrides its state with wrong answers.
final class PretendingPage: NSManagedObject {
    override var hasChanges: Bool { true }
    override var isDeleted: Bool { true }
    override var managedObjectContext: NSManagedObjectContext? { nil }
    override var objectID: NSManagedObjectID { other?.objectID ?? super.objectID }
    var other: NSManagedObject?

    static let model: NSManagedObjectModel = {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let page = NSEntityDescription()
        page.name = "Page"
        page.managedObjectClassName = String(reflecting: PretendingPage.self)
        page.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [page]
        return model
    }()
}

@Suite("Overridden methods") struct OverrideTests {
    private func watched(_ shelf: Shelf) -> WatchedContext {
        let context = WatchedContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = shelf.container.persistentStoreCoordinator
        return context
    }

    @Test("of a context are called by typed fetches and counts, by requests, and by results controllers")
    func fetching() throws {
        let context = watched(try Shelf())
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        func work() throws -> [[String]] {
            var log = [context.take()]
            for pages in [2, 1] { Book(context: context).pages = pages }
            #expect(try context.fetch(request).map(\.pages) == [1, 2])
            log.append(context.take())
            #expect(request.entity?.name == "Book")
            #expect(try context.count(for: request) == 2)
            log.append(context.take())
            #expect(try request.execute().count == 2)
            log.append(context.take())
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map(\.pages) == [1, 2])
            log.append(context.take())
            return log
        }
        let log = try context.performAndWait { try work() }
        #expect(log == [["wait"], ["fetch"], ["count"], ["fetch"], ["fetch"]])
    }

    @Test("of a context are not called by one another, and not by asynchronous fetches") func separate() async throws {
        let context = watched(try Shelf())
        let found = try await context.perform {
            let request = NSFetchRequest<Book>(entityName: "Book")
            Book(context: context).pages = 1
            return try (context.execute(request) as? NSAsynchronousFetchResult<Book>)?.finalResult?.count
        }
        #expect(found == 1)
        #expect(context.take() == ["execute"])
        let count = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let request = NSFetchRequest<Book>(entityName: "Book")
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    continuation.resume(returning: result.finalResult?.count)
                }
                do {
                    _ = try context.execute(asynchronous)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(count == 1)
        #expect(context.take() == ["perform", "execute"])
    }

    @Test("may answer in place of a store, for every type of request") func mocks() throws {
        let context = MockContext(concurrencyType: .privateQueueConcurrencyType)
        let request = NSFetchRequest<NSDictionary>(entityName: "Nothing")
        context.results = [["a": 1] as NSDictionary]
        #expect(try context.fetch(request) == [["a": 1]])
        #expect(try context.count(for: request) == 1)
        #expect(context.performAndWait { 5 } as Int == 5)
        let untyped: [Any] = try context.fetch(NSFetchRequest<NSFetchRequestResult>(entityName: "Nothing"))
        #expect(untyped.count == 1)
        let error = #expect(throws: CocoaError.self) {
            try context.fetch(NSFetchRequest<NSManagedObjectID>(entityName: "Nothing"))
        }
        #expect(error.map { String(describing: $0).contains("NSManagedObjectID") } == true)
        context.failure = NotFound(title: "x")
        #expect(throws: NotFound(title: "x")) { try context.fetch(request) }
        #expect(throws: NotFound(title: "x")) { try context.count(for: request) }
    }

    @Test("of a parent do not keep its children from their work") func parents() throws {
        let shelf = try Shelf()
        let parent = IdleContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = shelf.container.persistentStoreCoordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        func work() throws -> Int {
            Book(context: child).title = "Dune"
            try child.save()
            return try child.count(for: NSFetchRequest<Book>(entityName: "Book"))
        }
        let count = try child.performAndWait { try work() }
        #expect(count == 1)
    }

    @Test("of a container decide where stores are loaded and what background contexts use") func containers() throws {
        let container = OwnStackContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions[0].url = URL(filePath: "/dev/null")
        var failures: [any Error] = []
        container.loadPersistentStores { _, error in error.map { failures.append($0) } }
        #expect(failures.isEmpty && container.own.persistentStores.count == 1)
        #expect(container.newBackgroundContext().persistentStoreCoordinator === container.own)
        #expect(container.viewContext === container.front && container.name == "Own")
    }

    @Test("of a coordinator do not hide its stores from contexts") func coordinators() throws {
        let coordinator = SecretiveCoordinator(managedObjectModel: Shelf.model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        func work() throws -> Int {
            Book(context: context).title = "Dune"
            try context.save()
            return try context.count(for: NSFetchRequest<Book>(entityName: "Book"))
        }
        let count = try context.performAndWait { try work() }
        #expect(count == 1)
        #expect(NSPersistentStoreCoordinator().persistentStores.isEmpty)
        #expect(NSPredicate().evaluate(with: 1))
    }

    @Test("of an object do not change how its context treats it") func objects() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PretendingPage.model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        func work() throws -> [String] {
            let (one, two) = (PretendingPage(context: context), PretendingPage(context: context))
            one.setValue("one", forKey: "title")
            two.setValue("two", forKey: "title")
            one.other = two
            try context.save()
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            #expect(one.objectID == two.objectID && one.hasChanges && one.isDeleted)
            context.delete(one)
            #expect(context.deletedObjects == [one])
            try context.save()
            return try context.fetch(NSFetchRequest<PretendingPage>(entityName: "Page"))
                .compactMap { $0.value(forKey: "title") as? String }
        }
        let titles = try context.performAndWait { try work() }
        #expect(titles == ["two"])
    }

    @Test("that never run the block of performAndWait are mistakes, if a result is expected") func idle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = IdleContext(concurrencyType: .privateQueueConcurrencyType)
            _ = context.performAndWait { 5 } as Int
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("returned without running its block"))
    }
}
