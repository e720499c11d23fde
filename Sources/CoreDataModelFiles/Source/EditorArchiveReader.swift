// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the `elements` file of model sources from before 2011: an archive of the editor's own objects.

package import Foundation

/// The editor stored a general diagram: a package of classes with properties. Each element's data for the model is in a
/// "stereotype", a dictionary of named values. Only the names of referenced objects are read, so cycles are harmless.
package struct EditorArchiveReader {
    private let archive: KeyedArchive

    /// - Throws: `ModelFileError`: `malformedPropertyList`, `malformedArchive`, and `unsupportedForm` for fetched
    ///   properties and fetch requests, because their format in these files is unknown.
    package static func read(_ data: Data) throws -> ModelDocument {
        try EditorArchiveReader(archive: try KeyedArchive(data)).document()
    }

    private func document() throws -> ModelDocument {
        let model = try archive.root()
        guard model.className == "XDPMModel" else {
            throw ModelFileError(.unsupportedForm, "The archive holds a \(model.className), not an editor's model.")
        }
        var document = ModelDocument()
        document.versionIdentifiers = [try archive.string(model, "_modelVersionIdentifier")]
            .compactMap { $0 }.filter { !$0.isEmpty }
        guard let package = try archive.object(model, "_xd_rootPackage") else {
            throw archive.wrong(model, "_xd_rootPackage", "a package")
        }
        let classes = try archive.entries(package, "XDBucketForClassesstorage") ?? []
        document.entities = try classes.map { _, node in
            guard let object = try archive.object(node), object.className == "XDPMEntity" else {
                throw archive.wrong(package, "XDBucketForClassesstorage", "entities")
            }
            return try entity(object)
        }.sorted { $0.name < $1.name }
        document.configurations = try (archive.entries(model, "_configurationsByName") ?? []).map { name, node in
            guard let list = try archive.object(node) else {
                throw archive.wrong(model, "_configurationsByName", "lists")
            }
            let names = try archive.members(of: list).map { member -> String in
                if let name = try archive.text(member) { return name }
                guard let name = try self.name(of: member) else { throw archive.wrong(list, "NS.objects", "entities") }
                return name
            }
            return ModelDocument.Configuration(name: name, entityNames: names.sorted())
        }.sorted { $0.name < $1.name }
        return document
    }

    private func name(of node: PropertyListNode?) throws -> String? {
        guard let object = try archive.object(node) else { return nil }
        return try archive.requiredString(object, "_name")
    }

    private func entity(_ object: KeyedArchive.Object) throws -> ModelDocument.Entity {
        let values = try stereotype("XD_PStereotype", of: object)
        var entity = ModelDocument.Entity(name: try archive.requiredString(object, "_name"))
        // The editor writes the default class if none was chosen.
        let className = try values.string("XD_PSK_entityClassName")
        entity.className = className == "NSManagedObject" || className?.isEmpty == true ? nil : className
        entity.isAbstract = try values.flag("XD_PSK_isAbstract")
        entity.userInfo = try values.userInfo("XD_PSK_userInfo")
        entity.versionHashModifier = try values.string("XD_PSK_versionHashModifier")
        let renaming = try values.string("XD_PSK_elementID")
        entity.renamingIdentifier = renaming == entity.name ? nil : renaming
        entity.superentityName = try (archive.members(object, "XDBucketForGeneralizationsstorage") ?? [])
            .compactMap { try archive.object($0) }.compactMap { try name(of: $0.fields["_general"]) }.first
        guard try values.list("XD_PSK_fetchRequestsArray").isEmpty else {
            throw unsupported("fetch requests", of: entity.name)
        }
        var indexed: [String] = []
        for (_, node) in try archive.entries(object, "XDBucketForOwnedAttributesstorage") ?? [] {
            guard let property = try archive.object(node) else {
                throw archive.wrong(object, "XDBucketForOwnedAttributesstorage", "properties")
            }
            let common = try stereotype("XD_PPropStereotype", of: property)
            switch property.className {
            case "XDPMAttribute":
                let attribute = try attribute(property, common)
                if try common.flag("XD_PPSK_isIndexed") { indexed.append(attribute.traits.name) }
                entity.attributes.append(attribute)
            case "XDPMRelationship": entity.relationships.append(try relationship(property, common))
            default: throw unsupported("a property of the class \(property.className)", of: entity.name)
            }
        }
        entity.attributes.sort { $0.traits.name < $1.traits.name }
        entity.relationships.sort { $0.traits.name < $1.traits.name }
        entity.indexes = LegacyIndexes.fetchIndexes(
            indexedAttributes: indexed.sorted(), compounds: try values.nameLists("XDPMCompoundIndexes"))
        entity.uniquenessConstraints = try values.nameLists("XDPMUniquenessConstraints")
        return entity
    }

    private func traits(_ name: String, _ values: Stereotype) throws -> ModelDocument.PropertyTraits {
        var traits = ModelDocument.PropertyTraits(name: name)
        traits.isOptional = try values.flag("XD_PPSK_isOptional")
        traits.isTransient = try values.flag("XD_PPSK_isTransient")
        traits.isIndexedBySpotlight = try values.flag("XD_PPSK_isSpotlightIndexed")
        traits.userInfo = try values.userInfo("XD_PPSK_userInfo")
        traits.versionHashModifier = try values.string("XD_PPSK_versionHashModifier")
        let renaming = try values.string("XD_PPSK_elementID")
        traits.renamingIdentifier = renaming == name ? nil : renaming
        return traits
    }

    private func attribute(_ object: KeyedArchive.Object, _ common: Stereotype) throws -> ModelDocument.Attribute {
        let name = try archive.requiredString(object, "_name")
        let values = try stereotype("XD_PAtt_Stereotype", of: object)
        let type = try values.integer("XD_PAttK_attributeType") ?? 0
        guard let kind = AttributeKind(rawValue: type) else {
            throw ModelFileError(.unknownType("\(type)"), "The attribute '\(name)' has the unknown type \(type).")
        }
        var attribute = ModelDocument.Attribute(name: name, type: type)
        attribute.traits = try traits(name, common)
        attribute.valueClassName = kind.valueClassName
        attribute.valueTransformerName = try values.string("XD_PAttK_valueTransformerName")
        attribute.allowsExternalBinaryDataStorage = try values.flag("XD_PAttK_allowsExternalBinaryDataStorage")
        attribute.minimum = try values.string("XD_PAttK_minValueString")
        attribute.maximum = try values.string("XD_PAttK_maxValueString")
        attribute.regularExpression = try values.string("XD_PAttK_regularExpressionString")
        attribute.defaultValue = try values.string("XD_PAttK_defaultValueAsString").flatMap(kind.value(ofSourceText:))
        attribute.traits.validations = SourceLimits(
            kind: kind, minimum: attribute.minimum, maximum: attribute.maximum, pattern: attribute.regularExpression
        ).validations()
        return attribute
    }

    private func relationship(
        _ object: KeyedArchive.Object, _ common: Stereotype
    ) throws -> ModelDocument.Relationship {
        let name = try archive.requiredString(object, "_name")
        let values = try stereotype("XD_PR_Stereotype", of: object)
        let destination = try self.name(of: values.node("XD_PRK_destination")) ?? ""
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: destination)
        relationship.traits = try traits(name, common)
        if let inverse = try archive.object(values.node("XD_PRK_inverseRelationship")) {
            relationship.inverseName = try archive.requiredString(inverse, "_name")
            relationship.inverseEntityName = try self.name(of: inverse.fields["_owner"])
        }
        relationship.isToMany = try values.flag("XD_PRK_isToMany")
        relationship.maxCount = try values.integer("XD_PRK_maxCount") ?? (relationship.isToMany ? 0 : 1)
        relationship.minCount = try values.integer("XD_PRK_minCount") ?? 0
        relationship.isOrdered = try values.flag("XD_PRK_ordered")
        relationship.deleteRule = try values.integer("XD_PRK_deleteRule") ?? 1
        return relationship
    }

    private func unsupported(_ what: String, of entity: String) -> ModelFileError {
        ModelFileError(.unsupportedForm, "The entity '\(entity)' has \(what), which is not read from this old form.")
    }

    /// The named values of an object; empty if it has no such stereotype.
    private func stereotype(_ name: String, of object: KeyedArchive.Object) throws -> Stereotype {
        let stereotypes = try archive.entries(object, "XDBucketForStereotypesstorage") ?? []
        guard let node = stereotypes.first(where: { $0.key == name })?.value, let holder = try archive.object(node)
        else {
            return Stereotype(archive: archive, nodes: [:])
        }
        var nodes: [String: PropertyListNode] = [:]
        for (key, node) in try archive.entries(holder, "XDBucketForOwnedAttributesstorage") ?? [] {
            guard let value = try archive.object(node) else {
                throw archive.wrong(holder, "XDBucketForOwnedAttributesstorage", "values")
            }
            nodes[key] = value.fields["_default"]
        }
        return Stereotype(archive: archive, nodes: nodes)
    }
}

/// Reads the editor's named values by type.
private struct Stereotype {
    let archive: KeyedArchive
    let nodes: [String: PropertyListNode]

    func node(_ key: String) -> PropertyListNode? { nodes[key] }

    func string(_ key: String) throws -> String? {
        guard let text = try archive.text(nodes[key]), !text.isEmpty || isDefault(key) else {
            return nil
        }
        return text
    }

    func integer(_ key: String) throws -> Int? {
        switch try archive.resolve(nodes[key]) {
        case .integer(let number): Int(number)
        case .boolean(let flag): flag ? 1 : 0
        default: nil
        }
    }

    func flag(_ key: String) throws -> Bool { try (integer(key) ?? 0) != 0 }

    func userInfo(_ key: String) throws -> [String: PropertyListValue] {
        guard case .dictionary(let values)? = try archive.value(nodes[key]) else { return [:] }
        return values
    }

    func list(_ key: String) throws -> [PropertyListNode] {
        guard let list = try archive.object(nodes[key]) else { return [] }
        return try archive.members(of: list)
    }

    /// Lists of property names; a member may also be a property object.
    func nameLists(_ key: String) throws -> [[String]] {
        try list(key).compactMap { try archive.object($0) }.map { inner in
            try archive.members(of: inner).compactMap { member in
                if let name = try archive.text(member) { return name }
                return try archive.object(member).flatMap { try archive.string($0, "_name") }
            }
        }
    }

    /// An empty text is valid as a default value, but not as a name.
    private func isDefault(_ key: String) -> Bool { key == "XD_PAttK_defaultValueAsString" }
}
