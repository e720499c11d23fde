// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference: coordinators, models, generations, conflicts.

import CoreDataModeling
import Foundation
import Testing

@Suite("Reference: stack and models") struct StackReference {
    @Test("a coordinator without a container") func coordinator() throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Notebook.sqlite")
        // snippet: coordinator
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Notebook.model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)

        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Memo(context: context).title = "Groceries"
            try context.save()
        }
        try coordinator.remove(store)  // closes the file

        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        let fits = Notebook.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)  // true
        // end
        #expect(fits)
    }

    @Test("entities, relationships and indexes in code") func entities() throws {
        // snippet: entities
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        title.isOptional = false
        title.defaultValue = ""

        let length = NSDerivedAttributeDescription()
        length.name = "sortTitle"
        length.attributeType = .stringAttributeType
        length.derivationExpression = NSExpression(format: "canonical:(title)")  // the store computes it

        let (book, author) = (NSEntityDescription(), NSEntityDescription())
        (book.name, author.name) = ("Book", "Author")
        let (writer, books) = (NSRelationshipDescription(), NSRelationshipDescription())
        (writer.name, writer.destinationEntity, writer.inverseRelationship, writer.maxCount) = (
            "author", author, books, 1
        )
        (books.name, books.destinationEntity, books.inverseRelationship, books.maxCount) = ("books", book, writer, 0)
        books.deleteRule = .cascadeDeleteRule
        (book.properties, author.properties) = ([title, length, writer], [books])

        let byTitle = NSFetchIndexElementDescription(property: title, collationType: .binary)
        book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [byTitle])]
        book.uniquenessConstraints = [["title"]]

        let model = NSManagedObjectModel()
        model.entities = [book, author]
        // end
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let folder = try EmptyFolder()
        try coordinator.addPersistentStore(type: .sqlite, at: folder.url.appending(path: "Library.sqlite"))
        #expect(model.entitiesByName["Author"]?.relationshipsByName["books"]?.isToMany == true)
    }

    @Test("a context stays at one state of the store") func generations() async throws {
        let folder = try EmptyFolder()
        let container = try await Notebook(at: folder.url.appending(path: "Notebook.sqlite")).container
        try await container.performBackgroundTask { context in
            Memo(context: context).title = "Groceries"
            try context.save()
        }
        // snippet: generation
        let context = container.newBackgroundContext()
        try await context.perform {
            try context.setQueryGenerationFrom(.current)
            _ = try context.count(for: Memo.fetchRequest())  // pins the state of now
        }
        try await container.performBackgroundTask { other in
            Memo(context: other).title = "Garden"
            try other.save()
        }
        let (pinned, present) = try await context.perform {
            let pinned = try context.count(for: Memo.fetchRequest())  // 1: the state from before
            try context.setQueryGenerationFrom(nil)
            return (pinned, try context.count(for: Memo.fetchRequest()))  // 2
        }
        // end
        #expect(pinned == 1 && present == 2)
    }

    @Test("the conflicts of a save") func conflicts() async throws {
        let container = try await Notebook().container
        let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
        for context in [one, other] { await context.perform { Tag(context: context).name = "weekly" } }
        try await one.perform { try one.save() }
        // snippet: conflicts
        do {
            try await other.perform { try other.save() }
        } catch let error as CocoaError where error.code == .managedObjectConstraintMerge {
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
            for conflict in conflicts { print(conflict.constraint, conflict.constraintValues) }  // ["name"]
        }
        // end
        let error = await #expect(throws: CocoaError.self) { try await other.perform { try other.save() } }
        #expect((error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.count == 1)
    }

    @Test("classes that make no model") func faults() throws {
        // snippet: faults
        do {
            _ = try NSManagedObjectModel(classes: [Memo.self])  // Folder and Tag are missing
        } catch {
            for fault in error.faults { print(fault) }  // error is a ClassModelError: one line for each mistake
        }
        // end
        let error = #expect(throws: ClassModelError.self) { try NSManagedObjectModel(classes: [Memo.self]) }
        #expect(error?.faults.isEmpty == false)
    }
}
