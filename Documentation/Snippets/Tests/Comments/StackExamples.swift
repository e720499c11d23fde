// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of containers, coordinators and stores.

import CoreDataModeling
import Foundation
import Testing

/// Compiled only: no model of this name belongs to the tests.
func namedContainer() async throws -> NSPersistentContainer {
    // snippet: named
    let container = NSPersistentContainer(name: "Shop")
    try await container.loadPersistentStores()
    // end
    return container
}

@Suite("Comments: containers and coordinators") struct StackExamples {
    @Test("a container in a file") func container() async throws {
        let folder = try EmptyFolder().url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // snippet: container
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appending(path: "Notebook.sqlite"))
        ]
        try await container.loadPersistentStores()
        // end
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("loading with a completion handler") func completion() throws {
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        // snippet: completion
        container.loadPersistentStores { description, error in
            guard let error else { return }
            print("The store at \(description.url?.path ?? "-") is not open: \(error.localizedDescription)")
        }
        // end
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    /// Not asynchronous, so that `performBackgroundTask` is the form that returns at once.
    private func submit(to container: NSPersistentContainer) {
        // snippet: taskCallback
        container.performBackgroundTask { context in
            Memo(context: context).title = "Groceries"
            do { try context.save() } catch { print("The note is not saved: \(error)") }
        }
        // end
    }

    @Test("one task in the background") func task() async throws {
        let container = try await Notebook().container
        submit(to: container)
        // snippet: task
        let id = try await container.performBackgroundTask { context in
            let note = Memo(context: context)
            note.title = "Groceries"
            try context.save()
            return note.objectID
        }
        // end
        #expect(!id.isTemporaryID)
    }

    @Test("settings of a store") func description() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Notebook.sqlite")
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        // snippet: description
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.timeout = 10  // seconds to wait for another process
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        // end
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("a store that does not fit the model") func add() throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Diary.sqlite")
        do {
            let other = NSPersistentStoreCoordinator(
                managedObjectModel: try NSManagedObjectModel(classes: [FirstVersion.Entry.self]))
            try other.remove(try other.addPersistentStore(type: .sqlite, at: url))
        }
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(classes: [SecondVersion.Entry.self]))
        // snippet: add
        do {
            try coordinator.addPersistentStore(type: .sqlite, at: url)
        } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
            print(error.localizedDescription)  // names the entities that differ
            try coordinator.addPersistentStore(
                type: .sqlite, at: url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        // end
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test("a store is deleted, and begun again") func destroy() throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Notebook.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model)
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        // snippet: destroy
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)  // removes it from the coordinator first
        try coordinator.addPersistentStore(type: .sqlite, at: url)  // a new, empty store
        // end
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test("a store becomes one of another type") func migrate() throws {
        let folder = try EmptyFolder().url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.appending(path: "Notebook.sqlite"))
        // snippet: migrate
        let export = folder.appending(path: "Notebook.xml")
        let document = try coordinator.migratePersistentStore(store, to: export, type: .xml)
        print(coordinator.persistentStores == [document])  // true: the database is closed, and unchanged
        // end
        #expect(document.type == NSXMLStoreType)
    }

    @Test("statements, contexts and their ends") func watching() async throws {
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        ]
        // snippet: observer
        struct SlowSaves: StoreObserver {
            func begin(_ operation: StoreOperation) -> StoreOperation.End? {
                guard operation.kind == .save else { return nil }
                return { report in
                    if report.duration > .milliseconds(100) { print("A save took \(report.duration).") }
                }
            }
        }
        container.persistentStoreCoordinator.storeObservers = [SlowSaves()]
        // end
        try await container.loadPersistentStores()
        let coordinator = container.persistentStoreCoordinator
        // snippet: live
        let names = coordinator.liveContexts.map { $0.name ?? "unnamed" }
        // end
        #expect(names == ["unnamed"])
        // snippet: ended
        coordinator.onContextEnd { context in
            print("\(context.name ?? "A context") ends with \(context.objects.count) live objects.")
        }
        // end
        let count = try await container.performBackgroundTask { try $0.count(for: Memo.fetchRequest()) }
        #expect(count == 0)
    }
}
