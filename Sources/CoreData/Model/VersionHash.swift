// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the hashes that tell one version of an entity from another, of descriptions.

import CoreDataModelFiles
public import Foundation

/// Computes version hashes, each property and entity once; `VersionHashRule` says what goes into them.
struct VersionHasher {
    private var properties: [ObjectIdentifier: Data] = [:]
    private var entities: [ObjectIdentifier: Data] = [:]

    mutating func hash(_ entity: NSEntityDescription) -> Data {
        if let known = entities[ObjectIdentifier(entity)] { return known }
        var result = Data()
        // Root first instead of recursion: a cycle of superentities, which check() reports, must end too.
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
        let base = VersionHashRule.base(
            property.name, isOptional: property.isOptional, isTransient: property.isTransient,
            modifier: property.versionHashModifier)
        switch property {
        case let attribute as NSAttributeDescription:
            return VersionHashRule.attribute(
                base, type: attribute.attributeType.rawValue,
                isStoredOutside: attribute.allowsExternalBinaryDataStorage,
                isPreserved: attribute.preservesValueInHistoryOnDeletion,
                derivation: (attribute as? NSDerivedAttributeDescription)?.derivationText)
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
    /// The hash of the property, 32 bytes: differs where a store of one version cannot be read as another.
    public var versionHash: Data {
        var hasher = VersionHasher()
        return hasher.hash(self)
    }

    fileprivate var isPartOfVersionHash: Bool {
        !isTransient && (self is NSAttributeDescription || self is NSRelationshipDescription)
    }
}

extension NSRelationshipDescription {
    /// The inverse, also when it is set on the other end alone.
    var effectiveInverse: NSRelationshipDescription? {
        if let inverse = inverseRelationship { return inverse }
        return destinationEntity?.properties.lazy.compactMap { $0 as? NSRelationshipDescription }
            .first { $0.inverseRelationship === self }
    }
}

extension NSEntityDescription {
    /// The hash of the entity, 32 bytes: differs where a store of one version cannot be read as another.
    ///
    /// - Complexity: computed at each call until a coordinator uses the model.
    public var versionHash: Data {
        if let frozenVersionHash { return frozenVersionHash }
        var hasher = VersionHasher()
        return hasher.hash(self)
    }
}

extension NSManagedObjectModel {
    /// The version hash of each entity.
    ///
    /// - Complexity: computed at each call until a coordinator uses the model.
    public var entityVersionHashesByName: [String: Data] { versionHashes(of: entities) }

    /// One text for the version of all entities, as in the `VersionInfo.plist` of a compiled model.
    public var versionChecksum: String { VersionDigest.checksum(entityVersionHashesByName) }

    func versionHashes(of entities: [NSEntityDescription]) -> [String: Data] {
        var hasher = VersionHasher()
        return Dictionary(
            entities.map { ($0.name ?? "", $0.frozenVersionHash ?? hasher.hash($0)) },
            uniquingKeysWith: { first, _ in first })
    }
}
