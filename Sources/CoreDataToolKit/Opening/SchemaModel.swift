// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers a model from the tables of a store without a cached model.

import CoreData
import CoreDataFoundation
package import CoreDataModelFiles
package import SQLiteDriver

/// The model that a database's tables imply.
///
/// Names are in lower case, because tables contain them in upper case. All columns of a table belong to its root
/// entity, because tables do not assign them to subentities. An INTEGER column is a to-one relationship if another
/// column contains the entity of the destination, or if it has an index like a key and its name matches a single
/// entity; otherwise it is a number. To-many relationships are detected only by their join tables. A text is searched
/// if the file has a full-text index of its column.
package struct SchemaModel {
    private let family: EntityFamily
    private let tables: [String: [SchemaColumn]]
    private let indexes: Set<String>
    private let searchIndexes: [StoreTables.SearchIndex]
    private var entities: [Int64: ModelDocument.Entity] = [:]
    /// The entities with a property, by property name.
    private var owners: [String: Set<Int64>] = [:]

    /// - Throws: SQLite's errors of reading the schema.
    package static func infer(_ connection: Connection, file: StoreFile) throws -> ModelDocument {
        var model = try SchemaModel(connection, file)
        return model.document()
    }

    private init(_ connection: Connection, _ file: StoreFile) throws {
        family = EntityFamily(file.entities)
        let schema = try connection.schema()
        var tables: [String: [SchemaColumn]] = [:]
        for table in schema where table.type == "table" { tables[table.name] = try connection.columns(of: table.name) }
        self.tables = tables
        indexes = Set(schema.filter { $0.type == "index" }.map(\.name))
        searchIndexes = try StoreTables.searchIndexes(connection)
    }

    private mutating func document() -> ModelDocument {
        for known in family.members {
            var entity = ModelDocument.Entity(name: known.name)
            entity.superentityName = family.parent(of: known.number).flatMap(family.name)
            if entity.superentityName == nil { addColumns(to: &entity) }
            for attribute in entity.attributes { owners[attribute.traits.name, default: []].insert(known.number) }
            for relationship in entity.relationships {
                owners[relationship.traits.name, default: []].insert(known.number)
            }
            entities[known.number] = entity
        }
        for table in tables.keys.sorted() { addJoin(table) }
        var document = ModelDocument()
        document.entities = entities.values.sorted { $0.name < $1.name }
        return document
    }

    // MARK: Columns

    private func addColumns(to entity: inout ModelDocument.Entity) {
        let table = "Z" + entity.name.uppercased()
        let columns = tables[table] ?? []
        for column in columns {
            guard let name = Self.propertyName(column.name) else { continue }
            let isNumber = column.type.uppercased() == "INTEGER"
            if isNumber, let destination = destination(of: column.name, in: table, columns) {
                entity.relationships.append(toOne(name, destination))
            } else {
                entity.attributes.append(attribute(name, column, in: table))
            }
        }
        entity.attributes.sort { $0.traits.name < $1.traits.name }
        entity.relationships.sort { $0.traits.name < $1.traits.name }
    }

    /// nil for columns that are not properties: keys, order keys, entities of destinations.
    static func propertyName(_ column: String) -> String? {
        guard column.hasPrefix("Z"), !column.hasPrefix("Z_") else { return nil }
        let name = column.dropFirst()
        guard let first = name.first, !first.isNumber else { return nil }
        return name.lowercased()
    }

    private func attribute(_ name: String, _ column: SchemaColumn, in table: String) -> ModelDocument.Attribute {
        let type: AttributeKind =
            switch column.type.uppercased() {
            case "INTEGER": .integer64
            case "FLOAT", "DOUBLE", "REAL": .double
            case "TIMESTAMP": .date
            case "DECIMAL": .decimal
            case "BLOB": .binary
            default: .string
            }
        var attribute = ModelDocument.Attribute(name: name, type: type.rawValue)
        attribute.traits.isOptional = true
        let index = searchIndexes.first { $0.content == table && $0.columns.contains(column.name) }
        if let index, type == .string {
            attribute.traits.isIndexedBySpotlight = true
            if index.tokenizer != .words {
                attribute.traits.userInfo[NSAttributeDescription.searchTokenizerKey] = .string(index.tokenizer.rawValue)
            }
        }
        return attribute
    }

    // MARK: To-ones

    private func toOne(_ name: String, _ destination: String) -> ModelDocument.Relationship {
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: destination)
        relationship.traits.isOptional = true
        relationship.maxCount = 1
        return relationship
    }

    private func destination(of column: String, in table: String, _ columns: [SchemaColumn]) -> String? {
        // "Z34_ASSET" with "ZASSET": 34 is the root entity of the destinations.
        let suffix = "_" + column.dropFirst()
        for other in columns where other.name.hasSuffix(suffix) {
            let digits = other.name.dropFirst().dropLast(suffix.count)
            guard other.name.hasPrefix("Z"), let number = Int64(digits) else { continue }
            return family.name(number)
        }
        guard indexes.contains("\(table)_\(column)_INDEX") else { return nil }
        return family.namesake(of: String(column.dropFirst()))
    }

    // MARK: Many to many

    /// "Z_26ASSETS" with "Z_26ALBUMS" and "Z_34ASSETS": entity 26 has "assets", entity 34 has "albums".
    private mutating func addJoin(_ table: String) {
        guard Self.numbered(table) != nil, let columns = tables[table], columns.count >= 2 else { return }
        let keys = columns.filter { !$0.name.hasPrefix("Z_FOK_") }
        guard keys.count == 2, let first = Self.numbered(keys[0].name) else { return }
        func isOrdered(by column: String) -> Bool {
            columns.contains { $0.name == "Z_FOK_" + column.dropFirst(2) }
        }
        if keys[1].name == "REFLEXIVE" {
            addToMany(first.name, of: first.number, to: first.number, inverse: first.name, isOrdered: false)
            return
        }
        guard let second = Self.numbered(keys[1].name) else { return }
        // If another property has the name, the relationship belongs to an unknown subentity.
        guard isFree(second.name, first.number), isFree(first.name, second.number),
            first.number != second.number || first.name != second.name
        else { return }
        addToMany(
            second.name, of: first.number, to: second.number, inverse: first.name,
            isOrdered: isOrdered(by: keys[1].name))
        addToMany(
            first.name, of: second.number, to: first.number, inverse: second.name,
            isOrdered: isOrdered(by: keys[0].name))
    }

    private static func numbered(_ name: String) -> (number: Int64, name: String)? {
        guard name.hasPrefix("Z_") else { return nil }
        let digits = name.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let rest = name.dropFirst(2 + digits.count).lowercased()
        return rest.first?.isLetter == true ? (number, rest) : nil
    }

    /// Whether neither an entity nor one of its superentities has a property with the name.
    private func isFree(_ name: String, _ number: Int64) -> Bool {
        guard family.name(number) != nil else { return false }
        guard let taken = owners[name] else { return true }
        var next: Int64? = number
        while let current = next {
            if taken.contains(current) { return false }
            next = family.parent(of: current)
        }
        return true
    }

    private mutating func addToMany(
        _ name: String, of number: Int64, to destination: Int64, inverse: String, isOrdered: Bool
    ) {
        guard isFree(name, number), let target = family.name(destination) else { return }
        var relationship = ModelDocument.Relationship(name: name, destinationEntityName: target)
        relationship.traits.isOptional = true
        relationship.isToMany = true
        relationship.isOrdered = isOrdered
        relationship.inverseName = inverse
        relationship.inverseEntityName = target
        entities[number]?.relationships.append(relationship)
        owners[name, default: []].insert(number)
    }
}
