// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The mapping of one entity: which objects are migrated, and the values of the new ones.

public import Foundation

/// The kind of an entity mapping. Raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
    /// No kind was set. The migration works as for a custom mapping.
    case undefinedEntityMappingType = 0
    /// A migration policy of the program does the work.
    case customEntityMappingType = 1
    /// The entity exists only in the destination. No objects are migrated to it.
    case addEntityMappingType = 2
    /// The entity exists only in the source. Its objects are not migrated.
    case removeEntityMappingType = 3
    /// The entity is the same in both versions.
    case copyEntityMappingType = 4
    /// The entity differs between the versions.
    case transformEntityMappingType = 5
}

/// Describes how objects of one source entity become objects of one destination entity.
///
/// ```swift
/// let mapping = NSEntityMapping()
/// mapping.name = "BookToVolume"
/// mapping.mappingType = .transformEntityMappingType
/// mapping.sourceEntityName = "Book"
/// mapping.destinationEntityName = "Volume"
/// ```
///
/// Mutable; use it on one thread at a time.
open class NSEntityMapping: NSObject {
    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The name, unique in its mapping model. Policies and expressions refer to the mapping by it. nil unless set.
    open var name: String!

    /// The kind of the mapping; undefined unless set.
    open var mappingType = NSEntityMappingType.undefinedEntityMappingType

    /// The entity of the source model; nil for a mapping that adds an entity.
    open var sourceEntityName: String?

    /// The version hash of the source entity, 32 bytes. nil fits any version of the entity.
    open var sourceEntityVersionHash: Data?

    /// The entity of the destination model; nil for a mapping that removes an entity.
    open var destinationEntityName: String?

    /// The version hash of the destination entity, 32 bytes. nil fits any version of the entity.
    open var destinationEntityVersionHash: Data?

    /// The values of attributes, in the order in which they are set. nil and an empty list leave all defaults.
    open var attributeMappings: [NSPropertyMapping]?

    /// The destinations of relationships, in the order in which they are set.
    open var relationshipMappings: [NSPropertyMapping]?

    /// The expression whose value is the list of source objects. nil means all objects of the source entity, without
    /// those of its subentities.
    open var sourceExpression: NSExpression?

    /// Entries of the author of the mapping. An inferred mapping lists the affected properties here. nil unless set.
    open var userInfo: [AnyHashable: Any]?

    /// The name of a subclass of `NSEntityMigrationPolicy`, with or without its module; nil for the standard policy.
    open var entityMigrationPolicyClassName: String?

    /// Makes a mapping without name, entities and properties.
    public override init() { super.init() }

    /// Compares by content, the mappings of the properties included.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return self === other || MappingEquality.areEqual(self, other)
    }

    /// Equal mappings have equal hashes. The hash depends on the name.
    open override var hash: Int { name.hashValue }

    open override var description: String {
        "<NSEntityMapping \(name ?? ""): \(sourceEntityName ?? "nothing") to \(destinationEntityName ?? "nothing")>"
    }
}
