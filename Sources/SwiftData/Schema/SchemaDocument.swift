// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model document of a schema, which decides tables, columns and version hashes. SwiftData-F1.

import CoreData
import CoreDataModelFiles
import CoreDataModeling
import Foundation

/// A pure function from a schema to the engine's form of models, in the form that SwiftData's own stores have.
struct SchemaDocument {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    var document: ModelDocument {
        var document = ModelDocument()
        document.versionIdentifiers = [schema.version.description]
        document.entities = schema.entities.map(entity).sorted { $0.name < $1.name }
        document.configurations = [
            ModelDocument.Configuration(name: "default", entityNames: schema.entities.map(\.name))
        ]
        return document
    }

    private func entity(_ source: Schema.Entity) -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: source.name)
        entity.superentityName = source.superentityName
        entity.renamingIdentifier = source.name
        entity.attributes = source.properties.compactMap { $0 as? Schema.Attribute }.map(attribute)
            .sorted { $0.traits.name < $1.traits.name }
        entity.relationships = source.properties.compactMap { $0 as? Schema.Relationship }.map(relationship)
            .sorted { $0.traits.name < $1.traits.name }
        entity.uniquenessConstraints = source.uniquenessConstraints
        entity.indexes = source.indices.map { names in
            let isTree = source.treeIndices.contains(names)
            var index = ModelDocument.FetchIndex(
                name: "SwiftDataIndexOn\(isTree ? "RTree" : "Binary")\(names.joined())")
            index.elements = names.map { name in
                var element = ModelDocument.FetchIndex.Element(property: name)
                if isTree { element.collation = 1 }
                return element
            }
            return index
        }
        return entity
    }

    // MARK: Attributes

    private func attribute(_ source: Schema.Attribute) -> ModelDocument.Attribute {
        var attribute = ModelDocument.Attribute(name: source.name, type: type(of: source))
        attribute.traits.isOptional = source.isOptional
        attribute.traits.isTransient = source.has(.ephemeral)
        attribute.traits.isIndexedBySpotlight = source.has(.spotlight)
        attribute.traits.versionHashModifier = source.hashModifier
        attribute.traits.renamingIdentifier = source.originalName == source.name ? nil : source.originalName
        attribute.allowsExternalBinaryDataStorage = source.has(.externalStorage)
        attribute.allowsCloudEncryption = source.has(.allowsCloudEncryption)
        attribute.preservesValueInHistoryOnDeletion = source.has(.preserveValueOnDeletion)
        attribute.valueTransformerName = source.transformerName
        fill(&attribute, source)
        return attribute
    }

    private func type(of source: Schema.Attribute) -> Int {
        let type: NSAttributeType
        if source.isTransformable {
            type = .transformableAttributeType
        } else if source.isJSON {
            type = .binaryDataAttributeType
        } else if source is Schema.CompositeAttribute {
            type = .compositeAttributeType
        } else {
            type = ValueForms.form(of: source.valueType).attributeType
        }
        return Int(type.rawValue)
    }

    private func fill(_ attribute: inout ModelDocument.Attribute, _ source: Schema.Attribute) {
        if source.isTransformable { return }
        // A migration gives initial values to the records of a version without the attribute.
        if source.isJSON {
            if let value = source.defaultValue as? any Encodable, let data = try? JSONForm.data(value) {
                attribute.defaultValue = data._modelValue.value
            }
            return
        }
        let initial = (source.defaultValue as? any Encodable)
            .flatMap { try? ValueForms.engineValue($0, property: source.name) }
        switch ValueForms.form(of: source.valueType) {
        case .plain:
            if let value = source.defaultValue as? any ManagedAttributeValue {
                attribute.defaultValue = value._modelValue.value
            }
        case .archive(let className):
            attribute.valueClassName = className
            if let values = source.defaultValue as? [Any] {
                attribute.defaultValue = .array(
                    values.compactMap { ($0 as? any ManagedAttributeValue)?._modelValue.value })
            }
        case .raw(let raw):
            attribute.traits.userInfo = ["EnumType": .boolean(true)]
            attribute.elements = [element(source.name, Int(raw.rawValue), members(initial)[source.name])]
        case .cases(let leaves):
            attribute.traits.userInfo = [
                "EnumType": .boolean(true), "enum": .array(leaves.map { .string($0.name) }),
            ]
            attribute.elements = elements(leaves, initial)
        case .structure(let leaves): attribute.elements = elements(leaves, initial)
        case .json:
            if let data = initial as? Data { attribute.defaultValue = data._modelValue.value }
        }
    }

    private func elements(_ leaves: [ValueForm.Leaf], _ initial: Any?) -> [ModelDocument.Attribute] {
        leaves.map { element($0, members(initial)[$0.name]) }
    }

    private func members(_ composite: Any?) -> [String: Any] { composite as? [String: Any] ?? [:] }

    private func element(_ leaf: ValueForm.Leaf, _ initial: Any?) -> ModelDocument.Attribute {
        var result = element(leaf.name, Int(leaf.form.attributeType.rawValue), initial)
        switch leaf.form {
        case .structure(let members), .cases(let members): result.elements = elements(members, initial)
        case .archive: result.type = Int(NSAttributeType.binaryDataAttributeType.rawValue)
        default: break
        }
        return result
    }

    private func element(_ name: String, _ type: Int, _ initial: Any?) -> ModelDocument.Attribute {
        var element = ModelDocument.Attribute(name: name, type: type)
        element.defaultValue = (initial as? any ManagedAttributeValue)?._modelValue.value
        element.traits.isOptional = true
        return element
    }

    // MARK: Relationships

    private func relationship(_ source: Schema.Relationship) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(name: source.name, destinationEntityName: source.destination)
        relationship.traits.isOptional = source.isOptional
        relationship.traits.versionHashModifier = source.hashModifier
        relationship.traits.renamingIdentifier = source.originalName == source.name ? nil : source.originalName
        relationship.inverseName = source.inverseName
        relationship.inverseEntityName = source.inverseName == nil ? nil : source.destination
        relationship.isToMany = !source.isToOneRelationship
        relationship.isOrdered = source.isOrdered
        relationship.minCount = source.minimumModelCount ?? 0
        relationship.maxCount = source.isToOneRelationship ? 1 : source.maximumModelCount ?? 0
        let rules: [Schema.Relationship.DeleteRule: NSDeleteRule] = [
            .noAction: .noActionDeleteRule, .nullify: .nullifyDeleteRule, .cascade: .cascadeDeleteRule,
            .deny: .denyDeleteRule,
        ]
        relationship.deleteRule = Int((rules[source.deleteRule] ?? .nullifyDeleteRule).rawValue)
        return relationship
    }
}
