// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicting rows after a uniqueness rule has rejected a save.

import Foundation
import SQLiteDriver

/// Compares the values of a save with one another and with the stored rows, outside of any transaction.
struct UniquenessDiagnosis {
    let schema: Schema
    let plans: PlanCache
    let changes: ChangeSet
    let connection: Connection
    let filling: RowFilling
    let externalFolder: URL?

    /// The rules of the entities of the save, each with its columns.
    private var columns: [Int: [RuleColumns]] = [:]

    init(
        schema: Schema, plans: PlanCache, changes: ChangeSet, connection: Connection, filling: RowFilling,
        externalFolder: URL?
    ) {
        self.schema = schema
        self.plans = plans
        self.changes = changes
        self.connection = connection
        self.filling = filling
        self.externalFolder = externalFolder
    }

    mutating func conflicts() throws -> [SaveOutcome.Conflict] {
        // Rows that the save deletes or rewrites; their current values are ignored.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var check = UniquenessCheck<[SQLiteValue]>()
        for update in changes.updates { add(update.snapshot, update.key, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, to: &check) }
        return try check.conflicts { group in
            try holder(of: group, leaving: leaving[group.layout.rootIndex] ?? [])
        }
    }

    private mutating func add(_ row: Snapshot, _ key: Int64, to check: inout UniquenessCheck<[SQLiteValue]>) {
        for rule in rules(of: row.layout) {
            if let values = rule.values(of: row) { check.add(values, of: rule.rule, key, row.layout) }
        }
    }

    private mutating func rules(of layout: EntityLayout) -> [RuleColumns] {
        if let known = columns[layout.index] { return known }
        var found: [RuleColumns] = []
        if let mapping = schema.mapping(layout) {
            let plan = plans.rows(mapping.table.root, includesSubentities: true)
            found = layout.uniquenessRules(schema.model).map { RuleColumns($0, layout, mapping, plan) }
        }
        columns[layout.index] = found
        return found
    }

    private mutating func holder(
        of group: UniquenessCheck<[SQLiteValue]>.Group, leaving: Set<Int64>
    ) throws -> FetchedRow? {
        guard let rule = rules(of: group.layout).first(where: { $0.rule == group.rule }) else { return nil }
        var decoder = RowDecoder(
            plan: rule.plan, schema: schema, rootIndex: rule.root, cache: filling, externalFolder: externalFolder)
        return try connection.withStatement(rule.selection) { statement in
            try statement.bind(group.values)
            return try decoder.rows(statement).first { !group.keys.contains($0.key) && !leaving.contains($0.key) }
        }
    }
}

/// The columns of a uniqueness rule in the table of an entity. A save may meet thousands of conflicts of one rule.
private struct RuleColumns {
    private struct Column {
        let slot: Int
        /// nil for a to-one.
        let coding: ColumnCoding?
    }

    let rule: UniquenessRule
    let plan: RowPlan
    /// The topmost entity of the table.
    let root: Int
    /// Gives the rows with certain values.
    let selection: String
    /// Empty where a property of the rule has no column.
    private let columns: [Column]

    init(_ rule: UniquenessRule, _ layout: EntityLayout, _ mapping: EntityMapping, _ plan: RowPlan) {
        self.rule = rule
        self.plan = plan
        root = mapping.table.root.rootIndex
        var columns: [Column] = []
        var conditions: [String] = []
        for slot in rule.names.compactMap(layout.slot) {
            switch mapping.storage[slot] {
            case .attribute(let column):
                columns.append(Column(slot: slot, coding: column.coding))
                conditions.append("\(SchemaNaming.quoted(column.name)) = ?")
            case .toOne(let column):
                columns.append(Column(slot: slot, coding: nil))
                conditions.append("\(SchemaNaming.quoted(column.key)) = ?")
            default: break
            }
        }
        self.columns = columns.count == rule.names.count ? columns : []
        let list = plan.columns.map { ", " + $0 }.joined()
        selection =
            "SELECT Z_PK, Z_ENT, Z_OPT\(list) FROM \(mapping.table.sql) WHERE \(conditions.joined(separator: " AND "))"
    }

    /// nil when one of the values is null: such rows never conflict.
    func values(of row: Snapshot) -> [SQLiteValue]? {
        var result: [SQLiteValue] = []
        for column in columns {
            guard !row.isNull(column.slot) else { return nil }
            if let coding = column.coding {
                guard let value = row.value(column.slot), let argument = ColumnArgument.value(value, coding) else {
                    return nil
                }
                result.append(argument)
            } else {
                guard let reference = row.reference(column.slot) else { return nil }
                result.append(.integer(reference.key))
            }
        }
        return result.isEmpty ? nil : result
    }
}
