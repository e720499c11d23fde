// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the mapping of a model with the tables of a database, and collects all differences.

import CoreData
import Foundation
import PostgreSQLDriver

/// Builds the mapped tables of a store (MappedTables-T2).
struct TableComparison {
    let schema: Schema
    let mapping: TableMapping
    let catalog: ServerCatalog
    let ownSchema: String
    var problems: [String] = []
    /// The mapped tables, by the name of the table in the store's schema.
    var tables: [String: MappedTable] = [:]
    /// The sequences of keys, by the index of the root entity.
    private(set) var sequences: [Int: KeyBlocks.Sequence] = [:]

    /// - Parameter schema: the schema of the store without a mapping, which provides the names that the store uses.
    init(_ schema: Schema, _ mapping: TableMapping, _ catalog: ServerCatalog, ownSchema: String) {
        self.schema = schema
        self.mapping = mapping
        self.catalog = catalog
        self.ownSchema = ownSchema
        for entity in schema.entities { if let wish = mapping.entities[entity.layout.name] { add(entity, wish) } }
        for join in schema.joinTables { add(join) }
    }

    // MARK: Entities

    private mutating func add(_ entity: EntityMapping, _ wish: TableMapping.Entity) {
        let name = entity.layout.name
        if entity.layout.superIndex >= 0 {
            let root = schema.model.layouts[entity.layout.rootIndex].name
            problems.append("\(name) is below \(root), and so in its table: leave postgresql.table out")
            return
        }
        let place = wish.schema ?? ownSchema
        guard let table = catalog.table(place, wish.table) else {
            problems.append("\(name): there is no table or view \(place).\(wish.table)")
            return
        }
        guard let key = key(name, wish, table) else { return }
        let version = version(name, wish, table)
        let kind = kind(entity, wish, table)
        let (keys, places) = columnsOfOthers(entity, table, version)
        let family = schema.entities.filter { $0.layout.rootIndex == entity.layout.rootIndex }
        var columns = keys + places
        for member in family {
            // The columns of the superentities are included.
            columns += self.columns(of: member, table, key, without: Set(columns.map(\.name)))
            checkSharing(member, columns, keys + places, kind)
            checkUniqueness(member, columns, table)
        }
        checkOrder(name, places, table)
        let isTable = table.kind == "r" || table.kind == "p"
        var refusal: String?
        if !isTable, version == .none {
            refusal = "\(name) is read from \(place).\(wish.table), which is a view or a foreign table"
        }
        if !isTable, table.kind == "m" { refusal = "\(name) is read from a materialized view" }
        tables[entity.table.name] = MappedTable(
            schema: place, table: wish.table, columns: columns, places: Self.needed(places, table), key: key.name,
            kind: kind, version: version, overridesIdentity: key.isAlwaysIdentity,
            hasDeferrableRules: table.hasDeferrableRules, rules: Self.rules(table), refusal: refusal)
        if let sequence = wish.sequence {
            // As the server parses names: quoted if necessary.
            sequences[entity.layout.rootIndex] = KeyBlocks.Sequence(name: sequence, increment: 1)
        } else if let sequence = table.sequences[key.number] {
            sequences[entity.layout.rootIndex] = KeyBlocks.Sequence(name: sequence.name, increment: 1)
        }
    }

    private mutating func key(_ name: String, _ wish: TableMapping.Entity, _ table: ServerCatalog.Table)
        -> ServerCatalog.Column?
    {
        let place = "\(table.schema).\(table.name)"
        if wish.key == nil, table.key.count != 1 {
            problems.append(
                "\(name): \(place) has "
                    + (table.key.isEmpty ? "no primary key" : "a primary key of \(table.key.count) columns")
                    + "; a key of one column is needed (postgresql.key)")
            return nil
        }
        guard let column = wish.key.map({ table.column($0) }) ?? table.column(table.key[0]) else {
            problems.append("\(name): the key \(wish.key ?? "") is no column of \(place)")
            return nil
        }
        guard ColumnFit(key: column) != nil else {
            problems.append("\(name): the key \(place).\(column.name) is \(column.type), an integer is needed")
            return nil
        }
        if table.kind == "r" || table.kind == "p", !table.isUnique([column.number]) {
            problems.append("\(name): the key \(place).\(column.name) is not unique")
        }
        return column
    }

    private mutating func version(_ name: String, _ wish: TableMapping.Entity, _ table: ServerCatalog.Table)
        -> MappedTable.Version
    {
        guard let version = wish.version else { return table.kind == "r" || table.kind == "p" ? .system : .none }
        guard let column = table.column(version), ColumnFit(key: column) != nil else {
            problems.append(
                "\(name): the version \(version) is "
                    + (table.column(version).map { "\($0.type), an integer is needed" } ?? "no column"))
            return .none
        }
        return .column(column.name)
    }
}
