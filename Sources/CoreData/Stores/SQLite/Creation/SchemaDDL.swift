// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that create a new store's tables and indexes, character by character as Apple's framework writes them.

import Foundation

/// Writes the SQL that creates the tables of a schema, without executing it.
struct SchemaDDL {
    let schema: Schema

    /// All statements, in the order of `sqlite_master`.
    var statements: [String] {
        get throws {
            try tables + indexes + SchemaTriggers(schema: schema).statements + Self.ownTables
        }
    }

    /// The entity tables in the order of their numbers, each followed by its join tables.
    var tables: [String] {
        schema.tables.flatMap { table in
            [Self.create(table)]
                + entities(of: table).flatMap { schema.joinTables(declaredBy: $0.layout).map { Self.create($0) } }
        }
    }

    var indexes: [String] { get throws { try indexesByTable.flatMap(\.indexes) } }

    /// The indexes of each entity table and its join tables, by the name of the entity table.
    var indexesByTable: [(table: String, indexes: [String])] {
        get throws {
            // A model may have two indexes with one name: that of an indexed attribute, and an index with the
            // attribute's name.
            var names: Set<Substring> = []
            return try schema.tables.map { table in
                let indexes = try indexes(of: table).filter { statement in
                    statement.range(of: " ON ").map { names.insert(statement[..<$0.lowerBound]).inserted } ?? true
                }
                return (table.name, indexes)
            }
        }
    }

    static let ownTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func entities(of table: EntityTable) -> [EntityMapping] { schema.entities.filter { $0.table === table } }

    /// - Parameter name: nil for the name of the table itself.
    static func create(_ table: EntityTable, as name: String? = nil) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + table.columns.map { "\(SchemaNaming.quoted($0.name)) \($0.type)" }
        return "CREATE TABLE \(name.map(SchemaNaming.quoted) ?? table.sql) ( \(columns.joined(separator: ", ")) )"
    }

    /// - Parameter name: nil for the name of the table itself.
    static func create(_ join: JoinTable, as name: String? = nil) -> String {
        let (owner, member) = (SchemaNaming.quoted(join.ownerColumn), SchemaNaming.quoted(join.memberColumn))
        let orders = [join.ownerOrder, join.memberOrder].compactMap { $0 }.map { "\(SchemaNaming.quoted($0)) INTEGER" }
        let columns = ["\(owner) INTEGER", "\(member) INTEGER"] + orders + ["PRIMARY KEY (\(owner), \(member))"]
        return "CREATE TABLE \(name.map(SchemaNaming.quoted) ?? join.sql) ( \(columns.joined(separator: ", ")) )"
    }

    // MARK: Indexes

    private func indexes(of table: EntityTable) throws -> [String] {
        var result = table.keyColumns.map { column in
            "CREATE INDEX \(name("\(table.name)_\(column)_INDEX")) ON \(table.sql) (\(SchemaNaming.quoted(column)))"
        }
        for mapping in entities(of: table) {
            for join in schema.joinTables(declaredBy: mapping.layout) {
                let (owner, member) = (SchemaNaming.quoted(join.ownerColumn), SchemaNaming.quoted(join.memberColumn))
                let index = name("\(join.name)_\(join.memberColumn)_INDEX")
                result.append("CREATE INDEX \(index) ON \(join.sql) (\(member), \(owner))")
            }
            if mapping.layout === table.root, needsEntityIndex(table) {
                let index = name("\(table.name)_Z_ENT_INDEX")
                result.append("CREATE INDEX \(index) ON \(table.sql) (Z_ENT)")
            }
            result += try mapping.layout.entity.indexes.compactMap { try fetchIndex($0, mapping) }
            result += ownUniqueness(mapping.layout).compactMap { uniqueIndex($0, mapping) }
        }
        return result
    }

    private func name(_ text: String) -> String { SchemaNaming.quoted(text) }

    private func needsEntityIndex(_ table: EntityTable) -> Bool {
        entities(of: table).count > 1
            && !table.root.entity.indexes.contains { $0.elements.count == 1 && isEntity($0.elements[0]) }
    }

    private func isEntity(_ element: NSFetchIndexElementDescription) -> Bool {
        isExpression(element) && element.indexedPath == "entity"
    }

    private func isExpression(_ element: NSFetchIndexElementDescription) -> Bool {
        element.property == nil || element.property is NSExpressionDescription
    }

    private func fetchIndex(_ index: NSFetchIndexDescription, _ mapping: EntityMapping) throws -> String? {
        if index.elements.contains(where: { $0.collationType == .rTree }) { return nil }
        if index.elements.count == 1, let element = index.elements.first,
            element.property is NSRelationshipDescription || isEntity(element) && mapping.layout !== mapping.table.root
        {
            return nil
        }
        var columns: [String] = []
        for element in index.elements {
            guard let column = column(of: element, mapping) else { return nil }
            columns.append("\(column) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")")
        }
        guard !columns.isEmpty else { return nil }
        var text =
            "CREATE INDEX \(name("Z_\(mapping.layout.name)_\(index.name)")) ON \(mapping.table.sql)"
            + " (\(columns.joined(separator: ", ")))"
        if let condition = index.partialPredicateText {
            text += try " WHERE " + PartialIndexCondition(schema: schema, layout: mapping.layout).text(condition)
        }
        return text
    }

    /// The column of an index element; nil if it has none (a transient attribute, a to-many relationship).
    func column(of element: NSFetchIndexElementDescription, _ mapping: EntityMapping) -> String? {
        if isEntity(element) { return SchemaNaming.entity }
        if isExpression(element), element.indexedPath?.lowercased() == "self" { return SchemaNaming.key }
        guard let name = element.indexedPath, let slot = mapping.layout.slot(name) else {
            return nil
        }
        return Self.column(of: mapping.storage[slot])
    }

    private static func column(of storage: SlotStorage) -> String? {
        switch storage {
        case .attribute(let column): SchemaNaming.quoted(column.name)
        case .toOne(let columns): SchemaNaming.quoted(columns.key)
        case .none, .composite, .toMany: nil
        }
    }

    /// A subentity's list of constraints begins with the inherited ones, which already have an index.
    private func ownUniqueness(_ layout: EntityLayout) -> [[String]] {
        let all = layout.entity.uniquenessConstraintNames
        guard layout.superIndex >= 0 else { return all }
        let inherited = schema.model.layouts[layout.superIndex].entity.uniquenessConstraintNames
        return all.filter { !inherited.contains($0) }
    }

    private func uniqueIndex(_ constraint: [String], _ mapping: EntityMapping) -> String? {
        let columns = constraint.compactMap { mapping.layout.slot($0) }.compactMap {
            Self.column(of: mapping.storage[$0])
        }
        guard !columns.isEmpty, columns.count == constraint.count else { return nil }
        let index = name("Z_\(mapping.layout.name)_UNIQUE_\(constraint.joined(separator: "_"))")
        let list = columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
        return "CREATE UNIQUE INDEX \(index) ON \(mapping.table.sql) (\(list))"
    }
}
