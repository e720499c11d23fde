// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guides to stores: choosing one, opening one without its app, upkeep.

import CoreDataModeling
import CoreDataPostgreSQL
import Foundation
import Testing

@Suite("Guide: stores") struct Stores {
    @Test("each kind of store takes the same model") func kinds() async throws {
        let folder = try EmptyFolder().url
        // snippet: kinds
        let sqlite = NSPersistentStoreDescription(url: folder.appending(path: "Notebook.sqlite"))  // the default

        let xml = NSPersistentStoreDescription(url: folder.appending(path: "Notebook.xml"))
        xml.type = NSXMLStoreType

        let binary = NSPersistentStoreDescription(url: folder.appending(path: "Notebook.binary"))
        binary.type = NSBinaryStoreType

        let memory = NSPersistentStoreDescription()  // /dev/null: a SQLite database without a file
        // end
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for description in [sqlite, xml, binary, memory] {
            let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
            container.persistentStoreDescriptions = [description]
            try await container.loadPersistentStores()
            let count = try await container.performBackgroundTask { context in
                Memo(context: context).title = "Groceries"
                try context.save()
                return try context.count(for: Memo.fetchRequest())
            }
            #expect(count == 1)
        }
    }

    @Test("a store opens with the model that it keeps") func unknown() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Shop.sqlite")
        let notebook = try await Notebook(at: url)
        try await notebook.container.performBackgroundTask { context in
            Memo(context: context).title = "Groceries"
            try context.save()
        }
        // snippet: unknown
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }

        let container = NSPersistentContainer(name: "Unknown", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        container.persistentStoreDescriptions[0].isReadOnly = true
        try await container.loadPersistentStores()
        let titles = try await container.performBackgroundTask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Memo")
            return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "" }
        }
        // end
        #expect(titles == ["Groceries"])
    }

    @Test("a store in use is copied") func backup() async throws {
        let folder = try EmptyFolder()
        let container = try await Notebook(at: folder.url.appending(path: "Notebook.sqlite")).container
        let copy = folder.url.appending(path: "Copy.sqlite")
        // snippet: backup
        for store in container.persistentStoreCoordinator.persistentStores {
            try store.backup(to: copy)  // contexts go on; the copy is whole
        }
        // end
        #expect(FileManager.default.fileExists(atPath: copy.path))
    }
}

// snippet: postgresql
func shopContainer(on server: URL) async throws -> NSPersistentContainer {  // postgresql://host/shop?schema=app
    PostgreSQLStore.register()  // once, before the first store is added
    let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
    let description = NSPersistentStoreDescription(url: server)
    description.type = NSPostgreSQLStoreType
    container.persistentStoreDescriptions = [description]
    try await container.loadPersistentStores()
    return container
}
// end

// snippet: mapping
func map(_ film: NSEntityDescription) {  // the table public."Film" is there already
    film.userInfo = ["postgresql.schema": "public", "postgresql.table": "Film", "postgresql.version": "lock_version"]
    film.attributesByName["title"]?.userInfo = ["postgresql.column": "film_title"]
    film.relationshipsByName["language"]?.userInfo = ["postgresql.column": "language_id"]
}
// end
