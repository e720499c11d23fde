// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the version of the model that wrote a store.

import Foundation

/// In this order: the versions in the options, the copy in the store, the bundles.
struct SourceModels {
    let hashes: [String: Data]
    let type: String
    let url: URL
    let options: [AnyHashable: Any]?

    /// A model of the caller's own use is copied: finding it freezes nothing. nil if no model has the store's entities.
    func find() -> NSManagedObjectModel? {
        let given = options?[MigrationOption.versions] as? [NSManagedObjectModel] ?? []
        if let model = given.first(where: fits) { return model.copy() as? NSManagedObjectModel }
        if type == NSSQLiteStoreType, let model = try? SQLiteStoreFile(url: url).cachedModel(), fits(model) {
            return model
        }
        let versions = ModelSearch.versions(in: nil)
        return versions.first(where: fits)
            ?? NSManagedObjectModel(byMerging: versions, forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
    }

    /// Whether a model has all entities of the store in the store's versions. Hashes of entities with derived
    /// attributes differ between frameworks, and count as equal.
    private func fits(_ model: NSManagedObjectModel) -> Bool {
        let entities = model.entitiesByName
        return !hashes.isEmpty
            && hashes.allSatisfy { name, hash in
                entities[name].map { $0.versionHash == hash || $0.hasDerivedAttributes } ?? false
            }
    }
}
