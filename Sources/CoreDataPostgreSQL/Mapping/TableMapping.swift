// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The mapping of entities to existing tables, as a model or a file defines it.

import CoreData
import Foundation

/// The mapping that a program requests, before it is compared with the database.
/// Documentation/Internals/MappedTables.md
struct TableMapping {
    struct Entity {
        var schema: String?
        var table: String
        var key: String?
        var version: String?
        var sequence: String?
        /// The column that identifies the entity of a row.
        var kind: String?
    }

    struct Property {
        var schema: String?
        /// The join table of a many-to-many relationship.
        var table: String?
        var column: String?
        var type: String?
        var order: String?
    }

    /// The entities with an existing table, by name.
    private(set) var entities: [String: Entity] = [:]
    /// By entity name and path. Entities in tables that the store created have some, too: for links to mapped rows.
    private var properties: [String: [String: Property]] = [:]
    /// The values of the entity column, by entity name.
    private var values: [String: String] = [:]
    var isEmpty: Bool { entities.isEmpty }

    /// Whether the rows of an entity are in an existing table: that of its root entity.
    func isMapped(_ entity: NSEntityDescription) -> Bool {
        var root = entity
        while let next = root.superentity { root = next }
        return entities[root.name ?? ""] != nil
    }

    /// The value of the entity column for rows of an entity.
    func value(of entity: String) -> String { values[entity] ?? entity }
    func property(_ entity: String, _ path: String) -> Property? { properties[entity]?[path] }
    /// The schemas that entities and properties name.
    var schemas: Set<String> {
        Set(entities.values.compactMap(\.schema) + properties.values.flatMap { $0.values.compactMap(\.schema) })
    }

    private static let prefix = "postgresql."
    private static let entityKeys: Set<String> = ["schema", "table", "key", "version", "sequence", "kind", "value"]
    private static let propertyKeys: Set<String> = ["schema", "table", "column", "type", "order"]

    /// - Parameter file: a JSON file (`NSPostgreSQLMappingOption`); nil if there is no file.
    /// - Throws: 134080 for a file that cannot be read, and for unknown keys and names in it.
    init(_ descriptions: [NSEntityDescription], file: URL?) throws {
        for entity in descriptions { add(entity) }
        guard let file else { return }
        do {
            try add(try JSONSerialization.jsonObject(with: Data(contentsOf: file)), descriptions)
        } catch let error as Unfit {
            throw Self.unreadable("\(file.lastPathComponent): \(error.reason)", nil)
        } catch {
            throw Self.unreadable("\(file.lastPathComponent) cannot be read as JSON.", error)
        }
    }

    private struct Unfit: Error { let reason: String }

    private static func unreadable(_ reason: String, _ cause: (any Error)?) -> any Error {
        CoreDataError.cannotOpenStore(url: nil, reason: "NSPostgreSQLMappingOption: \(reason)", underlying: cause)
    }

    // MARK: From the model

    private mutating func add(_ entity: NSEntityDescription) {
        func text(_ info: [AnyHashable: Any]?, _ key: String) -> String? { info?[Self.prefix + key] as? String }
        guard let name = entity.name else { return }
        func add(_ property: NSPropertyDescription, _ path: String) {
            let info = property.userInfo
            properties[name, default: [:]][path] = Property(
                schema: text(info, "schema"), table: text(info, "table"), column: text(info, "column"),
                type: text(info, "type"), order: text(info, "order"))
            for element in (property as? NSCompositeAttributeDescription)?.elements ?? [] {
                add(element, "\(path).\(element.name)")
            }
        }
        for property in entity.properties { add(property, property.name) }
        values[name] = text(entity.userInfo, "value")
        guard let table = text(entity.userInfo, "table") else { return }
        entities[name] = Entity(
            schema: text(entity.userInfo, "schema"), table: table, key: text(entity.userInfo, "key"),
            version: text(entity.userInfo, "version"), sequence: text(entity.userInfo, "sequence"),
            kind: text(entity.userInfo, "kind"))
    }

    // MARK: From a file

    /// `{"schema": …, "entities": {"Film": {"table": …, "properties": {"title": {"column": …}}}}}`
    private mutating func add(_ content: Any, _ descriptions: [NSEntityDescription]) throws {
        guard let content = content as? [String: Any], let list = content["entities"] as? [String: [String: Any]] else {
            throw Unfit(reason: "An object with 'entities' is needed.")
        }
        let known = Dictionary(
            descriptions.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        for (name, values) in list.sorted(by: { $0.key < $1.key }) {
            guard let entity = known[name] else { throw Unfit(reason: "The store has no entity '\(name)'.") }
            let texts = try Self.texts(values, Self.entityKeys, name)
            self.values[name] = texts["value"] ?? self.values[name]
            if let table = texts["table"] ?? entities[name]?.table {
                var result = entities[name] ?? Entity(table: table)
                result.table = table
                result.schema = texts["schema"] ?? (content["schema"] as? String) ?? result.schema
                result.key = texts["key"] ?? result.key
                result.version = texts["version"] ?? result.version
                result.sequence = texts["sequence"] ?? result.sequence
                result.kind = texts["kind"] ?? result.kind
                entities[name] = result
            } else if texts.keys.contains(where: { $0 != "value" }) {
                throw Unfit(reason: "\(name) has no 'table'.")
            }
            for (path, values) in values["properties"] as? [String: [String: Any]] ?? [:] {
                let first = path.split(separator: ".").first.map(String.init) ?? path
                guard entity.propertiesByName[first] != nil else {
                    throw Unfit(reason: "\(name) has no property '\(path)'.")
                }
                add(try Self.texts(values, Self.propertyKeys, "\(name).\(path)"), content, name, path)
            }
        }
    }

    private mutating func add(_ texts: [String: String], _ content: [String: Any], _ name: String, _ path: String) {
        var property = properties[name]?[path] ?? Property()
        property.schema = texts["schema"] ?? (content["schema"] as? String) ?? property.schema
        property.table = texts["table"] ?? property.table
        property.column = texts["column"] ?? property.column
        property.type = texts["type"] ?? property.type
        property.order = texts["order"] ?? property.order
        properties[name, default: [:]][path] = property
    }

    private static func texts(_ values: [String: Any], _ known: Set<String>, _ place: String) throws -> [String: String]
    {
        var result: [String: String] = [:]
        for (key, value) in values where key != "properties" {
            guard known.contains(key), let text = value as? String else {
                throw Unfit(reason: "\(place): '\(key)' is no key with a text; there are: \(known.sorted().list).")
            }
            result[key] = text
        }
        return result
    }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}
