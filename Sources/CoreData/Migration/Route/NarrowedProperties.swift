// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the properties with values that do not fit the version at the end of a part of a migration.

import Foundation

/// Each part of a migration writes the store in the version at its end. A to-many relationship that is to-one in that
/// version loses members, even if the first and the last version could keep them. Properties that the route loses
/// completely are ignored here: `VersionGraph` handles them.
struct NarrowedProperties {
    /// As `Entity.property`, by the names of the first version.
    let names: Set<String>

    /// - Parameter parts: the pairings of the parts, in their order.
    init(_ parts: [ModelPairing]) {
        guard let first = parts.first, parts.count > 1 else {
            names = []
            return
        }
        let whole = parts.dropFirst().reduce(first) { $0.followed(by: $1) }
        var names: Set<String> = []
        var before = first
        for part in parts.dropFirst() {
            for pair in before.entities { names.formUnion(Self.narrowed(pair, whole)) }
            before = before.followed(by: part)
        }
        self.names = names
    }

    private static func narrowed(_ pair: ModelPairing.Entity, _ whole: ModelPairing) -> [String] {
        guard let entity = pair.source?.name, let end = whole.entity(source: entity) else { return [] }
        return pair.properties.compactMap { property in
            guard let source = property.source, let destination = end.destination(of: source.name),
                !keeps(property.destination, source), keeps(destination, source)
            else { return nil }
            return "\(entity).\(source.name)"
        }
    }

    /// Whether a property can hold every value of another one.
    private static func keeps(_ property: NSPropertyDescription, _ other: NSPropertyDescription) -> Bool {
        switch (property, other) {
        case (let new as NSRelationshipDescription, let old as NSRelationshipDescription):
            (new.isToMany || !old.isToMany) && (new.isOrdered || !old.isOrdered)
        case (let new as NSAttributeDescription, let old as NSAttributeDescription):
            new.attributeType == old.attributeType
                || wider[old.attributeType]?.contains(new.attributeType) ?? false
        default: false
        }
    }

    /// For each number type, the types that can hold all its values.
    private static let wider: [NSAttributeType: Set<NSAttributeType>] = [
        .booleanAttributeType: [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .floatAttributeType,
            .doubleAttributeType, .decimalAttributeType,
        ],
        .integer16AttributeType: [
            .integer32AttributeType, .integer64AttributeType, .floatAttributeType, .doubleAttributeType,
            .decimalAttributeType,
        ],
        .integer32AttributeType: [.integer64AttributeType, .doubleAttributeType, .decimalAttributeType],
        .integer64AttributeType: [.decimalAttributeType],
        .floatAttributeType: [.doubleAttributeType],
    ]
}
