// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Entities, attributes and relationships of models in code, for the simulation and the tests.
package import CoreData

package enum ModelParts {
    package static func entity(_ name: String, _ attributes: [NSAttributeDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes
        return entity
    }

    package static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    package static func relationship(
        _ name: String, _ destination: NSEntityDescription, _ rule: NSDeleteRule, isToMany: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = rule
        relationship.minCount = 0
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    package static func relate(
        _ one: NSRelationshipDescription, _ first: NSEntityDescription, _ other: NSRelationshipDescription,
        _ second: NSEntityDescription
    ) {
        one.inverseRelationship = other
        other.inverseRelationship = one
        first.properties.append(one)
        second.properties.append(other)
    }
}
