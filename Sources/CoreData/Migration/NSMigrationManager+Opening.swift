// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates the stores that coordinators add.

import Foundation

extension NSMigrationManager: VersionMigrating {
    static func runStages(of store: AddedStore) throws {
        try StagedMigration(store.url, store.type, store.configuration, store.options, store.model)?.run()
    }

    static func migrate(_ store: AddedStore, to target: MigrationTarget, metadata: [String: Any]) throws
        -> MigrationReport?
    {
        try SchemaMigration(
            store: StoreLocation(url: store.url, type: store.type, options: store.options),
            configuration: store.configuration, model: store.model, target: target
        ).run(metadata: metadata)
    }
}
