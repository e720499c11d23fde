// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pairs the properties of an entity in two versions, and compares their values.

import CoreData
import Foundation

/// An entity in the original and in the migrated store.
struct EntityPair {
    let old: NSEntityDescription
    let new: NSEntityDescription
    let properties: [PropertyPair]
    /// The properties of the original without a counterpart, as "Entity.property".
    let unmatched: [String]

    /// - Parameter wanted: the entity in the authored model, where optional, derived and other traits are known.
    init(_ old: NSEntityDescription, _ new: NSEntityDescription, wanted: NSEntityDescription?) {
        (self.old, self.new) = (old, new)
        var pairs: [PropertyPair] = []
        var left: [String] = []
        for property in old.properties.sorted(by: { $0.name < $1.name }) {
            let name = property.renamingIdentifier ?? property.name
            let found =
                new.properties.first { ($0.renamingIdentifier ?? $0.name) == name }
                ?? new.properties.first { $0.renamingIdentifier == property.name }
            let authored = found.flatMap { wanted?.propertiesByName[$0.name] }
            guard let found, !(authored is NSDerivedAttributeDescription),
                (property is NSRelationshipDescription) == (found is NSRelationshipDescription)
            else {
                left.append("\(old.name ?? "").\(property.name)")
                continue
            }
            // The other end of such a link is a to-one, and is compared there.
            if let link = property as? NSRelationshipDescription, link.isToMany, !link.isOrdered,
                link.inverseRelationship?.isToMany == false,
                (found as? NSRelationshipDescription)?.isToMany == true
            {
                continue
            }
            pairs.append(PropertyPair(old: property, new: found, isMandatory: authored?.isOptional == false))
        }
        (properties, unmatched) = (pairs, left)
    }
}

/// A property in the original and in the migrated store.
struct PropertyPair {
    let old: NSPropertyDescription
    let new: NSPropertyDescription
    /// If true, a missing value may have become the default.
    let isMandatory: Bool

    /// - Parameter names: the entities of the migrated store by those of the original.
    func isSame(_ one: ComparedValue, _ other: ComparedValue, names: [String: String]) -> Bool {
        guard let link = old as? NSRelationshipDescription else {
            return (one.isNull && isMandatory) || one.isSame(other, as: new as? NSAttributeDescription)
        }
        let wanted = one.targets.compactMap { target in names[target.entity].map { Target($0, target.key) } }
        let found = other.targets
        guard let newLink = new as? NSRelationshipDescription else { return false }
        if link.isToMany, !newLink.isToMany {
            return wanted.isEmpty ? found.isEmpty : found.allSatisfy(wanted.contains)
        }
        if link.isOrdered, newLink.isOrdered { return wanted == found }
        // A link that became to-many may have gained further members by its inverse.
        if !link.isToMany, newLink.isToMany { return Set(wanted).isSubset(of: found) }
        return Set(wanted) == Set(found)
    }
}

/// The object at the end of a link.
struct Target: Hashable {
    let entity: String
    let key: String

    init(_ entity: String, _ key: String) { (self.entity, self.key) = (entity, key) }
}

/// A value of an object, or the ends of its links.
enum ComparedValue {
    case null
    case value(Any)
    case targets([Target])

    init(_ value: Any?) {
        switch value {
        case nil, is NSNull: self = .null
        case let object as NSManagedObject: self = .targets([Self.target(object)])
        case let objects as NSOrderedSet: self = .targets(Self.targets(objects.array))
        case let objects as Set<NSManagedObject>: self = .targets(objects.map(Self.target))
        case let objects as NSSet: self = .targets(Self.targets(objects.allObjects))
        case let value?: self = .value(value)
        }
    }

    private static func targets(_ objects: [Any]) -> [Target] {
        objects.compactMap { ($0 as? NSManagedObject).map(target) }
    }

    private static func target(_ object: NSManagedObject) -> Target {
        Target(object.entity.name ?? "", String(object.objectID.uriRepresentation().lastPathComponent.dropFirst()))
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The value without links to some objects.
    func without(_ objects: Set<Target>) -> ComparedValue {
        guard case .targets(let targets) = self, !objects.isEmpty else { return self }
        return .targets(targets.filter { !objects.contains($0) })
    }

    var targets: [Target] { if case .targets(let targets) = self { targets } else { [] } }

    /// The value in a message.
    var text: String {
        switch self {
        case .null: "nil"
        case .value(let value): String(Cell(value, of: nil).tableText.prefix(60))
        case .targets(let targets): targets.prefix(5).map { "\($0.entity)/\($0.key)" }.list
        }
    }

    /// - Parameter attribute: the attribute of the migrated store, which defines the type of the other value.
    func isSame(_ other: ComparedValue, as attribute: NSAttributeDescription?) -> Bool {
        switch (self, other) {
        case (.null, .null): return true
        case (.value(let one), .value(let other)):
            if let one = Self.number(one), let other = Self.number(other) {
                return Self.isSame(one, other, isFloat: attribute?.attributeType == .floatAttributeType)
            }
            if let one = one as? AnyHashable, let other = other as? AnyHashable { return one == other }
            return Cell(one, of: nil).json == Cell(other, of: nil).json
        default: return false
        }
    }

    private static func number(_ value: Any) -> NSNumber? {
        (value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? value as? NSNumber
    }

    private static func isSame(_ one: NSNumber, _ other: NSNumber, isFloat: Bool) -> Bool {
        if let one = one as? NSDecimalNumber, let other = other as? NSDecimalNumber {
            return one.decimalValue == other.decimalValue
        }
        if isFloat { return one.floatValue == other.floatValue || one.doubleValue.isNaN && other.doubleValue.isNaN }
        if one.doubleValue.isNaN { return other.doubleValue.isNaN }
        let isFloatingPoint = [one, other].contains { ["d", "f"].contains(String(cString: $0.objCType)) }
        return one.doubleValue == other.doubleValue && (isFloatingPoint || one.int64Value == other.int64Value)
    }
}
