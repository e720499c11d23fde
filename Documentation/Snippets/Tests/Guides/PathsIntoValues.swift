// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page about paths into values.

import CoreDataModeling
import Foundation
import Testing

// snippet: class
@ManagedObject final class Import: NSManagedObject {
    var name: String = ""
    @Attribute(userInfo: ["indexedPaths": "source.host, source.port"]) var meta: Data?
}
// end

@Suite("Guides: paths into values") @MainActor struct PathsIntoValues {
    @Test("a path into JSON") func path() async throws {
        let folder = try EmptyFolder()
        let container = NSPersistentContainer(
            name: "Imports", managedObjectModel: try NSManagedObjectModel(classes: [Import.self]))
        let description = NSPersistentStoreDescription(url: folder.url.appending(path: "Imports.sqlite"))
        // snippet: option
        description.setOption(true as NSNumber, forKey: NSValueIndexOption)
        // end
        container.persistentStoreDescriptions = [description]
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
        // snippet: explain
        request.predicate = NSPredicate(format: "meta.source.host == 'example.org' AND meta.source.port > 1024")
        for part in try request.explain(in: context).stores.flatMap(\.inMemory) { print(part.subject, part.reason) }
        // end
        #expect(try context.fetch(request).map(\.name) == ["a"])
        let reasons = try request.explain(in: context).stores.flatMap(\.inMemory).map(\.reason)
        #expect(reasons.count == 2 && reasons.allSatisfy { $0.hasSuffix("for the rows that an index gives") })
    }
}
