// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the names in a typed key path: `\Employee.department?.name` is "department.name".

import CoreDataFoundation
import Foundation
import Synchronization

/// Without Objective-C a key path does not know its properties' names. So the key path is evaluated on a temporary
/// object without a context, whose accessors record the properties that they read. The recorder provides the values: an
/// attribute gets one that its accessor can cast, a relationship another temporary object.
enum KeyPathNaming {
    /// Key paths are immutable; they are not `Sendable` only because of the values that they may capture.
    private struct KnownPath: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }

    /// An inner nil: the path has no name.
    private static let known = Mutex<[KnownPath: String?]>([:])

    /// - Returns: nil for a key path from a class without a known entity (`entity(of:)`), and for one that ends in
    ///   anything other than a property of a model or the member count of a to-many relationship.
    static func name(of path: AnyKeyPath) -> String? {
        guard let type = Swift.type(of: path).rootType as? NSManagedObject.Type else { return nil }
        let key = KnownPath(path: path)
        if let name = known.withLock({ $0[key] }) { return name }
        guard let entity = entity(of: type) else { return nil }
        let object = type.create(entity, nil)
        let recorder = KeyPathRecorder(Swift.type(of: path).valueType)
        let value = recorder.record { (object as Any)[keyPath: path] }
        let name = recorder.name(presentValue(value), from: object)
        known.withLock { $0[key] = .some(name) }
        return name
    }

    /// The entity of a class in the models in use, or else one with the properties that the class was generated with:
    /// an empty one, if its accessors use names. nil for a class with hand-written accessors that no model in use
    /// contains.
    ///
    /// An older version of the model may be in use as well, or another model with a class of that name. An entity that
    /// lacks a property of the class is not used.
    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let known = EntityLookup.knownEntity(for: type)
        guard let declared = SlotSignature.declaredEntity(of: type) else {
            guard known == nil, GeneratedClassLists.hasAccessorsByName(type) else { return known }
            return EntityLookup.emptyEntity(named: String(describing: type))
        }
        let names = known?.propertiesByName ?? [:]
        return declared.properties.allSatisfy { names[$0.name] != nil } ? known : declared
    }
}

extension NSManagedObject: KeyPathRoot {
    /// Lets sort descriptors, expressions and typed predicates find the names of managed objects' key paths.
    package class func keyPathName(_ path: AnyKeyPath) -> String? { KeyPathNaming.name(of: path) }
}

/// Gives a value to every property that is read, and records both.
private final class KeyPathRecorder: ReadRecorder {
    private let valueType: Any.Type
    /// One for each read.
    private var given: [Any?] = []

    init(_ valueType: Any.Type) { self.valueType = valueType }

    override func note(_ object: NSManagedObject, _ key: String) {
        let count = reads.count
        super.note(object, key)
        guard reads.count > count else { return }
        let value = sample(object, key)
        given.append(value)
        if let value { object.setPrimitiveValue(value, forKey: key) }
    }

    /// The model is unknown, so only the getter knows the class of the destination.
    override func destination(of object: NSManagedObject, _ key: String, as type: NSManagedObject.Type)
        -> NSManagedObject?
    {
        guard let last = reads.last, last.object === object, last.key == key,
            let entity = KeyPathNaming.entity(of: type)
        else { return nil }
        let destination = type.init(entity: entity, insertInto: nil)
        given[given.count - 1] = destination
        return destination
    }

    override var allowsUnknownKeys: Bool { true }

    /// The entity lacks the property, so only the getter knows its type.
    override func value(of object: NSManagedObject, _ key: String, as type: Any.Type) -> Any? {
        guard let last = reads.last, last.object === object, last.key == key,
            object.entity.propertiesByName[key] == nil
        else { return nil }
        let value =
            if let type = type as? NSManagedObject.Type {
                KeyPathNaming.entity(of: type).map { type.create($0, nil) as Any }
            } else {
                SampleValue.value(of: type)
            }
        given[given.count - 1] = value
        return value
    }

    private func sample(_ object: NSManagedObject, _ key: String) -> Any? {
        switch object.entity.propertiesByName[key] {
        case let relationship as NSRelationshipDescription where !relationship.isToMany:
            relationship.destinationEntity.map { Self.object(of: $0, besides: type(of: object)) }
        case let attribute as NSAttributeDescription: SampleValue.value(attribute.attributeType, for: valueType)
        default: nil
        }
    }

    /// If a model names a class without a module, the module of the key path's root class is searched, too.
    private static func object(of entity: NSEntityDescription, besides sibling: NSManagedObject.Type) -> NSManagedObject
    {
        if ObjectClasses.resolve(entity) == NSManagedObject.self, let name = entity.managedObjectClassName,
            let module = String(reflecting: sibling).split(separator: ".").first,
            let found = NSClassFromString("\(module).\(name)") as? NSManagedObject.Type
        {
            ObjectClasses.register(found)
        }
        return ObjectClasses.resolve(entity).create(entity, nil)
    }

    /// - Parameter value: the result of the key path.
    func name(_ value: Any?, from root: NSManagedObject) -> String? {
        guard let last = reads.last, reads.first?.object === root else { return nil }
        // Each step has to start at the result of the previous one; an accessor that reads two properties is not a
        // path.
        for (leading, next) in zip(given, reads.dropFirst()) where leading as AnyObject? !== next.object { return nil }
        let path = reads.map(\.key).joined(separator: ".")
        switch last.object.entity.propertiesByName[last.key] {
        case let relationship as NSRelationshipDescription where relationship.isToMany:
            if value is Int { return "\(path).@count" }
            return value is any Collection || value is NSSet || value is NSOrderedSet ? path : nil
        case is NSAttributeDescription:
            // An accessor that converts the attribute's value does not name the attribute.
            guard let sample = given.last ?? nil else { return value == nil ? path : nil }
            return ValueComparison.areEqual(value, sample) ? path : nil
        case is NSRelationshipDescription:
            guard let destination = given.last ?? nil else { return nil }
            return value as AnyObject? === destination as AnyObject ? path : nil
        case nil: return unknownName(path, value)
        default: return nil
        }
    }

    /// The name of a path that ends in a property that the entity lacks.
    private func unknownName(_ path: String, _ value: Any?) -> String? {
        guard let sample = given.last ?? nil else {
            // A set of objects reads as empty.
            if value is Int { return "\(path).@count" }
            return value == nil || value is any Collection ? path : nil
        }
        if let object = sample as? NSManagedObject { return value as AnyObject? === object ? path : nil }
        return ValueComparison.areEqual(value, sample) ? path : nil
    }
}

/// Values that accessors can cast to their results.
private enum SampleValue {
    /// Numbers are 1: most enumerations have such a case, and many calculations change it.
    static func value(_ type: NSAttributeType, for wanted: Any.Type) -> Any? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: 1
        case .decimalAttributeType: NSDecimalNumber(value: 1.25)
        case .doubleAttributeType, .floatAttributeType: 1.25
        case .stringAttributeType: "a"
        case .booleanAttributeType: true
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 1)
        case .binaryDataAttributeType: Data([1])
        case .UUIDAttributeType: UUID()
        case .URIAttributeType: URL(filePath: "/a")
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType:
            value(of: wanted)
        }
    }

    /// A value for a type that the model does not name: an empty collection, if it is one.
    static func value(of type: Any.Type) -> Any? {
        func empty<Elements: RangeReplaceableCollection>(_ type: Elements.Type) -> Any { Elements() }
        func noEntries<Entries: ExpressibleByDictionaryLiteral>(_ type: Entries.Type) -> Any {
            let entries: Entries = [:]
            return entries
        }
        func noMembers<Members: SetAlgebra>(_ type: Members.Type) -> Any { Members() }
        switch type {
        case is UUID.Type: return UUID()
        case is URL.Type: return URL(filePath: "/a")
        case is Decimal.Type, is NSDecimalNumber.Type: return NSDecimalNumber(value: 1.25)
        case is NSNumber.Type: return NSNumber(value: 1)
        case is String.Type: return "a"
        case is Date.Type: return Date(timeIntervalSinceReferenceDate: 1)
        case is Data.Type: return Data([1])
        case is NSSet.Type: return NSSet()
        case is NSOrderedSet.Type: return NSOrderedSet()
        default: break
        }
        if let type = type as? any RangeReplaceableCollection.Type { return empty(type) }
        if let type = type as? any ExpressibleByDictionaryLiteral.Type { return noEntries(type) }
        if let type = type as? any SetAlgebra.Type { return noMembers(type) }
        return nil
    }
}
