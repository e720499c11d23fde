// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the pages about models, errors, messages, tests and other libraries.

import CoreDataModeling
import Foundation
import Testing

// snippet: handwritten
final class City: NSManagedObject {  // without macro and plug-in: computed properties over the model's
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
}
// end

// snippet: codable
struct Colour: Codable, Hashable { var red = 0, green = 0, blue = 0 }
enum Size: String { case small, large }

@ManagedObject(indexes: [["owner", "size"]]) final class Shirt: NSManagedObject {
    @Attribute(.indexed) var owner: String = ""
    var size: Size = Size.small
    @Attribute(.codable) var colour: Colour?
    var price: Decimal = 0
    @NotManaged var isSelected = false
}
// end

@Suite("Guides: models, errors, messages, tests") struct OtherGuides {
    @Test("a model in code") func modelInCode() throws {
        // snippet: model
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let city = NSEntityDescription()
        city.name = "City"
        city.managedObjectClassName = NSStringFromClass(City.self)
        city.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [city]
        // end
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let found = try context.performAndWait {
            City(context: context).name = "Oslo"
            try context.save()
            return try context.fetch(NSFetchRequest<City>(entityName: "City")).map(\.name)
        }
        #expect(found == ["Oslo"])
    }

    @Test("values of many types") func values() async throws {
        let model = try NSManagedObjectModel(classes: [Shirt.self])
        let container = NSPersistentContainer(name: "Shirts", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try await container.loadPersistentStores()
        let red = try await container.performBackgroundTask { context in
            let shirt = Shirt(context: context)
            shirt.colour = Colour(red: 255)
            shirt.size = .large
            try context.save()
            context.reset()
            let request = Shirt.fetchRequest()
            request.predicate = NSPredicate(format: "size == 'large'")
            return try context.fetch(request).first?.colour?.red
        }
        #expect(red == 255)
    }

    @Test("an error has a code and names") func errors() async throws {
        let container = try await Notebook().container
        // snippet: errors
        do {
            try await container.performBackgroundTask { context in
                _ = Tag(context: context)  // without a name
                try context.save()
            }
        } catch let error as CocoaError {
            let code = error.code.rawValue  // 1550: see the table
            let property = error.validationKey  // name
            let sentence = error.localizedDescription
            let cause = error.userInfo[NSUnderlyingErrorKey]  // of SQLite, of the file system: where there is one
            print(code, property ?? "", sentence, cause ?? "")
        }
        // end
        let error = await #expect(throws: CocoaError.self) {
            try await container.performBackgroundTask { context in
                _ = Tag(context: context)
                try context.save()
            }
        }
        #expect(error?.code.rawValue == 1550 && error?.validationKey == "name")
    }

    @Test("waiting for the main queue") @MainActor func waiting() async throws {
        // snippet: merging
        let container = try await Notebook().container
        container.viewContext.automaticallyMergesChangesFromParent = true
        let note = Memo(context: container.viewContext)
        note.title = "Groceries"
        try container.viewContext.save()
        let id = note.objectID
        try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Memo)?.title = "Garden"
            try context.save()
        }
        while note.title != "Garden" { try await Task.sleep(for: .milliseconds(5)) }  // the merge comes a little later
        // end
        #expect(note.title == "Garden")
    }

    @Test("#expect outside of perform") func expectations() async throws {
        let container = try await Notebook().container
        // snippet: expect
        let count = try await container.performBackgroundTask { context in
            Memo(context: context).title = "Groceries"
            try context.save()
            return try context.count(for: Memo.fetchRequest())
        }
        #expect(count == 1)  // not inside of the block
        // end
    }
}
