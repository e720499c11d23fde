// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the properties of an entity with the columns of a table.

import CoreData
import Foundation

extension TableComparison {
    /// The columns of attributes and to-ones.
    ///
    /// - Parameter known: the columns of the store's schema that are already found.
    mutating func columns(
        of entity: EntityMapping, _ table: ServerCatalog.Table, _ key: ServerCatalog.Column, without known: Set<String>
    ) -> [MappedTable.Column] {
        var columns: [MappedTable.Column] = []
        for (slot, storage) in entity.storage.enumerated() {
            let property = entity.layout.properties[slot]
            switch storage {
            case .attribute(let column) where !known.contains(column.name):
                add(column, property, property.name, entity, table, key, to: &columns)
            case .composite(let leaves):
                for leaf in leaves where !known.contains(leaf.column.name) {
                    let path = ([property.name] + leaf.path).joined(separator: ".")
                    add(leaf.column, property, path, entity, table, key, to: &columns)
                }
            case .toOne(let names) where !known.contains(names.key):
                addKey(names, property.name, entity, slot, table, to: &columns)
            case .none, .toMany, .attribute, .toOne: break
            }
        }
        return columns
    }

    private mutating func add(
        _ column: AttributeColumn, _ property: NSPropertyDescription, _ path: String, _ entity: EntityMapping,
        _ table: ServerCatalog.Table, _ key: ServerCatalog.Column, to columns: inout [MappedTable.Column]
    ) {
        let subject = "\(entity.layout.name).\(path)"
        let wanted = mapping.property(entity.layout.name, path)
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

    static func column(
        _ name: String, _ found: ServerCatalog.Column, _ fit: ColumnFit, _ property: String,
        kind: MappedTable.Column.KindSource? = nil
    ) -> MappedTable.Column {
        let substitute = found.defaultText.map { "CAST(\($0) AS \(found.type))" }
        let sortsOtherwise = found.collation.map { !["C", "POSIX", "ucs_basic"].contains($0) } ?? false
        return MappedTable.Column(
            name: name, place: found.name, type: found.type, fit: fit,
            isNotNull: found.isNotNull, substitute: found.isNotNull ? substitute : nil, length: found.length,
            sortsOtherwise: sortsOtherwise, property: property, kind: kind)
    }

    mutating func found(_ name: String, _ subject: String, _ table: ServerCatalog.Table)
        -> ServerCatalog.Column?
    {
        if let column = table.column(name) { return column }
        problems.append("\(subject): there is no column \(table.schema).\(table.name).\(name)")
        return nil
    }

    /// Adds a foreign key, or a column that is used like one.
    private mutating func addKey(
        _ names: ToOneColumns, _ property: String, _ entity: EntityMapping, _ slot: Int, _ table: ServerCatalog.Table,
        to columns: inout [MappedTable.Column]
    ) {
        let subject = "\(entity.layout.name).\(property)"
        let wanted = mapping.property(entity.layout.name, property)?.column
        guard let found = found(wanted ?? SnakeNames.snake(property) + "_id", subject, table) else { return }
        guard let fit = ColumnFit(key: found) else {
            problems.append("\(subject): the column \(table.name).\(found.name) is \(found.type), a key is an integer")
            return
        }
        let destination = schema.model.layouts[Int(entity.layout[slot].destination)]
        check(subject, found, leadsTo: destination, table)
        // The entity of the destination is read from its row (MappedTables-W2).
        let kind = names.entity.flatMap { name in
            schema.mapping(destination).map { MappedTable.Column.KindSource(name: name, table: $0.table.name) }
        }
        columns.append(Self.column(names.key, found, fit, property, kind: kind))
    }

    /// A declared foreign key must refer to the key of the destination's table.
    mutating func check(
        _ subject: String, _ column: ServerCatalog.Column, leadsTo destination: EntityLayout,
        _ table: ServerCatalog.Table
    ) {
        guard let wish = mapping.entities[root(of: destination).name],
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

    /// The keys and order keys of to-many relationships to this table, from mapped and other entities.
    mutating func columnsOfOthers(
        _ entity: EntityMapping, _ table: ServerCatalog.Table, _ version: MappedTable.Version
    ) -> (keys: [MappedTable.Column], places: [MappedTable.Column]) {
        var (keys, places): ([MappedTable.Column], [MappedTable.Column]) = ([], [])
        for owner in schema.entities {
            for slot in owner.layout.toManySlots {
                guard case .toMany(.column(let key, let order, let members)) = owner.storage[slot],
                    members === entity.table
                else { continue }
                let property = owner.layout.properties[slot].name
                let subject = "\(owner.layout.name).\(property)"
                let wish = mapping.property(owner.layout.name, property)
                if owner.layout[slot].inverse < 0, !keys.contains(where: { $0.name == key }) {
                    let usual = "\(SnakeNames.snake(owner.layout.name))_\(SnakeNames.snake(property))_id"
                    if version == .system {
                        // Removing a link gives its row a new version, so the save would conflict with itself.
                        problems.append(
                            "\(subject) has no inverse: the rows of \(table.schema).\(table.name) need a column with "
                                + "a version (postgresql.version)")
                    } else if let found = found(wish?.column ?? usual, subject, table), let fit = ColumnFit(key: found)
                    {
                        keys.append(Self.column(key, found, fit, property))
                    }
                }
                guard let order, !places.contains(where: { $0.name == order }) else { continue }
                guard let place = wish?.order else {
                    problems.append("\(subject) is ordered: name the column with the places (postgresql.order)")
                    continue
                }
                if let place = self.place(place, order, subject, property, table) { places.append(place) }
            }
        }
        return (keys, places)
    }

    mutating func checkUniqueness(
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

    static func rules(_ table: ServerCatalog.Table) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for index in table.indexes { result[index.name] = index.columns.compactMap { table.column($0)?.name } }
        for rule in table.constraints { result[rule.name] = rule.columns.compactMap { table.column($0)?.name } }
        return result
    }
}
