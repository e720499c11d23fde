// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Merges several models into one.

import Foundation

extension NSManagedObjectModel {
    /// Creates a model with copies of the entities of all models.
    ///
    /// Entities with the same name and version hash in several models are merged into one.
    ///
    /// - Parameter models: nil means none.
    /// - Returns: nil when two models have different entities with the same name.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        self.init()
        guard (try? ModelMerging.fill(self, from: models ?? [])) != nil else { return nil }
    }

    /// Creates the model, or the merger of several, that matches the metadata of a store.
    ///
    /// - Parameters:
    ///   - models: versions of models, in any order.
    ///   - metadata: the metadata of the store.
    /// - Returns: nil unless the models contain exactly the entities of the store, in the same versions.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let hashes = Self.versionHashes(inStoreMetadata: metadata) else { return nil }
        let chosen = ModelMerging.models(among: models, for: hashes)
        guard !chosen.isEmpty else { return nil }
        self.init(byMerging: chosen)
    }

    /// - Throws: `CocoaError` 134060 with the names of the entities that differ between two models.
    package static func merging(_ models: [NSManagedObjectModel]) throws -> NSManagedObjectModel {
        let merged = NSManagedObjectModel()
        try ModelMerging.fill(merged, from: models)
        return merged
    }
}

/// Merges models.
enum ModelMerging {
    static func fill(_ merged: NSManagedObjectModel, from models: [NSManagedObjectModel]) throws {
        try checkConflicts(models)
        var kept: [String: NSEntityDescription] = [:]
        var order: [NSEntityDescription] = []
        var configured: [String: [String]] = [:]
        var duplicates: [NSEntityDescription] = []
        for model in models {
            let (copies, configurations) = copy(model)
            for entity in copies {
                let name = entity.name ?? ""
                if kept[name] == nil {
                    kept[name] = entity
                    order.append(entity)
                } else {
                    duplicates.append(entity)
                }
            }
            for (configuration, names) in configurations { configured[configuration, default: []] += names }
            merged.versionIdentifiers.formUnion(model.versionIdentifiers)
            merged.fetchRequestDocuments.merge(model.fetchRequestDocuments) { first, _ in first }
            merged.loadingFaults += model.loadingFaults
        }
        for duplicate in duplicates { moveChildren(of: duplicate, to: kept) }
        for entity in order { redirect(entity, to: kept) }
        merged.entities = order
        for (configuration, names) in configured {
            var seen: Set<String> = []
            let members = names.filter { seen.insert($0).inserted }.compactMap { kept[$0] }
            merged.setEntities(members, forConfigurationName: configuration)
        }
    }

    /// One model with an exactly matching configuration; otherwise all models whose entities are all in the store, if
    /// together they contain all entities of the store; otherwise none.
    static func models(among models: [NSManagedObjectModel], for hashes: [String: Data]) -> [NSManagedObjectModel] {
        if let model = models.first(where: { describes($0, hashes) }) { return [model] }
        return parts(of: hashes, among: models) ?? []
    }

    /// Whether a configuration of a model, or the whole model, has exactly the entities of a store.
    static func describes(_ model: NSManagedObjectModel, _ hashes: [String: Data]) -> Bool {
        ([nil] + model.configurations.map(Optional.some)).contains { configuration in
            model.compatibility(configuration: configuration, storeHashes: hashes)?.isCompatible == true
        }
    }

    /// All models whose entities are all in the store; nil unless together they contain all entities of the store.
    static func parts(of hashes: [String: Data], among models: [NSManagedObjectModel]) -> [NSManagedObjectModel]? {
        let parts = models.filter { model in
            !model.entities.isEmpty && model.entityVersionHashesByName.allSatisfy { hashes[$0.key] == $0.value }
        }
        let covered = Set(parts.flatMap { $0.entities.compactMap(\.name) })
        return !parts.isEmpty && covered == Set(hashes.keys) ? parts : nil
    }

    private static func checkConflicts(_ models: [NSManagedObjectModel]) throws {
        var known: [String: Data] = [:]
        var faults: [ModelFault] = []
        for model in models {
            for (name, hash) in model.entityVersionHashesByName {
                if let other = known.updateValue(hash, forKey: name), other != hash {
                    faults.append(
                        ModelFault(entity: name, "two of the models to merge have different entities of this name"))
                }
            }
        }
        if !faults.isEmpty { throw CoreDataError.invalidModel(faults.sorted { $0.description < $1.description }) }
    }

    private static func copy(_ model: NSManagedObjectModel) -> ([NSEntityDescription], [String: [String]]) {
        let names = model.configured.mapValues { $0.compactMap(\.name) }
        return (EntityCopy.copy(model.entities), names)
    }

    private static func moveChildren(of duplicate: NSEntityDescription, to kept: [String: NSEntityDescription]) {
        guard let parent = kept[duplicate.name ?? ""] else { return }
        let orphans = duplicate.subentities.filter { kept[$0.name ?? ""] === $0 }
        if !orphans.isEmpty { parent.subentities += orphans }
    }

    private static func redirect(_ entity: NSEntityDescription, to kept: [String: NSEntityDescription]) {
        for case let relationship as NSRelationshipDescription in entity.ownProperties {
            guard let name = relationship.destinationEntity?.name, let destination = kept[name] else { continue }
            relationship.destinationEntity = destination
            if let inverse = relationship.inverseRelationship, let holder = inverse.owner?.name.flatMap({ kept[$0] }),
                let replacement = holder.relationshipsByName[inverse.name]
            {
                relationship.inverseRelationship = replacement
            }
        }
    }
}
