// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads compiled mapping models.

package import Foundation

extension MappingDocument {
    /// - Parameter data: a `.cdm`.
    /// - Throws: `ModelFileError`: `malformedPropertyList`, `malformedArchive`, `unsupportedForm` for unknown
    ///   kinds of expressions.
    package init(mappingFile data: Data) throws {
        let archive = try KeyedArchive(data)
        self = try KeyedMappingReader(archive: archive, expressions: PredicateDecoder(archive: archive)).document()
    }
}

private struct KeyedMappingReader {
    let archive: KeyedArchive
    let expressions: PredicateDecoder

    func document() throws -> MappingDocument {
        let root = try archive.root()
        guard root.className == "NSMappingModel" else {
            throw ModelFileError(.malformedArchive, "The archive holds a \(root.className), which is no mapping model.")
        }
        return MappingDocument(
            entityMappings: try objects(root, "NSEntityMappings", "NSEntityMapping").map(entityMapping))
    }

    private func entityMapping(_ object: KeyedArchive.Object) throws -> MappingDocument.EntityMapping {
        let number = try archive.integer(object, "NSMappingType") ?? 0
        guard let kind = MappingDocument.EntityMapping.Kind(rawValue: number) else {
            throw archive.wrong(object, "NSMappingType", "a kind of mapping")
        }
        var mapping = MappingDocument.EntityMapping(
            name: try archive.requiredString(object, "NSMappingName"), kind: kind)
        mapping.sourceEntityName = try archive.string(object, "NSSourceEntityName")
        mapping.sourceEntityHash = try hash(object, "NSSourceEntityVersionHash")
        mapping.destinationEntityName = try archive.string(object, "NSDestinationEntityName")
        mapping.destinationEntityHash = try hash(object, "NSDestinationEntityVersionHash")
        mapping.sourceExpression = try expression(object, "NSSourceExpression")
        mapping.attributes = try objects(object, "NSAttributeMappings", "NSPropertyMapping").map(propertyMapping)
        mapping.relationships = try objects(object, "NSRelationshipMappings", "NSPropertyMapping").map(propertyMapping)
        mapping.policyClassName = try archive.string(object, "NSEntityMigrationPolicyClassName")
        mapping.userInfo = try userInfo(object)
        return mapping
    }

    private func propertyMapping(_ object: KeyedArchive.Object) throws -> MappingDocument.PropertyMapping {
        var mapping = MappingDocument.PropertyMapping(
            name: try archive.requiredString(object, "NSDestinationPropertyName"),
            valueExpression: try expression(object, "NSValueExpression"))
        mapping.userInfo = try userInfo(object)
        return mapping
    }

    // MARK: Fields

    private func objects(
        _ object: KeyedArchive.Object, _ key: String, _ className: String
    ) throws -> [KeyedArchive.Object] {
        try (archive.members(object, key) ?? []).map { member in
            guard let part = try archive.object(member), part.className == className else {
                throw archive.wrong(object, key, "a list of \(className)")
            }
            return part
        }
    }

    private func expression(_ object: KeyedArchive.Object, _ key: String) throws -> String? {
        try expressions.expression(object.fields[key]).map(ModelPredicate.text(of:))
    }

    private func hash(_ object: KeyedArchive.Object, _ key: String) throws -> Data? {
        switch try archive.value(object.fields[key]) {
        case .null?: return nil
        case .data(let hash)?: return hash
        default: throw archive.wrong(object, key, "the hash of an entity")
        }
    }

    private func userInfo(_ object: KeyedArchive.Object) throws -> [String: PropertyListValue] {
        switch try archive.value(object.fields["NSUserInfo"]) {
        case .null?: return [:]
        case .dictionary(let values)?: return values
        default: throw archive.wrong(object, "NSUserInfo", "a dictionary of plain values")
        }
    }
}
