// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that create the tables of a new store.

import CoreData
import Foundation
import PostgreSQLDriver

/// Writes the DDL of a schema, without executing it. Only names come from the model.
struct ServerTables {
    let schema: Schema
    let dialect: PostgreSQLDialect
    let hasForeignKeys: Bool

    /// A constraint or an index of a table, which migrations drop and create.
    struct Rule: Equatable {
        enum Kind { case unique, foreignKey, index }

        let kind: Kind
        /// The name of the table.
        let table: String
        let name: String
        /// The statement that creates it.
        let statement: String
    }

    /// The tables that the store creates, without mapped ones.
    private var tables: [EntityTable] { schema.tables.filter { dialect.mapped[$0.name] == nil } }
    private var joinTables: [JoinTable] { schema.joinTables.filter { dialect.mapped[$0.name] == nil } }

    /// In the order of creation.
    var rules: [Rule] {
        get throws {
            var result = try tables.flatMap { try uniqueness($0) }
            if hasForeignKeys { result += tables.flatMap(foreignKeys) + joinTables.flatMap(foreignKeys) }
            return result + tables.flatMap(indexes) + joinTables.map(index)
        }
    }

    /// Without CREATE SCHEMA, which needs a different privilege.
    var statements: [String] {
        get throws {
            var result = tables.flatMap { [sequence($0), table($0)] }
            result += joinTables.map { join($0) }
            result += try rules.map(\.statement)
            let history = ServerHistoryTables(dialect: dialect)
            result += Self.ownTables(dialect) + history.statements + marks + history.marks
            return result + dialect.rowSecurity(of: tableNames + ServerHistoryTables.names)
        }
    }

    /// Comments on tables that mark those which a store may drop.
    private var marks: [String] {
        tableNames.map(mark) + tables.map(markSequence)
    }

    private var tableNames: [String] {
        tables.map(\.name) + joinTables.map(\.name) + ["ocd_transaction", "ocd_store"]
    }

    func mark(_ table: String) -> String { "COMMENT ON TABLE \(dialect.qualified(table)) IS 'OpenCoreData'" }
    func markSequence(_ table: EntityTable) -> String {
        "COMMENT ON SEQUENCE \(dialect.qualified(Self.sequenceName(table))) IS 'OpenCoreData'"
    }

    /// The internal tables of the store.
    static func ownTables(_ dialect: PostgreSQLDialect) -> [String] {
        [
            """
            CREATE TABLE \(dialect.qualified("ocd_transaction")) (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token uuid NOT NULL UNIQUE,
            xid xid8 NOT NULL DEFAULT pg_current_xact_id(), at timestamptz NOT NULL DEFAULT clock_timestamp(),
            author text, context_name text, process_id text, voided boolean NOT NULL DEFAULT false\(dialect.furtherTenantColumn))
            """,
            """
            CREATE TABLE \(dialect.qualified("ocd_store")) (
            store_id uuid PRIMARY KEY, format integer NOT NULL, model_hashes bytea, metadata bytea, model bytea\(dialect.furtherTenantColumn))
            """,
        ]
    }

    static func sequenceName(_ table: EntityTable) -> String { SnakeNames().limited(table.name + "_id_seq") }

    func sequence(_ table: EntityTable) -> String {
        "CREATE SEQUENCE \(dialect.qualified(Self.sequenceName(table))) INCREMENT 100"
    }

    private func entities(of table: EntityTable) -> [EntityMapping] { schema.entities.filter { $0.table === table } }

    /// - Parameter name: nil for the name of the table itself.
    func table(_ table: EntityTable, as name: String? = nil) -> String {
        let sequence = PostgreSQLDialect.literal(dialect.qualified(Self.sequenceName(table)))
        var columns = [
            "id bigint \(dialect.hasTenants ? "NOT NULL" : "PRIMARY KEY") DEFAULT nextval(\(sequence))",
            "version bigint NOT NULL DEFAULT 1",
        ]
        if table.root.hasSubentities {
            let kinds = kindRule(of: table).map { " \($0)" } ?? ""
            columns.append("kind text COLLATE \"C\" NOT NULL\(kinds)")
        }
        columns += table.columns.map { "\(dialect.quoted($0.name)) \($0.type)" }
        if dialect.hasTenants { columns += dialect.tenantColumn + [dialect.primaryKey("id")] }
        // Free space in pages, so that updated rows can stay on their page.
        return
            "CREATE TABLE \(name.map(dialect.qualified) ?? table.sql) (\(columns.joined(separator: ", "))) WITH (fillfactor = 90)"
    }

    static func kindRuleName(_ table: String) -> String { SnakeNames().limited(table + "_kind_check") }

    /// The entities that rows may have; nil for a table without subentities.
    func kindRule(of table: EntityTable) -> String? {
        guard table.root.hasSubentities else { return nil }
        let kinds = entities(of: table).map { PostgreSQLDialect.literal($0.layout.name) }.joined(separator: ", ")
        return "CONSTRAINT \(dialect.quoted(Self.kindRuleName(table.name))) CHECK (kind IN (\(kinds)))"
    }

    /// - Parameter name: nil for the name of the table itself.
    func join(_ join: JoinTable, as name: String? = nil) -> String {
        let (owner, member) = (join.column(of: true), join.column(of: false))
        let orders = [join.ownerOrder, join.memberOrder].compactMap { $0 }.map { "\(dialect.quoted($0)) bigint" }
        let columns =
            ["\(owner) bigint NOT NULL", "\(member) bigint NOT NULL"] + orders + dialect.tenantColumn
            + [dialect.primaryKey("\(owner), \(member)")]
        return "CREATE TABLE \(name.map(dialect.qualified) ?? join.sql) (\(columns.joined(separator: ", ")))"
    }

    // MARK: Constraints

    /// A constraint of the root entity is UNIQUE, one of a subentity is an exclusion constraint on its rows. Both are
    /// checked at the end of a save that swaps values.
    private func uniqueness(_ table: EntityTable) throws -> [Rule] {
        var result: [Rule] = []
        var known: Set<UniquenessRule> = []
        for mapping in entities(of: table) {
            for rule in mapping.layout.uniquenessRules(schema.model) where known.insert(rule).inserted {
                let layout = schema.model.layouts[rule.layoutIndex]
                let columns = rule.names.compactMap { column($0, mapping) }
                guard columns.count == rule.names.count else {
                    throw CoreDataError.cannotOpenStore(
                        url: nil,
                        reason: "A uniqueness constraint of \(layout.name) names what has no column: "
                            + "\(rule.names.joined(separator: ", ")).")
                }
                let plain = SnakeNames().limited(
                    ([table.name] + rule.names.map(SnakeNames.snake) + ["key"]).joined(separator: "_"))
                let name = dialect.quoted(plain)
                func add(_ statement: String) {
                    result.append(Rule(kind: .unique, table: table.name, name: plain, statement: statement))
                }
                if layout === table.root {
                    add(
                        "ALTER TABLE \(table.sql) ADD CONSTRAINT \(name) UNIQUE (\(dialect.tenantLead)\(columns.joined(separator: ", "))) "
                            + "DEFERRABLE INITIALLY IMMEDIATE")
                } else {
                    let kinds = layout.familyIndexes.compactMap { schema.mapping($0)?.layout.name }
                        .map(PostgreSQLDialect.literal).joined(separator: ", ")
                    let parts = columns.map { "\($0) WITH =" }.joined(separator: ", ")
                    add(
                        "ALTER TABLE \(table.sql) ADD CONSTRAINT \(name) EXCLUDE USING btree (\(dialect.tenantEquality)\(parts)) "
                            + "WHERE (kind IN (\(kinds))) DEFERRABLE INITIALLY IMMEDIATE")
                }
            }
        }
        return result
    }

    private func column(_ name: String, _ mapping: EntityMapping) -> String? {
        switch mapping.layout.slot(name).map({ mapping.storage[$0] }) {
        case .attribute(let column)?: dialect.quoted(column.name)
        case .toOne(let columns)?: dialect.quoted(columns.key)
        default: nil
        }
    }

    /// To-ones that the delete rule of their inverse clears when the destination is deleted. Others may keep a dangling
    /// reference, as in every kind of store.
    private func foreignKeys(_ table: EntityTable) -> [Rule] {
        var known: Set<String> = []
        return entities(of: table).flatMap { mapping in
            mapping.layout.toOneSlots.compactMap { slot -> Rule? in
                guard case .toOne(let columns) = mapping.storage[slot], known.insert(columns.key).inserted,
                    mapping.layout[slot].inverse >= 0,
                    let destination = schema.mapping(Int(mapping.layout[slot].destination)),
                    destination.layout[Int(mapping.layout[slot].inverse)].deleteRule != .noActionDeleteRule,
                    dialect.mapped[destination.table.name] == nil
                else { return nil }
                return foreignKey(table.sql, columns.key, table.name, destination.table, "SET NULL")
            }
        }
    }

    private func foreignKeys(_ join: JoinTable) -> [Rule] {
        guard let owner = schema.mapping(join.owner)?.table, let member = schema.mapping(join.member)?.table else {
            return []
        }
        if [owner, member].contains(where: { dialect.mapped[$0.name] != nil }) { return [] }
        return [
            foreignKey(join.sql, join.ownerColumn, join.name, owner, "CASCADE"),
            foreignKey(join.sql, join.memberColumn, join.name, member, "CASCADE"),
        ]
    }

    private func foreignKey(
        _ table: String, _ column: String, _ name: String, _ destination: EntityTable, _ action: String
    ) -> Rule {
        let constraint = SnakeNames().limited("\(name)_\(column)_fkey")
        return Rule(
            kind: .foreignKey, table: name, name: constraint,
            statement: "ALTER TABLE \(table) ADD CONSTRAINT \(dialect.quoted(constraint)) "
                + "FOREIGN KEY (\(dialect.quoted(column))) REFERENCES \(destination.sql) ON DELETE \(action) "
                + "DEFERRABLE INITIALLY DEFERRED")
    }

    // MARK: Indexes

    private func indexes(_ table: EntityTable) -> [Rule] {
        var names: Set<String> = []
        func index(_ columns: [String], _ terms: [String]) -> Rule? {
            let name = SnakeNames().limited(([table.name] + columns + ["idx"]).joined(separator: "_"))
            guard names.insert(name).inserted else { return nil }
            return Rule(
                kind: .index, table: table.name, name: name,
                statement:
                    "CREATE INDEX \(dialect.quoted(name)) ON \(table.sql) (\(dialect.tenantLead)\(terms.joined(separator: ", ")))"
            )
        }
        var result = table.keyColumns.compactMap { index([$0], [dialect.quoted($0)]) }
        for mapping in entities(of: table) {
            for description in mapping.layout.entity.indexes {
                var columns: [String] = []
                var terms: [String] = []
                for element in description.elements {
                    guard let name = element.property?.name, let slot = mapping.layout.slot(name) else { continue }
                    switch mapping.storage[slot] {
                    case .attribute(let column):
                        columns.append(column.name)
                        // In the order of fetches.
                        terms.append(
                            dialect.quoted(column.name)
                                + (element.isAscending ? " NULLS FIRST" : " DESC NULLS LAST"))
                    case .toOne(let key):
                        columns.append(key.key)
                        terms.append(dialect.quoted(key.key))
                    default: break
                    }
                }
                if terms.count == description.elements.count, !terms.isEmpty, let rule = index(columns, terms) {
                    result.append(rule)
                }
            }
        }
        return result
    }

    private func index(_ join: JoinTable) -> Rule {
        let name = SnakeNames().limited("\(join.name)_\(join.memberColumn)_idx")
        return Rule(
            kind: .index, table: join.name, name: name,
            statement:
                "CREATE INDEX \(dialect.quoted(name)) ON \(join.sql) (\(dialect.tenantLead)\(join.column(of: false)), "
                + "\(join.column(of: true)))")
    }
}
