// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The checks for each object of an entity: does it lose something, and can it be migrated?

import CoreDataFoundation
import Foundation

/// A loss or a rule, and the objects that it affects.
struct ForecastCheck {
    let kind: MigrationPlan.Warning.Kind
    let property: String
    /// The reason of a failure, or the end of a sentence about a loss; without a final point.
    let text: String
    /// nil for all objects.
    let concerns: ((NSManagedObject) -> Bool)?

    var isOfAll: Bool { concerns == nil }
    /// Whether a migration fails on such objects.
    var isFailure: Bool { kind == .missingValue || kind == .conversion }

    /// - Parameter lost: the names of the properties that an earlier migration of the route loses.
    static func all(
        of pair: ModelPairing.Entity, in pairing: ModelPairing, besides lost: Set<String>
    ) -> [ForecastCheck] {
        pair.lost.filter { !lost.contains($0.name) }.compactMap { loss($0, pairing) }
            + pair.properties.flatMap { property -> [ForecastCheck] in
                switch property.destination {
                case let new as NSAttributeDescription:
                    let old = property.source as? NSAttributeDescription
                    let isFilled = property.fillers.contains { Self.hasDefault($0) }
                    return [isFilled ? nil : missing(new, old), unfit(new, old)].compactMap { $0 }
                case let new as NSRelationshipDescription:
                    let old = property.source as? NSRelationshipDescription
                    return [missing(new, old, pairing), cardinality(new, old), strays(new, old, pairing)].compactMap {
                        $0
                    }
                default: return []
                }
            }
    }

    private static func loss(_ property: NSPropertyDescription, _ pairing: ModelPairing) -> ForecastCheck? {
        if let relationship = property as? NSRelationshipDescription, isContinued(relationship, pairing) { return nil }
        let name = property.name
        return ForecastCheck(
            kind: .dataLoss, property: name, text: "lose the value of the removed property",
            concerns: { hasValue($0.value(forKey: name)) })
    }

    /// Whether the inverse relationship keeps the links.
    private static func isContinued(_ relationship: NSRelationshipDescription, _ pairing: ModelPairing) -> Bool {
        guard let inverse = relationship.inverseRelationship,
            let pair = pairing.entity(source: relationship.destinationEntity?.name ?? "")
        else { return false }
        return pair.destination(of: inverse.name) != nil
    }

    private static func hasValue(_ value: Any?) -> Bool {
        switch value {
        case nil: false
        case let members as NSOrderedSet: members.count > 0
        case let members as NSSet: members.count > 0
        case let members as Set<NSManagedObject>: !members.isEmpty
        default: true
        }
    }

    private static func hasDefault(_ property: NSPropertyDescription) -> Bool {
        (property as? NSAttributeDescription)?.initialValue != nil
    }

    private static func missing(_ new: NSAttributeDescription, _ old: NSAttributeDescription?) -> ForecastCheck? {
        guard !new.isOptional, !(new is NSDerivedAttributeDescription), new.initialValue == nil,
            old?.isOptional != false
        else { return nil }
        return ForecastCheck(
            kind: .missingValue, property: new.name,
            text: "Validation error missing attribute values on mandatory destination attribute",
            concerns: old.map { old in { $0.value(forKey: old.name) == nil } })
    }

    private static func missing(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription?, _ pairing: ModelPairing
    ) -> ForecastCheck? {
        guard !new.isOptional, old?.isOptional != false else { return nil }
        if old == nil, let inverse = new.inverseRelationship,
            pairing.entity(destination: new.destinationEntity?.name ?? "")?.source(of: inverse.name) != nil
        {
            return nil
        }
        return ForecastCheck(
            kind: .missingValue, property: new.name, text: "Objects lack the mandatory relationship",
            concerns: old.map { old in { !hasValue($0.value(forKey: old.name)) } })
    }

    private static func unfit(_ new: NSAttributeDescription, _ old: NSAttributeDescription?) -> ForecastCheck? {
        guard let old, old.attributeType != new.attributeType, ModelDifference.isNumber(old.attributeType),
            ModelDifference.isNumber(new.attributeType)
        else { return nil }
        let (name, type) = (old.name, new.attributeType)
        return ForecastCheck(
            kind: .conversion, property: new.name, text: "A value does not fit the type of the destination attribute",
            concerns: { object in
                guard let number = object.value(forKey: name).flatMap(AttributeValues.number) else { return false }
                return NumberConversion.value(number, as: type) == nil
            })
    }

    /// Links to migrated objects to which the relationship can no longer refer.
    private static func strays(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription?, _ pairing: ModelPairing
    ) -> ForecastCheck? {
        guard let name = old?.name, let target = old?.destinationEntity, let wanted = new.destinationEntity else {
            return nil
        }
        func isStray(_ entity: NSEntityDescription) -> Bool {
            pairing.entity(source: entity.name ?? "")?.destination.map { !$0.isKindOf(entity: wanted) } ?? false
        }
        let family = pairing.entities.compactMap(\.source).filter { $0.isKindOf(entity: target) }
        guard family.contains(where: isStray) else { return nil }
        return ForecastCheck(
            kind: .dataLoss, property: new.name,
            text: "lose links to objects of entities that the relationship does not lead to any more",
            concerns: { object in
                ManagedObjectList(object.value(forKey: name))?.members.contains { isStray($0.entity) } ?? false
            })
    }

    private static func cardinality(
        _ new: NSRelationshipDescription, _ old: NSRelationshipDescription?
    ) -> ForecastCheck? {
        guard let old, old.isToMany, !new.isToMany else { return nil }
        let name = old.name
        return ForecastCheck(
            kind: .cardinality, property: new.name, text: "keep the first of several members",
            concerns: { object in
                switch object.value(forKey: name) {
                case let members as NSOrderedSet: members.count > 1
                case let members as NSSet: members.count > 1
                case let members as Set<NSManagedObject>: members.count > 1
                default: false
                }
            })
    }
}
