// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicting rows after a uniqueness rule has refused a save.

import Foundation

/// Compares the values of a save with one another and with the stored rows, outside of any transaction.
package struct UniquenessDiagnosis {
    /// A question for stored rows.
    package struct Question {
        /// The columns are those of the plan.
        package let selection: SQLText
        package let plan: RowPlan
        package let table: EntityTable
        /// The topmost entity with the rule.
        package let family: EntityLayout
    }

    private let schema: Schema
    private let changes: ChangeSet
    private let plan: (EntityLayout) -> RowPlan
    private let rows: (Question) throws -> [FetchedRow]

    /// - Parameters:
    ///   - plan: that of all rows below a root entity.
    ///   - rows: reads the rows that the rule of the family holds for.
    package init(
        schema: Schema, changes: ChangeSet, plan: @escaping (EntityLayout) -> RowPlan,
        rows: @escaping (Question) throws -> [FetchedRow]
    ) {
        (self.schema, self.changes, self.plan, self.rows) = (schema, changes, plan, rows)
    }

    package func conflicts() throws -> [SaveOutcome.Conflict] {
        // Rows that the save deletes or rewrites; their current values are ignored.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var check = UniquenessCheck<RuleValues>()
        for update in changes.updates { add(update.snapshot, update.key, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, to: &check) }
        return try check.conflicts { group in
            try holder(of: group, leaving: leaving[group.layout.rootIndex] ?? [])
        }
    }

    private func add(_ row: Snapshot, _ key: Int64, to check: inout UniquenessCheck<RuleValues>) {
        for rule in row.layout.uniquenessRules(schema.model) {
            guard let values = RuleValues(row, rule, schema) else { continue }
            check.add(values, of: rule, key, row.layout)
        }
    }

    private func holder(of group: UniquenessCheck<RuleValues>.Group, leaving: Set<Int64>) throws -> FetchedRow? {
        guard let table = schema.mapping(group.layout)?.table else { return nil }
        let plan = plan(table.root)
        let question = Question(
            selection: plan.selection(where: group.values.condition), plan: plan, table: table,
            family: schema.model.layouts[group.rule.layoutIndex])
        return try rows(question).first { !group.keys.contains($0.key) && !leaving.contains($0.key) }
    }
}

/// The values of a row for one rule, as their columns keep and compare them.
private struct RuleValues: Hashable {
    /// That the columns have these values.
    let condition: SQLText
    private let kept: [ColumnValue]

    /// nil when one of the values is null: such rows never conflict.
    init?(_ row: Snapshot, _ rule: UniquenessRule, _ schema: Schema) {
        guard let mapping = schema.mapping(row.layout) else { return nil }
        var values: [(column: String, value: ColumnValue)] = []
        for name in rule.names {
            guard let slot = row.layout.slot(name), !row.isNull(slot) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column):
                guard let value = row.value(slot).flatMap({ ColumnArgument.column($0, column.coding) }) else {
                    return nil
                }
                values.append((column.name, value))
            case .toOne(let columns):
                guard let reference = row.reference(slot) else { return nil }
                values.append((columns.key, .integer(reference.key)))
            default: return nil
            }
        }
        if values.isEmpty { return nil }
        condition = values.map { "\(raw: schema.dialect.quoted($0.column)) = \(value: $0.value)" as SQLText }
            .joined(" AND ")
        kept = values.map { schema.dialect.kept($0.value) }
    }

    static func == (left: Self, right: Self) -> Bool { left.kept == right.kept }

    func hash(into hasher: inout Hasher) { hasher.combine(kept) }
}
