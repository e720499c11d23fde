// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a model document as a compiled model or as the model cache of a SQLite store.

package import Foundation

/// Writes the archive with the classes and keys of Apple's compiler. Model documents contain predicates as text, so a
/// model with a malformed predicate cannot be written.
package struct KeyedModelWriter {
    package enum Layout: Sendable {
        /// A `.mom`: entities in an ordinary dictionary, each with its own properties.
        case compiledModel
        /// The model cache of a store: entities in a dictionary of known keys, and placeholders for inherited
        /// properties in subentities.
        case modelCache
    }

    let document: ModelDocument
    let layout: Layout
    var archive = KeyedArchiveBuilder()
    let entitiesByName: [String: ModelDocument.Entity]
    /// Reserved objects, because entities, relationships and the model refer to each other.
    var entityPlaces: [String: Int] = [:]
    var propertyPlaces: [PropertyKey: Int] = [:]
    var modelPlace = 0

    struct PropertyKey: Hashable {
        var entity: String
        var property: String
    }

    /// - Returns: a binary property list; equal documents result in equal bytes.
    /// - Throws: `ModelFileError` of the kind `unsupportedForm` for malformed predicates, duplicate entities, and
    ///   unknown superentities or fetched entities.
    package static func data(for document: ModelDocument, layout: Layout = .compiledModel) throws -> Data {
        var writer = try KeyedModelWriter(document, layout: layout)
        return try writer.data()
    }

    /// The content of `Z_MODELCACHE`: the archive in that layout, compressed.
    package static func modelCache(for document: ModelDocument) throws -> Data {
        try RawDeflate.deflate(try data(for: document, layout: .modelCache))
    }

    private init(_ document: ModelDocument, layout: Layout) throws {
        self.document = document
        self.layout = layout
        entitiesByName = try Dictionary(
            document.entities.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in
                throw ModelFileError(.unsupportedForm, "The model has two entities named '\(first.name)'.")
            })
    }

    private mutating func data() throws -> Data {
        modelPlace = archive.reserve()
        for entity in document.entities {
            entityPlaces[entity.name] = archive.reserve()
            for property in Self.propertyNames(entity) {
                propertyPlaces[PropertyKey(entity: entity.name, property: property)] = archive.reserve()
            }
        }
        for entity in document.entities { try write(entity) }
        try writeModel()
        return archive.data(root: .reference(modelPlace))
    }

    private mutating func writeModel() throws {
        // The identifier of an unnamed version is an empty text.
        let identifiers = (document.versionIdentifiers.isEmpty ? [""] : document.versionIdentifiers)
            .map { archive.string($0) }
        var fields = [
            "NSEntities": entityDictionary(), "NSVersionIdentifiers": archive.array(identifiers, className: "NSSet"),
            "NSFetchRequestTemplates": KeyedArchiveBuilder.null,
        ]
        if !document.fetchRequests.isEmpty {
            let requests = try document.fetchRequests.map { (key: $0.name, value: try fetchRequest($0)) }
            fields["NSFetchRequestTemplates"] = archive.dictionary(requests)
        }
        if !document.configurations.isEmpty {
            let lists = try document.configurations.map { configuration in
                let members = try configuration.entityNames.map {
                    try entityReference($0, "the configuration '\(configuration.name)'")
                }
                return (key: configuration.name, value: archive.array(members))
            }
            fields["NSConfigurations"] = archive.dictionary(lists)
        }
        archive.fill(modelPlace, "NSManagedObjectModel", fields)
    }

    private mutating func entityDictionary() -> PropertyListNode {
        let names = document.entities.map(\.name)
        let values = names.map { PropertyListNode.reference(entityPlaces[$0] ?? 0) }
        guard layout == .modelCache else { return archive.dictionary(Array(zip(names, values)).map { ($0.0, $0.1) }) }
        let keys = names.map { archive.string($0) }
        let mapping = archive.object(
            "NSKnownKeysMappingStrategy1",
            ["keys": archive.array(keys), "length": .integer(Int64(names.count)), "version": .integer(1)])
        return archive.object(
            "NSKnownKeysDictionary1",
            [
                "searchMapping": mapping, "values": archive.array(values), "version": .integer(1),
                "emptyToken": archive.string("__empty_slot_token_4c24_98dc_ac1e_b773__"),
            ])
    }

    private mutating func write(_ entity: ModelDocument.Entity) throws {
        let name = archive.string(entity.name)
        let userInfo = userInfo(entity.userInfo)
        let subentities = document.entities.filter { $0.superentityName == entity.name }.map {
            (key: $0.name, value: PropertyListNode.reference(entityPlaces[$0.name] ?? 0))
        }
        var fields = [
            "NSEntityName": name, "NSClassNameForEntity": archive.string(entity.className), "NSUserInfo": userInfo,
            "NSManagedObjectModel": .reference(modelPlace), "NSProperties": try properties(of: entity),
            "NSVersionHashModifier": archive.string(entity.versionHashModifier),
            "NSRenamingIdentifier": archive.string(entity.renamingIdentifier ?? entity.name),
            "NSSubentities": archive.dictionary(subentities),
            "NSSuperentity": try entity.superentityName.map {
                try entityReference($0, "the superentity of '\(entity.name)'")
            } ?? KeyedArchiveBuilder.null,
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
        if !entity.uniquenessConstraints.isEmpty { fields["NSUniqueTuples"] = nameLists(entity.uniquenessConstraints) }
        if !entity.indexes.isEmpty {
            let indexes = try entity.indexes.map { try fetchIndex($0, of: entity) }
            fields["NSFetchIndexDescriptions"] = archive.array(indexes, className: "NSMutableArray")
            let compounds = entity.indexes.filter { $0.elements.count > 1 }.map { $0.elements.map(\.property) }
            fields["NSCompoundIndexes"] = nameLists(compounds)
        }
        // Every entity was reserved above.
        archive.fill(entityPlaces[entity.name] ?? 0, "NSEntityDescription", fields)
    }

    private mutating func properties(of entity: ModelDocument.Entity) throws -> PropertyListNode {
        for attribute in entity.attributes { try write(attribute, of: entity) }
        for relationship in entity.relationships { try write(relationship, of: entity) }
        for property in entity.fetchedProperties { try write(property, of: entity) }
        var entries = Self.propertyNames(entity).map { name in
            (key: name, value: propertyReference(entity.name, name))
        }
        if layout == .modelCache { entries += standIns(for: entity) }
        return archive.dictionary(entries.sorted { $0.key < $1.key })
    }

    /// Placeholders for inherited properties, numbered from the root entity on.
    private mutating func standIns(for entity: ModelDocument.Entity) -> [(key: String, value: PropertyListNode)] {
        let inherited = ancestors(of: entity).reversed().flatMap { ancestor in
            Self.propertyNames(ancestor).map { (ancestor.name, $0) }
        }
        return inherited.enumerated().map { position, property in
            let proxy = archive.object(
                "_NSPropertyDescriptionProxy",
                [
                    "NSEntityDescription": .reference(entityPlaces[entity.name] ?? 0),
                    "NSReferenceID": .integer(Int64(position)),
                    "NSUnderlyingProperty": propertyReference(property.0, property.1),
                ])
            return (key: property.1, value: proxy)
        }
    }

    /// Nearest first. A cycle ends where it closes.
    func ancestors(of entity: ModelDocument.Entity) -> [ModelDocument.Entity] {
        var found: [ModelDocument.Entity] = []
        var visited: Set<String> = [entity.name]
        var next = entity.superentityName
        while let name = next, visited.insert(name).inserted, let ancestor = entitiesByName[name] {
            found.append(ancestor)
            next = ancestor.superentityName
        }
        return found
    }

    static func propertyNames(_ entity: ModelDocument.Entity) -> [String] {
        entity.attributes.map(\.traits.name) + entity.relationships.map(\.traits.name)
            + entity.fetchedProperties.map(\.traits.name)
    }

    func propertyReference(_ entity: String, _ property: String) -> PropertyListNode {
        .reference(propertyPlaces[PropertyKey(entity: entity, property: property)] ?? 0)
    }

    func entityReference(_ name: String, _ use: String) throws -> PropertyListNode {
        guard let place = entityPlaces[name] else {
            throw ModelFileError(.unsupportedForm, "There is no entity '\(name)', which is \(use).")
        }
        return .reference(place)
    }

    mutating func userInfo(_ entries: [String: PropertyListValue]) -> PropertyListNode {
        archive.value(.dictionary(entries))
    }

    private mutating func nameLists(_ lists: [[String]]) -> PropertyListNode {
        let arrays = lists.map { names in
            let members = names.map { archive.string($0) }
            return archive.array(members)
        }
        return archive.array(arrays, className: "NSMutableArray")
    }
}
