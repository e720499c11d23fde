// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Cuts a model down to what is needed to read a store: its entities, columns and links.

import CoreData
package import CoreDataModelFiles

/// Makes models with which a store opens whatever the program that made it had in mind.
///
/// What decides about saving, about classes of the program and about values that only its own code can make is left out;
/// values of transformable attributes are read as the bytes they are.
package enum WorkingModel {
    /// - Parameter names: the entities that the store holds; others, and what leads to them, are left out.
    package static func document(for document: ModelDocument, entities names: Set<String>) -> ModelDocument {
        let kept = closure(of: names, in: document)
        let composites = Dictionary(
            document.composites.map { ($0.name, $0.elements) }, uniquingKeysWith: { first, _ in first })
        var result = ModelDocument()
        result.entities = document.entities.filter { kept.contains($0.name) }.map { source in
            var entity = ModelDocument.Entity(name: source.name)
            entity.isAbstract = source.isAbstract
            entity.superentityName = source.superentityName
            entity.renamingIdentifier = source.renamingIdentifier
            entity.attributes = source.attributes.compactMap { attribute($0, composites) }
            entity.relationships = source.relationships
                .filter { kept.contains($0.destinationEntityName) && !$0.traits.isTransient }
                .map { relationship($0) }
            return entity
        }
        return result
    }

    private static let transformableKey = "coredata-tool.transformable"

    /// Whether the author's model has a transformable attribute in place of this one.
    static func isTransformable(_ attribute: NSAttributeDescription) -> Bool {
        attribute.userInfo?[transformableKey] != nil
    }

    /// The entities named, by their names now or before, and those they inherit from.
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

    private static func attribute(_ source: ModelDocument.Attribute, _ composites: [String: [ModelDocument.Attribute]])
        -> ModelDocument.Attribute?
    {
        guard !source.traits.isTransient else { return nil }
        let type = AttributeKind(rawValue: source.type)
        guard type != .undefined, type != .objectID else { return nil }
        var result = ModelDocument.Attribute(
            name: source.traits.name, type: (type == .transformable ? .binary : type)?.rawValue ?? source.type)
        result.traits.isOptional = true
        if type == .transformable { result.traits.userInfo = [transformableKey: .boolean(true)] }
        result.traits.renamingIdentifier = source.traits.renamingIdentifier
        result.allowsExternalBinaryDataStorage = source.allowsExternalBinaryDataStorage
        let elements = source.elements.isEmpty ? composites[source.compositeName ?? ""] ?? [] : source.elements
        result.elements = elements.compactMap { attribute($0, composites) }
        return result
    }

    private static func relationship(_ source: ModelDocument.Relationship) -> ModelDocument.Relationship {
        var result = source
        result.traits = ModelDocument.PropertyTraits(name: source.traits.name)
        result.traits.isOptional = true
        result.traits.renamingIdentifier = source.traits.renamingIdentifier
        result.minCount = 0
        return result
    }
}
