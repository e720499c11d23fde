// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the mapping of a model with the tables of a database, and finds all differences.

import CoreData
import Foundation
import PostgreSQLDriver

/// Makes the mapped tables of a store (MappedTables-T2).
struct TableComparison {
    private let schema: Schema
    private let mapping: TableMapping
    private let catalog: ServerCatalog
    private let ownSchema: String
    private(set) var problems: [String] = []
    /// By the name of the table in the store's schema.
    private(set) var tables: [String: MappedTable] = [:]
    /// The sequences of keys, by the index of the root entity.
    private(set) var sequences: [Int: KeyBlocks.Sequence] = [:]

    /// - Parameter schema: of the store without a mapping: it has the names that the store uses.
    init(_ schema: Schema, _ mapping: TableMapping, _ catalog: ServerCatalog, ownSchema: String) {
        self.schema = schema
        self.mapping = mapping
        self.catalog = catalog
        self.ownSchema = ownSchema
        for entity in schema.entities { if let wish = mapping.entities[entity.layout.name] { add(entity, wish) } }
        for join in schema.joinTables { add(join) }
    }

    /// The schemas that the mapping names.
    static func schemas(_ mapping: TableMapping, ownSchema: String) -> [String] {
        let all = mapping.entities.values.flatMap { entity in
            [entity.schema ?? ownSchema] + entity.properties.values.compactMap { $0.schema }
        }
        return Set(all).sorted()
    }

    // MARK: Entities

    private mutating func add(_ entity: EntityMapping, _ wish: TableMapping.Entity) {
        let name = entity.layout.name
        if entity.layout.hasSubentities || entity.layout.superIndex >= 0 {
            problems.append("\(name) has a superentity or subentities: each mapped table holds one entity")
            return
        }
        let place = wish.schema ?? ownSchema
        guard let table = catalog.table(place, wish.table) else {
            problems.append("\(name): there is no table or view \(place).\(wish.table)")
            return
        }
        guard let key = key(name, wish, table) else { return }
        let version = version(name, wish, table)
        var columns: [MappedTable.Column] = []
        for (slot, storage) in entity.storage.enumerated() {
            let property = entity.layout.properties[slot]
            switch storage {
            case .attribute(let column):
                add(column, property, property.name, entity, wish, table, key, to: &columns)
            case .composite(let leaves):
                for leaf in leaves {
                    let path = ([property.name] + leaf.path).joined(separator: ".")
                    add(leaf.column, property, path, entity, wish, table, key, to: &columns)
                }
            case .toOne(let names):
                addKey(
                    names.key, property.name, wish.properties[property.name]?.column, entity, slot, table, to: &columns)
            case .none, .toMany: break
            }
        }
        columns += keysOfOthers(entity, table)
        for (place, group) in Dictionary(grouping: columns, by: \.place).sorted(by: { $0.key < $1.key })
        where group.count > 1 {
            let properties = group.map(\.property).sorted().joined(separator: " and ")
            problems.append("\(name): \(properties) cannot share the column \(wish.table).\(place)")
        }
        checkUniqueness(entity, columns, table)
        let isTable = table.kind == "r" || table.kind == "p"
        var refusal: String?
        if !isTable, version == .none {
            refusal = "\(name) is read from \(place).\(wish.table), which is a view or a foreign table"
        }
        if !isTable, table.kind == "m" { refusal = "\(name) is read from a materialized view" }
        tables[entity.table.name] = MappedTable(
            schema: place, table: wish.table, columns: columns, key: key.name, version: version,
            overridesIdentity: key.isAlwaysIdentity, rules: Self.rules(table), refusal: refusal)
        if let sequence = wish.sequence {
            // As the server reads names: quoted where they need it.
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

    // MARK: Columns

    private mutating func add(
        _ column: AttributeColumn, _ property: NSPropertyDescription, _ path: String, _ entity: EntityMapping,
        _ wish: TableMapping.Entity, _ table: ServerCatalog.Table, _ key: ServerCatalog.Column,
        to columns: inout [MappedTable.Column]
    ) {
        let subject = "\(entity.layout.name).\(path)"
        let wanted = wish.properties[path]
        let usual = path.split(separator: ".").map { SnakeNames.snake(String($0)) }.joined(separator: "_")
        guard let found = found(wanted?.column ?? usual, subject, table) else { return }
        if found.number == key.number {
            problems.append("\(subject): \(found.name) is the key, which is part of the object's id and no attribute")
            return
        }
        if let type = wanted?.type, type != found.type {
            problems.append("\(subject): the column \(found.name) is \(found.type), not \(type)")
            return
        }
        let attribute = Self.attribute(property, path)
        let bits =
            switch attribute?.attributeType {
            case .integer16AttributeType?: 16
            case .integer32AttributeType?: 32
            default: 64
            }
        guard let fit = ColumnFit(column.coding, bits: bits, found) else {
            problems.append(
                "\(subject) of type \(attribute?.attributeType.displayName ?? "unknown") does not fit the column "
                    + "\(table.name).\(found.name) of type \(found.type)\(found.isGenerated ? ", which is generated" : "")"
            )
            return
        }
        columns.append(Self.column(column.name, found, fit, path))
    }

    private static func attribute(_ property: NSPropertyDescription, _ path: String) -> NSAttributeDescription? {
        var current = property as? NSAttributeDescription
        for name in path.split(separator: ".").dropFirst() {
            current = (current as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
        return current
    }

    private static func column(_ name: String, _ found: ServerCatalog.Column, _ fit: ColumnFit, _ property: String)
        -> MappedTable.Column
    {
        let substitute = found.defaultText.map { "CAST(\($0) AS \(found.plainType))" }
        let sortsOtherwise = found.collation.map { !["C", "POSIX", "ucs_basic"].contains($0) } ?? false
        return MappedTable.Column(
            name: name, place: found.name, type: found.type, fit: fit,
            isNotNull: found.isNotNull, substitute: found.isNotNull ? substitute : nil, length: found.length,
            sortsOtherwise: sortsOtherwise, property: property)
    }

    private mutating func found(_ name: String, _ subject: String, _ table: ServerCatalog.Table)
        -> ServerCatalog.Column?
    {
        if let column = table.column(name) { return column }
        problems.append("\(subject): there is no column \(table.schema).\(table.name).\(name)")
        return nil
    }

    /// A foreign key, or a column that is used as one.
    private mutating func addKey(
        _ name: String, _ property: String, _ wanted: String?, _ entity: EntityMapping, _ slot: Int,
        _ table: ServerCatalog.Table, to columns: inout [MappedTable.Column]
    ) {
        let subject = "\(entity.layout.name).\(property)"
        guard let found = found(wanted ?? SnakeNames.snake(property) + "_id", subject, table) else { return }
        guard let fit = ColumnFit(key: found) else {
            problems.append("\(subject): the column \(table.name).\(found.name) is \(found.type), a key is an integer")
            return
        }
        let destination = schema.model.layouts[Int(entity.layout[slot].destination)]
        check(subject, found, leadsTo: destination, table)
        columns.append(Self.column(name, found, fit, property))
    }

    /// A foreign key that is declared must lead to the key of the destination's table.
    private mutating func check(
        _ subject: String, _ column: ServerCatalog.Column, leadsTo destination: EntityLayout,
        _ table: ServerCatalog.Table
    ) {
        guard let wish = mapping.entities[destination.name],
            let target = catalog.table(wish.schema ?? ownSchema, wish.table)
        else { return }
        let key = wish.key.flatMap { target.column($0)?.number } ?? target.key.first
        for rule in table.constraints where rule.kind == .foreign && rule.columns == [column.number] {
            if rule.destination == target.oid, rule.destinationColumns.first == key { continue }
            let other = catalog.tables[rule.destination].map { "\($0.schema).\($0.name)" } ?? "another table"
            problems.append(
                "\(subject): \(column.name) leads to "
                    + (rule.destination == target.oid ? "another column than the key of \(target.name)" : other)
                    + ", the relationship to \(destination.name)")
        }
    }

    /// The keys and places of to-many relationships to this table.
    private mutating func keysOfOthers(_ entity: EntityMapping, _ table: ServerCatalog.Table) -> [MappedTable.Column] {
        var result: [MappedTable.Column] = []
        for owner in schema.entities {
            for slot in owner.layout.toManySlots {
                guard case .toMany(.column(let key, let order, let members)) = owner.storage[slot],
                    members === entity.table
                else { continue }
                let property = owner.layout.properties[slot].name
                let subject = "\(owner.layout.name).\(property)"
                let wish = mapping.entities[owner.layout.name]?.properties[property]
                if owner.layout[slot].inverse < 0, !result.contains(where: { $0.name == key }) {
                    let usual = "\(SnakeNames.snake(owner.layout.name))_\(SnakeNames.snake(property))_id"
                    if let found = found(wish?.column ?? usual, subject, table), let fit = ColumnFit(key: found) {
                        result.append(Self.column(key, found, fit, property))
                    }
                }
                guard let order else { continue }
                guard let place = wish?.order else {
                    problems.append("\(subject) is ordered: name the column with the places (postgresql.order)")
                    continue
                }
                if let found = found(place, subject, table), let fit = ColumnFit(key: found) {
                    result.append(Self.column(order, found, fit, property))
                }
            }
        }
        return result
    }

    private mutating func checkUniqueness(
        _ entity: EntityMapping, _ columns: [MappedTable.Column], _ table: ServerCatalog.Table
    ) {
        guard table.kind == "r" || table.kind == "p" else { return }
        for rule in entity.layout.uniquenessRules(schema.model) {
            let places = rule.names.compactMap { name in columns.first { $0.property == name } }
            let numbers = places.compactMap { table.column($0.place)?.number }
            if numbers.count == rule.names.count, table.isUnique(numbers) { continue }
            problems.append(
                "\(entity.layout.name): nothing in \(table.schema).\(table.name) keeps "
                    + "\(rule.names.joined(separator: ", ")) unique")
        }
    }

    private static func rules(_ table: ServerCatalog.Table) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for index in table.indexes { result[index.name] = index.columns.compactMap { table.column($0)?.name } }
        for rule in table.constraints { result[rule.name] = rule.columns.compactMap { table.column($0)?.name } }
        return result
    }

    // MARK: Join tables

    private mutating func add(_ join: JoinTable) {
        let ends = [(join.owner, join.ownerSlot), (join.member, join.memberSlot)].map { layout, slot in
            let name = layout.properties[slot].name
            return (
                subject: "\(layout.name).\(name)", property: name, layout: layout,
                entity: mapping.entities[layout.name], wish: mapping.entities[layout.name]?.properties[name]
            )
        }
        guard let named = ends.first(where: { $0.wish?.table != nil }), let name = named.wish?.table else { return }
        let place = named.wish?.schema ?? named.entity?.schema ?? ownSchema
        guard let table = catalog.table(place, name) else {
            problems.append("\(named.subject): there is no table \(place).\(name)")
            return
        }
        var columns: [MappedTable.Column] = []
        if join.isReflexive {
            problems.append("\(named.subject) is its own inverse, which a mapped join table cannot hold")
            return
        }
        let names = [join.ownerColumn, join.memberColumn]
        for (end, name) in zip(ends, names) {
            guard let wanted = end.wish?.column else {
                problems.append(
                    "\(end.subject): name the column of \(place).\(table.name) with the key of \(end.layout.name) "
                        + "(postgresql.column)")
                continue
            }
            guard let found = found(wanted, end.subject, table) else { continue }
            guard let fit = ColumnFit(key: found) else {
                problems.append("\(end.subject): the column \(found.name) is \(found.type), a key is an integer")
                continue
            }
            check(end.subject, found, leadsTo: end.layout, table)
            columns.append(Self.column(name, found, fit, end.property))
        }
        for (end, order) in zip(ends, [join.memberOrder, join.ownerOrder]) {
            guard let order else { continue }
            guard let wanted = end.wish?.order, let found = found(wanted, end.subject, table),
                let fit = ColumnFit(key: found)
            else {
                problems.append("\(end.subject) is ordered: name an integer column with the places (postgresql.order)")
                continue
            }
            columns.append(Self.column(order, found, fit, end.property))
        }
        tables[join.name] = MappedTable(
            schema: place, table: table.name, columns: columns, key: nil, version: .none, overridesIdentity: false,
            rules: Self.rules(table),
            refusal: table.kind == "r" || table.kind == "p" ? nil : "\(place).\(table.name) is no table")
    }
}
