// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Key paths, captured values and classes of models in typed predicates. SwiftData-P1 to P4.

import CoreData
import CoreDataFoundation
import CoreDataModeling
import Foundation

final class ModelForms: TypedPredicateForms {
    private let context: ModelContext
    private(set) var collections = AskedCollections()

    init(_ context: ModelContext) { self.context = context }

    func name(of keyPath: AnyKeyPath) -> String? {
        let property = ModelKeyPaths.property(keyPath)
        if let name = property.name { collections.note(name, keyPath, isCollection: property.isCollection) }
        return property.name
    }

    func constant(_ value: Any?) throws -> Any? {
        guard let value else { return nil }
        // The casts below take longer than the rest of a small fetch.
        if Self.likeTheEngine.contains(ObjectIdentifier(type(of: value))) { return value }
        switch value {
        case let optional as any OptionalType: return try optional.wrappedValue.flatMap { try constant($0) }
        case let identifier as PersistentIdentifier: return context.objectID(identifier)
        case let model as any PersistentModel: return model._$row
        case let raw as any RawRepresentable where !(value is any ManagedAttributeValue):
            return EngineValue.raw(of: raw)
        case is any ManagedAttributeValue: return EngineValue.of(value)
        case let list as [Any]: return try list.compactMap { try constant($0) }
        case let set as any Collection where value is any SetMarker: return try set.compactMap { try constant($0) }
        case is any Codable where needsMembers(value):
            throw PredicateConversionError.unsupportedOperation(
                "A comparison with a whole \(type(of: value)) (compare its members)")
        default: return value
        }
    }

    /// The types that stores compare as they are.
    private static let likeTheEngine: Set<ObjectIdentifier> = [
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
