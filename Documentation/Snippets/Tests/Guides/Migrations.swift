// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to migrations.

import CoreDataModeling
import Foundation
import Testing

@Suite("Guide: migrations") struct Migrations {
    @Test("the original stays, and rows that cannot come along are kept aside") func careful() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Diary.sqlite")
        let old = NSPersistentContainer(
            name: "Diary", managedObjectModel: try NSManagedObjectModel(classes: [FirstVersion.Entry.self]))
        old.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        try await old.loadPersistentStores()
        try await old.performBackgroundTask { context in
            FirstVersion.Entry(context: context).heading = "Monday"
            try context.save()
        }
        for store in old.persistentStoreCoordinator.persistentStores {
            try old.persistentStoreCoordinator.remove(store)
        }
        let model = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
        // snippet: careful
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: MigrationOption.keepsOriginal)
        description.setOption(true as NSNumber, forKey: MigrationOption.quarantine)

        let container = NSPersistentContainer(name: "Diary", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        let report = container.persistentStoreCoordinator.persistentStores.first?.migrationReport
        print(report?.quarantined.count ?? 0)  // rows in a second store, in the same folder
        // end
        #expect(report?.quarantined.isEmpty == true)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files.count > 1)
    }
}
