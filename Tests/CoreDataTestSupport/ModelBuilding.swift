// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds models in code, concisely.

public import CoreData

extension NSEntityDescription {
    public convenience init(_ name: String, class type: NSManagedObject.Type? = nil, abstract: Bool = false) {
        self.init()
        self.name = name
        managedObjectClassName = type.map { String(reflecting: $0) } ?? "NSManagedObject"
        isAbstract = abstract
    }

    @discardableResult
    public func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil,
        transient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.isTransient = transient
        attribute.defaultValue = value
        properties.append(attribute)
        return attribute
    }

    @discardableResult
    public func derived(_ name: String, _ type: NSAttributeType, _ expression: String) -> NSAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        properties.append(attribute)
        return attribute
    }

    /// An optional composite attribute with optional elements.
    @discardableResult
    public func composite(
        _ name: String, _ elements: KeyValuePairs<String, NSAttributeType>
    ) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = true
        composite.elements = elements.map { name, type in
            let element = NSAttributeDescription()
            element.name = name
            element.attributeType = type
            element.isOptional = true
            return element
        }
        properties.append(composite)
        return composite
    }

    /// A relationship and its inverse.
    public func relate(
        _ name: String, _ count: RelationshipCount, _ rule: NSDeleteRule = .nullifyDeleteRule,
        to other: NSEntityDescription,
        inverse inverseName: String, _ inverseCount: RelationshipCount, _ inverseRule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let one = relationship(name, count, rule, to: other)
        guard inverseName != name || other !== self else {
            one.inverseRelationship = one
            return
        }
        let back = other.relationship(inverseName, inverseCount, inverseRule, to: self)
        one.inverseRelationship = back
        back.inverseRelationship = one
    }

    @discardableResult
    public func relationship(
        _ name: String, _ count: RelationshipCount, _ rule: NSDeleteRule = .nullifyDeleteRule,
        to other: NSEntityDescription
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = other
        relationship.maxCount = count == .one || count == .requiredOne ? 1 : 0
        relationship.minCount = 0
        relationship.isOptional = count != .requiredOne
        relationship.isOrdered = count == .ordered
        relationship.deleteRule = rule
        properties.append(relationship)
        return relationship
    }
}

public enum RelationshipCount: Sendable {
    case one
    case requiredOne
    case many
    case ordered
}

extension NSManagedObjectModel {
    public convenience init(_ entities: NSEntityDescription...) {
        self.init()
        self.entities = entities
    }
}
