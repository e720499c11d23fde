// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the XML of an `.xcdatamodel` into a model document.

package import Foundation

/// The `contents` file of an `.xcdatamodel`, as Xcode writes it since version 4.
///
/// Unknown element and attribute names are ignored: newer editors add layout and switches that do not change the model.
package enum ModelXMLReader {
    /// - Throws: `ModelFileError`: `malformedXML` with the line, `unknownType`, `unsupportedForm`.
    package static func read(_ data: Data) throws -> ModelDocument { try readWithLines(data).document }

    /// Also returns line numbers. Throws as `read(_:)`.
    package static func readWithLines(_ data: Data) throws -> (document: ModelDocument, lines: ModelSourceLines) {
        let root = try XMLTreeReader.read(data)
        guard root.name == "model" else {
            throw root.error("The outermost element is <\(root.name)>; a model begins with <model>.")
        }
        return (try document(root), ModelSourceLines(root))
    }

    private static func document(_ root: XMLTree) throws -> ModelDocument {
        var document = ModelDocument()
        document.versionIdentifiers = [root.attribute("userDefinedModelVersionIdentifier")]
            .compactMap { $0 }.filter { !$0.isEmpty }
        document.sourceLanguage = root.attribute("sourceLanguage")
        let attributes = SourceAttributeReader(composites: try compositeElements(root))
        document.composites = try root.children(named: "composite").map { composite in
            let name = try composite.required("name")
            return ModelDocument.Composite(name: name, elements: try attributes.elements(ofComposite: name))
        }.sorted { $0.name < $1.name }
        document.entities = try root.children(named: "entity").map { try entity($0, attributes) }
            .sorted { $0.name < $1.name }
        document.fetchRequests = try root.children(named: "fetchRequest").map(fetchRequest).sorted { $0.name < $1.name }
        document.configurations = try root.children(named: "configuration").map { configuration in
            let members = try configuration.children(named: "memberEntity").map { try $0.required("name") }
            return ModelDocument.Configuration(name: try configuration.required("name"), entityNames: members.sorted())
        }.sorted { $0.name < $1.name }
        return document
    }

    private static func compositeElements(_ root: XMLTree) throws -> [String: XMLTree] {
        var composites: [String: XMLTree] = [:]
        for composite in root.children(named: "composite") {
            let name = try composite.required("name")
            guard composites.updateValue(composite, forKey: name) == nil else {
                throw composite.error("The composite '\(name)' is declared twice.")
            }
        }
        return composites
    }

    private static func entity(_ element: XMLTree, _ reader: SourceAttributeReader) throws -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: try element.required("name"))
        entity.className = element.nonEmpty("representedClassName")
        entity.isAbstract = element.flag("isAbstract")
        entity.superentityName = element.nonEmpty("parentEntity")
        entity.userInfo = try userInfo(of: element)
        entity.versionHashModifier = element.nonEmpty("versionHashModifier")
        let renaming = element.nonEmpty("elementID")
        entity.renamingIdentifier = renaming == entity.name ? nil : renaming
        entity.codeGeneration = element.attribute("codeGenerationType")
        entity.isSyncable = element.flag("syncable", default: true)
        entity.attributes = try properties("attribute", of: element, reader.attribute)
            .sorted { $0.traits.name < $1.traits.name }
        entity.relationships = try properties("relationship", of: element, relationship)
            .sorted { $0.traits.name < $1.traits.name }
        entity.fetchedProperties = try properties("fetchedProperty", of: element, fetchedProperty)
            .sorted { $0.traits.name < $1.traits.name }
        entity.indexes = try properties("fetchIndex", of: element, fetchIndex) + legacyIndexes(of: element)
        entity.uniquenessConstraints = try element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { try $0.children(named: "constraint").map { try $0.required("value") } }
        return entity
    }

    /// Reads all children with a name. An error names the child's owner.
    private static func properties<Value>(
        _ name: String, of entity: XMLTree, _ read: (XMLTree) throws -> Value
    ) throws -> [Value] {
        try entity.children(named: name).map { element in
            do {
                return try read(element)
            } catch var error as ModelFileError {
                let path = [entity, element].compactMap { $0.nonEmpty("name") }.joined(separator: ".")
                error.explanation = "'\(path)': \(error.explanation)"
                error.line = error.line ?? element.line
                throw error
            }
        }
    }

    /// The attributes common to all properties.
    static func traits(of element: XMLTree) throws -> ModelDocument.PropertyTraits {
        var traits = ModelDocument.PropertyTraits(name: try element.required("name"))
        traits.isOptional = element.flag("optional")
        traits.isTransient = element.flag("transient")
        traits.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        traits.userInfo = try userInfo(of: element)
        traits.versionHashModifier = element.nonEmpty("versionHashModifier")
        let renaming = element.nonEmpty("elementID")
        traits.renamingIdentifier = renaming == traits.name ? nil : renaming
        return traits
    }

    private static func userInfo(of element: XMLTree) throws -> [String: PropertyListValue] {
        var entries: [String: PropertyListValue] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            guard let key = entry.attribute("key") else { throw entry.error("An <entry> has no 'key'.") }
            entries[key] = .string(entry.attribute("value") ?? "")
        }
        return entries
    }

    private static func relationship(_ element: XMLTree) throws -> ModelDocument.Relationship {
        // An unfinished relationship has no destination in the file; `NSManagedObjectModel.check()` reports it by name.
        var relationship = ModelDocument.Relationship(
            name: try element.required("name"), destinationEntityName: element.attribute("destinationEntity") ?? "")
        relationship.traits = try traits(of: element)
        relationship.inverseName = element.attribute("inverseName")
        relationship.inverseEntityName = element.attribute("inverseEntity")
        relationship.isToMany = element.flag("toMany")
        relationship.maxCount = try element.integer("maxCount") ?? (relationship.isToMany ? 0 : 1)
        relationship.minCount = try element.integer("minCount") ?? 0
        relationship.isOrdered = element.flag("ordered")
        let rule = element.attribute("deletionRule") ?? "Nullify"
        guard let value = ["No Action": 0, "Nullify": 1, "Cascade": 2, "Deny": 3][rule] else {
            throw element.error("The relationship '\(relationship.traits.name)' has the unknown delete rule '\(rule)'.")
        }
        relationship.deleteRule = value
        return relationship
    }

    private static func fetchedProperty(_ element: XMLTree) throws -> ModelDocument.FetchedProperty {
        let name = try element.required("name")
        guard let requestElement = element.children(named: "fetchRequest").first else {
            throw element.error("The fetched property '\(name)' has no fetch request.")
        }
        var request = try fetchRequest(requestElement)
        request.name = ""
        var property = ModelDocument.FetchedProperty(name: name, request: request)
        property.traits = try traits(of: element)
        // As in Apple's compiler, because the values are computed.
        property.traits.isTransient = true
        property.traits.isReadOnly = true
        return property
    }

    private static func fetchRequest(_ element: XMLTree) throws -> ModelDocument.FetchRequest {
        var request = ModelDocument.FetchRequest(
            name: element.attribute("name") ?? "", entityName: element.attribute("entity") ?? "")
        request.predicateFormat = element.nonEmpty("predicateString")
        request.fetchLimit = try element.integer("fetchLimit") ?? 0
        request.fetchBatchSize = try element.integer("fetchBatchSize") ?? 0
        request.resultType = try element.integer("resultType") ?? 0
        request.includesSubentities = element.flag("includeSubentities", default: true)
        request.includesPropertyValues = element.flag("includePropertyValues", default: true)
        request.includesPendingChanges = element.flag("includesPendingChanges", default: true)
        request.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", default: true)
        request.returnsDistinctResults = element.flag("returnDistinctResults")
        return request
    }

    private static func fetchIndex(_ element: XMLTree) throws -> ModelDocument.FetchIndex {
        var index = ModelDocument.FetchIndex(name: try element.required("name"))
        index.partialPredicateFormat = element.nonEmpty("partialIndexPredicate")
        index.elements = try element.children(named: "fetchIndexElement").map { part in
            guard let property = part.attribute("property") ?? part.attribute("expression"), !property.isEmpty else {
                throw part.error("An element of the index '\(index.name)' names no property.")
            }
            let isRTree = part.attribute("type")?.lowercased() == "rtree"
            return ModelDocument.FetchIndex.Element(
                property: property, isAscending: part.attribute("order") != "descending", collation: isRTree ? 1 : 0)
        }
        return index
    }

    /// Before Xcode 9 attributes had an `indexed` flag and compound indexes had no names; Apple's compiler converts
    /// both to fetch indexes. A relationship always has an index, with or without the flag.
    private static func legacyIndexes(of element: XMLTree) throws -> [ModelDocument.FetchIndex] {
        let attributes = element.children(named: "attribute").filter { $0.flag("indexed") }
        let compounds = element.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
        return LegacyIndexes.fetchIndexes(
            indexedAttributes: try attributes.map { try $0.required("name") }.sorted(),
            compounds: try compounds.map { try $0.children(named: "index").map { try $0.required("value") } })
    }
}
