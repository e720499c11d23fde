// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts a model document to descriptions and records its unresolved references.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

/// One conversion of a document to descriptions. Faults are stored in the affected descriptions, where `check()` finds
/// them, so that a faulty model can be inspected and reported completely.
struct ModelLoading {
    private let document: ModelDocument
    private var entities: [String: NSEntityDescription] = [:]
    private var relationships: [ObjectIdentifier: [String: NSRelationshipDescription]] = [:]
    private var faults: [ModelFault] = []

    /// Fills an empty model.
    static func fill(_ model: NSManagedObjectModel, from document: ModelDocument) {
        var act = ModelLoading(document)
        act.run(model)
    }

    private init(_ document: ModelDocument) { self.document = document }

    private mutating func run(_ model: NSManagedObjectModel) {
        let pairs = document.entities.map { ($0, makeEntity($0)) }
        // check() reports duplicate entities.
        for (source, entity) in pairs { entities[source.name] = entity }
        linkInheritance(pairs)
        for (source, entity) in pairs { linkRelationships(source, entity) }
        for (source, entity) in pairs { entity.indexes = source.indexes.map { makeIndex($0, entity) } }
        model.entities = pairs.map(\.1)
        for configuration in document.configurations {
            let members = configuration.entityNames.compactMap { name in
                if entities[name] == nil {
                    faults.append(
                        ModelFault(
                            entity: nil, "the configuration '\(configuration.name)' names '\(name)', which is no entity"
                        ))
                }
                return entities[name]
            }
            model.setEntities(members, forConfigurationName: configuration.name)
        }
        model.versionIdentifiers = Set(document.versionIdentifiers)
        model.fetchRequestDocuments = Dictionary(
            document.fetchRequests.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        model.loadingFaults = faults
    }

    private func makeEntity(_ source: ModelDocument.Entity) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = source.name
        entity.explicitClassName = source.className.flatMap { $0.isEmpty ? nil : $0 }
        entity.isAbstract = source.isAbstract
        entity.userInfo = source.userInfo.mapValues { $0.foundationValue ?? NSNull() }
        entity.versionHashModifier = source.versionHashModifier
        entity.explicitRenamingIdentifier = source.renamingIdentifier
        entity.isSyncable = source.isSyncable
        entity.uniquenessConstraints = source.uniquenessConstraints
        entity.properties =
            source.attributes.map(makeAttribute) + source.relationships.map(makeRelationship)
            + source.fetchedProperties.map(makeFetchedProperty)
        return entity
    }

    private func makeAttribute(_ source: ModelDocument.Attribute) -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        if let text = source.derivationExpression {
            let derived = NSDerivedAttributeDescription()
            derived.derivationText = text
            attribute = derived
        } else if source.type == NSAttributeType.compositeAttributeType.rawValue {
            let composite = NSCompositeAttributeDescription()
            let named = document.composites.first { $0.name == source.compositeName }
            composite.elements = (source.elements.isEmpty ? named?.elements ?? [] : source.elements).map(makeAttribute)
            attribute = composite
        } else {
            attribute = NSAttributeDescription()
        }
        apply(source.traits, to: attribute)
        if let type = UInt(exactly: source.type).flatMap(NSAttributeType.init) {
            attribute.attributeType = type
        } else {
            attribute.loadingFaults.append(ModelFault.Cause("the attribute type \(source.type) does not exist"))
        }
        if source.valueClassName != attribute.attributeType.valueClassName {
            attribute.explicitValueClassName = source.valueClassName
        }
        attribute.defaultValue = source.defaultValue?.foundationValue
        attribute.valueTransformerName = source.valueTransformerName
        attribute.allowsExternalBinaryDataStorage = source.allowsExternalBinaryDataStorage
        attribute.preservesValueInHistoryOnDeletion = source.preservesValueInHistoryOnDeletion
        attribute.allowsCloudEncryption = source.allowsCloudEncryption
        return attribute
    }

    private func makeRelationship(_ source: ModelDocument.Relationship) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        apply(source.traits, to: relationship)
        relationship.maxCount = source.maxCount
        relationship.minCount = source.minCount
        relationship.isOrdered = source.isOrdered
        if let rule = UInt(exactly: source.deleteRule).flatMap(NSDeleteRule.init) {
            relationship.deleteRule = rule
        } else {
            relationship.loadingFaults.append(ModelFault.Cause("the delete rule \(source.deleteRule) does not exist"))
        }
        return relationship
    }

    private func makeFetchedProperty(_ source: ModelDocument.FetchedProperty) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        apply(source.traits, to: property)
        property.requestDocument = source.request
        return property
    }

    private func apply(_ traits: ModelDocument.PropertyTraits, to property: NSPropertyDescription) {
        property.name = traits.name
        property.isOptional = traits.isOptional
        property.isTransient = traits.isTransient
        property.wantsSpotlightIndex = traits.isIndexedBySpotlight
        property.userInfo = traits.userInfo.mapValues { $0.foundationValue ?? NSNull() }
        property.versionHashModifier = traits.versionHashModifier
        property.explicitRenamingIdentifier = traits.renamingIdentifier
        property.setValidation(traits.validations)
    }

    private mutating func linkInheritance(_ pairs: [(ModelDocument.Entity, NSEntityDescription)]) {
        var children: [ObjectIdentifier: [NSEntityDescription]] = [:]
        for (source, entity) in pairs {
            guard let name = source.superentityName, !name.isEmpty else { continue }
            guard let parent = entities[name] else {
                faults.append(ModelFault(entity: source.name, "its superentity '\(name)' is not in the model"))
                continue
            }
            children[ObjectIdentifier(parent), default: []].append(entity)
        }
        for (_, entity) in pairs {
            if let own = children[ObjectIdentifier(entity)] { entity.subentities = own }
        }
    }

    private mutating func linkRelationships(_ source: ModelDocument.Entity, _ entity: NSEntityDescription) {
        let own = Dictionary(
            entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        for end in source.relationships {
            guard let relationship = own[end.traits.name], !end.destinationEntityName.isEmpty else { continue }
            guard let destination = entities[end.destinationEntityName] else {
                relationship.loadingFaults.append(
                    ModelFault.Cause("its destination '\(end.destinationEntityName)' is not in the model"))
                continue
            }
            relationship.destinationEntity = destination
            guard let inverseName = end.inverseName, !inverseName.isEmpty else { continue }
            let holder = end.inverseEntityName.flatMap { entities[$0] } ?? destination
            if let inverse = findRelationship(inverseName, of: holder) {
                relationship.inverseRelationship = inverse
            } else {
                relationship.loadingFaults.append(
                    ModelFault.Cause("its inverse '\(holder.name ?? "").\(inverseName)' is no relationship"))
            }
        }
    }

    private mutating func findRelationship(_ name: String, of entity: NSEntityDescription) -> NSRelationshipDescription?
    {
        if let known = relationships[ObjectIdentifier(entity)] { return known[name] }
        let all = entity.relationshipsByName
        relationships[ObjectIdentifier(entity)] = all
        return all[name]
    }

    /// An expression for an element that is more than a name; nil for a name.
    private static func expression(_ text: String) -> NSExpressionDescription? {
        guard !ModelNames.isIdentifier(text), let syntax = try? ExpressionSyntax.parsing(text) else { return nil }
        let column = NSExpressionDescription()
        column.name = text
        column.expression = CoreDataFoundation.NSExpression(syntax)
        return column
    }

    private func makeIndex(_ source: ModelDocument.FetchIndex, _ entity: NSEntityDescription) -> NSFetchIndexDescription
    {
        let properties = entity.propertiesByName
        var causes: [ModelFault.Cause] = []
        let elements = source.elements.map { element in
            let type = UInt(exactly: element.collation).flatMap(NSFetchIndexElementType.init)
            if type == nil { causes.append(ModelFault.Cause("the index type \(element.collation) does not exist")) }
            return NSFetchIndexElementDescription(
                property: properties[element.property] ?? Self.expression(element.property), name: element.property,
                collationType: type ?? .binary,
                isAscending: element.isAscending)
        }
        let index = NSFetchIndexDescription(name: source.name, elements: elements)
        index.partialIndexPredicate = source.partialPredicateFormat
            .flatMap { try? PredicateSyntax.parsing($0) }.map(\.predicate)
        // The text of the file, even if it cannot be parsed: check() reports that.
        index.partialPredicateText = source.partialPredicateFormat
        index.loadingFaults = causes
        return index
    }
}
