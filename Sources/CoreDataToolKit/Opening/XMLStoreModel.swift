// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers a model from the objects of an XML store.

package import CoreDataModelFiles
package import Foundation

/// The model that the objects of an XML store imply.
///
/// Property names are in lower case, as in the file. Entity names are those of the metadata, or in upper case. If
/// objects of an entity occur as destinations of another entity's relationships, it becomes a subentity of that one.
/// Inverses are not inferred.
package struct XMLStoreModel {
    private var header: XMLStoreHeader
    private var entities: [String: ModelDocument.Entity] = [:]
    /// In the order of first occurrence.
    private var types: [String] = []
    private var typeByNumber: [Int64: String] = [:]
    /// The objects that occur with each destination entity.
    private var targets: [String: Set<Int64>] = [:]

    /// - Throws: `ModelFileError`, and errors of the file system.
    package static func infer(_ url: URL) throws -> (StoreFile, ModelDocument, OpenedStore.ModelOrigin) {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        do {
            var reader = try XMLStoreReader { try handle.read(upToCount: 256 << 10) }
            var model = XMLStoreModel(header: reader.header)
            var object = XMLStoreObject()
            while try reader.next(&object) { model.meet(object) }
            let document = model.document()
            var metadata = model.header.metadata
            metadata["NSStoreUUID"] = model.header.uuid
            let file = StoreFile(metadata: metadata, entities: document.entities.map(\.name))
            return (file, document, .objects)
        } catch let error as ModelFileError {
            throw ToolError("\(url.path): \(error)")
        }
    }

    private init(header: XMLStoreHeader) { self.header = header }

    // MARK: Objects

    private mutating func meet(_ object: XMLStoreObject) {
        typeByNumber[object.number] = object.type
        var entity = entity(object.type)
        for property in object.properties {
            switch property {
            case .attribute(let attribute):
                Self.add(attribute.name.split(separator: ".").map(String.init)[...], attribute.type, &entity.attributes)
            case .relationship(let relationship):
                if !entity.relationships.contains(where: { $0.traits.name == relationship.name }) {
                    entity.relationships.append(Self.relationship(relationship))
                }
                _ = self.entity(relationship.destination)
                targets[relationship.destination, default: []].formUnion(relationship.members)
            }
        }
        entities[object.type] = entity
    }

    private mutating func entity(_ type: String) -> ModelDocument.Entity {
        if let known = entities[type] { return known }
        types.append(type)
        let entity = ModelDocument.Entity(name: type)
        entities[type] = entity
        return entity
    }

    private static func add(_ path: ArraySlice<String>, _ type: String, _ attributes: inout [ModelDocument.Attribute]) {
        guard let name = path.first else { return }
        let kind: AttributeKind = path.count > 1 ? .composite : Self.types[type] ?? .string
        let position = attributes.firstIndex { $0.traits.name == name } ?? attributes.endIndex
        if position == attributes.endIndex {
            var attribute = ModelDocument.Attribute(name: name, type: kind.rawValue)
            attribute.traits.isOptional = true
            attributes.append(attribute)
        }
        if path.count > 1 { add(path.dropFirst(), type, &attributes[position].elements) }
    }

    private static let types: [String: AttributeKind] = [
        "int16": .integer16, "int32": .integer32, "int64": .integer64, "bool": .boolean, "float": .float,
        "double": .double, "date": .date, "string": .string, "decimal": .decimal, "uuid": .uuid, "uri": .uri,
        "binary": .binary,
    ]

    private static func relationship(_ source: XMLStoreObject.Relationship) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(name: source.name, destinationEntityName: source.destination)
        let counts = source.count.split(separator: "/").map { Int($0) ?? 0 }
        relationship.traits.isOptional = true
        relationship.minCount = counts.first ?? 0
        relationship.maxCount = counts.last ?? 0
        relationship.isToMany = relationship.maxCount != 1
        return relationship
    }

    // MARK: The whole

    private func document() -> ModelDocument {
        let names = names
        var document = ModelDocument()
        let parents = parents
        document.entities = types.compactMap { type in
            guard var entity = entities[type] else { return nil }
            if let parent = parents[type], let inherited = entities[parent] {
                entity.superentityName = names[parent] ?? parent
                let attributes = Set(inherited.attributes.map(\.traits.name))
                let relationships = Set(inherited.relationships.map(\.traits.name))
                entity.attributes.removeAll { attributes.contains($0.traits.name) }
                entity.relationships.removeAll { relationships.contains($0.traits.name) }
            }
            entity.name = names[type] ?? type
            for index in entity.relationships.indices {
                let destination = entity.relationships[index].destinationEntityName
                entity.relationships[index].destinationEntityName = names[destination] ?? destination
            }
            return entity
        }
        return document
    }

    /// The names in the metadata, by those in the file.
    private var names: [String: String] {
        let hashes = header.metadata["NSStoreModelVersionHashes"] as? [String: Any] ?? [:]
        return Dictionary(hashes.keys.sorted().map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The superentity of each entity with objects in the place of another one; a single level, without cycles.
    private var parents: [String: String] {
        var result: [String: String] = [:]
        for destination in types {
            for number in targets[destination] ?? [] {
                guard let type = typeByNumber[number], type != destination, result[type] == nil,
                    result[destination] == nil, !result.values.contains(type)
                else { continue }
                result[type] = destination
            }
        }
        return result
    }
}
