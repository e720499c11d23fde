// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers spellings, unique values and indexes from the names and columns of a file's indexes and triggers.

import CoreDataModelFiles
import Foundation
import SQLiteDriver

extension SchemaModel {
    private struct NamedIndex {
        let entity: Int64
        let table: String
        /// The part of the name after the entity.
        let name: String
        let columns: [(name: String, isDescending: Bool)]
        let isUnique: Bool
    }

    /// The entity of the longest name that begins a text, with the rest after a "_".
    private func entity(beginning text: Substring) -> (number: Int64, rest: Substring)? {
        let found = family.members.filter { text.hasPrefix($0.name + "_") }.max { $0.name.count < $1.name.count }
        return found.map { ($0.number, text.dropFirst($0.name.count + 1)) }
    }

    /// Indexes named "Z_Book_byTitle" and "Z_Book_UNIQUE_isbn", without partial ones.
    private func namedIndexes() throws -> [NamedIndex] {
        try schema.compactMap { entry in
            guard entry.type == "index", entry.name.hasPrefix("Z_"), let sql = entry.sql,
                let (number, rest) = entity(beginning: entry.name.dropFirst(2)),
                sql.range(of: " WHERE ", options: .caseInsensitive) == nil
            else { return nil }
            let columns = try connection.rows(
                "SELECT name, desc FROM pragma_index_xinfo(?) WHERE key = 1", [.text(entry.name)])
            guard columns.allSatisfy({ $0[0].textValue != nil }) else { return nil }
            let isUnique = rest.hasPrefix("UNIQUE_")
            return NamedIndex(
                entity: number, table: entry.tableName, name: String(isUnique ? rest.dropFirst(7) : rest),
                columns: columns.map { ($0[0].textValue ?? "", $0[1].integerValue == 1) }, isUnique: isUnique)
        }
    }

    // MARK: Spellings

    /// Names in the case of the model, where an index or a trigger has it (5).
    mutating func readSpellings() throws {
        for index in try namedIndexes() { learn(index) }
        for entry in schema where entry.type == "trigger" && entry.name.hasPrefix("Z_DA_") {
            // "Z_DA_ZBEING_Physician_load_PARAMETER_INSERT"
            for (table, columns) in tables where entry.name.hasPrefix("Z_DA_\(table)_") {
                guard let (_, rest) = entity(beginning: entry.name.dropFirst(6 + table.count)) else { continue }
                let name = columns.map { $0.name.dropFirst() }.filter { rest.uppercased().hasPrefix($0 + "_") }
                    .max { $0.count < $1.count }
                guard let name, !name.isEmpty else { continue }
                spellings[table, default: [:]]["Z" + name] = String(rest.prefix(name.count))
            }
        }
    }

    /// Takes the names apart that "a_b", or "SwiftDataIndexOnBinaryab", is made of.
    private mutating func learn(_ index: NamedIndex) {
        let swiftData = "SwiftDataIndexOnBinary"
        let names = index.columns.map { String($0.name.dropFirst()) }
        let isJoined = index.name.hasPrefix(swiftData)
        var rest = Substring(index.name)
        if isJoined { rest = rest.dropFirst(swiftData.count) }
        guard rest.uppercased() == names.joined(separator: isJoined ? "" : "_") else { return }
        for name in names {
            spellings[index.table, default: [:]]["Z" + name] = String(rest.prefix(name.count))
            rest = rest.dropFirst(name.count + (isJoined ? 0 : 1))
        }
    }

    // MARK: Indexes

    /// Adds unique values, indexes and spatial indexes to the entities that have all their properties (11).
    mutating func addIndexes() throws {
        for index in try namedIndexes() {
            let names = index.columns.map { propertyName($0.name, in: index.table) ?? "" }
            let own = names.allSatisfy { owners[$0]?.contains(index.entity) ?? false }
            guard own, !names.isEmpty else { continue }
            if index.isUnique {
                entities[index.entity]?.uniquenessConstraints.append(names)
                continue
            }
            var made = ModelDocument.FetchIndex(name: index.name)
            made.elements = zip(names, index.columns).map {
                .init(property: $0, isAscending: !$1.isDescending)
            }
            entities[index.entity]?.indexes.append(made)
        }
        for entry in schema where entry.type == "table" && entry.name.hasPrefix("Z_RT_") {
            guard entry.sql?.uppercased().contains("USING RTREE") ?? false,
                let (number, name) = entity(beginning: entry.name.dropFirst(5)),
                let table = family.name(family.root(of: number)).map({ "Z" + $0.uppercased() })
            else { continue }
            let bounds = (tables[entry.name] ?? []).dropFirst().filter { $0.name.hasSuffix("_MIN") }
            let names = bounds.map { propertyName(String($0.name.dropLast(4)), in: table) ?? "" }
            guard names.allSatisfy({ name in owners[name]?.contains { family.isKind(number, of: $0) } ?? false }) else {
                continue
            }
            var made = ModelDocument.FetchIndex(name: String(name))
            made.elements = names.map { .init(property: $0, collation: 1) }
            entities[number]?.indexes.append(made)
        }
    }
}
