// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the tables and columns of a store by entities and properties, for tools that read and repair rows with SQL.

import CoreDataFoundation
import Foundation
package import SQLiteDriver

/// The columns of a model's properties in an existing SQLite store. Called by the command line.
///
/// Names are as in the file; names that end with `SQL` are quoted for statements if necessary.
package struct StoreTables: Sendable {
    /// The storage of an attribute's values.
    package enum Kind: Sendable {
        case integer, boolean, float, double, date, decimal, string, uri, uuid, binary, transformable
        /// Data with a first byte that distinguishes inline data from the name of a file.
        case externalBinary
    }

    /// The text in a column of decimals for a decimal that is not a number, as Apple's framework writes it.
    package static let notANumber = ExactDecimal.notANumber

    package struct Column: Sendable {
        package let name: String
        package var sql: String { SchemaNaming.quoted(name) }
        package let kind: Kind
        /// The names of the elements of a composite attribute, outermost first; empty for other attributes.
        package let path: [String]
    }

    package struct Attribute: Sendable {
        package let name: String
        package let columns: [Column]
        package let isInherited: Bool
        package let isDerived: Bool
    }

    package struct ToOne: Sendable {
        package let name: String
        package let isInherited: Bool
        /// The column with the key of the destination, quoted.
        package let keySQL: String
        package let keyColumn: String
        /// The column with the entity number of the destination, quoted; nil if the destination has no subentities.
        package let entitySQL: String?
        /// The name of the destination in `entities`.
        package let destination: String
        package let inverse: String?
        package let inverseIsToMany: Bool
        /// The column with the order key in the ordered to-many at the other end, quoted; nil if that is not ordered.
        package let orderSQL: String?
    }

    package struct ToMany: Sendable {
        package let name: String
        package let isInherited: Bool
        package let isOrdered: Bool
        package let destination: String
        package let inverse: String?
        /// The column in the destination's table with the key of the owner, quoted; nil for a join table.
        package let memberKeySQL: String?
        package let orderSQL: String?
        /// The name of the join table; nil if members have a column.
        package let join: String?
        /// Whether the entity is the owner of the join table.
        package let isOwner: Bool
    }

    package struct Entity: Sendable {
        package let name: String
        package let number: Int64
        /// The number of the superentity; 0 for a root.
        package let superNumber: Int64
        package let rootName: String
        package let table: String
        package let tableSQL: String
        package let isAbstract: Bool
        /// The numbers of the entity and its subentities that may have rows.
        package let family: [Int64]
        package let attributes: [Attribute]
        package let toOnes: [ToOne]
        package let toManys: [ToMany]
        package var isRoot: Bool { superNumber == 0 }
    }

    package struct Join: Sendable {
        package let name: String
        package let sql: String
        package let ownerSQL: String
        package let memberSQL: String
        /// The order of members within an owner, and of owners within a member.
        package let memberOrderSQL: String?
        package let ownerOrderSQL: String?
        package let owner: String
        package let ownerProperty: String
        package let member: String
        package let memberProperty: String
        /// The root entities of the two.
        package let ownerRoot: String
        package let memberRoot: String
        /// Whether the relationship is its own inverse, so that each link has two rows.
        package let isReflexive: Bool
    }

    /// The entities in the order of their numbers.
    package let entities: [Entity]
    package let joins: [Join]
    private let positions: [String: Int]

    /// The tables and columns that a file lacks, so that the properties cannot be found.
    package struct Missing: Error {
        package let names: [String]
    }

    /// - Parameter names: the entities of the store; nil for all entities of the model. Freezes the model.
    /// - Throws: `Missing`, and SQLite's errors.
    package init(_ connection: Connection, model: NSManagedObjectModel, entities names: Set<String>? = nil) throws {
        do {
            self.init(
                try Schema(model: model.compiledLayout(), entities: names, in: StoreInventory(connection)))
        } catch let mismatch as SchemaMismatch {
            throw Missing(names: mismatch.missing)
        }
    }

    init(_ schema: Schema) {
        entities = schema.entities.map { Self.entity($0, schema) }
        positions = Dictionary(
            entities.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        joins = schema.joinTables.map { join in
            Join(
                name: join.name, sql: join.sql, ownerSQL: join.column(of: true), memberSQL: join.column(of: false),
                memberOrderSQL: join.order(of: true), ownerOrderSQL: join.order(of: false), owner: join.owner.name,
                ownerProperty: join.owner.properties[join.ownerSlot].name, member: join.member.name,
                memberProperty: join.member.properties[join.memberSlot].name,
                ownerRoot: schema.mapping(join.owner)?.table.root.name ?? join.owner.name,
                memberRoot: schema.mapping(join.member)?.table.root.name ?? join.member.name,
                isReflexive: join.isReflexive)
        }
    }

    package func entity(_ name: String) -> Entity? { positions[name].map { entities[$0] } }
    package func entity(number: Int64) -> Entity? { entities.first { $0.number == number } }

    // MARK: Reading a schema

    private static func entity(_ mapping: EntityMapping, _ schema: Schema) -> Entity {
        let layout = mapping.layout
        let parent = layout.superIndex >= 0 ? schema.mapping(layout.superIndex) : nil
        let inherited = parent?.layout.slotCount ?? 0
        var (attributes, toOnes, toManys): ([Attribute], [ToOne], [ToMany]) = ([], [], [])
        for slot in 0..<layout.slotCount {
            let name = layout.properties[slot].name
            let isInherited = slot < inherited
            switch mapping.storage[slot] {
            case .none: continue
            case .attribute(let column):
                attributes.append(
                    Attribute(
                        name: name, columns: [Column(name: column.name, kind: kind(column.coding), path: [])],
                        isInherited: isInherited, isDerived: layout[slot].isDerived))
            case .composite(let leaves):
                let columns = leaves.map {
                    Column(name: $0.column.name, kind: kind($0.column.coding), path: $0.path)
                }
                attributes.append(Attribute(name: name, columns: columns, isInherited: isInherited, isDerived: false))
            case .toOne(let columns):
                toOnes.append(toOne(columns, name, isInherited, slot, mapping, schema))
            case .toMany(let storage):
                toManys.append(toMany(storage, name, isInherited, slot, mapping, schema))
            }
        }
        return Entity(
            name: layout.name, number: mapping.number, superNumber: parent?.number ?? 0,
            rootName: mapping.table.root.name, table: mapping.table.name, tableSQL: mapping.table.sql,
            isAbstract: layout.isAbstract,
            family: layout.familyIndexes.compactMap { schema.mapping($0) }.filter { !$0.layout.isAbstract }
                .map(\.number),
            attributes: attributes, toOnes: toOnes, toManys: toManys)
    }

    private static func destination(_ slot: Int, _ mapping: EntityMapping, _ schema: Schema) -> String {
        schema.mapping(Int(mapping.layout[slot].destination))?.layout.name ?? ""
    }

    private static func toOne(
        _ columns: ToOneColumns, _ name: String, _ isInherited: Bool, _ slot: Int, _ mapping: EntityMapping,
        _ schema: Schema
    ) -> ToOne {
        let inverse = mapping.layout.relationship(slot)?.mutualInverse
        var order: String?
        if let inverse, inverse.isToMany, let other = schema.mapping(Int(mapping.layout[slot].destination)),
            let position = other.layout.slot(inverse.name),
            case .toMany(.column(_, let column, _)) = other.storage[position]
        {
            order = column
        }
        return ToOne(
            name: name, isInherited: isInherited, keySQL: SchemaNaming.quoted(columns.key), keyColumn: columns.key,
            entitySQL: columns.entity.map(SchemaNaming.quoted), destination: destination(slot, mapping, schema),
            inverse: inverse?.name, inverseIsToMany: inverse?.isToMany ?? false,
            orderSQL: order.map(SchemaNaming.quoted))
    }

    private static func toMany(
        _ storage: ToManyStorage, _ name: String, _ isInherited: Bool, _ slot: Int, _ mapping: EntityMapping,
        _ schema: Schema
    ) -> ToMany {
        let relationship = mapping.layout.relationship(slot)
        var (column, order, join, isOwner): (String?, String?, String?, Bool) = (nil, nil, nil, false)
        switch storage {
        case .column(let key, let orderColumn, _):
            (column, order) = (SchemaNaming.quoted(key), orderColumn.map(SchemaNaming.quoted))
        case .join(let table, let owns): (join, isOwner, order) = (table.name, owns, table.order(of: owns))
        }
        return ToMany(
            name: name, isInherited: isInherited, isOrdered: relationship?.isOrdered ?? false,
            destination: destination(slot, mapping, schema), inverse: relationship?.mutualInverse?.name,
            memberKeySQL: column, orderSQL: order, join: join, isOwner: isOwner)
    }

    private static func kind(_ coding: ColumnCoding) -> Kind {
        switch coding {
        case .integer: .integer
        case .boolean: .boolean
        case .float: .float
        case .double: .double
        case .date: .date
        case .decimal: .decimal
        case .string: .string
        case .uri: .uri
        case .uuid: .uuid
        case .binary: .binary
        case .externalBinary: .externalBinary
        case .transformable: .transformable
        }
    }
}

// MARK: Structure

extension StoreTables {
    /// A difference between the file and a new store of its model.
    package struct Difference: Sendable, Equatable {
        package enum Kind: Sendable {
            case missingTable, missingColumn, columnType, leftoverColumn, leftoverTable
            case missingIndex, changedIndex, leftoverIndex, missingTrigger, changedTrigger, leftoverTrigger
            case entityNumbers
        }

        package let kind: Kind
        /// The name of the table, column, index or trigger; empty for entity numbers.
        package let name: String
        /// A sentence about the difference, without a final point.
        package let text: String
        /// The statements that remove the difference; empty if it cannot be removed.
        package let statements: [String]
    }

    /// The differences between a file and a new store of the model, without those of the history, of other frameworks
    /// and of users.
    ///
    /// - Throws: SQLite's errors.
    package static func differences(
        _ connection: Connection, model: NSManagedObjectModel, entities names: Set<String>? = nil
    ) throws -> [Difference] {
        let outline = try DatabaseOutline(connection)
        let layout = try model.compiledLayout()
        // Compares with the numbers and names of join tables that the file has.
        let schema =
            (try? Schema(model: layout, entities: names, in: outline.inventory))
            ?? Schema(model: layout, entities: names)
        return try SchemaComparison(schema, outline).details
    }

    /// The folder for the large data of a store.
    package static func largeDataFolder(of store: URL) -> URL { ExternalFiles.folder(of: store) }

    /// The names of the files of large data to which any row refers, found without a model.
    package static func largeDataNames(_ connection: Connection) throws -> Set<String> {
        try ExternalReferences.names(in: connection)
    }

    /// The file to which a column of large data refers; nil for data in the row, and for a name that is not a UUID.
    package static func fileName(_ column: Data) -> String? { ExternalColumn.fileName(column) }

    /// The content of `Z_MODELCACHE` for a model.
    package static func cachedModel(_ model: NSManagedObjectModel) throws -> Data { try CachedModel.content(of: model) }

    /// Registers the SQL functions that indexes and triggers of a store call. Reports of the triggers are discarded.
    package static func prepare(_ connection: Connection) throws {
        try SQLiteFunctions.add(to: connection)
        try SQLiteFunctions.addTriggerFunctions(to: connection, recorder: DerivedRecorder())
    }
}

extension StoreTables {
    /// Copies a consistent state of a store in use, with the files of its large data. The copy appears when it is
    /// complete.
    ///
    /// - Parameter copy: an existing file is replaced.
    /// - Throws: SQLite's errors and those of the file system; no file is left then.
    package static func copy(_ connection: Connection, of store: URL, to copy: URL) throws {
        try DatabaseCopy(
            source: connection, folders: (ExternalFiles.folder(of: store), ExternalFiles.folder(of: copy))
        ).write(to: copy)
    }
}

extension StoreTables {
    /// The metadata of a new store with all entities of a model, as the bytes of `Z_PLIST`.
    package static func metadata(_ model: NSManagedObjectModel, identifier: String) throws -> Data {
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        var values = StoreMetadata.make(entities: model.entities, identifiers: identifiers, identifier: identifier)
        values[NSStoreUUIDKey] = nil
        return try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    }
}
