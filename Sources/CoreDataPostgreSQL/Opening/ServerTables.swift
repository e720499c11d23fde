// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that make the tables of a new store.

import CoreData
import Foundation
import PostgreSQLDriver

/// Writes the DDL of a schema, without executing it. Names are the only part that comes from the model.
struct ServerTables {
    let schema: Schema
    let dialect: PostgreSQLDialect
    let hasForeignKeys: Bool

    var statements: [String] {
        get throws {
            var result = ["CREATE SCHEMA IF NOT EXISTS \(dialect.quoted(dialect.schema))"]
            result += schema.tables.flatMap { [sequence($0), table($0)] }
            result += schema.joinTables.map(join)
            result += try schema.tables.flatMap { try uniqueness($0) }
            if hasForeignKeys { result += schema.tables.flatMap(foreignKeys) + schema.joinTables.flatMap(foreignKeys) }
            result += schema.tables.flatMap(indexes) + schema.joinTables.map(index)
            let history = ServerHistoryTables(dialect: dialect)
            return result + Self.ownTables(dialect) + history.statements + marks + history.marks
        }
    }

    /// Comments on tables: they mark those that a store may drop.
    private var marks: [String] {
        let tables =
            schema.tables.map(\.sql) + schema.joinTables.map(\.sql)
            + ["ocd_transaction", "ocd_store"].map(dialect.qualified)
        return tables.map { "COMMENT ON TABLE \($0) IS 'OpenCoreData'" }
            + schema.tables.map {
                "COMMENT ON SEQUENCE \(dialect.qualified(Self.sequenceName($0))) IS 'OpenCoreData'"
            }
    }

    /// The tables that are the store's own.
    static func ownTables(_ dialect: PostgreSQLDialect) -> [String] {
        [
            """
            CREATE TABLE \(dialect.qualified("ocd_transaction")) (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token uuid NOT NULL UNIQUE,
            xid xid8 NOT NULL DEFAULT pg_current_xact_id(), at timestamptz NOT NULL DEFAULT clock_timestamp(),
            author text, context_name text, process_id text, voided boolean NOT NULL DEFAULT false)
            """,
            """
            CREATE TABLE \(dialect.qualified("ocd_store")) (
            store_id uuid PRIMARY KEY, format integer NOT NULL, model_hashes bytea, metadata bytea)
            """,
        ]
    }

    static func sequenceName(_ table: EntityTable) -> String { SnakeNames().limited(table.name + "_id_seq") }

    private func sequence(_ table: EntityTable) -> String {
        "CREATE SEQUENCE \(dialect.qualified(Self.sequenceName(table))) INCREMENT 100"
    }

    private func entities(of table: EntityTable) -> [EntityMapping] { schema.entities.filter { $0.table === table } }

    private func table(_ table: EntityTable) -> String {
        let sequence = PostgreSQLDialect.literal(dialect.qualified(Self.sequenceName(table)))
        var columns = [
            "id bigint PRIMARY KEY DEFAULT nextval(\(sequence))", "version bigint NOT NULL DEFAULT 1",
        ]
        if table.root.hasSubentities {
            let kinds = entities(of: table).map { PostgreSQLDialect.literal($0.layout.name) }.joined(separator: ", ")
            columns.append("kind text COLLATE \"C\" NOT NULL CHECK (kind IN (\(kinds)))")
        }
        columns += table.columns.map { "\(dialect.quoted($0.name)) \($0.type)" }
        // Updates stay on their page where there is room.
        return "CREATE TABLE \(table.sql) (\(columns.joined(separator: ", "))) WITH (fillfactor = 90)"
    }

    private func join(_ join: JoinTable) -> String {
        let (owner, member) = (join.column(of: true), join.column(of: false))
        let orders = [join.ownerOrder, join.memberOrder].compactMap { $0 }.map { "\(dialect.quoted($0)) bigint" }
        let columns =
            ["\(owner) bigint NOT NULL", "\(member) bigint NOT NULL"] + orders + ["PRIMARY KEY (\(owner), \(member))"]
        return "CREATE TABLE \(join.sql) (\(columns.joined(separator: ", ")))"
    }

    // MARK: Constraints

    /// A rule of the root entity is a UNIQUE constraint, one of a subentity an exclusion among its rows. Both are
    /// checked at the end of a save that trades values.
    private func uniqueness(_ table: EntityTable) throws -> [String] {
        var result: [String] = []
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
                let name = dialect.quoted(
                    SnakeNames().limited(
                        ([table.name] + rule.names.map(SnakeNames.snake) + ["key"]).joined(separator: "_")))
                if layout === table.root {
                    result.append(
                        "ALTER TABLE \(table.sql) ADD CONSTRAINT \(name) UNIQUE (\(columns.joined(separator: ", "))) "
                            + "DEFERRABLE INITIALLY IMMEDIATE")
                } else {
                    let kinds = layout.familyIndexes.compactMap { schema.mapping($0)?.layout.name }
                        .map(PostgreSQLDialect.literal).joined(separator: ", ")
                    let parts = columns.map { "\($0) WITH =" }.joined(separator: ", ")
                    result.append(
                        "ALTER TABLE \(table.sql) ADD CONSTRAINT \(name) EXCLUDE USING btree (\(parts)) "
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

    /// To-ones that their other end forgets when the destination goes. Others may keep a reference to a record that is
    /// gone, as in every kind of store.
    private func foreignKeys(_ table: EntityTable) -> [String] {
        var known: Set<String> = []
        return entities(of: table).flatMap { mapping in
            mapping.layout.toOneSlots.compactMap { slot -> String? in
                guard case .toOne(let columns) = mapping.storage[slot], known.insert(columns.key).inserted,
                    mapping.layout[slot].inverse >= 0,
                    let destination = schema.mapping(Int(mapping.layout[slot].destination)),
                    destination.layout[Int(mapping.layout[slot].inverse)].deleteRule != .noActionDeleteRule
                else { return nil }
                return foreignKey(table.sql, columns.key, table.name, destination.table, "SET NULL")
            }
        }
    }

    private func foreignKeys(_ join: JoinTable) -> [String] {
        guard let owner = schema.mapping(join.owner)?.table, let member = schema.mapping(join.member)?.table else {
            return []
        }
        return [
            foreignKey(join.sql, join.ownerColumn, join.name, owner, "CASCADE"),
            foreignKey(join.sql, join.memberColumn, join.name, member, "CASCADE"),
        ]
    }

    private func foreignKey(
        _ table: String, _ column: String, _ name: String, _ destination: EntityTable, _ action: String
    ) -> String {
        let constraint = dialect.quoted(SnakeNames().limited("\(name)_\(column)_fkey"))
        return "ALTER TABLE \(table) ADD CONSTRAINT \(constraint) FOREIGN KEY (\(dialect.quoted(column))) "
            + "REFERENCES \(destination.sql) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
    }

    // MARK: Indexes

    private func indexes(_ table: EntityTable) -> [String] {
        var names: Set<String> = []
        func index(_ columns: [String], _ terms: [String]) -> String? {
            let name = SnakeNames().limited(([table.name] + columns + ["idx"]).joined(separator: "_"))
            guard names.insert(name).inserted else { return nil }
            return "CREATE INDEX \(dialect.quoted(name)) ON \(table.sql) (\(terms.joined(separator: ", ")))"
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
                        // As fetches sort.
                        terms.append(
                            dialect.quoted(column.name)
                                + (element.isAscending ? " NULLS FIRST" : " DESC NULLS LAST"))
                    case .toOne(let key):
                        columns.append(key.key)
                        terms.append(dialect.quoted(key.key))
                    default: break
                    }
                }
                if terms.count == description.elements.count, !terms.isEmpty, let text = index(columns, terms) {
                    result.append(text)
                }
            }
        }
        return result
    }

    private func index(_ join: JoinTable) -> String {
        let name = dialect.quoted(SnakeNames().limited("\(join.name)_\(join.memberColumn)_idx"))
        return "CREATE INDEX \(name) ON \(join.sql) (\(join.column(of: false)), \(join.column(of: true)))"
    }
}
