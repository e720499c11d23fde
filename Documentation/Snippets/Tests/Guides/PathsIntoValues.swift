// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page about paths into values.

import CoreDataModeling
import Foundation
import Testing

@ManagedObject final class Import: NSManagedObject {
    var name: String = ""
    var meta: Data?
}

@Suite("Guides: paths into values") @MainActor struct PathsIntoValues {
    @Test("a path into JSON") func path() async throws {
        let folder = try EmptyFolder()
        let container = NSPersistentContainer(
            name: "Imports", managedObjectModel: try NSManagedObjectModel(classes: [Import.self]))
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.url.appending(path: "Imports.sqlite"))
        ]
        try await container.loadPersistentStores()
        let context = container.viewContext
        for (name, json) in [("a", #"{"source": {"host": "example.org", "port": 8080}}"#), ("b", "{}")] {
            let item = Import(context: context)
            (item.name, item.meta) = (name, Data(json.utf8))
        }
        try context.save()
        let request = NSFetchRequest<Import>(entityName: "Import")
        // snippet: path
        request.predicate = NSPredicate(format: "meta.source.host ENDSWITH '.org' AND meta.source.port > 1024")
        let imports = try context.fetch(request)
        // end
        #expect(imports.map(\.name) == ["a"])
    }
}
