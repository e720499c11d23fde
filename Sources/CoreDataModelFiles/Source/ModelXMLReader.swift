// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the XML of an `.xcdatamodel` into a model document.

package import Foundation

/// The `contents` file of an `.xcdatamodel`, as Xcode writes it since version 4.
///
/// Unknown element and attribute names are ignored: newer editors add layout and switches that do not change the model.
package struct ModelXMLReader {
    private let mistakes = SourceMistakes()

    private init() {}

    /// - Throws: `ModelFileError`: `malformedXML` with the line, `unknownType`, `unsupportedForm`; of well-formed XML
    ///   all mistakes at once (`all`).
    package static func read(_ data: Data) throws -> ModelDocument { try readWithLines(data).document }

    /// Also returns line numbers. Throws as `read(_:)`.
    package static func readWithLines(_ data: Data) throws -> (document: ModelDocument, lines: ModelSourceLines) {
        let root = try XMLTreeReader.read(data)
        guard root.name == "model" else {
            throw root.error("The outermost element is <\(root.name)>; a model begins with <model>.")
        }
        let reader = ModelXMLReader()
        let document = reader.document(root)
        try reader.mistakes.finish()
        return (document, ModelSourceLines(root))
    }

    private func document(_ root: XMLTree) -> ModelDocument {
        var document = ModelDocument()
        document.versionIdentifiers = [root.attribute("userDefinedModelVersionIdentifier")]
            .compactMap { $0 }.filter { !$0.isEmpty }
        document.sourceLanguage = root.attribute("sourceLanguage")
        let attributes = SourceAttributeReader(composites: composites(root), mistakes: mistakes)
        document.composites = root.children(named: "composite").map { composite in
            mistakes.inside(composite) {
                let name = mistakes.required("name", of: composite)
                return ModelDocument.Composite(name: name, elements: attributes.elements(ofComposite: name))
            }
        }.sorted { $0.name < $1.name }
        document.entities = read("entity", of: root) { entity($0, attributes) }.sorted { $0.name < $1.name }
        document.fetchRequests = read("fetchRequest", of: root, fetchRequest).sorted { $0.name < $1.name }
        document.configurations = read("configuration", of: root) { configuration in
            let members = configuration.children(named: "memberEntity").map { mistakes.required("name", of: $0) }
            let name = mistakes.required("name", of: configuration)
            return ModelDocument.Configuration(name: name, entityNames: members.sorted())
        }.sorted { $0.name < $1.name }
        return document
    }

    private func composites(_ root: XMLTree) -> [String: XMLTree] {
        var composites: [String: XMLTree] = [:]
        for composite in root.children(named: "composite") {
            guard let name = composite.nonEmpty("name") else { continue }
            guard composites[name] == nil else {
                mistakes.inside(composite) {
                    mistakes.note(composite.error("The composite '\(name)' is declared twice."))
                }
                continue
            }
            composites[name] = composite
        }
        return composites
    }

    private func entity(_ element: XMLTree, _ reader: SourceAttributeReader) -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: mistakes.required("name", of: element))
        entity.className = element.nonEmpty("representedClassName")
        entity.isAbstract = element.flag("isAbstract")
        entity.superentityName = element.nonEmpty("parentEntity")
        entity.userInfo = mistakes.userInfo(of: element)
        entity.versionHashModifier = element.nonEmpty("versionHashModifier")
        let renaming = element.nonEmpty("elementID")
        entity.renamingIdentifier = renaming == entity.name ? nil : renaming
        entity.codeGeneration = element.attribute("codeGenerationType")
        entity.isSyncable = element.flag("syncable", default: true)
        entity.attributes = read("attribute", of: element, reader.attribute)
            .sorted { $0.traits.name < $1.traits.name }
        entity.relationships = read("relationship", of: element, relationship)
            .sorted { $0.traits.name < $1.traits.name }
        entity.fetchedProperties = read("fetchedProperty", of: element, fetchedProperty).compactMap { $0 }
            .sorted { $0.traits.name < $1.traits.name }
        entity.indexes = read("fetchIndex", of: element, fetchIndex) + legacyIndexes(of: element)
        entity.uniquenessConstraints = element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { $0.children(named: "constraint").map { mistakes.required("value", of: $0) } }
        return entity
    }

    /// Reads all children of a name.
    private func read<Value>(_ name: String, of parent: XMLTree, _ read: (XMLTree) -> Value) -> [Value] {
        parent.children(named: name).map { element in mistakes.inside(element) { read(element) } }
    }

    private func relationship(_ element: XMLTree) -> ModelDocument.Relationship {
        // An unfinished relationship has no destination in the file; `NSManagedObjectModel.check()` reports it by name.
        var relationship = ModelDocument.Relationship(
            name: element.attribute("name") ?? "",
            destinationEntityName: element.attribute("destinationEntity") ?? "")
        relationship.traits = mistakes.traits(of: element)
        relationship.inverseName = element.attribute("inverseName")
        relationship.inverseEntityName = element.attribute("inverseEntity")
        relationship.isToMany = element.flag("toMany")
        relationship.maxCount = integer("maxCount", element) ?? (relationship.isToMany ? 0 : 1)
        relationship.minCount = integer("minCount", element) ?? 0
        relationship.isOrdered = element.flag("ordered")
        let rule = element.attribute("deletionRule") ?? "Nullify"
        if let value = ["No Action": 0, "Nullify": 1, "Cascade": 2, "Deny": 3][rule] {
            relationship.deleteRule = value
        } else {
            let name = relationship.traits.name
            mistakes.note(element.error("The relationship '\(name)' has the unknown delete rule '\(rule)'."))
        }
        return relationship
    }

    private func integer(_ name: String, _ element: XMLTree) -> Int? { mistakes.value { try element.integer(name) } }

    private func fetchedProperty(_ element: XMLTree) -> ModelDocument.FetchedProperty? {
        let traits = mistakes.traits(of: element)
        guard let requestElement = element.children(named: "fetchRequest").first else {
            mistakes.note(element.error("The fetched property '\(traits.name)' has no fetch request."))
            return nil
        }
        var request = fetchRequest(requestElement)
        request.name = ""
        var property = ModelDocument.FetchedProperty(name: traits.name, request: request)
        property.traits = traits
        // As in Apple's compiler, because the values are computed.
        property.traits.isTransient = true
        property.traits.isReadOnly = true
        return property
    }

    private func fetchRequest(_ element: XMLTree) -> ModelDocument.FetchRequest {
        var request = ModelDocument.FetchRequest(
            name: element.attribute("name") ?? "", entityName: element.attribute("entity") ?? "")
        request.predicateFormat = element.nonEmpty("predicateString")
        request.fetchLimit = integer("fetchLimit", element) ?? 0
        request.fetchBatchSize = integer("fetchBatchSize", element) ?? 0
        request.resultType = integer("resultType", element) ?? 0
        request.includesSubentities = element.flag("includeSubentities", default: true)
        request.includesPropertyValues = element.flag("includePropertyValues", default: true)
        request.includesPendingChanges = element.flag("includesPendingChanges", default: true)
        request.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", default: true)
        request.returnsDistinctResults = element.flag("returnDistinctResults")
        return request
    }

    private func fetchIndex(_ element: XMLTree) -> ModelDocument.FetchIndex {
        var index = ModelDocument.FetchIndex(name: mistakes.required("name", of: element))
        index.partialPredicateFormat = element.nonEmpty("partialIndexPredicate")
        index.elements = element.children(named: "fetchIndexElement").compactMap { part in
            guard let property = part.attribute("property") ?? part.attribute("expression"), !property.isEmpty else {
                mistakes.note(part.error("An element of the index '\(index.name)' names no property."))
                return nil
            }
            let isRTree = part.attribute("type")?.lowercased() == "rtree"
            return ModelDocument.FetchIndex.Element(
                property: property, isAscending: part.attribute("order") != "descending", collation: isRTree ? 1 : 0)
        }
        return index
    }

    /// Before Xcode 9 attributes had an `indexed` flag and compound indexes had no names; Apple's compiler converts
    /// both to fetch indexes. A relationship always has an index, with or without the flag.
    private func legacyIndexes(of element: XMLTree) -> [ModelDocument.FetchIndex] {
        let attributes = element.children(named: "attribute").filter { $0.flag("indexed") }
        let compounds = element.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
        return LegacyIndexes.fetchIndexes(
            indexedAttributes: attributes.compactMap { $0.nonEmpty("name") }.sorted(),
            compounds: compounds.map { $0.children(named: "index").map { mistakes.required("value", of: $0) } })
    }
}

extension SourceMistakes {
    /// Reads the traits that all kinds of properties have.
    func traits(of element: XMLTree) -> ModelDocument.PropertyTraits {
        var traits = ModelDocument.PropertyTraits(name: required("name", of: element))
        traits.isOptional = element.flag("optional")
        traits.isTransient = element.flag("transient")
        traits.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        traits.userInfo = userInfo(of: element)
        traits.versionHashModifier = element.nonEmpty("versionHashModifier")
        let renaming = element.nonEmpty("elementID")
        traits.renamingIdentifier = renaming == traits.name ? nil : renaming
        return traits
    }

    func userInfo(of element: XMLTree) -> [String: PropertyListValue] {
        var entries: [String: PropertyListValue] = [:]
        for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
            if let key = entry.attribute("key") {
                entries[key] = .string(entry.attribute("value") ?? "")
            } else {
                note(entry.error("An <entry> has no 'key'."))
            }
        }
        return entries
    }
}
