// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The actual tables and columns of an existing store, and their assignment to a schema.

import Foundation
import SQLiteDriver

/// The tables of an existing database, read once when a store is opened.
///
/// The model determines the expected names. If a migrated store, or one of another framework version, has a different
/// name (numbers of entities in names, the owner of a reflexive join table), the existing name is used.
package struct StoreInventory {
    package struct Entity {
        package var number: Int64
        package var name: String
    }

    /// Column names by table name.
    package var tables: [String: [String]] = [:]
    /// The rows of `Z_PRIMARYKEY`.
    package var entities: [Entity] = []

    /// Higher numbers are those of the framework's internal tables.
    package static let ownNumbers: Int64 = 16_000

    init(_ connection: Connection) throws {
        for row in try connection.rows(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
                + "AND m.sql NOT LIKE 'CREATE VIRTUAL%'")
        {
            guard let table = row[0].textValue, let column = row[1].textValue else { continue }
            tables[table, default: []].append(column)
        }
        guard tables[SchemaNaming.keyTable] != nil else { return }
        for row in try connection.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            guard let number = row[0].integerValue, number < Self.ownNumbers, let name = row[1].textValue else {
                continue
            }
            entities.append(Entity(number: number, name: name))
        }
    }

    package func has(_ column: String, in table: String) -> Bool { tables[table]?.contains(column) ?? false }

    /// The numbers of the entities, by layout index.
    ///
    /// An in-place migration does not rename an entity in the table. Such an entity is found by its previous name, or
    /// else by the number it would have in a new store, if no entity of the model has that number's name.
    package func numbers(of layouts: [EntityLayout]) throws -> [Int: Int64] {
        let byName = Dictionary(entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let names = Set(layouts.map(\.name))
        var result: [Int: Int64] = [:]
        var missing: [String] = []
        for (position, layout) in layouts.enumerated() {
            let former = layout.entity.renamingIdentifier.flatMap { byName[$0] }
            let expected = entities.first { $0.number == Int64(position + 1) && !names.contains($0.name) }?.number
            if let number = byName[layout.name] ?? former ?? expected {
                result[layout.index] = number
            } else {
                missing.append("entity \(layout.name)")
            }
        }
        if !missing.isEmpty { throw SchemaMismatch(missing: missing) }
        return result
    }

    /// A column with a name that differs from the expected one only in its number.
    package func column(_ expected: String, in table: String, prefix: String, suffix: String) -> String? {
        guard let columns = tables[table] else { return nil }
        return columns.contains(expected)
            ? expected : columns.first { Self.matches($0, prefix: prefix, suffix: suffix) }
    }

    /// Whether a name consists of the prefix, digits, and the suffix, optionally followed by digits.
    package static func matches(_ name: String, prefix: String, suffix: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, rest.dropFirst(digits.count).hasPrefix(suffix) else { return false }
        return rest.dropFirst(digits.count + suffix.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}

/// A table or column that the model needs and the database lacks.
package struct SchemaMismatch: Error {
    package var missing: [String]

    package var reason: String {
        "The model needs what the database does not have: \(missing.prefix(20).joined(separator: ", "))"
            + (missing.count > 20 ? " and \(missing.count - 20) more." : ".")
    }
}
