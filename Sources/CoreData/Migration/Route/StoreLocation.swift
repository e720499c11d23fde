// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that is not open: type, URL and options, its metadata and the copy of its model.

import Foundation

/// The type, the location and the options of a store.
struct StoreLocation {
    var url: URL
    let type: String
    var options: [AnyHashable: Any]?

    /// The class of a store in a database; nil for others.
    var database: (any MigratingByStatements.Type)? {
        (try? StoreRegistry.storeClass(type)) as? any MigratingByStatements.Type
    }

    /// The class of a store on a server; nil for others.
    var server: (any MigratingInPlace.Type)? { database as? any MigratingInPlace.Type }

    /// The URL to show in errors, without a password.
    var shown: URL { database?.shown(url) ?? url }

    /// - Throws: 134090 if another opener holds the lock for longer than the timeout in the options.
    func metadata() throws -> [String: Any] {
        if let database { return try database.metadata(at: url, options: options) }
        return try StoreRegistry.storeClass(type).metadataForPersistentStore(with: url)
    }

    /// The version hashes in the metadata.
    func hashes() throws -> [String: Data]? { NSManagedObjectModel.versionHashes(inStoreMetadata: try metadata()) }

    /// The copy of its model that a store in a database keeps; nil for none.
    ///
    /// - Throws: as `metadata()`: a locked store may have a copy.
    func cachedModel() throws -> NSManagedObjectModel? { try database?.cachedModel(at: url, options: options) }

    /// The options without those that would start another migration.
    func options(readOnly: Bool) -> [AnyHashable: Any] {
        var options = options ?? [:]
        for key in Self.migrationOptions { options[key] = nil }
        options[NSReadOnlyPersistentStoreOption] = readOnly ? true : nil
        // The source is read once from beginning to end, which does not need a large cache.
        if readOnly, type == NSSQLiteStoreType {
            let pragmas = options[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:]
            options[NSSQLitePragmasOption] = pragmas.merging(["cache_size": "-4096"]) { given, _ in given }
        }
        return options
    }

    private static let migrationOptions = [
        NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        "NSPersistentStoreStagedMigrationManagerOptionKey", NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ]
}
