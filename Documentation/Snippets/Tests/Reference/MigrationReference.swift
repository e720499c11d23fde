// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference: stages, model references, mapping models, policies.

import CoreDataModeling
import Foundation
import Testing

// snippet: policy
final class EntryPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource entry: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: entry, in: mapping, manager: manager)
        let copies = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [entry])
        copies.first?.setValue("curious", forKey: "mood")
    }
}
// end

@Suite("Reference: migrations") struct MigrationReference {
    private let folder: EmptyFolder
    private var url: URL { folder.url.appending(path: "Diary.sqlite") }

    /// A store of the first version with one entry.
    init() throws {
        folder = try EmptyFolder()
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(classes: [FirstVersion.Entry.self]))
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appending(path: "Diary.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            FirstVersion.Entry(context: context).heading = "Monday"
            try context.save()
        }
        try coordinator.remove(store)
    }

    @Test("a stage with code after it") func stages() async throws {
        let first = try NSManagedObjectModel(classes: [FirstVersion.Entry.self])
        let second = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
        let url = url
        // snippet: stages
        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
            to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
        stage.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for entry in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry")) {
                    entry.setValue("curious", forKey: "mood")
                }
                try context.save()
            }
        }
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(
            NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)

        let container = NSPersistentContainer(name: "Diary", managedObjectModel: second)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()  // runs the stage
        // end
        let moods = try await container.performBackgroundTask { context in
            try context.fetch(SecondVersion.Entry.fetchRequest()).map(\.mood)
        }
        #expect(moods == ["curious"])
    }

    @Test("versions without code between them") func lightweight() throws {
        let first = try NSManagedObjectModel(classes: [FirstVersion.Entry.self])
        let second = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
        // snippet: lightweight
        let stage = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
        stage.label = "heading becomes title"
        let manager = NSStagedMigrationManager([stage])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: second)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSPersistentStoreStagedMigrationManagerOptionKey: manager])
        // end
        #expect(store.metadata[NSStoreModelVersionHashesKey] != nil)
        try coordinator.remove(store)
    }

    @Test("a mapping model and a policy") func mapping() throws {
        let first = try NSManagedObjectModel(classes: [FirstVersion.Entry.self])
        let second = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
        let result = folder.url.appending(path: "New.sqlite")
        // snippet: mapping
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
        for entity in mapping.entityMappings ?? [] {  // an NSEntityMapping for each entity
            entity.entityMigrationPolicyClassName = NSStringFromClass(EntryPolicy.self)
            for property in entity.attributeMappings ?? [] {  // an NSPropertyMapping for each attribute
                print(property.name ?? "", property.valueExpression ?? "from the policy")
            }
        }
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: result, type: .sqlite)
        // end
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: second)
        try coordinator.addPersistentStore(type: .sqlite, at: result)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let moods = try context.performAndWait { try context.fetch(SecondVersion.Entry.fetchRequest()).map(\.mood) }
        #expect(moods == ["curious"])
    }
}
