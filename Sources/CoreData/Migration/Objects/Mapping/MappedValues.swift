// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sets the properties of one object of the destination by their mappings.

import CoreDataFoundation
import Foundation

/// A pair of objects with its mapping and policy.
struct MappedValues {
    private let session: MigrationSession
    private let mapping: NSEntityMapping
    private let source: NSManagedObject?
    private let destination: NSManagedObject
    private let policy: NSEntityMigrationPolicy

    init(
        _ session: MigrationSession, _ mapping: NSEntityMapping, source: NSManagedObject?, destination: NSManagedObject,
        policy: NSEntityMigrationPolicy
    ) {
        self.session = session
        self.mapping = mapping
        self.source = source
        self.destination = destination
        self.policy = policy
    }

    // MARK: Attributes

    /// - Throws: 134110 with `entity`, `attribute` and `reason`.
    func setAttribute(_ property: NSPropertyMapping) throws {
        guard let expression = property.valueExpression, let name = property.name else { return }
        if let source, session.expressions.copy(property, expression, name, source, destination) { return }
        guard let attribute = destination.entity.attributesByName[name] else {
            throw unmappable(name, "The destination has no attribute of this name", isOfMapping: true)
        }
        if attribute is NSDerivedAttributeDescription { return }
        guard let value = try value(of: property, expression) else {
            // A mandatory attribute keeps its default, as in a migration by statements.
            if attribute.isOptional || attribute.initialValue == nil { destination.setValue(nil, forKey: name) }
            return
        }
        destination.setValue(try converted(value, attribute), forKey: name)
    }

    /// A value in the type of an attribute; a number keeps its value.
    private func converted(_ value: Any, _ attribute: NSAttributeDescription) throws -> Any {
        let type = attribute.attributeType
        if let number = AttributeValues.number(value), !(value is Bool && type == .booleanAttributeType) {
            guard let fitting = NumberConversion.value(number, as: type) else {
                throw unmappable(attribute.name, "The number does not fit the type \(type.displayName)")
            }
            return fitting
        }
        guard type.accepts(value) else {
            throw unmappable(
                attribute.name, "A value of the type \(Swift.type(of: value)) does not fit \(type.displayName)")
        }
        return value
    }

    // MARK: Relationships

    /// - Throws: 134110 with `entity`, `property` and `reason`.
    func setRelationship(_ property: NSPropertyMapping) throws {
        guard let expression = property.valueExpression, let name = property.name else { return }
        guard let relationship = destination.entity.relationshipsByName[name] else {
            throw unmappable(name, "The destination has no relationship of this name", isOfMapping: true)
        }
        var members = try targets(of: property, expression, name).filter { try fits($0, relationship) }
        if relationship.isToMany {
            members = members.filter { isFree($0, relationship) }
            destination.setValue(
                relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: name)
        } else if let target = members.first, !isLinked(toOneOf: members, name) {
            setTarget(target, relationship)
        }
    }

    private func targets(
        of property: NSPropertyMapping, _ expression: NSExpression, _ name: String
    ) throws -> [NSManagedObject] {
        if let source, let key = session.expressions.followedKey(property, expression, source),
            let list = ManagedObjectList(source.value(forKey: key))
        {
            return session.destinations(of: list.members)
        }
        guard let list = ManagedObjectList(try value(of: property, expression)) else {
            throw unmappable(name, "The value is no managed object and no collection of managed objects")
        }
        return list.members
    }

    /// Whether an object may be a destination of the relationship. One source object may have become objects of several
    /// entities.
    private func fits(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) throws -> Bool {
        guard object.managedObjectContext === session.destination.context else {
            throw unmappable(relationship.name, "An object of the value does not belong to the destination")
        }
        return relationship.destinationEntity.map(object.entity.isKindOf(entity:)) ?? false
    }

    /// If several to-many relationships claim one member, the first keeps it: a many-to-many may have become a
    /// one-to-many.
    private func isFree(_ member: NSManagedObject, _ relationship: NSRelationshipDescription) -> Bool {
        guard let inverse = relationship.inverseRelationship, !inverse.isToMany,
            let owner = member.value(forKey: inverse.name) as? NSManagedObject
        else { return true }
        return owner === destination
    }

    /// Whether the mapping of the other end has already set this link.
    private func isLinked(toOneOf members: [NSManagedObject], _ name: String) -> Bool {
        (destination.value(forKey: name) as? NSManagedObject).map { current in members.contains { $0 === current } }
            ?? false
    }

    /// If several objects claim one target of a one-to-one relationship, the first keeps it.
    private func setTarget(_ target: NSManagedObject, _ relationship: NSRelationshipDescription) {
        if let inverse = relationship.inverseRelationship, !inverse.isToMany,
            let owner = target.value(forKey: inverse.name) as? NSManagedObject, owner !== destination
        {
            return
        }
        destination.setValue(target, forKey: relationship.name)
    }

    // MARK: Both

    private func value(of property: NSPropertyMapping, _ expression: NSExpression) throws -> Any? {
        try session.expressions.value(
            of: property, expression, in: mapping, source: source, destination: destination, policy: policy)
    }

    private func unmappable(_ property: String, _ reason: String, isOfMapping: Bool = false) -> NSError {
        CoreDataError.unmappable(
            entity: destination.entity.name, property: property, reason: reason, isOfMapping: isOfMapping)
    }
}

/// Converts numbers among the types of attributes.
enum NumberConversion {
    /// nil for a number that the type cannot hold. A floating-point type rounds.
    static func value(_ number: NSNumber, as type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType: integer(number).flatMap { Int16(exactly: $0) }.map { NSNumber(value: $0) }
        case .integer32AttributeType: integer(number).flatMap { Int32(exactly: $0) }.map { NSNumber(value: $0) }
        case .integer64AttributeType: integer(number).map { NSNumber(value: $0) }
        case .decimalAttributeType:
            number as? NSDecimalNumber ?? NSDecimalNumber(decimal: ExactDecimal.of(number))
        case .doubleAttributeType: NSNumber(value: ExactDecimal.double(number))
        case .floatAttributeType: abs(number.doubleValue) > Double(Float.greatestFiniteMagnitude) ? nil : number
        case .booleanAttributeType: number
        case .transformableAttributeType, .undefinedAttributeType: number
        default: nil
        }
    }

    /// nil for a number with a fraction, and for one of more than 64 bits.
    private static func integer(_ number: NSNumber) -> Int64? {
        if let decimal = number as? NSDecimalNumber {
            let integer = decimal.int64Value
            return Decimal(integer) == decimal.decimalValue ? integer : nil
        }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return Int64(exactly: number.doubleValue)
        case CChar(UInt8(ascii: "Q")): return Int64(exactly: number.uint64Value)
        default: return number.int64Value
        }
    }
}
