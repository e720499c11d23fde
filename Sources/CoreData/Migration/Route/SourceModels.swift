// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the version of the model that wrote a store.

import Foundation

/// Searched in this order: the model that the command line names, the versions in the options, the copy in the store,
/// the bundles.
struct SourceModels {
    let hashes: [String: Data]
    let store: StoreLocation

    /// The caller's models are copied, so the search does not freeze them. nil if no model has the store's entities.
    ///
    /// - Throws: 134090 if another process locks the store for longer than the timeout.
    func find() throws -> NSManagedObjectModel? {
        if let model = store.options?[storeSourceModelOption] as? NSManagedObjectModel {
            return model.copy() as? NSManagedObjectModel
        }
        let given = store.options?[MigrationOption.versions] as? [NSManagedObjectModel] ?? []
        if let model = given.first(where: fits) { return model.copy() as? NSManagedObjectModel }
        if let model = try store.cachedModel(), fits(model) { return model }
        let hashes = hashes
        let whole = ModelSearch.first(in: nil) { known in
            hashes.allSatisfy { known[$0.key] == $0.value }
        } fits: {
            fits($0)
        }
        return whole ?? ModelSearch.model(in: nil, of: hashes)
    }

    private func fits(_ model: NSManagedObjectModel) -> Bool { model.canDescribe(hashes) }
}

extension NSManagedObjectModel {
    /// Whether the model has all entities of a store in the store's versions. Hashes of entities with derived
    /// attributes differ between frameworks, so they are treated as equal.
    package func canDescribe(_ hashes: [String: Data]) -> Bool {
        let entities = entitiesByName
        return !hashes.isEmpty
            && hashes.allSatisfy { name, hash in
                entities[name].map { $0.versionHash == hash || $0.hasDerivedAttributes } ?? false
            }
    }
}
