// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the version hashes of a model with those in a store's metadata.

import Foundation

/// The result of a comparison of version hashes.
struct ModelCompatibility: Equatable {
    /// Names of entities, sorted.
    var differing: [String] = []
    var onlyInStore: [String] = []
    var onlyInModel: [String] = []
    /// Differing entities with derived attributes. Their hashes in Apple's stores are not comparable, so a comparison
    /// with the store's cached model decides.
    var undecided: [String] = []

    var isCompatible: Bool { isCompatibleExceptUndecided && undecided.isEmpty }
    var isCompatibleExceptUndecided: Bool { differing.isEmpty && onlyInStore.isEmpty && onlyInModel.isEmpty }
}

extension NSManagedObjectModel {
    /// Whether a store could be opened with the entities of a configuration without migration.
    ///
    /// - Parameters:
    ///   - configuration: a name as `addPersistentStore` takes it; nil means all entities.
    ///   - metadata: the metadata of a store; without version hashes the result is false.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any])
        -> Bool
    {
        guard let hashes = Self.versionHashes(inStoreMetadata: metadata) else { return false }
        return compatibility(configuration: configuration, storeHashes: hashes)?.isCompatible ?? false
    }

    /// nil for an unknown configuration.
    func compatibility(configuration: String?, storeHashes: [String: Data]) -> ModelCompatibility? {
        guard let entities = entitiesOfStore(configuration: configuration) else { return nil }
        let hashes = versionHashes(of: entities)
        var result = ModelCompatibility()
        result.onlyInStore = storeHashes.keys.filter { hashes[$0] == nil }.sorted()
        result.onlyInModel = hashes.keys.filter { storeHashes[$0] == nil }.sorted()
        let differing = hashes.filter { name, hash in storeHashes[name].map { $0 != hash } ?? false }.keys.sorted()
        let derived = Set(entities.filter(\.hasDerivedAttributes).compactMap(\.name))
        result.differing = differing.filter { !derived.contains($0) }
        result.undecided = differing.filter { derived.contains($0) }
        return result
    }

    /// `NSStoreModelVersionHashes`; nil if it is missing or malformed.
    static func versionHashes(inStoreMetadata metadata: [String: Any]) -> [String: Data]? {
        guard let table = metadata["NSStoreModelVersionHashes"] as? [String: Any] else { return nil }
        var hashes: [String: Data] = [:]
        for (name, hash) in table {
            guard let hash = hash as? Data ?? (hash as? NSData).map({ Data(referencing: $0) }) else { return nil }
            hashes[name] = hash
        }
        return hashes
    }
}

extension NSEntityDescription {
    /// Whether the entity has own or inherited derived attributes.
    var hasDerivedAttributes: Bool { properties.contains { $0 is NSDerivedAttributeDescription } }
}
