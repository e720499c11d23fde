// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Containers and descriptions of stores.

import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Containers") struct ContainerSpecification {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "Container-\(UUID().uuidString)")
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }
        func description(_ name: String) -> NSPersistentStoreDescription {
            NSPersistentStoreDescription(url: url.appending(path: name))
        }
    }

    private func container(_ descriptions: [NSPersistentStoreDescription]) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: RecordedShop.model())
        container.persistentStoreDescriptions = descriptions
        return container
    }

    /// The callbacks of one call: the name of each store, and whether it was loaded.
    @discardableResult
    private func load(_ container: NSPersistentContainer) -> [String] {
        let results = Mutex<[String]>([])
        container.loadPersistentStores { description, error in
            let name = description.url?.lastPathComponent ?? ""
            results.withLock { $0.append(error == nil ? name : "not \(name)") }
        }
        return results.withLock { $0 }
    }

    /// Proves: N1
    @Test("a new description is a SQLite store that migrates") func defaults() {
        for description in [
            NSPersistentStoreDescription(), NSPersistentStoreDescription(url: URL(filePath: "/tmp/Shop.sqlite")),
        ] {
            #expect(description.type == NSSQLiteStoreType)
            #expect(description.configuration == nil)
            #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
            #expect(!description.isReadOnly && !description.shouldAddStoreAsynchronously)
            #expect(description.timeout == 240)
        }
        #expect(NSPersistentStoreDescription().url?.path == "/dev/null")
    }

    /// Proves: N2
    @Test("options reach the store") func options() throws {
        let folder = try Folder()
        let description = folder.description("Shop.sqlite")
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        description.setOption(NSNumber(value: true), forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        description.setOption("gone" as NSString, forKey: "mine")
        description.setOption(nil, forKey: "mine")
        description.setValue(NSNumber(value: 100), forPragmaNamed: "cache_size")
        description.timeout = 7
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        copy.setOption(NSNumber(value: false), forKey: NSPersistentHistoryTrackingKey)
        let container = container([description])
        #expect(load(container) == ["Shop.sqlite"])
        let options = try #require(container.persistentStoreCoordinator.persistentStores.first?.options)
        #expect(options[NSPersistentHistoryTrackingKey] as? NSNumber == true)
        #expect(options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber == true)
        #expect(options["mine"] == nil)
        #expect((options[NSSQLitePragmasOption] as? [String: NSNumber])?["cache_size"] == 100)
        #expect(options[NSPersistentStoreTimeoutOption] as? NSNumber == 7)
        #expect(container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
    }

    /// Proves: N2
    @Test("a copy of a description has all settings, and later changes of one are not changes of the other")
    func copies() throws {
        let description = NSPersistentStoreDescription(url: URL(filePath: "/tmp/Shop.sqlite"))
        description.type = NSXMLStoreType
        description.configuration = "Books"
        description.shouldAddStoreAsynchronously = true
        description.setOption("b" as NSString, forKey: "a")
        description.setValue(NSNumber(value: 100), forPragmaNamed: "cache_size")
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy.url == description.url && copy.type == NSXMLStoreType)
        #expect(copy.configuration == "Books" && copy.shouldAddStoreAsynchronously)
        #expect(copy.options["a"] as? String == "b")
        #expect(copy.sqlitePragmas == ["cache_size": NSNumber(value: 100)])
        #expect(copy == description)
        description.setValue(NSNumber(value: 7), forPragmaNamed: "cache_size")
        #expect(copy.sqlitePragmas == ["cache_size": NSNumber(value: 100)])
        #expect(copy != description)
    }

    /// Proves: N2
    @Test("a description may make its store read-only") func readOnly() throws {
        let folder = try Folder()
        load(self.container([folder.description("Shop.sqlite")]))
        let description = folder.description("Shop.sqlite")
        description.isReadOnly = true
        let container = self.container([description])
        load(container)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        #expect(store.isReadOnly)
        #expect(store.options?[NSReadOnlyPersistentStoreOption] as? NSNumber == true)
        let context = container.newBackgroundContext()
        let failure = context.performAndWait {
            Book(context: context).title = "Dune"
            return context.saveFailure()
        }
        #expect(failure?.code == NSFileWriteNoPermissionError)
    }

    /// Proves: N3
    @Test("a failing store does not keep others from loading, and a second call tries it again") func loading()
        throws
    {
        let folder = try Folder()
        try Data("no database, whatever its length is, and it is long enough for a header of a file".utf8)
            .write(to: folder.url.appending(path: "Damaged.sqlite"))
        let container = container([
            folder.description("Damaged.sqlite"), folder.description("Shop.sqlite"), NSPersistentStoreDescription(),
        ])
        #expect(load(container).sorted() == ["Shop.sqlite", "not Damaged.sqlite", "null"])
        try FileManager.default.removeItem(at: folder.url.appending(path: "Damaged.sqlite"))
        #expect(load(container) == ["Damaged.sqlite"])
        #expect(load(container) == [])
        #expect(container.persistentStoreCoordinator.persistentStores.count == 3)
    }

    /// Proves: N3, N7
    @Test("each description without a place makes a store, once", arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
    func placeless(type: String) {
        let descriptions = [NSPersistentStoreDescription(), NSPersistentStoreDescription()]
        for description in descriptions { description.type = type }
        let container = container(descriptions)
        #expect(load(container) == ["null", "null"])
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
        #expect(load(container) == [])
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    /// Proves: N4
    @Test("contexts are set up as Apple's are") func contexts() throws {
        let container = container([NSPersistentStoreDescription()])
        load(container)
        let context = container.newBackgroundContext()
        #expect(context.concurrencyType == .privateQueueConcurrencyType)
        #expect(context.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(context.parent == nil && context.undoManager == nil)
        #expect(!context.automaticallyMergesChangesFromParent)
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.newBackgroundContext() !== context)
    }

    /// Proves: N5
    @Test("background tasks have a new context each, and give values and errors") func tasks() async throws {
        let container = container([NSPersistentStoreDescription()])
        load(container)
        let count = try await container.performBackgroundTask { context in
            Book(context: context).title = "Dune"
            try context.save()
            return try context.count(for: Book.request())
        }
        #expect(count == 1)
        await #expect(throws: CocoaError.self) {
            try await container.performBackgroundTask { context in
                _ = Book(context: context)
                try context.save()
            }
        }
        let other = await withCheckedContinuation { continuation in
            container.performBackgroundTask { context in continuation.resume(returning: context.concurrencyType) }
        }
        #expect(other == .privateQueueConcurrencyType)
        // Retained, so that no two have the same address.
        var contexts: [NSManagedObjectContext] = []
        for _ in 0..<2 {
            contexts.append(await container.performBackgroundTask { $0 })
            contexts.append(
                await withCheckedContinuation { continuation in
                    container.performBackgroundTask { continuation.resume(returning: $0) }
                })
        }
        #expect(Set(contexts.map(ObjectIdentifier.init)).count == 4)
        let context = container.newBackgroundContext()
        let answer = await context.perform(schedule: .immediate) { 42 }
        #expect(answer == 42)
    }

    /// Proves: N6
    @Test("a view context that merges automatically shows the saves of background contexts") @MainActor
    func merging() async throws {
        let container = container([NSPersistentStoreDescription()])
        load(container)
        let view = container.viewContext
        view.automaticallyMergesChangesFromParent = true
        let book = Book(context: view)
        book.title = "Dune"
        try view.save()
        let id = book.objectID
        try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Book)?.title = "Emma"
            try context.save()
        }
        for _ in 0..<200 where book.title != "Emma" { try await Task.sleep(for: .milliseconds(5)) }
        #expect(book.title == "Emma")
    }

    /// Proves: N7, F118
    @Test("each container at /dev/null has a separate store, with a history") func ephemeral() throws {
        func make() throws -> NSManagedObjectContext {
            let description = NSPersistentStoreDescription()
            description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
            let container = container([description])
            load(container)
            return container.newBackgroundContext()
        }
        let (one, other) = (try make(), try make())
        let recorded = try one.performAndWait {
            Book(context: one).title = "Dune"
            try one.save()
            return try one.transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?)).count
        }
        #expect(recorded == 1)
        let inserted = try one.performAndWait {
            try one.insertedCount(NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"]]))
        }
        #expect(inserted == 1)
        let books = try one.performAndWait { try one.count(for: Book.request()) }
        #expect(books == 2)
        let count = try other.performAndWait { try other.count(for: Book.request()) }
        #expect(count == 0)
    }

    /// Proves: N8
    @Test("the container for iCloud loads its stores locally, with a history") func cloudKit() throws {
        let cloud: any CloudContainers = Cloud()
        let container = cloud.container("Shop", RecordedShop.model())
        let description = cloud.description("iCloud.com.example.Shop")
        container.persistentStoreDescriptions = [description, NSPersistentStoreDescription()]
        description.setOption(NSNumber(value: false), forKey: NSPersistentHistoryTrackingKey)
        load(container)
        let stores = container.persistentStoreCoordinator.persistentStores
        #expect(stores.count == 2)
        #expect(container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: [stores[0]]) == nil)
        #expect(container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: [stores[1]]) != nil)
        #expect(cloud.identifier(description) == "iCloud.com.example.Shop")
        #expect(code { try cloud.initializeSchema(container) } == 134_400)
        #expect(!cloud.notification.rawValue.isEmpty)
    }

    /// Proves: N8
    @Test("the container for iCloud logs once that nothing is synchronised") func cloudKitLog() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<2 {
                let container = (Cloud() as any CloudContainers).container("Shop", RecordedShop.model())
                container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
                container.loadPersistentStores { _, _ in }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.components(separatedBy: "synchronises nothing with iCloud").count == 2)
    }
}

/// Names the deprecated API without a warning.
private protocol CloudContainers {
    var notification: Notification.Name { get }
    func container(_ name: String, _ model: NSManagedObjectModel) -> NSPersistentContainer
    func description(_ identifier: String) -> NSPersistentStoreDescription
    func identifier(_ description: NSPersistentStoreDescription) -> String?
    func initializeSchema(_ container: NSPersistentContainer) throws
}

private struct Cloud: CloudContainers {
    @available(*, deprecated)
    var notification: Notification.Name { NSPersistentCloudKitContainer.eventChangedNotification }

    @available(*, deprecated)
    func container(_ name: String, _ model: NSManagedObjectModel) -> NSPersistentContainer {
        NSPersistentCloudKitContainer(name: name, managedObjectModel: model)
    }

    @available(*, deprecated)
    func description(_ identifier: String) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription()
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: identifier)
        return description
    }

    @available(*, deprecated)
    func identifier(_ description: NSPersistentStoreDescription) -> String? {
        description.cloudKitContainerOptions?.containerIdentifier
    }

    @available(*, deprecated)
    func initializeSchema(_ container: NSPersistentContainer) throws {
        try (container as? NSPersistentCloudKitContainer)?.initializeCloudKitSchema()
    }
}
