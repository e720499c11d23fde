// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds rows and tables of a store in PostgreSQL that do not fit its model.

import CoreData
import Foundation
import PostgreSQLDriver

/// A violation of one of the doctor's rules, by the rule's id.
package struct ServerDefect: Sendable {
    package let rule: String
    package let entity: String?
    package let property: String?
    package let count: Int
    /// The first keys, with the entity under which the rows were found.
    package let keys: [Int64]
    /// A sentence that describes the defect.
    package let text: String
}

extension PostgreSQLStore {
    /// Reads the tables of the open store without changing them.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of keys in a defect.
    ///   - step: called with the name of each part.
    /// - Complexity: one pass over each table for each of its references.
    package func defects(limit: Int, step: (String) -> Void) throws -> [ServerDefect] {
        let opened = try opened()
        do {
            return try opened.sessions.with(repeats: true) { connection in
                var examination = ServerExamination(opened: opened, connection: connection, limit: limit)
                for (name, check) in ServerExamination.checks {
                    step(name)
                    try check(&examination)
                }
                return examination.defects
            }
        } catch {
            throw StoreErrors.reading(error, self)
        }
    }
}

/// The checks, each of which is one statement per property.
struct ServerExamination {
    let opened: OpenServer
    let connection: Connection
    let limit: Int
    var defects: [ServerDefect] = []

    private var schema: Schema { opened.schema }
    private var dialect: PostgreSQLDialect { opened.dialect }

    typealias Check = (name: String, check: (inout ServerExamination) throws -> Void)

    static var checks: [Check] {
        [
            ("tables and indexes", { try $0.checkRules() }), ("rows", { try $0.checkRows() }),
            ("references", { try $0.checkReferences() }), ("links", { try $0.checkLinks() }),
            ("unique values", { try $0.checkUniqueValues() }), ("searches", { try $0.checkSearches() }),
            ("history", { try $0.checkHistory() }),
        ]
    }

    /// Adds a defect if a query returns rows.
    ///
    /// - Parameters:
    ///   - rows: a SELECT of one column with keys.
    ///   - text: makes a sentence from the number of rows.
    mutating func note(
        _ rule: String, _ entity: String?, _ property: String?, _ rows: String, _ values: [Parameter] = [],
        _ text: (String) -> String
    ) throws {
        // A table may be large, so a check has no time limit.
        let answer = try connection.run(
            Statement(
                "SELECT count(*), (array_agg(k ORDER BY k))[1:\(limit)]::text FROM (\(rows)) AS q(k)", values,
                isReused: false), opened.sessions.unbounded)
        var (count, keys): (Int64, [Int64]) = (0, [])
        answer.forEachRow { row in
            count = row[0].integer ?? 0
            keys = (row[1].text ?? "").split(whereSeparator: { "{},".contains($0) }).compactMap { Int64($0) }
        }
        guard count > 0 else { return }
        defects.append(
            ServerDefect(
                rule: rule, entity: entity, property: property, count: Int(count), keys: keys,
                text: text("\(count) row\(count == 1 ? "" : "s")")))
    }

    // MARK: Rows

    private func kinds(_ layout: EntityLayout) -> Parameter {
        .texts(layout.familyIndexes.compactMap { schema.mapping($0)?.layout.name })
    }

    /// The condition that a row belongs to an entity; the names of its family are the first value.
    private func isOne(_ layout: EntityLayout, _ alias: String) -> String {
        let root = schema.model.layouts[layout.rootIndex]
        return root.hasSubentities ? "\(alias).kind = ANY($1)" : "cardinality($1) > 0"
    }

    private mutating func checkRows() throws {
        for table in schema.tables {
            try note("row.key", table.root.name, nil, "SELECT t.id FROM \(table.sql) AS t WHERE t.id < 1") {
                "\($0) of \(table.name) have a key below 1, which no object has."
            }
            guard table.root.hasSubentities else { continue }
            let names = schema.entities.filter { $0.table === table && !$0.layout.isAbstract }.map(\.layout.name)
            try note(
                "row.entity", table.root.name, nil,
                "SELECT t.id FROM \(table.sql) AS t WHERE NOT coalesce(t.kind = ANY($1), false)", [.texts(names)]
            ) { "\($0) of \(table.name) are of no entity that has objects." }
        }
    }

    // MARK: References

    /// The slots of the properties that an entity declares, without inherited ones.
    private func own(_ slots: [Int], _ entity: EntityMapping) -> [Int] {
        let layout = entity.layout
        let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
        return slots.filter { $0 >= inherited }
    }

    private mutating func checkReferences() throws {
        for entity in schema.entities {
            for slot in own(entity.layout.toOneSlots, entity) {
                guard case .toOne(let columns) = entity.storage[slot],
                    let destination = schema.mapping(Int(entity.layout[slot].destination))
                else { continue }
                let name = entity.layout.properties[slot].name
                let key = "t.\(dialect.quoted(columns.key))"
                let rows =
                    "SELECT t.id FROM \(entity.table.sql) AS t WHERE \(isOne(entity.layout, "t")) AND \(key) IS NOT NULL"
                let target = "SELECT 1 FROM \(destination.table.sql) AS d WHERE d.id = \(key)"
                try note(
                    "reference.dangling", entity.layout.name, name, "\(rows) AND NOT EXISTS (\(target))",
                    [kinds(entity.layout)]
                ) { "\($0) of \(entity.layout.name) refer to no object in '\(name)'." }
                guard schema.model.layouts[destination.layout.rootIndex].hasSubentities else { continue }
                try note(
                    "reference.foreign", entity.layout.name, name,
                    "\(rows) AND EXISTS (\(target) AND NOT coalesce(d.kind = ANY($2), false))",
                    [kinds(entity.layout), kinds(destination.layout)]
                ) {
                    "\($0) of \(entity.layout.name) refer to an object that is no \(destination.layout.name) in '\(name)'."
                }
            }
        }
    }

    // MARK: Links and orders

    private mutating func checkLinks() throws {
        for join in schema.joinTables {
            let name = join.owner.properties[join.ownerSlot].name
            for (isOwner, end) in [(true, join.owner), (false, join.member)] {
                guard let table = schema.mapping(end)?.table else { continue }
                let column = "j.\(join.column(of: isOwner))"
                try note(
                    "link.dangling", join.owner.name, name,
                    "SELECT \(column) FROM \(join.sql) AS j WHERE NOT EXISTS "
                        + "(SELECT 1 FROM \(table.sql) AS d WHERE d.id = \(column))"
                ) { "\($0) of \(join.name) link to an object of \(end.name) that is not there." }
            }
            let (owner, member) = (join.column(of: true), join.column(of: false))
            if join.isReflexive {
                try note(
                    "link.mirror", join.owner.name, name,
                    "SELECT j.\(owner) FROM \(join.sql) AS j WHERE NOT EXISTS (SELECT 1 FROM \(join.sql) AS m "
                        + "WHERE m.\(owner) = j.\(member) AND m.\(member) = j.\(owner))"
                ) { "\($0) of \(join.name) link in one direction alone." }
            }
            if let order = join.order(of: true) {
                try checkOrder(join.sql, owner, order, join.owner.name, name)
            }
            if let order = join.order(of: false) {
                try checkOrder(
                    join.sql, member, order, join.member.name, join.member.properties[join.memberSlot].name)
            }
        }
        for entity in schema.entities {
            for slot in own(entity.layout.toManySlots, entity) {
                guard case .toMany(.column(let key, let order?, let table)) = entity.storage[slot] else { continue }
                try checkOrder(
                    table.sql, dialect.quoted(key), dialect.quoted(order), entity.layout.name,
                    entity.layout.properties[slot].name)
            }
        }
    }

    /// - Parameter owner: the column with the key of the owner.
    private mutating func checkOrder(
        _ table: String, _ owner: String, _ order: String, _ entity: String, _ property: String
    ) throws {
        try note(
            "order.missing", entity, property,
            "SELECT t.\(owner) FROM \(table) AS t WHERE t.\(owner) IS NOT NULL AND t.\(order) IS NULL"
        ) { "\($0) are members of '\(entity).\(property)' without a place." }
        try note(
            "order.doubled", entity, property,
            "SELECT t.\(owner) FROM \(table) AS t WHERE t.\(order) IS NOT NULL GROUP BY t.\(owner), t.\(order) "
                + "HAVING count(*) > 1"
        ) { "\($0) share a place in '\(entity).\(property)' with another member." }
    }

    // MARK: Rules

    private mutating func checkUniqueValues() throws {
        var known: Set<UniquenessRule> = []
        for entity in schema.entities {
            for rule in entity.layout.uniquenessRules(schema.model) where known.insert(rule).inserted {
                let columns = rule.names.compactMap { name -> String? in
                    switch entity.layout.slot(name).map({ entity.storage[$0] }) {
                    case .attribute(let column)?: "t." + dialect.quoted(column.name)
                    case .toOne(let columns)?: "t." + dialect.quoted(columns.key)
                    default: nil
                    }
                }
                guard columns.count == rule.names.count else { continue }
                let layout = schema.model.layouts[rule.layoutIndex]
                try note(
                    "unique.doubled", layout.name, rule.names.joined(separator: ", "),
                    "SELECT min(t.id) FROM \(entity.table.sql) AS t WHERE \(isOne(layout, "t")) AND "
                        + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                        + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1", [kinds(layout)]
                ) { "\($0) of \(layout.name) and others have the same '\(rule.names.joined(separator: ", "))'." }
            }
        }
    }

    /// Checks constraints and indexes that a new store would have, without those of mapped tables.
    private mutating func checkRules() throws {
        let catalog = try ServerCatalog(connection, schemas: [dialect.schema], opened.sessions.deadline)
        let tables = ServerTables(schema: schema, dialect: dialect, hasForeignKeys: false)
        for rule in try tables.rules {
            guard let table = catalog.table(dialect.schema, rule.table) else { continue }
            let isThere =
                table.indexes.contains { $0.name == rule.name } || table.constraints.contains { $0.name == rule.name }
            if isThere { continue }
            defects.append(
                ServerDefect(
                    rule: "index.missing", entity: nil, property: rule.name, count: 1, keys: [],
                    text: "\(rule.name) of \(rule.table) is missing. It is made by: \(rule.statement);"))
        }
    }

    private mutating func checkHistory() throws {
        guard let tables = opened.history?.tables else { return }
        try note(
            "history.change", nil, nil,
            "SELECT c.transaction FROM \(tables.changes) AS c WHERE NOT EXISTS "
                + "(SELECT 1 FROM \(tables.transactions) AS t WHERE t.number = c.transaction)"
        ) { "\($0) of the history belong to no transaction." }
    }
}
