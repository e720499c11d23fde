// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Key paths of a class while an older version of its model is also in use.

import CoreDataModeling
import Foundation
import Testing

@ManagedObject final class Cargo: NSManagedObject {
    var code: String = ""
    var isFragile: Bool = false
}

@Suite("A class with an older version of its model") struct OlderVersionTests {
    @Test("key paths of new properties have names, and fetch") func names() throws {
        let model = try NSManagedObjectModel(classes: [Cargo.self])
        let container = NSPersistentContainer(name: "Cargo", managedObjectModel: model)
        let store = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        #expect(store.type == NSInMemoryStoreType)

        let code = NSAttributeDescription()
        code.name = "code"
        code.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Cargo"
        entity.managedObjectClassName = "Cargo"
        entity.properties = [code]
        let older = NSManagedObjectModel()
        older.entities = [entity]
        // The newest model in use.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: older)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)

        let context = container.newBackgroundContext()
        let codes = try context.performAndWait {
            for (code, isFragile) in [("a", true), ("b", false)] {
                let cargo = Cargo(entity: model.entitiesByName["Cargo"]!, insertInto: context)  // declared above
                (cargo.code, cargo.isFragile) = (code, isFragile)
            }
            try context.save()
            let request = NSFetchRequest<Cargo>(entityName: "Cargo")
            request.predicate = NSPredicate(#Predicate<Cargo> { $0.isFragile })
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Cargo.isFragile, ascending: true)]
            return try context.fetch(request).map(\.code)
        }
        #expect(codes == ["a"])
        #expect(coordinator.persistentStores.count == 1)
    }
}
