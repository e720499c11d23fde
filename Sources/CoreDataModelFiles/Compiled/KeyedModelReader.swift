// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads compiled models: a `.mom` file, or the decompressed model cache of a SQLite store.

package import Foundation

/// Reads the keyed archive of an `NSManagedObjectModel` as data: looks up and instantiates no classes.
///
/// A model cache differs from a `.mom` file in its dictionaries, and its subentities list inherited properties. Both
/// result in the same document, in which an entity has only its own properties.
package struct KeyedModelReader {
    let archive: KeyedArchive
    let predicates: PredicateDecoder

    /// - Throws: `ModelFileError`: `malformedPropertyList`, `malformedArchive`, `unsupportedForm`.
    package static func read(_ data: Data) throws -> ModelDocument {
        let archive = try KeyedArchive(data)
        return try KeyedModelReader(archive: archive, predicates: PredicateDecoder(archive: archive)).document()
    }

    /// Reads the content of a store's `Z_MODELCACHE`, a compressed archive.
    ///
    /// - Throws: as `read`, and `malformedCompression`.
    package static func read(modelCache: Data) throws -> ModelDocument {
        try read(try RawDeflate.inflate(modelCache))
    }

    private func document() throws -> ModelDocument {
        let model = try archive.root()
        guard model.className == "NSManagedObjectModel" else {
            throw ModelFileError(.unsupportedForm, "The archive holds a \(model.className), not a model.")
        }
        var document = ModelDocument()
        document.versionIdentifiers = try (archive.members(model, "NSVersionIdentifiers") ?? [])
            .compactMap(versionIdentifier).filter { !$0.isEmpty }.sorted()
        document.entities = try (archive.entries(model, "NSEntities") ?? []).map { _, node in
            guard let object = try archive.object(node) else { throw archive.wrong(model, "NSEntities", "entities") }
            return try entity(object)
        }.sorted { $0.name < $1.name }
        removeInherited(&document.entities)
        document.fetchRequests = try (archive.entries(model, "NSFetchRequestTemplates") ?? []).map { name, node in
            guard let object = try archive.object(node) else {
                throw archive.wrong(model, "NSFetchRequestTemplates", "fetch requests")
            }
            return try fetchRequest(object, name: name)
        }.sorted { $0.name < $1.name }
        document.configurations = try configurations(model)
        return document
    }

    private func versionIdentifier(_ node: PropertyListNode) throws -> String? {
        switch try archive.value(node) {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        default: nil
        }
    }

    private func configurations(_ model: KeyedArchive.Object) throws -> [ModelDocument.Configuration] {
        try (archive.entries(model, "NSConfigurations") ?? [])
            // The name of the configuration with all entities, if it is archived at all.
            .filter { $0.key != "PF_DEFAULT_CONFIGURATION_NAME" }
            .map { name, node in
                guard let list = try archive.object(node) else {
                    throw archive.wrong(model, "NSConfigurations", "lists")
                }
                let names = try archive.members(of: list).map { member in
                    guard let name = try entityName(member) else {
                        throw archive.wrong(list, "NS.objects", "entities")
                    }
                    return name
                }
                return ModelDocument.Configuration(name: name, entityNames: names.sorted())
            }.sorted { $0.name < $1.name }
    }

    /// The name of an archived entity. Nothing else is read through references to entities, which form cycles.
    func entityName(_ node: PropertyListNode?) throws -> String? {
        guard let object = try archive.object(node) else { return nil }
        return try archive.requiredString(object, "NSEntityName")
    }

    private func entity(_ object: KeyedArchive.Object) throws -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: try archive.requiredString(object, "NSEntityName"))
        entity.className = try archive.string(object, "NSClassNameForEntity").flatMap { $0.isEmpty ? nil : $0 }
        entity.isAbstract = try archive.flag(object, "NSIsAbstract")
        entity.superentityName = try entityName(object.fields["NSSuperentity"])
        entity.userInfo = try userInfo(object)
        entity.versionHashModifier = try archive.string(object, "NSVersionHashModifier")
        let renaming = try archive.string(object, "NSRenamingIdentifier")
        entity.renamingIdentifier = renaming == entity.name ? nil : renaming
        entity.uniquenessConstraints = try nameLists(object, "NSUniqueTuples")
        var indexedAttributes: [String] = []
        for (_, node) in try archive.entries(object, "NSProperties") ?? [] {
            guard let property = try archive.object(node) else {
                throw archive.wrong(object, "NSProperties", "properties")
            }
            // Inherited properties belong to the superentity.
            if property.className == "_NSPropertyDescriptionProxy" { continue }
            try add(property, to: &entity)
            if property.className.hasSuffix("AttributeDescription"), try archive.flag(property, "NSIsIndexed") {
                indexedAttributes.append(try archive.requiredString(property, "NSPropertyName"))
            }
        }
        entity.attributes.sort { $0.traits.name < $1.traits.name }
        entity.relationships.sort { $0.traits.name < $1.traits.name }
        entity.fetchedProperties.sort { $0.traits.name < $1.traits.name }
        if let indexes = try archive.members(object, "NSFetchIndexDescriptions") {
            entity.indexes = try indexes.map { node in
                guard let index = try archive.object(node) else {
                    throw archive.wrong(object, "NSFetchIndexDescriptions", "indexes")
                }
                return try fetchIndex(index)
            }
        } else {
            entity.indexes = LegacyIndexes.fetchIndexes(
                indexedAttributes: indexedAttributes.sorted(), compounds: try nameLists(object, "NSCompoundIndexes"))
        }
        return entity
    }

    private func add(_ property: KeyedArchive.Object, to entity: inout ModelDocument.Entity) throws {
        switch property.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            entity.attributes.append(try attribute(property))
        case "NSRelationshipDescription":
            entity.relationships.append(try relationship(property))
        case "NSFetchedPropertyDescription":
            entity.fetchedProperties.append(try fetchedProperty(property))
        default:
            throw ModelFileError(
                .unsupportedForm, "The entity '\(entity.name)' has a property of the class \(property.className).")
        }
    }

    /// Some model caches repeat inherited properties in subentities. They are identified by name, because no entity may
    /// declare a property of its superentity.
    private func removeInherited(_ entities: inout [ModelDocument.Entity]) {
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for position in entities.indices {
            var inherited: Set<String> = []
            var visited: Set<String> = [entities[position].name]
            var next = entities[position].superentityName
            while let name = next, visited.insert(name).inserted, let ancestor = byName[name] {
                inherited.formUnion(ancestor.attributes.map(\.traits.name))
                inherited.formUnion(ancestor.relationships.map(\.traits.name))
                inherited.formUnion(ancestor.fetchedProperties.map(\.traits.name))
                next = ancestor.superentityName
            }
            if inherited.isEmpty { continue }
            entities[position].attributes.removeAll { inherited.contains($0.traits.name) }
            entities[position].relationships.removeAll { inherited.contains($0.traits.name) }
            entities[position].fetchedProperties.removeAll { inherited.contains($0.traits.name) }
        }
    }

    /// Lists of property names; a member may also be a property object.
    private func nameLists(_ object: KeyedArchive.Object, _ key: String) throws -> [[String]] {
        try (archive.members(object, key) ?? []).map { list in
            guard let list = try archive.object(list) else { throw archive.wrong(object, key, "lists of names") }
            return try archive.members(of: list).map { member in
                if let name = try archive.text(member) { return name }
                guard let property = try archive.object(member) else {
                    throw archive.wrong(object, key, "lists of names")
                }
                return try archive.requiredString(property, "NSPropertyName")
            }
        }
    }

    func userInfo(_ object: KeyedArchive.Object) throws -> [String: PropertyListValue] {
        var userInfo: [String: PropertyListValue] = [:]
        for (key, node) in try archive.entries(object, "NSUserInfo") ?? [] {
            userInfo[key] = try archive.value(node)
        }
        return userInfo
    }
}
