// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Corrects an inferred model by a file of names, types and relationships that a user knows better.

import CoreDataModelFiles
import CoreDataExchange
import Foundation

/// The corrections of an inferred model, as JSON:
///
///     {"entities": {"Book": {"properties": {
///         "isread": {"name": "isRead", "type": "Boolean", "optional": false},
///         "author": {"destination": "Author", "inverse": "books"}}}}}
///
/// Keys are inferred names. A new name differs from the inferred one in case only, because the table has its letters.
struct ModelOverlay {
    private static let largestFile = 4 << 20
    private let file: String
    private let entities: [String: [String: [String: Any]]]

    /// - Throws: `ToolError` for a file that cannot be read, with the place of a wrong part.
    init(_ url: URL) throws {
        file = url.lastPathComponent
        guard let data = try? Data(contentsOf: url) else { throw ToolError("\(url.path) cannot be read.") }
        guard data.count <= Self.largestFile else { throw ToolError("\(url.path) is too large for an overlay.") }
        let value: Any
        do {
            value = try ExactJSON.value([UInt8](data))
        } catch {
            throw ToolError("\(url.path): \(ToolError.text(of: error))")
        }
        let top = try Self.object(value, file, ["entities"])
        var result: [String: [String: [String: Any]]] = [:]
        let parts = try Self.object(top["entities"] ?? [:] as [String: Any], "\(file): entities")
        for (entity, part) in parts {
            let place = "\(file): entities.\(entity)"
            let members = try Self.object(part, place, ["properties"])
            for (name, member) in try Self.object(members["properties"] ?? [:] as [String: Any], "\(place).properties")
            {
                result[entity, default: [:]][name] = try Self.object(
                    member, "\(place).properties.\(name)",
                    ["name", "type", "optional", "destination", "inverse", "entity"])
            }
        }
        entities = result
    }

    private static func object(_ value: Any, _ place: String, _ allowed: Set<String>? = nil) throws -> [String: Any] {
        guard let members = value as? [String: Any] else { throw ToolError("\(place) must be a JSON object.") }
        if let allowed, let key = members.keys.filter({ !allowed.contains($0) }).min() {
            throw ToolError("\(place) has an unknown key '\(key)'; the keys are: \(allowed.sorted().list).")
        }
        return members
    }

    /// - Throws: `ToolError` with the place of a correction that does not fit the tables.
    func applied(to inferred: InferredModel) throws -> InferredModel {
        var model = Correction(inferred, file)
        for (entity, properties) in entities.sorted(by: { $0.key < $1.key }) {
            guard model.index(of: entity) != nil else {
                throw ToolError(
                    "\(file): entities.\(entity): the tables have no such entity; they have: "
                        + "\(inferred.document.entities.map(\.name).list).")
            }
            for (name, values) in properties.sorted(by: { $0.key < $1.key }) {
                try model.correct(entity, name, values)
            }
        }
        for (entity, properties) in entities.sorted(by: { $0.key < $1.key }) {
            for (name, values) in properties.sorted(by: { $0.key < $1.key }) {
                guard let inverse = values["inverse"] else { continue }
                try model.setInverse(entity, name, inverse)
            }
        }
        return model.result
    }
}

/// An inferred model while it is corrected.
private struct Correction {
    private(set) var result: InferredModel
    private let file: String
    /// The present entity and name of a property, by inferred ones.
    private var moved: [String: (entity: String, name: String)] = [:]

    init(_ model: InferredModel, _ file: String) {
        result = model
        self.file = file
    }

    func index(of entity: String) -> Int? { result.document.entities.firstIndex { $0.name == entity } }

    private func failure(_ entity: String, _ name: String, _ key: String?, _ text: String) -> ToolError {
        ToolError("\(file): entities.\(entity).properties.\(name)\(key.map { "." + $0 } ?? ""): \(text)")
    }

    // MARK: Names, types, destinations

    mutating func correct(_ entity: String, _ name: String, _ values: [String: Any]) throws {
        guard let place = index(of: entity) else { return }
        func text(_ key: String) throws -> String? {
            guard let value = values[key] else { return nil }
            guard let text = value as? String else { throw failure(entity, name, key, "this must be a text.") }
            return text
        }
        let (newName, type, destination) = (try text("name") ?? name, try text("type"), try text("destination"))
        let owner = try text("entity") ?? entity
        guard newName.uppercased() == name.uppercased(), SchemaModel.isName(newName) else {
            throw failure(entity, name, "name", "'\(newName)' does not have the letters of the column.")
        }
        if let value = values["optional"], !(value is Bool) {
            throw failure(entity, name, "optional", "this must be true or false.")
        }
        let isOptional = (values["optional"] as? Bool) ?? true
        var attribute = result.document.entities[place].attributes.first { $0.traits.name == name }
        var relationship = result.document.entities[place].relationships.first { $0.traits.name == name }
        guard attribute != nil || relationship != nil else {
            let all = result.document.entities[place]
            let names = all.attributes.map(\.traits.name) + all.relationships.map(\.traits.name)
            throw failure(entity, name, nil, "the tables have no such property; they have: \(names.sorted().list).")
        }
        if let destination {
            (attribute, relationship) = (nil, try toOne(entity, name, destination, attribute, relationship))
        } else if let type {
            attribute = try typed(entity, name, type, attribute, relationship)
            relationship = nil
        }
        attribute?.traits.name = newName
        attribute?.traits.isOptional = isOptional
        relationship?.traits.name = newName
        relationship?.traits.isOptional = isOptional
        guard owner == entity || isKind(owner, of: entity), let target = index(of: owner) else {
            throw failure(entity, name, "entity", "'\(owner)' is no subentity of \(entity).")
        }
        result.document.entities[place].attributes.removeAll { $0.traits.name == name }
        result.document.entities[place].relationships.removeAll { $0.traits.name == name }
        if let attribute { result.document.entities[target].attributes.append(attribute) }
        if let relationship { result.document.entities[target].relationships.append(relationship) }
        rename(name, of: entity, to: newName, of: owner)
        moved["\(entity).\(name)"] = (owner, newName)
        result.stated["\(owner).\(newName)", default: []].formUnion(values.keys)
        result.notes.removeAll { $0.entity == entity && $0.property == name }
    }

    private func isKind(_ entity: String, of other: String) -> Bool {
        var next: String? = entity
        for _ in result.document.entities {
            guard let name = next else { return false }
            if name == other { return true }
            next = index(of: name).flatMap { result.document.entities[$0].superentityName }
        }
        return false
    }

    private func toOne(
        _ entity: String, _ name: String, _ destination: String, _ attribute: ModelDocument.Attribute?,
        _ relationship: ModelDocument.Relationship?
    ) throws -> ModelDocument.Relationship {
        guard index(of: destination) != nil else {
            throw failure(entity, name, "destination", "the tables have no entity '\(destination)'.")
        }
        if let attribute, attribute.type != AttributeKind.integer64.rawValue {
            throw failure(entity, name, "destination", "the column holds no keys of rows.")
        }
        if let relationship, relationship.isToMany, relationship.destinationEntityName != destination {
            throw failure(entity, name, "destination", "the table names \(relationship.destinationEntityName).")
        }
        if let relationship, relationship.destinationEntityName == destination { return relationship }
        var result = ModelDocument.Relationship(name: name, destinationEntityName: destination)
        result.maxCount = 1
        return result
    }

    /// The types whose values a column of the inferred type holds.
    private static let types: [[AttributeKind]] = [
        [.integer64, .integer32, .integer16, .boolean], [.double, .float], [.date], [.decimal], [.string, .uri],
        [.binary, .uuid, .transformable],
    ]

    private func typed(
        _ entity: String, _ name: String, _ type: String, _ attribute: ModelDocument.Attribute?,
        _ relationship: ModelDocument.Relationship?
    ) throws -> ModelDocument.Attribute {
        if let relationship, relationship.isToMany {
            throw failure(entity, name, "type", "this is a to-many relationship.")
        }
        var result = attribute ?? ModelDocument.Attribute(name: name, type: AttributeKind.integer64.rawValue)
        let allowed = Self.types.first { $0.contains { $0.rawValue == result.type } } ?? []
        guard let kind = allowed.first(where: { AttributeKind.title(of: $0.rawValue) == type }) else {
            throw failure(
                entity, name, "type",
                "the column holds no '\(type)'; it may hold: \(allowed.map { AttributeKind.title(of: $0.rawValue) }.list)."
            )
        }
        result.type = kind.rawValue
        return result
    }

    /// Inverses, unique values and indexes name the property by its new name.
    private mutating func rename(_ name: String, of entity: String, to newName: String, of owner: String) {
        for index in result.document.entities.indices {
            for position in result.document.entities[index].relationships.indices {
                let relationship = result.document.entities[index].relationships[position]
                if relationship.inverseEntityName == entity, relationship.inverseName == name {
                    result.document.entities[index].relationships[position].inverseName = newName
                    result.document.entities[index].relationships[position].inverseEntityName = owner
                    result.document.entities[index].relationships[position].destinationEntityName = owner
                }
            }
        }
        guard let index = index(of: entity) else { return }
        if owner != entity {
            result.document.entities[index].uniquenessConstraints.removeAll { $0.contains(name) }
            result.document.entities[index].indexes.removeAll { $0.elements.contains { $0.property == name } }
            return
        }
        for position in result.document.entities[index].uniquenessConstraints.indices {
            for part in result.document.entities[index].uniquenessConstraints[position].indices
            where result.document.entities[index].uniquenessConstraints[position][part] == name {
                result.document.entities[index].uniquenessConstraints[position][part] = newName
            }
        }
        for position in result.document.entities[index].indexes.indices {
            for part in result.document.entities[index].indexes[position].elements.indices
            where result.document.entities[index].indexes[position].elements[part].property == name {
                result.document.entities[index].indexes[position].elements[part].property = newName
            }
        }
    }

    // MARK: Inverses

    /// Pairs a to-one with a property of its destination; a to-many that no table names is made.
    mutating func setInverse(_ entity: String, _ name: String, _ value: Any) throws {
        guard let inverse = value as? String, SchemaModel.isName(inverse) else {
            throw failure(entity, name, "inverse", "this must be the name of a property.")
        }
        guard let (owner, property) = moved["\(entity).\(name)"], let index = index(of: owner),
            let position = result.document.entities[index].relationships.firstIndex(where: {
                $0.traits.name == property
            })
        else { throw failure(entity, name, "inverse", "only a relationship has one.") }
        let relationship = result.document.entities[index].relationships[position]
        guard !relationship.isToMany else {
            throw failure(entity, name, "inverse", "the table names '\(relationship.inverseName ?? "")'.")
        }
        let key = "\(relationship.destinationEntityName).\(inverse)"
        let (destination, other) = moved[key] ?? (relationship.destinationEntityName, inverse)
        guard let target = self.index(of: destination) else { return }
        if let old = relationship.inverseName, old != other, relationship.inverseEntityName == destination,
            let place = result.document.entities[target].relationships.firstIndex(where: { $0.traits.name == old }),
            result.document.entities[target].relationships[place].isToMany
        {
            // The made-up name of an ordered list.
            result.document.entities[target].relationships[place].traits.name = other
            result.notes.removeAll { $0.entity == destination && $0.property == old }
        }
        if result.document.entities[target].attributes.contains(where: { $0.traits.name == other }) {
            throw failure(entity, name, "inverse", "\(destination).\(other) is an attribute.")
        }
        let place: Int
        if let found = result.document.entities[target].relationships.firstIndex(where: { $0.traits.name == other }) {
            place = found
        } else {
            var made = ModelDocument.Relationship(name: other, destinationEntityName: owner)
            made.traits.isOptional = true
            made.isToMany = true
            result.document.entities[target].relationships.append(made)
            place = result.document.entities[target].relationships.endIndex - 1
        }
        result.document.entities[target].relationships[place].inverseName = property
        result.document.entities[target].relationships[place].inverseEntityName = owner
        result.document.entities[target].relationships[place].destinationEntityName = owner
        result.document.entities[index].relationships[position].inverseName = other
        result.document.entities[index].relationships[position].inverseEntityName = destination
        result.document.entities[index].relationships[position].destinationEntityName = destination
        result.stated["\(destination).\(other)", default: []].insert("inverse")
    }
}
