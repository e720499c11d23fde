// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of migrations.

import CoreDataModeling
import Foundation
import Testing

// snippet: policy
final class BookPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource book: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: book, in: mapping, manager: manager)
        let copies = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [book])
        copies.first?.setValue("unknown", forKey: "condition")
    }
}
// end

private func fillNewAttributes(in context: NSManagedObjectContext) throws {}

@Suite("Comments: migrations") struct MigrationExamples {
    private let old: NSManagedObjectModel
    private let new: NSManagedObjectModel

    init() throws {
        old = try NSManagedObjectModel(classes: [FirstVersion.Entry.self])
        new = try NSManagedObjectModel(classes: [SecondVersion.Entry.self])
    }

    @Test("stages with code and without") func stages() throws {
        let (first, second) = (old, new)
        let description = NSPersistentStoreDescription()
        // snippet: lightweight
        let stage = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
        // end
        let lightweightStage = stage
        let (third, fourth, entry) = (NSManagedObjectModel(), NSManagedObjectModel(), NSEntityDescription())
        entry.name = "Entry"
        fourth.entities = [entry]
        let customStage = custom(
            from: NSManagedObjectModelReference(model: third, versionChecksum: third.versionChecksum),
            to: NSManagedObjectModelReference(model: fourth, versionChecksum: fourth.versionChecksum))
        // snippet: manager
        let manager = NSStagedMigrationManager([lightweightStage, customStage])
        description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        // end
        #expect(description.options[NSPersistentStoreStagedMigrationManagerOptionKey] === manager)
    }

    private func custom(
        from second: NSManagedObjectModelReference, to third: NSManagedObjectModelReference
    ) -> NSCustomMigrationStage {
        // snippet: custom
        let stage = NSCustomMigrationStage(migratingFrom: second, to: third)
        stage.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.viewContext else { return }
            try context.performAndWait { try fillNewAttributes(in: context) }
        }
        // end
        return stage
    }

    @Test("a mapping that is inferred, and its migration") func inferred() throws {
        let folder = try EmptyFolder().url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (url, newURL) = (folder.appending(path: "Diary.sqlite"), folder.appending(path: "New.sqlite"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
        try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
        // snippet: inferred
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
        try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
        // end
        #expect(FileManager.default.fileExists(atPath: newURL.path))
        // snippet: deferred
        // When the app has time, for example in a background task:
        try coordinator.finishDeferredLightweightMigration()
        // end
    }

    @Test("mappings from a file and in code") func mappings() throws {
        do {
            // snippet: found
            let mapping = NSMappingModel(from: nil, forSourceModel: old, destinationModel: new)
            // end
            #expect(mapping == nil)
        }
        // snippet: entity
        let mapping = NSEntityMapping()
        mapping.name = "BookToVolume"
        mapping.mappingType = .transformEntityMappingType
        mapping.sourceEntityName = "Book"
        mapping.destinationEntityName = "Volume"
        // end
        // snippet: property
        let title = NSPropertyMapping()
        title.name = "title"
        title.valueExpression = NSExpression(format: "$source.name")
        // end
        mapping.attributeMappings = [title]
        #expect(mapping.attributeMappings?.count == 1)
    }
}
