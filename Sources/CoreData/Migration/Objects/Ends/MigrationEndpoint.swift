// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One end of a migration: an open store with a context and a copy of its model.

import Foundation
import Synchronization

/// The source or the destination of a migration.
final class MigrationEndpoint {
    /// A copy of the version: its objects are plain managed objects, so that none of the program's classes runs code.
    let model: NSManagedObjectModel
    let context: NSManagedObjectContext
    let store: NSPersistentStore
    private let coordinator: NSPersistentStoreCoordinator
    /// nil if the indexes exist from the beginning.
    private var indexes: DeferredIndexes?

    /// - Parameter nullifies: whether deletions ignore the delete rules of the model and delete no other objects.
    /// - Throws: the error of opening the store.
    init(_ version: NSManagedObjectModel, _ place: StoreLocation, readOnly: Bool, nullifies: Bool = false) throws {
        guard let model = version.copy() as? NSManagedObjectModel else {
            preconditionFailure("A copy of \(version) is no model: its class overrides `copy(with:)`.")
        }
        for entity in model.entities {
            entity.managedObjectClassName = "NSManagedObject"
            guard nullifies else { continue }
            for relationship in entity.relationshipsByName.values { relationship.deleteRule = .nullifyDeleteRule }
        }
        self.model = model
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = try coordinator.addPersistentStore(
            ofType: place.type, configurationName: nil, at: place.url, options: place.options(readOnly: readOnly))
        context = NSManagedObjectContext(concurrencyType: .confinedType)
        context.persistentStoreCoordinator = coordinator
        context.state.settings.countsFaults.store(false, ordering: .relaxed)
        // All look-ups share one read transaction, which each save ends; separate ones would each lock the file.
        // Migration-M58.
        _ = context.state.scope.beginSharedRead()
    }

    /// The object of a key: the registered one, or a fault.
    func object(_ key: ObjectKey) -> NSManagedObject {
        context.object(
            with: NSManagedObjectID(
                layout: coordinator.model.layouts[key.entityIndex], key: key.key, home: store.identity))
    }

    /// Identifies an object across the stores of a migration.
    func migratedKey(_ key: ObjectKey) -> MigratedKey {
        let layouts = coordinator.model.layouts
        return MigratedKey(root: layouts[layouts[key.entityIndex].rootIndex].name, key: key.key)
    }

    /// Gives objects their values, in a few statements for all of them.
    func realize(_ objects: [NSManagedObject]) {
        context.state.faults.realizeAll(objects.filter { $0.managedObjectContext === context })
    }

    /// The number of objects in memory.
    var registered: Int { context.state.registry.count }

    /// Whether saves validate. On unless set.
    func setValidates(_ validates: Bool) {
        context.state.settings.validatesBeforeSaving.store(validates, ordering: .relaxed)
    }

    /// Drops the indexes of a store without rows until a query needs them.
    ///
    /// - Throws: the error of the store.
    func putOffIndexes() throws {
        guard let indexes = try DeferredIndexes(of: store, model, context.state.scope),
            let source = context.state.storedSource
        else { return }
        self.indexes = indexes
        context.state.storedSource = DeferredIndexSource(source, indexes)
    }

    /// Makes the deferred indexes.
    ///
    /// - Throws: the error of the store, or of `check`, which is called before each index.
    func makeIndexes(_ check: () throws -> Void) throws { try indexes?.make(check) }

    /// Closes the store.
    func close() throws {
        context.reset()
        context.state.scope.endSharedRead()
        if coordinator.attachedStores.contains(store) { try coordinator.remove(store) }
    }
}
