// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the location of a store with a description that names none.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: N7
@Suite("A store description without a place") struct PlacelessStoreSpecification {
    private func container(_ type: String? = nil) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Placeless", managedObjectModel: NamedModel.make())
        let description = NSPersistentStoreDescription()
        if let type { description.type = type }
        try container.persistentStoreCoordinator.addPersistentStore(
            ofType: description.type, configurationName: nil, at: description.url, options: description.options)
        return container
    }

    private func count(_ container: NSPersistentContainer) throws -> Int {
        let context = container.newBackgroundContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Named")
        return try context.performAndWait { try context.count(for: request) }
    }

    @Test("is at /dev/null") func place() {
        #expect(NSPersistentStoreDescription().url == URL(filePath: "/dev/null"))
        #expect(NSPersistentStoreDescription().type == NSSQLiteStoreType)
    }

    @Test("lives in memory, each coordinator with its own, and leaves nothing", arguments: [nil, NSInMemoryStoreType])
    func memory(type: String?) throws {
        let (one, other) = (try container(type), try container(type))
        let context = one.newBackgroundContext()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
            try context.save()
        }
        #expect(try count(one) == 1)
        #expect(try count(other) == 0)
        #expect(try count(container(type)) == 0)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: "/dev/null" + suffix))
        }
    }

    @Test("can be loaded by a container") func loading() async throws {
        let container = NSPersistentContainer(name: "Placeless", managedObjectModel: NamedModel.make())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            container.loadPersistentStores { _, error in continuation.resume(returning: error) }
        }
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.url?.path == "/dev/null")
        #expect(try count(container) == 0)
    }
}
