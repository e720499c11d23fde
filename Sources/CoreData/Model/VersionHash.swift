// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the hashes that tell one version of an entity from another, byte for byte as Apple's stores hold them.

public import Foundation

/// Computes version hashes, each property and entity once.
///
/// What goes into a hash: names, optional and transient flags, attribute types, external storage, preservation in
/// history, destinations, inverses, counts, order, abstractness, inheritance, uniqueness constraints, and the
/// modifiers. What does not: classes, defaults, validation, delete rules, indexes, user info, renaming identifiers.
///
/// Apple's hash of a derived attribute is unknown (it differs between Apple's own tools). Here it is the hash of a
/// plain attribute with the text of the derivation behind it, so it is stable between our stores; a store of Apple's
/// with derived attributes is compared by its other entities, see `ModelCompatibility`.
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
        var bytes = Data((entity.name ?? "").utf8)
        bytes.append(entity.isAbstract ? 1 : 0)
        bytes.append(superentityHash)
        let stored = entity.propertiesByName.values.filter { $0.isPartOfVersionHash }
        for property in stored.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            bytes.append(hash(property))
        }
        bytes.append(contentsOf: (entity.versionHashModifier ?? "").utf8)
        let constraints = entity.ownUniquenessConstraintNames.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            bytes.append(contentsOf: constraint.utf8)
        }
        return SHA2.sha256(bytes)
    }

    private mutating func compute(_ property: NSPropertyDescription) -> Data {
        if let composite = property as? NSCompositeAttributeDescription {
            // The name and flags of the composite itself take no part.
            let elements = composite.elements.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            return SHA2.sha256(elements.reduce(into: Data()) { $0.append(hash($1)) })
        }
        var bytes = Data(property.name.utf8)
        bytes.append((property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0))
        bytes.append(0)
        bytes.append(contentsOf: (property.versionHashModifier ?? "").utf8)
        var result = SHA2.sha256(bytes)
        switch property {
        case let attribute as NSAttributeDescription:
            result.append(littleEndian: UInt32(truncatingIfNeeded: attribute.attributeType.rawValue))
            if attribute.allowsExternalBinaryDataStorage { result.append(1) }
            if attribute.preservesValueInHistoryOnDeletion { result.append(1) }
            if let derived = attribute as? NSDerivedAttributeDescription {
                result.append(contentsOf: (derived.derivationText ?? "").utf8)
            }
        case let relationship as NSRelationshipDescription:
            let inverse = relationship.effectiveInverse
            result.append(contentsOf: (relationship.destinationEntity?.name ?? "").utf8)
            if let inverse, inverse !== relationship { result.append(contentsOf: inverse.name.utf8) }
            result.append(littleEndian: UInt32(truncatingIfNeeded: relationship.maxCount))
            result.append(littleEndian: UInt32(truncatingIfNeeded: relationship.minCount))
            if relationship.isOrdered { result.append(contentsOf: [1, 0]) }
        default:
            return result
        }
        return SHA2.sha256(result)
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

/// The texts in the metadata of a store that stand for all its version hashes.
enum VersionDigest {
    /// `NSStoreModelVersionHashesDigest`.
    static func digest(_ hashes: [String: Data]) -> String {
        SHA2.sha512(
            sorted(hashes).reduce(into: Data()) {
                $0.append(contentsOf: $1.key.utf8)
                $0.append($1.value)
            }
        ).base64EncodedString()
    }

    /// `NSStoreModelVersionChecksumKey`.
    static func checksum(_ hashes: [String: Data]) -> String {
        SHA2.sha256(sorted(hashes).reduce(into: Data()) { $0.append($1.value) }).base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
        hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}

extension Data {
    fileprivate mutating func append(littleEndian number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
