// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reduces a model to the parts needed to read a store: entities, columns and links.

import CoreData
package import CoreDataModelFiles

/// Creates models that open any store, independent of its program.
///
/// Omits the program's classes and transformers, and validation unless it is requested. Values of transformable
/// attributes are read as bytes.
package enum WorkingModel {
    /// - Parameters:
    ///   - names: the entities of the store; other entities and relationships to them are omitted.
    ///   - keepsRules: whether validation, indexes and constraints stay, for an examination of the store.
    ///   - isEditable: keeps validation, default values, derivations and unique values, for a store that is changed.
    package static func document(
        for document: ModelDocument, entities names: Set<String>, keepsRules: Bool = false, isEditable: Bool = false
    ) -> ModelDocument {
        let kept = closure(of: names, in: document)
        if keepsRules { return examined(document, kept) }
        let composites = Dictionary(
            document.composites.map { ($0.name, $0.elements) }, uniquingKeysWith: { first, _ in first })
        let entities = Dictionary(document.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var result = ModelDocument()
        result.entities = document.entities.filter { kept.contains($0.name) }.map { source in
            var entity = ModelDocument.Entity(name: source.name)
            entity.isAbstract = source.isAbstract
            entity.superentityName = source.superentityName
            entity.renamingIdentifier = source.renamingIdentifier
            entity.userInfo = mapping(source.userInfo)
            // Chosen here, because the rules that tell of it are left out of a store for reading.
            if let name = NamingAttribute.choose(chain(of: source, entities)) {
                entity.userInfo[namingKey] = .string(name)
            }
            entity.attributes = source.attributes.compactMap { attribute($0, composites, isEditable: isEditable) }
            entity.relationships = source.relationships
                .filter { kept.contains($0.destinationEntityName) && !$0.traits.isTransient }
                .map { isEditable ? ruled($0) : relationship($0) }
            if isEditable { entity.uniquenessConstraints = source.uniquenessConstraints }
            return entity
        }
        return result
    }

    /// The entities with their rules, but without classes. Values of transformable attributes are not decoded.
    private static func examined(_ document: ModelDocument, _ kept: Set<String>) -> ModelDocument {
        var result = ModelDocument()
        result.composites = document.composites
        result.entities = document.entities.filter { kept.contains($0.name) }.map { source in
            var entity = source
            entity.className = nil
            entity.fetchedProperties = []
            entity.relationships = source.relationships.filter { kept.contains($0.destinationEntityName) }
            entity.attributes = source.attributes.map { attribute in
                guard AttributeKind(rawValue: attribute.type) == .transformable else { return attribute }
                var plain = attribute
                plain.traits.validations = []
                plain.defaultValue = nil
                plain.valueClassName = nil
                return plain
            }
            return entity
        }
        return result
    }

    private static let transformableKey = "coredata-tool.transformable"
    private static let namingKey = "coredata-tool.naming"

    /// The text attribute by which people know the objects of an entity; nil without one.
    static func namingAttribute(of entity: NSEntityDescription) -> String? { entity.userInfo?[namingKey] as? String }

    /// The entity and its superentities, the nearest first.
    private static func chain(of entity: ModelDocument.Entity, _ known: [String: ModelDocument.Entity])
        -> [ModelDocument.Entity]
    {
        var chain = [entity]
        var seen: Set = [entity.name]
        while let name = chain[chain.count - 1].superentityName, let next = known[name],
            seen.insert(name).inserted
        {
            chain.append(next)
        }
        return chain
    }

    /// Whether the original model has a transformable attribute in place of this one.
    static func isTransformable(_ attribute: NSAttributeDescription) -> Bool {
        transformerName(of: attribute) != nil
    }

    /// The name of the original attribute's transformer, empty for none.
    ///
    /// - Returns: nil for an attribute that is not transformable.
    static func transformerName(of attribute: NSAttributeDescription) -> String? {
        attribute.userInfo?[transformableKey] as? String
    }

    /// The named entities, by their current or previous names, and their superentities.
    private static func closure(of names: Set<String>, in document: ModelDocument) -> Set<String> {
        let parents = Dictionary(
            document.entities.map { ($0.name, $0.superentityName) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = []
        for entity in document.entities
        where names.contains(entity.name) || entity.renamingIdentifier.map(names.contains) ?? false {
            var next: String? = entity.name
            while let name = next, kept.insert(name).inserted { next = parents[name] ?? nil }
        }
        return kept
    }

    private static func attribute(
        _ source: ModelDocument.Attribute, _ composites: [String: [ModelDocument.Attribute]], isEditable: Bool
    ) -> ModelDocument.Attribute? {
        guard !source.traits.isTransient else { return nil }
        let type = AttributeKind(rawValue: source.type)
        guard type != .undefined, type != .objectID else { return nil }
        var result = ModelDocument.Attribute(
            name: source.traits.name, type: (type == .transformable ? .binary : type)?.rawValue ?? source.type)
        result.traits.isOptional = true
        result.traits.userInfo = mapping(source.traits.userInfo)
        // Both decide what a search reads, and so which indexes a store has.
        result.traits.isIndexedBySpotlight = source.traits.isIndexedBySpotlight
        let tokenizer = NSAttributeDescription.searchTokenizerKey
        if let value = source.traits.userInfo[tokenizer] { result.traits.userInfo[tokenizer] = value }
        if type == .transformable {
            result.traits.userInfo[transformableKey] = .string(source.valueTransformerName ?? "")
        }
        result.traits.renamingIdentifier = source.traits.renamingIdentifier
        result.allowsExternalBinaryDataStorage = source.allowsExternalBinaryDataStorage
        let elements = source.elements.isEmpty ? composites[source.compositeName ?? ""] ?? [] : source.elements
        result.elements = elements.compactMap { attribute($0, composites, isEditable: isEditable) }
        if isEditable {
            result.traits.isOptional = source.traits.isOptional
            result.derivationExpression = source.derivationExpression
            result.usesScalarValueType = source.usesScalarValueType
            // Rules and defaults of a transformable attribute are about its value, and only its bytes are known.
            if type != .transformable {
                result.traits.validations = source.traits.validations
                result.defaultValue = source.defaultValue
            }
        }
        return result
    }

    /// The tables and columns that a part of the model is mapped onto.
    private static func mapping(_ userInfo: [String: PropertyListValue]) -> [String: PropertyListValue] {
        userInfo.filter { $0.key.hasPrefix("postgresql.") }
    }

    private static func ruled(_ source: ModelDocument.Relationship) -> ModelDocument.Relationship {
        var result = source
        result.traits.userInfo = mapping(source.traits.userInfo)
        return result
    }

    private static func relationship(_ source: ModelDocument.Relationship) -> ModelDocument.Relationship {
        var result = source
        result.traits = ModelDocument.PropertyTraits(name: source.traits.name)
        result.traits.isOptional = true
        result.traits.renamingIdentifier = source.traits.renamingIdentifier
        result.traits.userInfo = mapping(source.traits.userInfo)
        result.minCount = 0
        return result
    }
}
