// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes a binary store from its file, without its model.

package import CoreDataModelFiles
import Foundation

/// Metadata and entities of a binary store.
package struct BinaryOutline {
    package let metadata: [String: Any]
    /// A model sufficient to open the file for reading: names, types, superentities and destinations, but no inverses.
    package let document: ModelDocument

    /// Whether the bytes start like a binary store.
    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: BinaryFile.magic) }

    /// - Throws: a Cocoa error (259, 260 and similar codes).
    package init(contentsOf url: URL) throws {
        do {
            let file = try BinaryFile(FileReading(url))
            metadata = file.metadata.merging([NSStoreUUIDKey: file.uuid.uuidString]) { $1 }
            document = try Self.document(file.contents)
        } catch {
            throw AtomicErrors.opening(error, url)
        }
    }

    private static func document(_ contents: ByteReader) throws -> ModelDocument {
        var bytes = contents
        let entities = try BinaryEntity.all(&bytes)
        var document = ModelDocument()
        document.entities = entities.map { entity in
            let inherited = Set(entities.first { $0.name == entity.superentity }?.properties.map(\.name) ?? [])
            return Self.entity(entity, inherited)
        }
        return document
    }

    private static func entity(_ source: BinaryEntity, _ inherited: Set<String>) -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: source.name)
        entity.superentityName = source.superentity.isEmpty ? nil : source.superentity
        for property in source.properties where !inherited.contains(property.name) {
            if let type = property.coding.attributeType {
                add(property.name.split(separator: ".").map(String.init)[...], type, to: &entity.attributes)
            } else {
                entity.relationships.append(relationship(property))
            }
        }
        return entity
    }

    /// Names of elements of composite attributes contain dots.
    private static func add(
        _ path: ArraySlice<String>, _ type: NSAttributeType, to attributes: inout [ModelDocument.Attribute]
    ) {
        guard let name = path.first else { return }
        let isComposite = path.count > 1
        let position = attributes.firstIndex { $0.traits.name == name } ?? attributes.endIndex
        if position == attributes.endIndex {
            let kind = isComposite ? .compositeAttributeType : type
            var attribute = ModelDocument.Attribute(name: name, type: Int(kind.rawValue))
            attribute.traits.isOptional = true
            attributes.append(attribute)
        }
        if isComposite { add(path.dropFirst(), type, to: &attributes[position].elements) }
    }

    private static func relationship(_ property: BinaryEntity.Property) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(
            name: property.name, destinationEntityName: property.destination)
        relationship.traits.isOptional = true
        relationship.isToMany = property.coding != .toOne
        relationship.isOrdered = property.coding == .orderedToMany
        relationship.maxCount = relationship.isToMany ? 0 : 1
        return relationship
    }
}

extension BinaryCoding {
    /// nil for relationships. Integers of all widths have the same encoding.
    fileprivate var attributeType: NSAttributeType? {
        switch self {
        case .integer: .integer64AttributeType
        case .boolean: .booleanAttributeType
        case .float: .floatAttributeType
        case .double: .doubleAttributeType
        case .date: .dateAttributeType
        case .string: .stringAttributeType
        case .decimal: .decimalAttributeType
        case .uuid: .UUIDAttributeType
        case .uri: .URIAttributeType
        case .data: .binaryDataAttributeType
        case .transformable: .transformableAttributeType
        case .toOne, .toMany, .orderedToMany: nil
        }
    }
}
