// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the version hashes of entities, properties and models.

import CoreDataModelFiles
public import Foundation

/// Computes version hashes, once for each property and entity. `VersionHashRule` defines their input.
struct VersionHasher {
    private var properties: [ObjectIdentifier: Data] = [:]
    private var entities: [ObjectIdentifier: Data] = [:]

    mutating func hash(_ entity: NSEntityDescription) -> Data {
        if let known = entities[ObjectIdentifier(entity)] { return known }
        var result = Data()
        // A loop from the root instead of recursion: it must also end for a cycle of superentities,
        // which check() reports.
        for member in entity.lineage.reversed() {
            if let known = entities[ObjectIdentifier(member)] {
                result = known
                continue
            }
            result = hash(member, superentityHash: result)
            entities[ObjectIdentifier(member)] = result
        }
        return result
    }

    mutating func hash(_ property: NSPropertyDescription) -> Data {
        if let known = properties[ObjectIdentifier(property)] { return known }
        let result = compute(property)
        properties[ObjectIdentifier(property)] = result
        return result
    }

    /// - Parameter superentityHash: empty for a root.
    private mutating func hash(_ entity: NSEntityDescription, superentityHash: Data) -> Data {
        let stored = entity.propertiesByName.values.filter { $0.isPartOfVersionHash }
        return VersionHashRule.entity(
            entity.name ?? "", isAbstract: entity.isAbstract, superentityHash: superentityHash,
            properties: stored.map { ($0.name, hash($0)) }, modifier: entity.versionHashModifier,
            uniquenessConstraints: entity.ownUniquenessConstraintNames)
    }

    private mutating func compute(_ property: NSPropertyDescription) -> Data {
        if let composite = property as? NSCompositeAttributeDescription {
            return VersionHashRule.composite(composite.elements.map { ($0.name, hash($0)) })
        }
        if let derivation = (property as? NSDerivedAttributeDescription)?.derivationText {
            return VersionHashRule.derived(derivation)
        }
        let base = VersionHashRule.base(
            property.name, isOptional: property.isOptional, isTransient: property.isTransient,
            modifier: property.versionHashModifier)
        switch property {
        case let attribute as NSAttributeDescription:
            return VersionHashRule.attribute(
                base, type: attribute.attributeType.rawValue,
                isStoredOutside: attribute.allowsExternalBinaryDataStorage,
                isPreserved: attribute.preservesValueInHistoryOnDeletion)
        case let relationship as NSRelationshipDescription:
            let inverse = relationship.effectiveInverse
            return VersionHashRule.relationship(
                base, destination: relationship.destinationEntity?.name ?? "",
                inverse: inverse === relationship ? nil : inverse?.name, maxCount: relationship.maxCount,
                minCount: relationship.minCount, isOrdered: relationship.isOrdered)
        default:
            return base
        }
    }
}

extension NSPropertyDescription {
    /// The version hash of the property, 32 bytes. Properties with different hashes have incompatible stores.
    public var versionHash: Data {
        var hasher = VersionHasher()
        return hasher.hash(self)
    }

    fileprivate var isPartOfVersionHash: Bool {
        !isTransient && (self is NSAttributeDescription || self is NSRelationshipDescription)
    }
}

extension NSRelationshipDescription {
    /// The inverse, even if it is set at the other end only.
    var effectiveInverse: NSRelationshipDescription? {
        if let inverse = inverseRelationship { return inverse }
        return destinationEntity?.properties.lazy.compactMap { $0 as? NSRelationshipDescription }
            .first { $0.inverseRelationship === self }
    }
}

extension NSEntityDescription {
    /// The version hash of the entity, 32 bytes. Entities with different hashes have incompatible stores.
    ///
    /// - Complexity: computed for each call until a coordinator uses the model.
    public var versionHash: Data {
        if let frozenVersionHash { return frozenVersionHash }
        var hasher = VersionHasher()
        return hasher.hash(self)
    }
}

extension NSManagedObjectModel {
    /// The version hash of each entity.
    ///
    /// - Complexity: computed for each call until a coordinator uses the model.
    public var entityVersionHashesByName: [String: Data] { versionHashes(of: entities) }

    /// One checksum of the version hashes of all entities, as in the `VersionInfo.plist` of a compiled model.
    public var versionChecksum: String { VersionDigest.checksum(entityVersionHashesByName) }

    func versionHashes(of entities: [NSEntityDescription]) -> [String: Data] {
        var hasher = VersionHasher()
        return Dictionary(
            entities.map { ($0.name ?? "", $0.frozenVersionHash ?? hasher.hash($0)) },
            uniquingKeysWith: { first, _ in first })
    }
}
