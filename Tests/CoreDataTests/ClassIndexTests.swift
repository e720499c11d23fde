// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which classes are found for the names in models.

import CoreDataTestSupport
import Testing

@testable import CoreData

class IndexedCompany: NSManagedObject {}

enum IndexedOffice {
    final class IndexedDesk: NSManagedObject {}
    final class IndexedLamp {}
}

private final class IndexedSafe: NSManagedObject {}

final class IndexedBox<Content>: NSManagedObject {}

@Suite("Class names in models") struct ClassIndexTests {
    private func resolve(_ name: String) -> NSManagedObject.Type {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.managedObjectClassName = name
        return ObjectClasses.resolve(entity)
    }

    @Test("a name without a module is found in a module that is not the executable's") func bare() {
        #expect(resolve("IndexedCompany") == IndexedCompany.self)
        #expect(resolve(".IndexedCompany") == IndexedCompany.self)
        #expect(resolve("CoreDataTests.IndexedCompany") == IndexedCompany.self)
    }

    @Test("nested and private classes are found") func nested() {
        #expect(resolve("IndexedDesk") == IndexedOffice.IndexedDesk.self)
        #expect(resolve("IndexedOffice.IndexedDesk") == IndexedOffice.IndexedDesk.self)
        #expect(resolve("IndexedSafe") == IndexedSafe.self)
    }

    @Test("another module, other classes, generic classes and no class at all are plain objects") func others() {
        #expect(resolve("Shop.IndexedSafe") == NSManagedObject.self)
        #expect(resolve("IndexedLamp") == NSManagedObject.self)
        #expect(resolve("IndexedBox") == NSManagedObject.self)
        #expect(resolve("IndexedNothing") == NSManagedObject.self)
    }

    @Test("the sentence for the log names class, entity and reason") func sentence() {
        let missing = ObjectClasses.missingSentence("Company", "Firm", [])
        #expect(missing.contains("'Company'") && missing.contains("'Firm'") && missing.contains("no such subclass"))
        let several = ObjectClasses.missingSentence("Company", "Firm", ["A.Company", "B.Company"])
        #expect(several.contains("A.Company, B.Company"))
    }

    @Test("the error of a fetch says that the class was not found") func failingCast() throws {
        let model = NamedModel.make()
        model.entities[0].managedObjectClassName = "IndexedNowhere"
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Named", into: context)
            try context.save()
        }
        var text = ""
        context.performAndWait {
            do {
                _ = try context.fetch(NSFetchRequest<IndexedCompany>(entityName: "Named"))
            } catch {
                text = "\(error)"
            }
        }
        #expect(text.contains("'IndexedNowhere', which was not found"))
    }
}
