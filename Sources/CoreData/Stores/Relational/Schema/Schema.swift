// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which table and which columns hold which slot of which entity.

import Foundation

/// How an attribute's value stands in its column.
enum ColumnCoding {
    case integer, boolean, float, double, date, decimal, string, uri, uuid, binary
    /// Data with a first byte that says whether it is here or in a file of its own.
    case externalBinary
    case transformable(AttributeTransform)

    /// nil: attributes of this type have no column.
    init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .floatAttributeType: self = .float
        case .doubleAttributeType: self = .double
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .decimal
        case .stringAttributeType: self = .string
        case .URIAttributeType: self = .uri
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType:
            self = attribute.allowsExternalBinaryDataStorage ? .externalBinary : .binary
        case .transformableAttributeType: self = .transformable(AttributeTransform(attribute))
        default: return nil
        }
    }

    var declaredType: String {
        switch self {
        case .integer, .boolean: "INTEGER"
        case .float, .double: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        case .uuid, .binary, .externalBinary, .transformable: "BLOB"
        }
    }

    /// Columns of a table stand in the order of these groups.
    var group: Int {
        switch self {
        case .integer, .boolean: 0
        case .date, .double, .float: 2
        case .decimal: 3
        case .string: 4
        case .uri: 5
        case .uuid: 6
        case .transformable: 7
        case .binary, .externalBinary: 8
        }
    }
}

struct AttributeColumn {
    var name: String
    var coding: ColumnCoding
}

struct CompositeLeaf {
    /// Names of the elements from the composite inwards.
    var path: [String]
    var column: AttributeColumn
}

struct ToOneColumns {
    var key: String
    /// Holds the number of the destination's entity; nil where the destination has no subentities.
    var entity: String?
}

/// Where the members of a to-many are found.
enum ToManyStorage {
    /// Rows of `table` whose `column` holds the owner's key.
    case column(String, order: String?, table: EntityTable)
    case join(JoinTable, isOwner: Bool)
}

/// Where a slot is kept.
enum SlotStorage {
    case none
    case attribute(AttributeColumn)
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    case toMany(ToManyStorage)
}

/// The table of a root entity and everything below it.
final class EntityTable: @unchecked Sendable {  // immutable once the schema is made
    struct Column {
        var name: String
        var type: String
    }

    let root: EntityLayout
    let name: String
    /// In the order of the file, without the three that every table begins with.
    fileprivate(set) var columns: [Column] = []
    /// Columns with keys of other rows, in the order of their indexes: each has one.
    fileprivate(set) var keyColumns: [String] = []

    let sql: String

    init(root: EntityLayout, name: String) {
        self.root = root
        self.name = name
        sql = SchemaNaming.quoted(name)
    }
}

/// The rows that link two entities, or two objects of one, many to many.
final class JoinTable: @unchecked Sendable {  // immutable once the schema is made
    let name: String
    /// The column that points at the owning side, and the one that points at the other.
    let ownerColumn: String
    let memberColumn: String
    /// Order of the members within an owner, and of the owners within a member.
    let memberOrder: String?
    let ownerOrder: String?
    /// The layouts that declare the two ends, and the slots of the ends.
    let owner: EntityLayout
    let ownerSlot: Int
    let member: EntityLayout
    let memberSlot: Int
    /// A relationship that is its own inverse: a link is kept once in each direction.
    var isReflexive: Bool { owner === member && ownerSlot == memberSlot }

    init(
        name: String, ownerColumn: String, memberColumn: String, memberOrder: String?, ownerOrder: String?,
        owner: EntityLayout, ownerSlot: Int, member: EntityLayout, memberSlot: Int
    ) {
        self.name = name
        self.ownerColumn = ownerColumn
        self.memberColumn = memberColumn
        self.memberOrder = memberOrder
        self.ownerOrder = ownerOrder
        self.owner = owner
        self.ownerSlot = ownerSlot
        self.member = member
        self.memberSlot = memberSlot
    }

    func column(of isOwner: Bool) -> String { SchemaNaming.quoted(isOwner ? ownerColumn : memberColumn) }
    func order(of isOwner: Bool) -> String? { (isOwner ? memberOrder : ownerOrder).map(SchemaNaming.quoted) }
    var sql: String { SchemaNaming.quoted(name) }
}

/// One entity in the store.
final class EntityMapping: @unchecked Sendable {  // immutable once the schema is made
    let layout: EntityLayout
    let table: EntityTable
    /// The entity's number in this store, `Z_ENT` of its rows.
    let number: Int64
    fileprivate(set) var storage: [SlotStorage] = []

    init(layout: EntityLayout, table: EntityTable, number: Int64) {
        self.layout = layout
        self.table = table
        self.number = number
    }
}

/// The tables of one store for the entities that its configuration gives it.
final class Schema: @unchecked Sendable {  // immutable after init
    let model: ModelLayout
    let tables: [EntityTable]
    let joinTables: [JoinTable]
    private let mappings: [EntityMapping?]
    private let layoutsByNumber: [Int64: EntityLayout]

    /// The schema of a new store.
    ///
    /// - Parameter entities: those of the store; nil for all of the model.
    convenience init(model: ModelLayout, entities: Set<String>? = nil) {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var numbers: [Int: Int64] = [:]
        for (position, layout) in layouts.enumerated() { numbers[layout.index] = Int64(position + 1) }
        self.init(SchemaBuild(model: model, layouts: layouts, numbers: numbers, inventory: nil))
    }

    /// The schema of an existing store.
    ///
    /// - Throws: `SchemaMismatch` when a table or column that the model needs is not there.
    convenience init(model: ModelLayout, entities: Set<String>? = nil, in inventory: StoreInventory) throws {
        let layouts = model.layouts.filter { entities?.contains($0.name) ?? true }
        var build = SchemaBuild(
            model: model, layouts: layouts, numbers: try inventory.numbers(of: layouts), inventory: inventory)
        build.run()
        if !build.missing.isEmpty { throw SchemaMismatch(missing: build.missing) }
        self.init(build, isBuilt: true)
    }

    private init(_ build: consuming SchemaBuild, isBuilt: Bool = false) {
        var build = build
        if !isBuilt { build.run() }
        model = build.model
        tables = build.tables
        joinTables = build.joins
        mappings = build.mappings
        layoutsByNumber = Dictionary(
            build.mappings.compactMap { $0.map { ($0.number, $0.layout) } }, uniquingKeysWith: { first, _ in first })
    }

    /// Entities of the store in the order of their numbers.
    var entities: [EntityMapping] { mappings.compactMap { $0 } }

    /// nil for an entity that the store does not hold.
    func mapping(_ layout: EntityLayout) -> EntityMapping? { mappings[layout.index] }
    func mapping(_ index: Int) -> EntityMapping? { mappings.indices.contains(index) ? mappings[index] : nil }
    /// nil for a number that none of the store's entities has.
    func layout(number: Int64) -> EntityLayout? { layoutsByNumber[number] }

    func joinTables(declaredBy layout: EntityLayout) -> [JoinTable] { joinTables.filter { $0.owner === layout } }
}

/// The making of a schema: names first, in the order that decides who gets the plain one, then columns by group.
private struct SchemaBuild {
    let model: ModelLayout
    let layouts: [EntityLayout]
    let numbers: [Int: Int64]
    /// What an existing store has; nil for a new one.
    let inventory: StoreInventory?
    var missing: [String] = []
    var tables: [EntityTable] = []
    var joins: [JoinTable] = []
    var mappings: [EntityMapping?]
    private var tableOfRoot: [Int: EntityTable] = [:]
    private var scopes: [Int: NameScope] = [:]
    private var tableNames = NameScope(reserved: SchemaNaming.reservedTables)
    /// Columns per root and group, in the order they are met.
    private var groups: [Int: [[EntityTable.Column]]] = [:]
    private var keyColumns: [Int: [String]] = [:]
    private var oneWayColumns: [Int: [EntityTable.Column]] = [:]

    init(model: ModelLayout, layouts: [EntityLayout], numbers: [Int: Int64], inventory: StoreInventory?) {
        self.model = model
        self.layouts = layouts
        self.numbers = numbers
        self.inventory = inventory
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
            // One-way keys follow all the integers and to-ones.
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
            let table = EntityTable(root: root, name: tableNames.unique(SchemaNaming.plain(root.name)))
            if let inventory {
                if inventory.tables[table.name] == nil {
                    missing.append("table \(table.name)")
                } else {
                    for column in SchemaNaming.reservedColumns.sorted() { require(column, table.name) }
                }
            }
            tableOfRoot[layout.rootIndex] = table
            tables.append(table)
            scopes[layout.rootIndex] = NameScope(reserved: SchemaNaming.reservedColumns)
            groups[layout.rootIndex] = Array(repeating: [], count: 9)
        }
        guard let table = tableOfRoot[layout.rootIndex] else { return }
        let mapping = EntityMapping(layout: layout, table: table, number: numbers[layout.index] ?? 0)
        let inherited = layout.superIndex >= 0 ? mappings[layout.superIndex]?.storage ?? [] : []
        mapping.storage = inherited + Array(repeating: .none, count: layout.slotCount - inherited.count)
        mappings[layout.index] = mapping
    }

    private mutating func name(_ wanted: String, _ root: Int) -> String {
        let name = scopes[root, default: NameScope()].unique(wanted)
        require(name, tableOfRoot[root]?.name ?? "")
        return name
    }

    /// A name with a number of an entity in it, which is another one in stores that were migrated.
    private mutating func name(_ wanted: String, _ root: Int, prefix: String, suffix: String) -> String {
        let name = scopes[root, default: NameScope()].unique(wanted)
        let table = tableOfRoot[root]?.name ?? ""
        guard let inventory else { return name }
        if let found = inventory.column(name, in: table, prefix: prefix, suffix: suffix.uppercased()) { return found }
        require(name, table)
        return name
    }

    private mutating func require(_ column: String, _ table: String) {
        guard let inventory, inventory.tables[table] != nil, !inventory.has(column, in: table) else { return }
        missing.append("\(table).\(column)")
    }

    private func ownSlots(_ layout: EntityLayout) -> Range<Int> {
        let inherited =
            layout.superIndex >= 0 && mappings[layout.superIndex] != nil
            ? model.layouts[layout.superIndex].slotCount : 0
        return inherited..<layout.slotCount
    }

    private mutating func set(_ storage: SlotStorage, _ slot: Int, _ layout: EntityLayout) {
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
                set(.composite(leaves(of: composite, path: [], root: root)), slot, layout)
            } else if let column = column(attribute, root: root) {
                set(.attribute(column), slot, layout)
            }
        }
        for slot in ownSlots(layout) where layout[slot].kind == .reference && !layout[slot].isTransient {
            addToOne(slot, layout)
        }
    }

    private mutating func column(_ attribute: NSAttributeDescription, root: Int) -> AttributeColumn? {
        guard let coding = ColumnCoding(attribute) else { return nil }
        let column = AttributeColumn(name: name(SchemaNaming.plain(attribute.name), root), coding: coding)
        groups[root]?[coding.group].append(.init(name: column.name, type: coding.declaredType))
        return column
    }

    private mutating func leaves(of composite: NSCompositeAttributeDescription, path: [String], root: Int)
        -> [CompositeLeaf]
    {
        var result: [CompositeLeaf] = []
        for element in composite.elements {
            if let nested = element as? NSCompositeAttributeDescription {
                result += leaves(of: nested, path: path + [element.name], root: root)
            } else if let column = column(element, root: root) {
                result.append(CompositeLeaf(path: path + [element.name], column: column))
            }
        }
        return result
    }

    private mutating func addToOne(_ slot: Int, _ layout: EntityLayout) {
        let root = layout.rootIndex
        let relationship = layout.properties[slot].name
        let key = name(SchemaNaming.plain(relationship), root)
        groups[root]?[0].append(.init(name: key, type: "INTEGER"))
        keyColumns[root, default: []].append(key)
        var entity: String?
        if layout[slot].isPolymorphic {
            let target = model.layouts[Int(layout[slot].destination)]
            let column = name(
                SchemaNaming.discriminator(relationship, root: numbers[target.rootIndex] ?? 0), root, prefix: "Z",
                suffix: "_" + relationship)
            groups[root]?[0].append(.init(name: column, type: "INTEGER"))
            entity = column
        }
        set(.toOne(ToOneColumns(key: key, entity: entity)), slot, layout)
    }

    /// A to-many without an inverse: its key is in the table of the members.
    private mutating func addOneWayColumns(_ layout: EntityLayout) {
        for slot in ownSlots(layout) where layout[slot].kind == .toMany && layout[slot].inverse < 0 {
            guard !layout[slot].isTransient, let destination = mappings[Int(layout[slot].destination)] else { continue }
            let root = destination.layout.rootIndex
            let relationship = layout.properties[slot].name
            let key = name(
                SchemaNaming.oneWay(relationship, source: numbers[layout.index] ?? 0), root, prefix: "Z",
                suffix: relationship)
            oneWayColumns[root, default: []].append(.init(name: key, type: "INTEGER"))
            var order: String?
            if layout.relationship(slot)?.isOrdered == true {
                let column = name(SchemaNaming.order(key), root)
                groups[root]?[1].append(.init(name: column, type: "INTEGER"))
                order = column
            }
            set(.toMany(.column(key, order: order, table: destination.table)), slot, layout)
        }
    }

    /// To-manys whose inverse is a to-one: sorted by the name of the to-many, as Apple's tables have their order keys.
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
                let column = name(SchemaNaming.order(columns.key), root)
                groups[root]?[1].append(.init(name: column, type: "INTEGER"))
                order = column
            }
            set(.toMany(.column(columns.key, order: order, table: mapping.table)), slot, layout)
        }
    }

    // MARK: Many to many

    private struct End: Hashable {
        var layout: Int
        var slot: Int
    }

    private mutating func addJoinTables() {
        var columnNames = NameScope()
        /// The column that points at the entity which declares an end.
        var columns: [End: String] = [:]
        var ends: [End] = []
        for layout in layouts {
            for slot in ownSlots(layout).sorted(by: { one, other in
                layout.properties[one].name.utf8.lexicographicallyPrecedes(layout.properties[other].name.utf8)
            }) where layout[slot].kind == .toMany && layout[slot].inverse >= 0 && !layout[slot].isTransient {
                guard let destination = mappings[Int(layout[slot].destination)],
                    destination.layout[Int(layout[slot].inverse)].kind == .toMany
                else { continue }
                let inverse = destination.layout.properties[Int(layout[slot].inverse)].name
                let end = End(layout: layout.index, slot: slot)
                ends.append(end)
                columns[end] = columnNames.unique(
                    SchemaNaming.join(inverse, owner: numbers[layout.index] ?? 0))
            }
        }
        for end in ends {
            let layout = model.layouts[end.layout]
            let other = declaringEnd(Int(layout[end.slot].destination), Int(layout[end.slot].inverse))
            guard isOwner(end, other), let ownerColumn = columns[end], let otherColumn = columns[other] else {
                continue
            }
            addJoin(end, other, ownerColumn: ownerColumn, memberColumn: end == other ? "REFLEXIVE" : otherColumn)
        }
    }

    private func declaringEnd(_ index: Int, _ slot: Int) -> End {
        var layout = model.layouts[index]
        while layout.superIndex >= 0, mappings[layout.superIndex] != nil,
            slot < model.layouts[layout.superIndex].slotCount
        {
            layout = model.layouts[layout.superIndex]
        }
        return End(layout: layout.index, slot: slot)
    }

    /// An entity with subentities owns a join table before one without; the lower number otherwise. Within one entity it is
    /// the relationship whose name comes last.
    private func isOwner(_ end: End, _ other: End) -> Bool {
        if end == other { return true }
        let (one, two) = (model.layouts[end.layout], model.layouts[other.layout])
        if one === two {
            return two.properties[other.slot].name.utf8.lexicographicallyPrecedes(one.properties[end.slot].name.utf8)
        }
        if one.hasSubentities != two.hasSubentities { return one.hasSubentities }
        return numbers[one.index] ?? 0 < numbers[two.index] ?? 0
    }

    private mutating func addJoin(_ end: End, _ other: End, ownerColumn: String, memberColumn: String) {
        let (owner, member) = (model.layouts[end.layout], model.layouts[other.layout])
        let isReflexive = end == other
        var name = tableNames.unique(
            SchemaNaming.join(owner.properties[end.slot].name, owner: numbers[owner.index] ?? 0))
        var (ownerColumn, memberColumn) = (ownerColumn, memberColumn)
        if let found = existingJoin(name, ownerColumn, memberColumn, end, other) {
            (name, ownerColumn, memberColumn) = found
        } else if inventory != nil {
            missing.append("table \(name)")
        }
        let table = JoinTable(
            name: name, ownerColumn: ownerColumn, memberColumn: memberColumn,
            memberOrder: owner.relationship(end.slot)?.isOrdered == true ? SchemaNaming.order(memberColumn) : nil,
            ownerOrder: !isReflexive && member.relationship(other.slot)?.isOrdered == true
                ? SchemaNaming.order(ownerColumn) : nil,
            owner: owner, ownerSlot: end.slot, member: member, memberSlot: other.slot)
        if inventory?.tables[name] != nil {
            for column in [table.memberOrder, table.ownerOrder].compactMap({ $0 }) { require(column, name) }
        }
        joins.append(table)
        set(.toMany(.join(table, isOwner: true)), end.slot, owner)
        if !isReflexive { set(.toMany(.join(table, isOwner: false)), other.slot, member) }
    }

    /// The join table of a store as it is: expected under one name, it may have that of the other end, or other numbers.
    private func existingJoin(_ name: String, _ ownerColumn: String, _ memberColumn: String, _ end: End, _ other: End)
        -> (String, String, String)?
    {
        guard let inventory else { return nil }
        if let columns = inventory.tables[name], columns.contains(ownerColumn), columns.contains(memberColumn) {
            return (name, ownerColumn, memberColumn)
        }
        let relationship = model.layouts[end.layout].properties[end.slot].name.uppercased()
        let inverse = model.layouts[other.layout].properties[other.slot].name.uppercased()
        func matches(_ name: String, _ suffix: String) -> Bool {
            StoreInventory.matches(name, prefix: "Z_", suffix: suffix)
        }
        for (table, columns) in inventory.tables.sorted(by: { $0.key < $1.key })
        where matches(table, relationship) || matches(table, inverse) {
            // The column towards the owner bears the name of the inverse, and the other way round.
            let owner = columns.first { $0 == ownerColumn } ?? columns.first { matches($0, inverse) }
            let member =
                columns.first { $0 == memberColumn }
                ?? columns.first { $0 != owner && matches($0, relationship) }
            if let owner, let member, owner != member { return (table, owner, member) }
        }
        return nil
    }
}
