// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the entities of classes: finds the classes that their relationships reach, and inverses. SwiftData-H1 to H3.

import CoreData
import Foundation

struct SchemaOutline {
    private(set) var types: [any PersistentModel.Type] = []
    private(set) var entities: [Schema.Entity] = []

    init(_ roots: [any PersistentModel.Type]) {
        for type in roots { add(type) }
        let pairs = zip(types, entities)
        Self.checkNames(types)
        for (type, entity) in pairs {
            guard let parent = Self.superclass(of: type), let position = types.firstIndex(where: { $0 == parent })
            else {
                continue
            }
            entity.superentityName = entities[position].name
        }
        Self.linkSuperentities(entities)
        for (type, entity) in pairs { Self.addLists(type, entity) }
        InverseInference(types, entities).run()
    }

    static func linkSuperentities(_ entities: [Schema.Entity]) {
        for entity in entities {
            guard let name = entity.superentityName, let parent = entities.first(where: { $0.name == name }) else {
                continue
            }
            entity.superentity = parent
            parent.subentities.insert(entity)
        }
    }

    /// The model class above a class; nil for none.
    static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
        _getSuperclass(type as AnyClass) as? any PersistentModel.Type
    }

    private static func checkNames(_ types: [any PersistentModel.Type]) {
        var known: [String: any PersistentModel.Type] = [:]
        for type in types {
            let name = Schema.name(of: type)
            if let other = known[name] {
                preconditionFailure(
                    "A schema has one class of a name, but there are \(String(reflecting: other)) and "
                        + "\(String(reflecting: type)). Put them into different versions of the schema.")
            }
            known[name] = type
        }
    }

    private mutating func add(_ type: any PersistentModel.Type) {
        guard !types.contains(where: { $0 == type }) else { return }
        let entity = Schema.Entity(Schema.name(of: type))
        types.append(type)
        entities.append(entity)
        let metadata = type.schemaMetadata.filter { !$0.name.isEmpty }
        entity.properties = metadata.map { Self.property($0, in: type) }.sorted { $0.name < $1.name }
        if let parent = Self.superclass(of: type) { add(parent) }
        for property in metadata {
            if let destination = Destination(Swift.type(of: property.keypath).valueType) { add(destination.type) }
        }
    }

    private static func property(
        _ source: Schema.PropertyMetadata, in type: any PersistentModel.Type
    ) -> any SchemaProperty {
        let valueType = Swift.type(of: source.keypath).valueType
        if let destination = Destination(valueType) {
            let relationship = Schema.Relationship()
            if let given = source.metadata as? Schema.Relationship { relationship.take(given) }
            relationship.name = source.name
            if relationship.originalName.isEmpty { relationship.originalName = source.name }
            relationship.valueType = valueType
            relationship.keypath = source.keypath
            relationship.destination = Schema.name(of: destination.type)
            return relationship
        }
        precondition(
            !(source.metadata is Schema.Relationship),
            "'\(type).\(source.name)' is marked '@Relationship', but \(valueType) leads to no model.")
        return AttributeOutline.attribute(source, valueType)
    }

    private static func addLists(_ type: any PersistentModel.Type, _ entity: Schema.Entity) {
        entity.uniquenessConstraints = entity.properties.filter(\.isUnique).map { [$0.name] }
        for case let list as any PropertyList in type.schemaMetadata.compactMap(\.metadata) {
            for (paths, isTree) in list.lists {
                let names = paths.map { path in
                    guard let name = ModelKeyPaths.name(of: path) else {
                        preconditionFailure(
                            "'#\(list.isConstraint ? "Unique" : "Index")' of \(type) names \(path), "
                                + "which is no property of the schema.")
                    }
                    return name
                }
                if list.isConstraint {
                    if !entity.uniquenessConstraints.contains(names) { entity.uniquenessConstraints.append(names) }
                } else {
                    entity.indices.append(names)
                    if isTree { entity.treeIndices.insert(names) }
                }
            }
        }
    }
}

/// The destination class of a property.
struct Destination {
    let type: any PersistentModel.Type
    let isToMany: Bool

    /// nil for a property that is a value.
    init?(_ valueType: any Any.Type) {
        if let collection = valueType as? any RelationshipCollection.Type {
            type = Self.element(collection)
            isToMany = true
        } else if let model = ValueForms.unwrapped(valueType) as? any PersistentModel.Type {
            type = model
            isToMany = false
        } else {
            return nil
        }
    }

    private static func element<Members: RelationshipCollection>(_ type: Members.Type) -> any PersistentModel.Type {
        Members.PersistentElement.self
    }
}

extension Schema.Relationship {
    fileprivate func take(_ other: Schema.Relationship) {
        options = other.options
        deleteRule = other.deleteRule
        minimumModelCount = other.minimumModelCount
        maximumModelCount = other.maximumModelCount
        originalName = other.originalName
        inverseKeyPath = other.inverseKeyPath
        hashModifier = other.hashModifier
        isOneWay = other.isOneWay
    }
}

/// Makes attributes.
enum AttributeOutline {
    static func attribute(_ source: Schema.PropertyMetadata, _ valueType: any Any.Type) -> Schema.Attribute {
        let given = source.metadata as? Schema.Attribute
        let options = given?.options ?? []
        let original = given?.originalName.isEmpty == false ? given?.originalName : nil
        let value = source.defaultValue
        let isJSON = options.contains(.codable) && ValueForms.form(of: valueType).mayBeJSON
        guard given?.isTransformable != true, !isJSON else {
            return Schema.Attribute(
                name: source.name, originalName: original, options: options, valueType: valueType, defaultValue: value,
                hashModifier: given?.hashModifier)
        }
        switch ValueForms.form(of: valueType) {
        case .structure(let leaves), .cases(let leaves):
            let composite = Schema.CompositeAttribute(
                name: source.name, originalName: original, options: options, valueType: valueType,
                defaultValue: value, hashModifier: given?.hashModifier)
            composite.properties = leaves.map(leaf)
            return composite
        case .raw:
            let composite = Schema.CompositeAttribute(
                name: source.name, originalName: original, options: options, valueType: valueType,
                defaultValue: value, hashModifier: given?.hashModifier)
            composite.properties = [Schema.Attribute(name: source.name, valueType: valueType)]
            return composite
        case .plain, .archive, .json:
            return Schema.Attribute(
                name: source.name, originalName: original, options: options, valueType: valueType, defaultValue: value,
                hashModifier: given?.hashModifier)
        }
    }

    private static func leaf(_ leaf: ValueForm.Leaf) -> Schema.Attribute {
        guard case .structure(let members) = leaf.form else {
            return Schema.Attribute(name: leaf.name, valueType: leaf.type)
        }
        let composite = Schema.CompositeAttribute(
            name: leaf.name, originalName: nil, options: [], valueType: leaf.type, defaultValue: nil, hashModifier: nil)
        composite.properties = members.map(self.leaf)
        return composite
    }
}
