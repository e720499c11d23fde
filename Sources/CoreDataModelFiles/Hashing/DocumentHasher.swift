// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the version hashes of a model document, for tools without entity descriptions.

package import Foundation

extension ModelDocument {
    /// The version hash of each entity, 32 bytes, equal to `NSManagedObjectModel.entityVersionHashesByName` of
    /// the same model.
    package func entityHashes() -> [String: Data] {
        var hasher = DocumentHasher(ModelHierarchy(self))
        return Dictionary(entities.map { ($0.name, hasher.hash($0)) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Computes the hash of each entity once.
private struct DocumentHasher {
    let hierarchy: ModelHierarchy
    private var known: [String: Data] = [:]

    init(_ hierarchy: ModelHierarchy) { self.hierarchy = hierarchy }

    mutating func hash(_ entity: ModelDocument.Entity) -> Data {
        var result = Data()
        // A loop from the root instead of recursion, which also ends for a cycle of superentities.
        for member in hierarchy.lineage(of: entity).reversed() {
            let hash = known[member.name] ?? compute(member, superentityHash: result)
            known[member.name] = hash
            result = hash
        }
        return result
    }

    private func compute(_ entity: ModelDocument.Entity, superentityHash: Data) -> Data {
        var properties: [String: Data] = [:]
        for member in hierarchy.lineage(of: entity).reversed() {
            for attribute in member.attributes where !attribute.traits.isTransient {
                properties[attribute.traits.name] = hash(attribute)
            }
            for relationship in member.relationships where !relationship.traits.isTransient {
                properties[relationship.traits.name] = hash(relationship, of: member)
            }
        }
        return VersionHashRule.entity(
            entity.name, isAbstract: entity.isAbstract, superentityHash: superentityHash,
            properties: properties.map { ($0.key, $0.value) }, modifier: entity.versionHashModifier,
            uniquenessConstraints: entity.uniquenessConstraints)
    }

    private func hash(_ attribute: ModelDocument.Attribute) -> Data {
        if attribute.derivationExpression == nil, attribute.type == AttributeKind.composite.rawValue {
            return VersionHashRule.composite(hierarchy.elements(of: attribute).map { ($0.traits.name, hash($0)) })
        }
        if let derivation = attribute.derivationExpression { return VersionHashRule.derived(derivation) }
        return VersionHashRule.attribute(
            base(attribute.traits), type: UInt(bitPattern: attribute.type),
            isStoredOutside: attribute.allowsExternalBinaryDataStorage,
            isPreserved: attribute.preservesValueInHistoryOnDeletion)
    }

    private func hash(_ relationship: ModelDocument.Relationship, of entity: ModelDocument.Entity) -> Data {
        let inverse = hierarchy.inverse(of: relationship, in: entity)
        let isItsOwn = inverse.map { $0.entity.name == entity.name && $0.name == relationship.traits.name } ?? false
        let destination = hierarchy.entities[relationship.destinationEntityName]
        return VersionHashRule.relationship(
            base(relationship.traits), destination: destination?.name ?? "",
            inverse: isItsOwn ? nil : inverse?.name, maxCount: relationship.maxCount,
            minCount: relationship.minCount, isOrdered: relationship.isOrdered)
    }

    private func base(_ traits: ModelDocument.PropertyTraits) -> Data {
        VersionHashRule.base(
            traits.name, isOptional: traits.isOptional, isTransient: traits.isTransient,
            modifier: traits.versionHashModifier)
    }
}
