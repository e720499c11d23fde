// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes compiled mapping models.

package import Foundation

extension MappingDocument {
    /// The archive of Apple's compiler for the mapping model (`.cdm`); equal documents result in equal bytes.
    ///
    /// - Throws: `ModelFileError` of the kind `unsupportedForm` for malformed expressions.
    package func data() throws -> Data {
        var writer = KeyedMappingWriter()
        return try writer.data(self)
    }
}

private struct KeyedMappingWriter {
    private var archive = KeyedArchiveBuilder()

    mutating func data(_ document: MappingDocument) throws -> Data {
        let model = archive.reserve()
        var entries: [(key: String, value: PropertyListNode)] = []
        for mapping in document.entityMappings { entries.append((mapping.name, try write(mapping))) }
        let fields = [
            "NSEntityMappings": archive.array(entries.map(\.value)),
            "NSEntityMappingsByName": archive.dictionary(entries),
        ]
        archive.fill(model, "NSMappingModel", fields)
        return archive.data(root: .reference(model))
    }

    private mutating func write(_ mapping: MappingDocument.EntityMapping) throws -> PropertyListNode {
        let fields: [String: PropertyListNode] = [
            "NSMappingName": archive.string(mapping.name),
            "NSMappingType": .integer(Int64(mapping.kind.rawValue)),
            "NSSourceEntityName": archive.string(mapping.sourceEntityName),
            "NSSourceEntityVersionHash": archive.value(mapping.sourceEntityHash.map(PropertyListValue.data)),
            "NSDestinationEntityName": archive.string(mapping.destinationEntityName),
            "NSDestinationEntityVersionHash": archive.value(mapping.destinationEntityHash.map(PropertyListValue.data)),
            "NSSourceExpression": try expression(mapping.sourceExpression),
            "NSAttributeMappings": try list(mapping.attributes),
            "NSRelationshipMappings": try list(mapping.relationships),
            "NSEntityMigrationPolicyClassName": archive.string(mapping.policyClassName),
            "NSUserInfo": userInfo(mapping.userInfo),
        ]
        return archive.object("NSEntityMapping", fields)
    }

    private mutating func list(_ mappings: [MappingDocument.PropertyMapping]) throws -> PropertyListNode {
        var nodes: [PropertyListNode] = []
        for mapping in mappings {
            let fields = [
                "NSDestinationPropertyName": archive.string(mapping.name),
                "NSValueExpression": try expression(mapping.valueExpression),
                "NSPropertyTransforms": KeyedArchiveBuilder.null, "NSUserInfo": userInfo(mapping.userInfo),
            ]
            nodes.append(archive.object("NSPropertyMapping", fields))
        }
        return archive.array(nodes)
    }

    private mutating func expression(_ text: String?) throws -> PropertyListNode {
        guard let text else { return KeyedArchiveBuilder.null }
        return try PredicateEncoder.expression(text, &archive)
    }

    private mutating func userInfo(_ values: [String: PropertyListValue]) -> PropertyListNode {
        values.isEmpty ? KeyedArchiveBuilder.null : archive.value(.dictionary(values))
    }
}
