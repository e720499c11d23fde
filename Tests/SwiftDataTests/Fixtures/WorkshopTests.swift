// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store with relationships that SwiftData wrote on a Mac.

import CoreData
import FixtureFiles
import Foundation
import SwiftData
import Testing

/// The classes of the store's program, as its columns and its cached model show them.
enum Workshop {
    @Model
    final class Component {
        var id: UUID
        var count: Int = 1
        var item: Item?
        var craftingRecipe: CraftingRecipe?

        init(item: Item) {
            id = UUID()
            self.item = item
        }
    }

    @Model
    final class CraftingRecipe {
        var requiredComponents: [Component] = []
        var producedItemCount: String
        var producedItem: Item?

        init(producedItem: Item, producedItemCount: String = "1") {
            self.producedItemCount = producedItemCount
            self.producedItem = producedItem
        }
    }

    @Model
    final class Item {
        @Attribute(.unique) var name: String
        var craftingRecipe: CraftingRecipe?

        init(name: String) { self.name = name }
    }
}

@Suite("A store of 2024 that SwiftData wrote", .disabled(if: FixtureFolder.isMissing, FixtureFolder.reason))
struct WorkshopTests {
    private func copy() throws -> URL { try FixtureStore.copy("sergd2005_ResourcesManager__default.store") }

    /// Proves: S107, S109, S118, S119, S121
    @Test("The schema of its classes has its version hashes")
    func hashes() throws {
        let file = try copy()
        defer { Stack.remove(file) }
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Workshop.Component.self]))
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: file)
        let stored = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        #expect(model.entityVersionHashesByName == stored)
    }

    /// Proves: S104, S105, S106
    @Test("It opens through both interfaces at the same time")
    func bothWays() throws {
        let file = try copy()
        defer { Stack.remove(file) }
        let container = try ModelContainer(
            for: Workshop.Component.self, configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let items = try context.fetch(FetchDescriptor<Workshop.Item>(sortBy: [SortDescriptor(\.name)]))
        #expect(items.count == 4)
        let recipe = try #require(try context.fetch(FetchDescriptor<Workshop.CraftingRecipe>()).first)
        #expect(recipe.producedItem?.craftingRecipe === recipe)

        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Workshop.Component.self]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file,
            options: [NSPersistentHistoryTrackingKey: true])
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        let names = try other.performAndWait {
            try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                .compactMap { $0.value(forKey: "name") as? String }.sorted()
        }
        #expect(names == items.map(\.name))

        context.insert(Workshop.Item(name: "new"))
        try context.save()
        let count = try other.performAndWait {
            try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
        }
        #expect(count == 5)
    }
}
