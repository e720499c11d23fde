// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Code of apps in language mode 5: blocks that are passed on, and overridden methods.

import CoreData
import Foundation
import Testing

// Tests that this compiles; CoreDataClientTests has the same in Swift 6, and tests the results.

enum Wrappers {
    static func perform(
        _ context: NSManagedObjectContext, _ block: @escaping (NSManagedObjectContext) throws -> Int
    ) async throws -> Int { try await context.perform { try block(context) } }

    static func later(_ context: NSManagedObjectContext, _ changes: @escaping (NSManagedObjectContext) -> Void) {
        context.perform { changes(context) }
    }

    static func load(_ container: NSPersistentContainer, _ completion: @escaping (Result<Int, Error>) -> Void) {
        container.loadPersistentStores { _, error in completion(error.map { .failure($0) } ?? .success(1)) }
    }

    static func background(_ container: NSPersistentContainer, _ block: @escaping (NSManagedObjectContext) -> Void) {
        container.performBackgroundTask { block($0) }
    }
}

class FrontContext: NSManagedObjectContext, @unchecked Sendable {
    var counts = 0

    override func perform(_ block: @escaping () -> Void) { super.perform(block) }
    override func performAndWait(_ block: () -> Void) { super.performAndWait(block) }
    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] { try super.fetch(request) }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try super.execute(request)
    }
    override func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
        counts += 1
        return try super.count(for: request)
    }
    override func save() throws { try super.save() }
    override var hasChanges: Bool { super.hasChanges }
    override var parent: NSManagedObjectContext? {
        get { super.parent }
        set { super.parent = newValue }
    }
    override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject { super.object(with: objectID) }
}

class FrontContainer: NSPersistentContainer, @unchecked Sendable {
    override var viewContext: NSManagedObjectContext { super.viewContext }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator { super.persistentStoreCoordinator }
    override func newBackgroundContext() -> NSManagedObjectContext {
        let context = FrontContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }
    override func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        super.performBackgroundTask(block)
    }
    override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void
    ) {
        super.loadPersistentStores(completionHandler: block)
    }
}

class FrontCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }
    override func remove(_ store: NSPersistentStore) throws { try super.remove(store) }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
}

class FrontObject: NSManagedObject {
    override var hasChanges: Bool { super.hasChanges }
    override var isDeleted: Bool { super.isDeleted }
    override var managedObjectContext: NSManagedObjectContext? { super.managedObjectContext }
    override var objectID: NSManagedObjectID { super.objectID }
}

class FrontController: NSFetchedResultsController<NSManagedObject> {
    override func performFetch() throws { try super.performFetch() }
    override var fetchedObjects: [NSManagedObject]? { super.fetchedObjects }
}

@Suite("Code in language mode 5") struct SourceTests {
    static let model: NSManagedObjectModel = {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let page = NSEntityDescription()
        page.name = "Page"
        page.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [page]
        return model
    }()

    @Test("passes blocks on and overrides methods") func source() async throws {
        let container = FrontContainer(name: "Front", managedObjectModel: Self.model)
        container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null")
        var loaded = 0
        Wrappers.load(container) { result in loaded += (try? result.get()) ?? 0 }
        #expect(loaded == 1)
        let context = container.newBackgroundContext()
        let count = try await Wrappers.perform(context) { context in
            NSEntityDescription.insertNewObject(forEntityName: "Page", into: context).setValue("a", forKey: "title")
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Page"))
        }
        #expect(count == 1 && (context as? FrontContext)?.counts == 1)
        await withCheckedContinuation { continuation in
            Wrappers.background(container) { context in Wrappers.later(context) { _ in continuation.resume() } }
        }
    }
}
