// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares a model with what the metadata of a store says of the model it was written with.

import Foundation

/// What a comparison of version hashes found.
struct ModelCompatibility: Equatable {
    /// Names of entities, sorted.
    var differing: [String] = []
    var onlyInStore: [String] = []
    var onlyInModel: [String] = []
    /// Those that differ and have derived attributes, whose hashes cannot be compared with those in Apple's stores:
    /// whether they really differ shows in the model that the store keeps.
    var undecided: [String] = []

    var isCompatible: Bool { isCompatibleExceptUndecided && undecided.isEmpty }
    var isCompatibleExceptUndecided: Bool { differing.isEmpty && onlyInStore.isEmpty && onlyInModel.isEmpty }
}

extension NSManagedObjectModel {
    /// Whether a store could be opened with the entities of a configuration without migration.
    ///
    /// - Parameters:
    ///   - configuration: nil means all entities.
    ///   - metadata: of a store; without version hashes in it the answer is false.
    public func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any])
        -> Bool
    {
        guard let hashes = Self.versionHashes(inStoreMetadata: metadata) else { return false }
        return compatibility(configuration: configuration, storeHashes: hashes)?.isCompatible ?? false
    }

    /// nil for an unknown configuration.
    func compatibility(configuration: String?, storeHashes: [String: Data]) -> ModelCompatibility? {
        guard let entities = entities(forConfigurationName: configuration) else { return nil }
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

    /// `NSStoreModelVersionHashes`; nil where it is missing or no table of hashes.
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
    /// Own or inherited ones.
    var hasDerivedAttributes: Bool { properties.contains { $0 is NSDerivedAttributeDescription } }
}
