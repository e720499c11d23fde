// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statement that reads the objects of one entity with all their stored properties, in a chosen order.

import CoreData
import Foundation
import SQLiteDriver

/// A query for the rows of one entity, without those of its subentities: a property for each column or relationship.
///
/// Objects are named by "number/key" of entity and row, or by the values of key attributes.
struct RowQuery {
    /// One property of the result.
    struct Part {
        enum Content {
            case attribute(StoreTables.Column)
            case toOne
            /// Names of members, with spaces between them.
            case toMany
        }

        let name: String
        /// The element of a composite attribute; empty for other properties.
        let path: [String]
        let content: Content
        var label: String { ([name] + path).joined(separator: ".") }
    }

    let entity: StoreTables.Entity
    let parts: [Part]
    /// The columns are Z_PK, the key attributes, and the parts.
    let sql: String
    let keyCount: Int

    /// - Parameters:
    ///   - names: the properties to read; nil for all.
    ///   - keys: the key attributes by entity name. Objects of entities with keys are named by their values, and are
    ///     sorted by them; others by their row.
    init(
        _ entity: StoreTables.Entity, in tables: StoreTables, names: Set<String>? = nil, keys: [String: [String]] = [:]
    ) throws {
        self.entity = entity
        let isWanted = { (name: String) in names?.contains(name) ?? true }
        var (parts, columns): ([Part], [String]) = ([], [])
        for attribute in entity.attributes where isWanted(attribute.name) && !attribute.isDerived {
            for column in attribute.columns {
                parts.append(Part(name: attribute.name, path: column.path, content: .attribute(column)))
                columns.append("R.\(column.sql)")
            }
        }
        for property in entity.toOnes where isWanted(property.name) {
            guard let destination = tables.entity(property.destination) else { continue }
            parts.append(Part(name: property.name, path: [], content: .toOne))
            columns.append(Self.reference(property, destination, tables, keys))
        }
        for property in entity.toManys where isWanted(property.name) {
            guard let list = Self.members(property, tables, keys) else { continue }
            parts.append(Part(name: property.name, path: [], content: .toMany))
            columns.append(list)
        }
        self.parts = parts
        let own = try keys[entity.name].map { try Self.keyColumns($0, entity).map { "R.\($0)" } } ?? []
        keyCount = own.count
        let order = own.isEmpty ? "R.Z_PK" : (own + ["R.Z_PK"]).joined(separator: ", ")
        sql =
            "SELECT \((["R.Z_PK"] + own + columns).joined(separator: ", ")) FROM \(entity.tableSQL) AS R "
            + "WHERE R.Z_ENT = \(entity.number) ORDER BY \(order)"
    }

    static func keyColumns(_ names: [String], _ entity: StoreTables.Entity) throws -> [String] {
        try names.map { name in
            guard let attribute = entity.attributes.first(where: { $0.name == name }), attribute.columns.count == 1
            else {
                throw ToolError(
                    "\(entity.name) has no attribute '\(name)' to be a key; it has: "
                        + "\(entity.attributes.map(\.name).sorted().list).")
            }
            return attribute.columns[0].sql
        }
    }

    /// The name of the destination of a to-one relationship, as an expression.
    private static func reference(
        _ property: StoreTables.ToOne, _ destination: StoreTables.Entity, _ tables: StoreTables,
        _ keys: [String: [String]]
    ) -> String {
        let key = "R.\(property.keySQL)"
        if let name = keyName(destination, tables, keys) {
            return "(SELECT \(name) FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(key))"
        }
        guard let number = property.entitySQL else { return "'\(destination.number)/' || \(key)" }
        let found = "(SELECT D.Z_ENT FROM \(destination.tableSQL) AS D WHERE D.Z_PK = \(key))"
        return "IFNULL(R.\(number), \(found)) || '/' || \(key)"
    }

    /// The names of the members of a to-many; nil for one whose members' to-ones contain the same.
    private static func members(
        _ property: StoreTables.ToMany, _ tables: StoreTables, _ keys: [String: [String]]
    ) -> String? {
        guard let destination = tables.entity(property.destination) else { return nil }
        let name = keyName(destination, tables, keys) ?? "D.Z_ENT || '/' || D.Z_PK"
        let source: String
        if let join = property.join.flatMap({ join in tables.joins.first { $0.name == join } }) {
            guard property.isOwner || property.isOrdered else { return nil }
            let (own, other) =
                property.isOwner ? (join.ownerSQL, join.memberSQL) : (join.memberSQL, join.ownerSQL)
            let order = property.orderSQL.map { "J.\($0), " } ?? ""
            source =
                "\(join.sql) AS J JOIN \(destination.tableSQL) AS D ON D.Z_PK = J.\(other) WHERE J.\(own) = R.Z_PK "
                + "ORDER BY \(order)\(keys.isEmpty || property.isOrdered ? "D.Z_PK" : name)"
        } else if let column = property.memberKeySQL, property.isOrdered || property.inverse == nil {
            let order = property.orderSQL.map { "D.\($0), " } ?? ""
            source =
                "\(destination.tableSQL) AS D WHERE D.\(column) = R.Z_PK AND D.Z_ENT IN "
                + "\(destination.family.sqlList) ORDER BY \(order)\(keys.isEmpty || property.isOrdered ? "D.Z_PK" : name)"
        } else {
            return nil
        }
        return "(SELECT GROUP_CONCAT(M, ' ') FROM (SELECT \(name) AS M FROM \(source)))"
    }

    /// The values of key attributes as one text without spaces; nil for an entity without keys.
    private static func keyName(
        _ entity: StoreTables.Entity, _ tables: StoreTables, _ keys: [String: [String]]
    ) -> String? {
        // A subentity inherits the keys of its superentity.
        guard let names = keys[entity.name], let columns = try? keyColumns(names, entity) else { return nil }
        let values = columns.map { "REPLACE(QUOTE(D.\($0)), ' ', '␠')" }.joined(separator: " || ',' || ")
        return "'\(entity.name):' || \(values)"
    }
}

extension StoreTables {
    /// "Book/3" for "2/3".
    func objectName(_ text: String) -> String {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let number = Int64(parts[0]), let entity = entity(number: number) else {
            return text.replacing("␠", with: " ")
        }
        return "\(entity.name)/\(parts[1])"
    }
}
