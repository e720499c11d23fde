// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chapter 7: another version of the model.

import CoreDataModeling
import Foundation
import Testing

@Suite("Tutorial 7: migration") struct Migrating {
    @Test("a store comes to the new version when it is opened") func migrate() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Diary.sqlite")
        func container(_ model: NSManagedObjectModel) -> NSPersistentContainer {
            let container = NSPersistentContainer(name: "Diary", managedObjectModel: model)
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
            return container
        }
        do {
            let old = container(try NSManagedObjectModel(classes: [FirstVersion.Entry.self]))
            try await old.loadPersistentStores()
            try await old.performBackgroundTask { context in
                FirstVersion.Entry(context: context).heading = "Monday"
                try context.save()
            }
            let store = try #require(old.persistentStoreCoordinator.persistentStores.first)
            try old.persistentStoreCoordinator.remove(store)
        }
        let model = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
        // snippet: plan
        let plan = try MigrationPlan(forStoreAt: url, type: .sqlite, to: model)
        print(plan)  // the statements, the rows that they write, and what would be lost
        // end
        #expect("\(plan)".contains("ZTITLE"))
        // snippet: open
        let diary = container(model)
        try await diary.loadPersistentStores()  // migrates: heading becomes title, mood is new
        // end
        let titles = try await diary.performBackgroundTask { context in
            try context.fetch(SecondVersion.Entry.fetchRequest()).map { "\($0.title), \($0.mood)" }
        }
        #expect(titles == ["Monday, calm"])
    }
}

// snippet: versions
enum FirstVersion {
    @ManagedObject(entity: "Entry") final class Entry: NSManagedObject {
        var heading: String = ""
    }
}

enum SecondVersion {
    @ManagedObject(entity: "Entry") final class Entry: NSManagedObject {
        @Attribute(originalName: "heading") var title: String = ""
        var mood: String = "calm"
    }
}
// end
