// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the source of a mapping model to the contents of the compiled one.

import CoreDataModelFiles
import Foundation

/// A model with the look-ups that mappings need.
struct MappedModel {
    let hierarchy: ModelHierarchy
    let hashes: [String: Data]

    init(_ document: ModelDocument) {
        hierarchy = ModelHierarchy(document)
        hashes = document.entityHashes()
    }

    func lineage(_ name: String) -> [ModelDocument.Entity] {
        hierarchy.entities[name].map { hierarchy.lineage(of: $0) } ?? []
    }

    func relationship(_ name: String, of entity: String) -> ModelDocument.Relationship? {
        hierarchy.entities[entity].flatMap { hierarchy.relationship(name, of: $0)?.relationship }
    }

    func attribute(_ name: String, of entity: String) -> ModelDocument.Attribute? {
        lineage(entity).flatMap(\.attributes).first { $0.traits.name == name }
    }
}

struct MappingBuild {
    let source: MappingSource
    let file: String
    let from: MappedModel
    let to: MappedModel
    var faults: [Diagnostic] = []

    mutating func mapping(
        _ entity: MappingSource.Entity, _ classNames: (String) -> String
    ) -> MappingDocument.EntityMapping {
        var mapping = MappingDocument.EntityMapping(name: entity.mappingName, kind: Self.kind(entity))
        mapping.sourceEntityName = entity.sourceName
        mapping.destinationEntityName = entity.destinationName
        mapping.sourceEntityHash = hash(entity.sourceName, in: from, "source", entity)
        mapping.destinationEntityHash = hash(entity.destinationName, in: to, "destination", entity)
        mapping.policyClassName = entity.policyClassName.map(classNames)
        if let filter = entity.sourceFilter, let fault = MappingExpression.fault(ofPredicate: filter) {
            fail(entity.line, "'\(entity.mappingName)': Its filter is no predicate: \(fault)")
        }
        mapping.sourceExpression = entity.sourceName.map {
            MappingExpression.sourceObjects(of: $0, filter: entity.sourceFilter)
        }
        mapping.attributes = entity.attributes.map { attribute($0, entity) }
        mapping.relationships = entity.relationships.map { relationship($0, entity) }
        return mapping
    }

    /// Determines kinds that Xcode leaves undefined. Apple's compiler treats a mapping of two entities without policy
    /// as a copy, even if their hashes differ.
    private static func kind(_ entity: MappingSource.Entity) -> MappingDocument.EntityMapping.Kind {
        switch entity.kindName {
        case "Custom": return .custom
        case "Add": return .add
        case "Remove": return .remove
        case "Copy": return .copy
        case "Transform": return .transform
        default: break
        }
        if entity.policyClassName != nil { return .custom }
        if entity.sourceName == nil { return .add }
        return entity.destinationName == nil ? .remove : .copy
    }

    private mutating func hash(
        _ name: String?, in model: MappedModel, _ role: String, _ entity: MappingSource.Entity
    ) -> Data? {
        guard let name else { return nil }
        if model.hashes[name] == nil {
            fail(entity.line, "'\(entity.mappingName)': The \(role) model has no entity '\(name)'.")
        }
        return model.hashes[name]
    }

    private mutating func fail(_ line: Int, _ sentence: String) {
        faults.append(Diagnostic(.error, file, line: line, sentence))
    }

    // MARK: Properties

    private mutating func attribute(
        _ property: MappingSource.Property, _ entity: MappingSource.Entity
    ) -> MappingDocument.PropertyMapping {
        if let name = entity.destinationName, to.hashes[name] != nil, to.attribute(property.name, of: name) == nil {
            fail(property.line, "'\(entity.mappingName).\(property.name)': '\(name)' has no attribute of this name.")
        }
        var value = property.valueExpression ?? property.sourceKeyPath
        if value == nil, property.isGenerated, let name = entity.sourceName,
            from.attribute(property.name, of: name) != nil
        {
            value = MappingExpression.sourceValue(property.name)
        }
        return MappingDocument.PropertyMapping(name: property.name, valueExpression: value)
    }

    private mutating func relationship(
        _ property: MappingSource.Property, _ entity: MappingSource.Entity
    ) -> MappingDocument.PropertyMapping {
        if let name = entity.destinationName, to.hashes[name] != nil, to.relationship(property.name, of: name) == nil {
            fail(property.line, "'\(entity.mappingName).\(property.name)': '\(name)' has no relationship of this name.")
        }
        var value = property.valueExpression
        if value == nil {
            do {
                value = try generated(property, entity)
            } catch {
                let sentence = (error as? ModelFileError)?.explanation ?? "\(error)"
                fail(property.line, "'\(entity.mappingName).\(property.name)': \(sentence)")
            }
        }
        return MappingDocument.PropertyMapping(name: property.name, valueExpression: value)
    }

    private mutating func generated(
        _ property: MappingSource.Property, _ entity: MappingSource.Entity
    ) throws -> String? {
        let own = MappingExpression.sourceValue(property.name)
        if let name = property.sourceMappingName {
            if !source.entities.contains(where: { $0.mappingName == name }) {
                fail(property.line, "'\(entity.mappingName).\(property.name)': There is no mapping '\(name)'.")
            }
            return try MappingExpression.destinations(byMapping: name, of: property.sourceKeyPath ?? own)
        }
        guard property.isGenerated, let name = entity.sourceName,
            let relationship = from.relationship(property.name, of: name)
        else { return nil }
        let mappings = source.entities.filter { mapping in
            guard let source = mapping.sourceName, mapping.destinationName != nil else { return false }
            return from.lineage(source).contains { $0.name == relationship.destinationEntityName }
        }
        if mappings.count == 1 {
            return try MappingExpression.destinations(byMapping: mappings[0].mappingName, of: own)
        }
        return mappings.isEmpty ? nil : MappingExpression.destinations(ofRelationship: property.name)
    }
}
