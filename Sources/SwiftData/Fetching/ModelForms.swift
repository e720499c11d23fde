// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Key paths, captured values and classes of models in typed predicates. SwiftData-P1 to P4.

import CoreData
import CoreDataFoundation
import CoreDataModeling
import Foundation

final class ModelForms: TypedPredicateForms {
    private let context: ModelContext
    private(set) var collections = UnsupportedProperties()
    /// The types of the values that one column has as JSON, of the properties that the predicate reads.
    private var jsonTypes: Set<ObjectIdentifier> = []
    /// The key path that the conversion failed at.
    private(set) var unnamed: AnyKeyPath?

    init(_ context: ModelContext) { self.context = context }

    func name(of keyPath: AnyKeyPath) -> String? {
        let property = ModelKeyPaths.property(keyPath)
        if let name = property.name {
            collections.note(name, keyPath, isCollection: property.isCollection || isInJSON(name, of: keyPath))
        } else {
            unnamed = keyPath
        }
        return property.name
    }

    /// Whether a key path ends in a member of a value that one column has as JSON. The types of its members are
    /// Swift's, so the models evaluate the condition. StructuredValues-5.
    private func isInJSON(_ name: String, of keyPath: AnyKeyPath) -> Bool {
        let (root, value) = (type(of: keyPath).rootType, ValueForms.unwrapped(type(of: keyPath).valueType))
        guard let model = root as? any PersistentModel.Type else {
            // The member of a value, which the predicate has read before.
            guard jsonTypes.contains(ObjectIdentifier(root)) else { return false }
            jsonTypes.insert(ObjectIdentifier(value))
            return true
        }
        var entity = context.container.schemaModel.model.entitiesByName[Schema.name(of: model)]
        var parts = name.split(separator: ".").map(String.init)[...]
        while let part = parts.popFirst() {
            guard let attribute = entity?.attributesByName[part] else {
                entity = entity?.relationshipsByName[part]?.destinationEntity
                continue
            }
            guard attribute.attributeType == .binaryDataAttributeType, value != Data.self else { return false }
            if parts.isEmpty { jsonTypes.insert(ObjectIdentifier(value)) }
            return !parts.isEmpty
        }
        return false
    }

    func constant(_ value: Any?) throws -> Any? {
        guard let value else { return nil }
        // The casts below take longer than the rest of a small fetch.
        if Self.storeComparableTypes.contains(ObjectIdentifier(type(of: value))) { return value }
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
            return try constant(hashable.base)
        }
        // The cast of a collection to a class makes one of Foundation and hashes its members; Foundation's hash of a
        // decimal overflows the stack.
        if type(of: value) is AnyClass, let model = value as? any PersistentModel { return model._$row }
        switch value {
        case let optional as any OptionalType: return try optional.wrappedValue.flatMap { try constant($0) }
        case let identifier as PersistentIdentifier: return objectID(identifier)
        case let name as PersistentIdentifier.ID: return objectID(PersistentIdentifier(name: name))
        case let raw as any RawRepresentable where !(value is any ManagedAttributeValue):
            return EngineValue.raw(of: raw)
        case is any ManagedAttributeValue: return EngineValue.of(value)
        case let list as [Any]: return try members(list)
        case let set as any Collection where value is any SetMarker: return try members(set)
        case let entries as [AnyHashable: Any]: return try dictionary(entries)
        case is any Codable where needsMembers(value):
            throw PredicateConversionError.unsupportedOperation(
                "A comparison with a whole \(type(of: value)) (compare its members)")
        default: return value
        }
    }

    /// A nil among captured values becomes `NSNull`: a missing value is a member of the list, too.
    private func members(_ values: some Collection) throws -> [Any] {
        try values.map { try constant($0) ?? NSNull() }
    }

    private func dictionary(_ entries: [AnyHashable: Any]) throws -> [AnyHashable: Any] {
        var result: [AnyHashable: Any] = [:]
        for (key, value) in entries {
            guard let key = try constant(key.base) as? AnyHashable else { continue }
            result[key] = try constant(value) ?? NSNull()
        }
        return result
    }

    /// The id of a record; for an identifier of another container an id without a record. Not nil, which would equal a
    /// to-one without a destination.
    private func objectID(_ identifier: PersistentIdentifier) -> NSManagedObjectID? {
        if let id = context.objectID(identifier) { return id }
        let entities = context.container.schemaModel.model
        guard let entity = entities.entitiesByName[identifier.entityName] ?? entities.entities.first else { return nil }
        return ModelRow(entity: entity, insertInto: nil).objectID
    }

    /// The types that stores compare as they are.
    private static let storeComparableTypes: Set<ObjectIdentifier> = [
        ObjectIdentifier(Int.self), ObjectIdentifier(Int16.self), ObjectIdentifier(Int32.self),
        ObjectIdentifier(Int64.self), ObjectIdentifier(Double.self), ObjectIdentifier(Float.self),
        ObjectIdentifier(Bool.self), ObjectIdentifier(String.self), ObjectIdentifier(Date.self),
        ObjectIdentifier(Data.self), ObjectIdentifier(UUID.self),
    ]

    private func needsMembers(_ value: Any) -> Bool {
        switch ValueForms.form(of: type(of: value)) {
        case .structure, .cases: true
        default: false
        }
    }

    func orderedCases<Value: Comparable>(of type: Value.Type) -> [Value]? {
        Self.storeComparableTypes.contains(ObjectIdentifier(type)) ? nil : EnumerationOrder.cases(of: type)
    }

    func entities(of type: any Any.Type) -> [AnyObject]? {
        guard let model = type as? any PersistentModel.Type,
            let entity = context.container.schemaModel.model.entitiesByName[Schema.name(of: model)]
        else { return nil }
        collections.note(class: model)
        return Self.line(entity)
    }

    private static func line(_ entity: NSEntityDescription) -> [NSEntityDescription] {
        [entity] + entity.subentities.flatMap(line)
    }
}

protocol SetMarker {}
extension Set: SetMarker {}
