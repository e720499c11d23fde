// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares models and descriptions by content.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// Compares the contents that a model file has, and default values that no file can contain.
///
/// Ignores the model or entity of a description, and whether a coordinator uses it. Entities are compared by name where
/// they refer to one another, so comparing one does not traverse the others.
enum ModelEquality {
    static func areEqual(_ one: NSManagedObjectModel, _ other: NSManagedObjectModel) -> Bool {
        guard one.entities.count == other.entities.count, one.document() == other.document() else { return false }
        let counterparts = other.entitiesByName
        return one.entities.allSatisfy { entity in
            counterparts[entity.name ?? ""].map { areEqual(entity, $0) } ?? false
        }
    }

    static func areEqual(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
        guard one.ownProperties.count == other.ownProperties.count, one.document() == other.document(),
            Set(one.subentities.map(\.name)) == Set(other.subentities.map(\.name))
        else { return false }
        let counterparts = Dictionary(
            other.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return one.ownProperties.allSatisfy { property in
            counterparts[property.name].map { areEqual(property, $0) } ?? false
        }
    }

    static func areEqual(_ one: NSPropertyDescription, _ other: NSPropertyDescription) -> Bool {
        guard type(of: one) == type(of: other), one.traits == other.traits else { return false }
        switch (one, other) {
        case (let one as NSAttributeDescription, let other as NSAttributeDescription):
            return one.document() == other.document() && ValueComparison.areEqual(one.defaultValue, other.defaultValue)
        case (let one as NSRelationshipDescription, let other as NSRelationshipDescription):
            return one.document() == other.document()
        case (let one as NSFetchedPropertyDescription, let other as NSFetchedPropertyDescription):
            return one.document() == other.document()
        case (let one as NSExpressionDescription, let other as NSExpressionDescription):
            return one.expression == other.expression && one.expressionResultType == other.expressionResultType
        default: return true
        }
    }
}
