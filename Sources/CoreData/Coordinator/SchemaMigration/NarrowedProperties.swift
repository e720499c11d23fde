// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the properties whose values do not fit a version in which one part of a migration ends.

import Foundation

/// A part of a migration writes the store in the version at its end. A relationship to many objects that is one to a
/// single object in that version loses members there, though the first and the last version could keep them. Properties
/// that the way loses altogether are not looked at: `VersionGraph` knows them.
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

    /// Whether one property takes every value of another one.
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

    /// The types that take every number of a type.
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
