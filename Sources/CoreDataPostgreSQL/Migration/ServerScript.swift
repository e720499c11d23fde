// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements of a migration in PostgreSQL, in the order of PostgreSQL-M3.

import CoreData
import Foundation

/// A function of the two schemas, and of whether the store has foreign keys.
struct ServerScript {
    let parts: TableScript
    let hasForeignKeys: Bool
    let dialect: PostgreSQLDialect
    /// Whether rows were moved to the quarantine before.
    var losesRows = false

    private var source: ServerTables {
        ServerTables(schema: parts.transition.source, dialect: dialect, hasForeignKeys: hasForeignKeys)
    }
    private var destination: ServerTables {
        ServerTables(schema: parts.transition.destination, dialect: dialect, hasForeignKeys: hasForeignKeys)
    }

    /// The tables to lock during the migration. The token table comes first, as in saves.
    var locked: [String] {
        [dialect.qualified("ocd_transaction")] + source.schema.tables.map(\.sql) + source.schema.joinTables.map(\.sql)
    }

    var statements: [String] {
        get throws {
            let (old, new) = (try source.rules, try destination.rules)
            let kept = new.filter { old.contains($0) && isKept($0) }
            var result = old.filter { !kept.contains($0) }.sorted { one, _ in one.kind == .foreignKey }.map(drop)
            result += kindRules(dropped: true)
            result += sequencesBefore
            result += parts.collections.map(\.text)
            result += parts.tables.filter { $0.way != .altered }.map { destination.table($0.table, as: $0.workName) }
            result += parts.tableFillings.map(\.text)
            result += parts.joins.filter { $0.source == nil }.map { destination.join($0.join, as: $0.workName) }
            result += parts.joinFillings.map(\.text)
            result += (parts.tableRenames + parts.joinRenames).map(\.text)
            result += kindColumns
            result += (parts.alterations + parts.joinAlterations).map(\.text)
            result += lostKindColumns
            result += parts.ended.map { "DROP TABLE \(dialect.qualified($0))" }
            result += sequencesAfter
            result += (parts.finalNames + parts.cleanups + parts.applications + parts.countedOrders).map(\.text)
            result += kindRules(dropped: false)
            result += new.filter { !kept.contains($0) }.map(\.statement)
            result += marks
            result += derived.statements.map(\.text)
            return result + history
        }
    }

    var derived: (statements: [ScriptStatement], computedRoots: Set<Int>) {
        parts.derived(losesRows: losesRows, now: "now()")
    }

    // MARK: Constraints and indexes

    /// Foreign keys are checked at the end of the transaction, and a table with pending checks cannot be altered, so
    /// they are always dropped.
    private func isKept(_ rule: ServerTables.Rule) -> Bool {
        guard rule.kind != .foreignKey, let touched = parts.touched(rule.table) else { return false }
        return !touched.contains { rule.statement.contains(dialect.quoted($0)) }
    }

    private func drop(_ rule: ServerTables.Rule) -> String {
        rule.kind == .index
            ? "DROP INDEX IF EXISTS \(dialect.qualified(rule.name))"
            : "ALTER TABLE \(dialect.qualified(rule.table)) DROP CONSTRAINT IF EXISTS \(dialect.quoted(rule.name))"
    }

    /// The constraints on the entities of rows, for altered tables that get another constraint.
    private func kindRules(dropped: Bool) -> [String] {
        altered.compactMap { change in
            guard let former = change.sourceTable else { return nil }
            let (old, new) = (source.kindRule(of: former), destination.kindRule(of: change.table))
            guard old != new else { return nil }
            if dropped {
                let name = dialect.quoted(ServerTables.kindRuleName(former.name))
                return old.map { _ in "ALTER TABLE \(former.sql) DROP CONSTRAINT IF EXISTS \(name)" }
            }
            return new.map { "ALTER TABLE \(change.table.sql) ADD \($0)" }
        }
    }

    private var altered: [TableChange] { parts.tables.filter { $0.way == .altered } }

    // MARK: The column with the entity

    /// For tables that get their first subentity: all rows are of one entity, so no row is written.
    private var kindColumns: [String] {
        altered.flatMap { change -> [String] in
            guard change.oldEntityColumn == nil, let former = change.sourceTable,
                let column = dialect.entityColumn(of: change.table.root)
            else { return [] }
            return [
                "ALTER TABLE \(former.sql) ADD COLUMN \(column) \(dialect.entityType) NOT NULL DEFAULT \(change.newEntity)",
                "ALTER TABLE \(former.sql) ALTER COLUMN \(column) DROP DEFAULT",
            ]
        }
    }

    private var lostKindColumns: [String] {
        altered.compactMap { change in
            guard let column = change.oldEntityColumn, dialect.entityColumn(of: change.table.root) == nil else {
                return nil
            }
            return "ALTER TABLE \(dialect.qualified(change.workName)) DROP COLUMN \(column)"
        }
    }

    // MARK: Sequences

    /// A sequence follows its table: that of an altered table gets the new name, that of a new table continues with the
    /// last value of its source's sequence. Sequences that are renamed get temporary names first.
    private var sequencesBefore: [String] {
        let names = source.schema.tables.map { (table: $0, free: waiting($0)) }.filter { $0.free != nil }
        var result = names.compactMap { table, free in
            free.map {
                "ALTER SEQUENCE \(dialect.qualified(ServerTables.sequenceName(table))) RENAME TO \(dialect.quoted($0))"
            }
        }
        for change in altered {
            guard let former = change.sourceTable, let free = waiting(former) else { continue }
            result.append(
                "ALTER SEQUENCE \(dialect.qualified(free)) RENAME TO "
                    + dialect.quoted(ServerTables.sequenceName(change.table)))
        }
        for change in parts.tables where change.way != .altered {
            result.append(destination.sequence(change.table))
            guard let former = change.sourceTable else { continue }
            let current = current(former)
            result.append(
                "SELECT setval(\(PostgreSQLDialect.literal(dialect.qualified(ServerTables.sequenceName(change.table)))), "
                    + "(SELECT last_value FROM \(dialect.qualified(current))))")
        }
        return result
    }

    private var sequencesAfter: [String] {
        let ended = Set(parts.ended)
        return source.schema.tables.filter { ended.contains($0.name) }.map {
            "DROP SEQUENCE IF EXISTS \(dialect.qualified(current($0)))"
        }
    }

    /// nil for a sequence that keeps its name.
    private func waiting(_ table: EntityTable) -> String? {
        let successor = altered.first { $0.source == table.name }?.table
        if successor.map(ServerTables.sequenceName) == ServerTables.sequenceName(table) { return nil }
        let number = source.schema.tables.firstIndex { $0 === table } ?? 0
        return "ocd_migration_seq_\(number)"
    }

    /// The current name of a sequence of the source, after the renames.
    private func current(_ table: EntityTable) -> String {
        if let change = altered.first(where: { $0.source == table.name }) {
            return ServerTables.sequenceName(change.table)
        }
        return waiting(table) ?? ServerTables.sequenceName(table)
    }

    /// The comments that mark objects which a store may drop when it is destroyed.
    private var marks: [String] {
        parts.tables.filter { $0.way != .altered }.flatMap {
            [destination.mark($0.table.name), destination.markSequence($0.table)]
        } + parts.joins.filter { $0.source == nil }.map { destination.mark($0.join.name) }
    }

    // MARK: The history

    /// Gives entities and properties in the history their new names; deletes the changes of removed entities.
    private var history: [String] {
        let table = ServerHistoryTables(dialect: dialect).changes
        var result: [String] = []
        let ended = parts.transition.removed
        if !ended.isEmpty {
            result.append("DELETE FROM \(table) WHERE entity IN \(parts.transition.source.list(ended))")
        }
        for entity in parts.transition.entities {
            let names = renamed(entity)
            let old = PostgreSQLDialect.literal(entity.source.layout.name)
            if !names.isEmpty {
                let cases = names.map {
                    " WHEN \(PostgreSQLDialect.literal($0.old)) THEN "
                        + ($0.new.map(PostgreSQLDialect.literal) ?? "NULL")
                }.joined()
                let list = names.map { PostgreSQLDialect.literal($0.old) }.joined(separator: ", ")
                result.append(
                    "UPDATE \(table) SET properties = (SELECT COALESCE(jsonb_agg(n), '[]') FROM (SELECT CASE p\(cases) "
                        + "ELSE p END AS n FROM jsonb_array_elements_text(properties) AS p) AS q WHERE n IS NOT NULL) "
                        + "WHERE entity = \(old) AND jsonb_typeof(properties) = 'array' "
                        + "AND jsonb_exists_any(properties, ARRAY[\(list)])")
            }
        }
        let entities = parts.transition.entities.filter { $0.source.layout.name != $0.destination.layout.name }
        if entities.isEmpty { return result }
        let cases = entities.map {
            " WHEN \(PostgreSQLDialect.literal($0.source.layout.name)) THEN "
                + PostgreSQLDialect.literal($0.destination.layout.name)
        }.joined()
        let list = entities.map { PostgreSQLDialect.literal($0.source.layout.name) }.joined(separator: ", ")
        return result + ["UPDATE \(table) SET entity = CASE entity\(cases) END WHERE entity IN (\(list))"]
    }

    /// The properties of an entity that are renamed or removed in the new version; `new` is nil for a removed one.
    private func renamed(_ entity: EntityTransition) -> [(old: String, new: String?)] {
        let (old, new) = (entity.source.layout, entity.destination.layout)
        var names: [String: String] = [:]
        for slot in 0..<new.slotCount {
            if let former = entity.sourceSlot(slot) { names[old.properties[former].name] = new.properties[slot].name }
        }
        return (0..<old.slotCount).map { old.properties[$0].name }.sorted().filter { names[$0] != $0 }.map {
            ($0, names[$0])
        }
    }
}
