// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which types of stores exist, and how users add more.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Types of stores") struct StoreRegistryTests {
    @Test("the built-in types are there, after any registration and removal")
    func builtIn() {
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: NSSQLiteStoreType)
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(types[NSSQLiteStoreType] == SQLiteStore.self)
        #expect(types[NSInMemoryStoreType] == InMemoryStore.self)
    }

    @Test(
        "a registered type can be opened; once it is taken back it is unknown, and the error names those that there are"
    )
    func registration() throws {
        let type = NSPersistentStore.StoreType(rawValue: "Shelf \(UUID())")
        NSPersistentStoreCoordinator.registerStoreClass(InMemoryStore.self, type: type)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[type.rawValue] == InMemoryStore.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
        try coordinator.addPersistentStore(ofType: type.rawValue, configurationName: nil, at: nil)
        #expect(coordinator.persistentStores.count == 1)

        NSPersistentStoreCoordinator.registerStoreClass(nil, type: type)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[type.rawValue] == nil)
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: type.rawValue, configurationName: nil, at: nil)
        }
        #expect(error?.code == .persistentStoreInvalidType)
        #expect(error?.localizedDescription.contains(NSSQLiteStoreType) == true)
    }

    @Test("a class that is no store's stops the program, with a sentence")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            NSPersistentStoreCoordinator.registerStoreClass(NSString.self, forStoreType: "Text")
        }
    }
}
