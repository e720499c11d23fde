// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The description of entities in a binary store: names, hashes, and the stored properties.

import Foundation

/// An entity in the file, sufficient to read its rows without a model.
struct BinaryEntity {
    struct Property {
        /// Names of elements of composite attributes contain dots.
        let name: String
        let coding: BinaryCoding
        /// The destination of a relationship; empty for attributes.
        let destination: String
    }

    let name: String
    /// The name of the superentity; empty for a root entity.
    let superentity: String
    let hash: Data
    let properties: [Property]

    init(_ layout: EntityLayout) {
        name = layout.name
        superentity = layout.entity.superentity?.name ?? ""
        hash = layout.entity.versionHash
        properties = StoredField.fields(of: layout).compactMap(Self.property)
    }

    private static func property(_ field: StoredField) -> Property? {
        let name = field.path.joined(separator: ".")
        switch field.kind {
        case .attribute(let attribute):
            return BinaryCoding(attribute).map { Property(name: name, coding: $0, destination: "") }
        case .relationship(let relationship):
            return Property(
                name: name, coding: BinaryCoding(relationship), destination: relationship.destinationEntity?.name ?? "")
        }
    }

    /// Reads the entities, which precede the rows.
    static func all(_ bytes: inout ByteReader) throws -> [BinaryEntity] {
        var entities: [BinaryEntity] = []
        for _ in 0..<(try bytes.count(ofSize: 4)) { entities.append(try BinaryEntity(&bytes)) }
        return entities
    }

    private init(_ bytes: inout ByteReader) throws {
        name = try bytes.string()
        superentity = try bytes.string()
        hash = try bytes.data()
        var properties: [Property] = []
        for _ in 0..<(try bytes.count(ofSize: 3)) {
            let name = try bytes.string()
            guard let coding = BinaryCoding(rawValue: try bytes.byte()) else {
                throw AtomicDamage(reason: "The type of '\(name)' is not known.")
            }
            properties.append(Property(name: name, coding: coding, destination: try bytes.string()))
        }
        self.properties = properties
    }

    func write(to bytes: inout ByteWriter) {
        bytes.add(name)
        bytes.add(superentity)
        bytes.add(hash)
        bytes.add(count: properties.count)
        for property in properties {
            bytes.add(property.name)
            bytes.add(byte: property.coding.rawValue)
            bytes.add(property.destination)
        }
    }
}
