// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store at one end of a migration: type, URL and options.

import Foundation

/// The type, the location and the options of a store.
struct StoreLocation {
    var url: URL
    let type: String
    let options: [AnyHashable: Any]?

    /// The URL to show in errors, without a password.
    var shown: URL { SchemaMigration.shown(url, type) }

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
