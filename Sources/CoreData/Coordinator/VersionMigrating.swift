// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The door from a coordinator to Migration, the room above it.

import Foundation

/// A store that is added to a coordinator, before it is opened.
struct AddedStore {
    let url: URL
    let type: String
    /// The configuration with the entities of the store; nil for all entities.
    let configuration: String?
    let options: [AnyHashable: Any]?
    /// The model of the coordinator.
    let model: NSManagedObjectModel
}

/// Brings a store to the version of a coordinator's model before it is opened.
protocol VersionMigrating {
    /// Runs the stages in the options of a store, if it has any. Migration-M5.
    static func runStages(of store: AddedStore) throws

    /// Migrates a store of another version.
    ///
    /// - Parameter metadata: those of the store.
    /// - Returns: nil if another opener has migrated the store since the metadata were read.
    static func migrate(_ store: AddedStore, to target: MigrationTarget, metadata: [String: Any]) throws
        -> MigrationReport?
}

extension NSPersistentStoreCoordinator {
    static var migration: any VersionMigrating.Type { NSMigrationManager.self }
}
