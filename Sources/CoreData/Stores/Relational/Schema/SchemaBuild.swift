// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps the entities of a model to tables and columns, with Apple's names and order.

import Foundation

/// Builds a schema: assigns names first, in the order that decides between equal names, then columns by group.
struct SchemaBuild {
    let model: ModelLayout
    let layouts: [EntityLayout]
    let numbers: [Int: Int64]
    /// The tables of an existing store; nil for a new one.
    let inventory: StoreInventory?
    /// The names of join tables to keep from another store; nil to keep no names.
    let naming: JoinNaming?
    let dialect: any Dialect
    let names: any SchemaNames
    var missing: [String] = []
    var tables: [EntityTable] = []
    var joins: [JoinTable] = []
    var mappings: [EntityMapping?]
    private var tableOfRoot: [Int: EntityTable] = [:]
    private var scopes: [Int: NameScope] = [:]
    var tableNames: NameScope
    /// Columns by root and group, in the order of their first occurrence.
    private var groups: [Int: [[EntityTable.Column]]] = [:]
    private var keyColumns: [Int: [String]] = [:]
    private var oneWayColumns: [Int: [EntityTable.Column]] = [:]

    init(
        model: ModelLayout, layouts: [EntityLayout], numbers: [Int: Int64], inventory: StoreInventory?,
        naming: JoinNaming?, dialect: any Dialect
    ) {
        self.model = model
        self.layouts = layouts
        self.numbers = numbers
        self.inventory = inventory
        self.naming = naming
        self.dialect = dialect
        names = dialect.names
        tableNames = NameScope(reserved: names.reservedTables, limit: names.limited)
        mappings = Array(repeating: nil, count: model.layouts.count)
    }

    mutating func run() {
        for layout in layouts { addMapping(layout) }
        for layout in layouts { addOwnColumns(layout) }
        for layout in layouts { addOneWayColumns(layout) }
        addOrderColumns()
        addJoinTables()
        for table in tables {
            let root = table.root.index
            var columns = groups[root] ?? []
            // One-way keys follow all integers and to-one columns.
            if !columns.isEmpty { columns[0] += oneWayColumns[root] ?? [] }
            table.columns = columns.flatMap { $0 }
            table.keyColumns =
                (keyColumns[root] ?? []).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                + (oneWayColumns[root] ?? []).map(\.name)
        }
    }

    private mutating func addMapping(_ layout: EntityLayout) {
        if tableOfRoot[layout.rootIndex] == nil {
            let root = model.layouts[layout.rootIndex]
            let table = EntityTable(root: root, name: tableNames.unique(names.table(root)), dialect: dialect)
            if let inventory {
                if inventory.tables[table.name] == nil {
                    missing.append("table \(table.name)")
                } else {
                    for column in names.reservedColumns.sorted() { require(column, table.name) }
                }
            }
            tableOfRoot[layout.rootIndex] = table
            tables.append(table)
            scopes[layout.rootIndex] = NameScope(reserved: names.reservedColumns, limit: names.limited)
            groups[layout.rootIndex] = Array(repeating: [], count: 9)
        }
        guard let table = tableOfRoot[layout.rootIndex] else { return }
        let mapping = EntityMapping(layout: layout, table: table, number: numbers[layout.index] ?? 0)
        let inherited = layout.superIndex >= 0 ? mappings[layout.superIndex]?.storage ?? [] : []
        mapping.storage = inherited + Array(repeating: .none, count: layout.slotCount - inherited.count)
        mappings[layout.index] = mapping
    }

    private mutating func name(_ wanted: String, _ root: Int) -> String {
        let limit = names.limited
        let name = scopes[root, default: NameScope(limit: limit)].unique(wanted)
        require(name, tableOfRoot[root]?.name ?? "")
        return name
    }

    /// Finds a name that contains the number of an entity, which differs in migrated stores.
    private mutating func name(_ wanted: String, _ root: Int, prefix: String, suffix: String) -> String {
        let limit = names.limited
        let name = scopes[root, default: NameScope(limit: limit)].unique(wanted)
        let table = tableOfRoot[root]?.name ?? ""
        guard let inventory else { return name }
        if let found = inventory.column(name, in: table, prefix: prefix, suffix: suffix.uppercased()) { return found }
        require(name, table)
        return name
    }

    mutating func require(_ column: String, _ table: String) {
        guard let inventory, inventory.tables[table] != nil, !inventory.has(column, in: table) else { return }
        missing.append("\(table).\(column)")
    }

    func ownSlots(_ layout: EntityLayout) -> Range<Int> {
        let inherited =
            layout.superIndex >= 0 && mappings[layout.superIndex] != nil
            ? model.layouts[layout.superIndex].slotCount : 0
        return inherited..<layout.slotCount
    }

    mutating func set(_ storage: SlotStorage, _ slot: Int, _ layout: EntityLayout) {
        for index in layout.familyIndexes {
            guard let mapping = mappings[index] else { continue }
            mapping.storage[slot] = storage
        }
    }

    private mutating func addOwnColumns(_ layout: EntityLayout) {
        let root = layout.rootIndex
        for slot in ownSlots(layout) where !layout[slot].isTransient {
            guard let attribute = layout.attribute(slot) else { continue }
            if let composite = attribute as? NSCompositeAttributeDescription {
                set(.composite(leaves(of: composite, path: [], in: [composite.name], root: root)), slot, layout)
            } else if let column = column(attribute, as: names.column(attribute.name), root: root) {
                set(.attribute(column), slot, layout)
            }
        }
        for slot in ownSlots(layout) where layout[slot].kind == .reference && !layout[slot].isTransient {
            addToOne(slot, layout)
        }
    }

    private mutating func column(_ attribute: NSAttributeDescription, as wanted: String, root: Int) -> AttributeColumn?
    {
        guard let coding = ColumnCoding(attribute) else { return nil }
        let column = AttributeColumn(name: name(wanted, root), coding: coding)
        let type = dialect.columnType(attribute, coding)
        groups[root]?[coding.group].append(.init(name: column.name, type: type))
        return column
    }

    /// - Parameters:
    ///   - path: the names of the nested elements down to the composite.
    ///   - outer: the same, starting at the attribute of the entity.
    private mutating func leaves(
        of composite: NSCompositeAttributeDescription, path: [String], in outer: [String], root: Int
    ) -> [CompositeLeaf] {
        var result: [CompositeLeaf] = []
        for element in composite.elements {
            if let nested = element as? NSCompositeAttributeDescription {
                result += leaves(
                    of: nested, path: path + [element.name], in: outer + [element.name], root: root)
            } else if let column = column(element, as: names.element(outer + [element.name]), root: root) {
                result.append(CompositeLeaf(path: path + [element.name], column: column))
            }
        }
        return result
    }

    private mutating func addToOne(_ slot: Int, _ layout: EntityLayout) {
        let root = layout.rootIndex
        let relationship = layout.properties[slot].name
        let key = name(names.toOne(relationship), root)
        let type = dialect.keyType
        groups[root]?[0].append(.init(name: key, type: type))
        keyColumns[root, default: []].append(key)
        var entity: String?
        if layout[slot].isPolymorphic {
            let target = model.layouts[Int(layout[slot].destination)]
            let column = name(
                names.destinationEntity(relationship, root: numbers[target.rootIndex] ?? 0), root, prefix: "Z",
                suffix: "_" + relationship)
            let type = dialect.entityType
            groups[root]?[0].append(.init(name: column, type: type))
            entity = column
        }
        set(.toOne(ToOneColumns(key: key, entity: entity)), slot, layout)
    }

    /// A to-many relationship without an inverse: its key is in the table of the members.
    private mutating func addOneWayColumns(_ layout: EntityLayout) {
        for slot in ownSlots(layout) where layout[slot].kind == .toMany && layout[slot].inverse < 0 {
            guard !layout[slot].isTransient, let destination = mappings[Int(layout[slot].destination)] else { continue }
            let root = destination.layout.rootIndex
            let relationship = layout.properties[slot].name
            if let key = sharedKey(slot, layout, destination) {
                set(.toMany(.column(key, order: nil, table: destination.table)), slot, layout)
                continue
            }
            let key = name(
                names.oneWay(relationship, source: layout, number: numbers[layout.index] ?? 0), root, prefix: "Z",
                suffix: relationship)
            let type = dialect.keyType
            oneWayColumns[root, default: []].append(.init(name: key, type: type))
            var order: String?
            if layout.relationship(slot)?.isOrdered == true {
                let column = name(names.order(key), root)
                let type = dialect.orderType
                groups[root]?[1].append(.init(name: column, type: type))
                order = column
            }
            set(.toMany(.column(key, order: order, table: destination.table)), slot, layout)
        }
    }

    /// The key column of a to-one relationship that a to-many relationship names as its inverse although it has a
    /// different one. A file without a separate key for the to-many relationship stores its members there.
    private func sharedKey(_ slot: Int, _ layout: EntityLayout, _ destination: EntityMapping) -> String? {
        guard let inventory, let relationship = layout.relationship(slot), !relationship.isOrdered,
            let inverse = relationship.inverseRelationship, !inverse.isToMany,
            let back = destination.layout.slot(inverse.name), case .toOne(let columns) = destination.storage[back]
        else { return nil }
        let own = names.oneWay(relationship.name, source: layout, number: numbers[layout.index] ?? 0)
        let found = inventory.column(
            own, in: destination.table.name, prefix: "Z", suffix: relationship.name.uppercased())
        return found == nil ? columns.key : nil
    }

    /// To-many relationships with a to-one inverse, sorted by name: the order of the order keys in Apple's tables.
    private mutating func addOrderColumns() {
        var ends: [(layout: EntityLayout, slot: Int)] = []
        for layout in layouts {
            for slot in ownSlots(layout) where layout[slot].kind == .toMany && layout[slot].inverse >= 0 {
                ends.append((layout, slot))
            }
        }
        ends.sort {
            $1.layout.properties[$1.slot].name.utf8.lexicographicallyPrecedes($0.layout.properties[$0.slot].name.utf8)
        }
        for (layout, slot) in ends {
            let destination = Int(layout[slot].destination)
            guard let mapping = mappings[destination], !layout[slot].isTransient,
                mapping.layout[Int(layout[slot].inverse)].kind == .reference,
                case .toOne(let columns) = mapping.storage[Int(layout[slot].inverse)]
            else { continue }
            var order: String?
            if layout.relationship(slot)?.isOrdered == true {
                let root = mapping.layout.rootIndex
                let column = name(names.order(columns.key), root)
                let type = dialect.orderType
                groups[root]?[1].append(.init(name: column, type: type))
                order = column
            }
            set(.toMany(.column(columns.key, order: order, table: mapping.table)), slot, layout)
        }
    }
}
