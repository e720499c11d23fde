// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicting rows after a uniqueness rule has refused a save.

import Foundation

/// Compares the values of a save with one another and with the stored rows, outside of any transaction.
package struct UniquenessDiagnosis {
    /// A query for stored rows.
    package struct Question {
        /// The columns of the plan.
        package let selection: SQLText
        package let plan: RowPlan
        package let table: EntityTable
        /// The topmost entity with the rule.
        package let family: EntityLayout
    }

    private typealias Check = UniquenessCheck<RuleValues>

    /// The number of values in one query. Combinations of several columns have a query each: databases differ in the
    /// syntax for a list of tuples, and may answer a list of conditions without the index.
    private static let block = 400

    private let schema: Schema
    private let changes: ChangeSet
    private let plan: (EntityLayout) -> RowPlan
    private let rows: (Question) throws -> [FetchedRow]

    /// - Parameters:
    ///   - plan: the plan for all rows below a root entity.
    ///   - rows: reads the rows to which the rule of the entity applies.
    package init(
        schema: Schema, changes: ChangeSet, plan: @escaping (EntityLayout) -> RowPlan,
        rows: @escaping (Question) throws -> [FetchedRow]
    ) {
        (self.schema, self.changes, self.plan, self.rows) = (schema, changes, plan, rows)
    }

    package func conflicts() throws -> [SaveOutcome.Conflict] {
        // The rows that the save deletes or rewrites; their current values are ignored.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var forms = RuleForms(schema)
        var check = Check()
        for update in changes.updates { add(update.snapshot, update.key, &forms, to: &check) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, &forms, to: &check) }
        // By the position of the group.
        var holders: [FetchedRow?] = Array(repeating: nil, count: check.groups.count)
        for positions in check.lone {
            let first = check.groups[positions[0]]
            let leaving = leaving[first.layout.rootIndex] ?? []
            let block = first.rule.names.count == 1 ? Self.block : 1
            for start in stride(from: 0, to: positions.count, by: block) {
                let part = positions[start..<min(start + block, positions.count)]
                try findHolders(of: part, check, &forms, leaving: leaving, in: &holders)
            }
        }
        return check.conflicts { _, position in holders[position] }
    }

    private func add(_ row: Snapshot, _ key: Int64, _ forms: inout RuleForms, to check: inout Check) {
        for form in forms.of(row.layout) {
            if let values = form.values(row) { check.add(values, of: form.rule, key, row.layout) }
        }
    }

    /// Records the stored row with the values of each group, unless it gives them up or is a row of the group itself.
    private func findHolders(
        of positions: ArraySlice<Int>, _ check: Check, _ forms: inout RuleForms, leaving: Set<Int64>,
        in holders: inout [FetchedRow?]
    ) throws {
        guard let first = positions.first else { return }
        let rule = check.groups[first].rule
        /// The group of a row; nil if the database returned the values in another form than they were written.
        func position(of row: FetchedRow) -> Int? {
            if positions.count == 1 { return first }
            let values = forms.form(rule, row.snapshot.layout)?.values(row.snapshot)
            return values.flatMap { check.position(of: $0, rule) }
        }
        var isAllKnown = true
        for row in try stored(positions.map { check.groups[$0] }, &forms) {
            guard let position = position(of: row) else {
                isAllKnown = false
                continue
            }
            if check.groups[position].keys.contains(row.key) || leaving.contains(row.key) { continue }
            if holders[position] == nil { holders[position] = row }
        }
        // Then each group has a separate query.
        if isAllKnown { return }
        for index in positions.indices where holders[positions[index]] == nil {
            try findHolders(of: positions[index...index], check, &forms, leaving: leaving, in: &holders)
        }
    }

    /// The stored rows with the values of one of the groups.
    private func stored(_ groups: [Check.Group], _ forms: inout RuleForms) throws -> [FetchedRow] {
        let first = groups[0]
        guard let table = schema.mapping(first.layout)?.table, let form = forms.form(first.rule, first.layout) else {
            return []
        }
        let plan = plan(table.root)
        let question = Question(
            selection: plan.selection(where: form.condition(groups.map(\.values))), plan: plan, table: table,
            family: schema.model.layouts[first.rule.layoutIndex])
        return try rows(question)
    }
}

/// The rules of the entities. Their columns are looked up only once.
private struct RuleForms {
    private let schema: Schema
    private var known: [Int: [RuleForm]] = [:]

    init(_ schema: Schema) { self.schema = schema }

    mutating func of(_ layout: EntityLayout) -> [RuleForm] {
        if let forms = known[layout.index] { return forms }
        let forms = layout.uniquenessRules(schema.model).compactMap { RuleForm($0, layout, schema) }
        known[layout.index] = forms
        return forms
    }

    mutating func form(_ rule: UniquenessRule, _ layout: EntityLayout) -> RuleForm? {
        of(layout).first { $0.rule == rule }
    }
}

/// The columns in which the rows of an entity have the values of a rule.
private struct RuleForm {
    private enum Place {
        case attribute(Int, ColumnCoding)
        case toOne(Int)
    }

    let rule: UniquenessRule
    private let places: [Place]
    /// The quoted column names.
    private let names: [String]
    private let dialect: any Dialect

    /// nil if one of the properties has no column: such rows never conflict.
    init?(_ rule: UniquenessRule, _ layout: EntityLayout, _ schema: Schema) {
        guard let mapping = schema.mapping(layout), !rule.names.isEmpty else { return nil }
        var (places, names): ([Place], [String]) = ([], [])
        for name in rule.names {
            guard let slot = layout.slot(name) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column):
                places.append(.attribute(slot, column.coding))
                names.append(schema.dialect.quoted(column.name))
            case .toOne(let columns):
                places.append(.toOne(slot))
                names.append(schema.dialect.quoted(columns.key))
            default: return nil
            }
        }
        (self.rule, self.places, self.names, dialect) = (rule, places, names, schema.dialect)
    }

    /// nil if one of the values is null: such rows never conflict.
    func values(_ row: Snapshot) -> RuleValues? {
        if places.count == 1 {
            guard let written = value(row, places[0]) else { return nil }
            return RuleValues(.one(written), kept: .one(dialect.kept(written)))
        }
        var written: [ColumnValue] = []
        written.reserveCapacity(places.count)
        for place in places {
            guard let value = value(row, place) else { return nil }
            written.append(value)
        }
        return RuleValues(.several(written), kept: .several(written.map(dialect.kept)))
    }

    private func value(_ row: Snapshot, _ place: Place) -> ColumnValue? {
        switch place {
        case .attribute(let slot, let coding):
            row.isNull(slot)
                ? nil : unboxed(row, slot, coding) ?? row.value(slot).flatMap { ColumnArgument.column($0, coding) }
        case .toOne(let slot):
            row.isNull(slot) ? nil : row.reference(slot).map { .integer($0.key) }
        }
    }

    /// The value without the object that `Snapshot.value` makes, for the most frequent kinds of unique values.
    private func unboxed(_ row: Snapshot, _ slot: Int, _ coding: ColumnCoding) -> ColumnValue? {
        switch (row.layout[slot].kind, coding) {
        case (.integer, .integer): .integer(row.integer(slot))
        case (.string, .string): .text(row.string(slot))
        default: nil
        }
    }

    /// The condition that a row has one of the values. For several columns, takes only one combination.
    func condition(_ all: [RuleValues]) -> SQLText {
        let values = all.flatMap(\.written.list)
        if all.count == 1 { return SQLText(raw: names.map { "\($0) = ?" }.joined(separator: " AND "), values) }
        return SQLText(raw: "\(names[0]) IN (?\(String(repeating: ", ?", count: all.count - 1)))", values)
    }
}

/// The values of a row for one rule.
private struct RuleValues: Hashable {
    /// As their columns store them.
    let written: Values
    /// As the rule compares them.
    private let kept: Values

    /// Most rules have one value, which needs no list.
    enum Values: Hashable {
        case one(ColumnValue)
        case several([ColumnValue])

        var list: [ColumnValue] {
            switch self {
            case .one(let value): [value]
            case .several(let values): values
            }
        }
    }

    init(_ written: Values, kept: Values) { (self.written, self.kept) = (written, kept) }

    static func == (left: Self, right: Self) -> Bool { left.kept == right.kept }

    func hash(into hasher: inout Hasher) { hasher.combine(kept) }
}
