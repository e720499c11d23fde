// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that alter a table in place: renames, new columns, one deletion, one update, dropped columns.

import Foundation

/// Writes each row at most once; renames and new columns without values write no row.
struct AlteredTable {
    private let change: TableChange
    private let source: String
    /// Whether columns that the destination lacks are kept. Migration-M27.
    private let defers: Bool
    /// The column of the file that becomes a column of the destination.
    private var bases: [String: String] = [:]
    /// The current name of each column of the file, after the renames.
    private var current: [String: String] = [:]
    private(set) var renames: [String] = []
    /// Columns that make it necessary to drop and remake their indexes.
    private(set) var touched: Set<String> = []

    init(_ change: TableChange, source: String, defers: Bool) {
        self.change = change
        self.source = source
        self.defers = defers
        chooseBases()
        planRenames()
    }

    private var dialect: any Dialect { change.transition.dialect }
    private var table: String { dialect.qualified(change.workName) }
    private var added: [ColumnPlan] { change.columns.filter { bases[$0.name] == nil } }
    private var dropped: [String] {
        let used = Set(bases.values)
        return change.present.map(\.name).filter { !used.contains($0) && !dialect.names.reservedColumns.contains($0) }
    }

    /// Whether rows are written, apart from dropping columns.
    var writesRows: Bool { update != nil || !change.leaving.isEmpty }
    var dropsColumns: Bool { !defers && !dropped.isEmpty }

    /// The statements without the renames.
    var statements: [ScriptStatement] {
        var result: [ScriptStatement] = []
        if change.workName != source {
            result += ["ALTER TABLE \(dialect.qualified(source)) RENAME TO \(dialect.quoted(change.workName))"]
        }
        result += added.map { "ALTER TABLE \(table) ADD COLUMN \(dialect.quoted($0.name)) \($0.type)" }
        let passes =
            [deletion, update].compactMap { $0 }
            + (defers ? [] : dropped).map {
                "ALTER TABLE \(table) DROP COLUMN \(dialect.quoted(current[$0] ?? $0))"
            }
        return result + passes.map { ScriptStatement($0, over: change.table.name) }
    }

    private var deletion: String? {
        change.leaving.isEmpty
            ? nil : "DELETE FROM \(table) WHERE \(change.oldEntity) IN \(source(change.leaving))"
    }

    /// A list of old numbers.
    private func source(_ numbers: some Sequence<Int64>) -> String { change.transition.source.list(numbers) }
    private func literal(_ number: Int64) -> String { change.transition.source.literal(number) }

    // MARK: Columns

    private mutating func chooseBases() {
        let present = Set(change.present.map(\.name))
        let types = Dictionary(change.present.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        var free = present
        for isSameName in [true, false] {
            for column in change.columns where bases[column.name] == nil {
                let wanted = column.origins.sorted { $0.key < $1.key }.compactMap(\.value.base)
                let found = wanted.first {
                    free.contains($0) && types[$0] == column.type && ($0 == column.name || !isSameName)
                }
                guard let found else { continue }
                bases[column.name] = found
                free.remove(found)
            }
        }
    }

    private mutating func planRenames() {
        var names = ScratchNames(change.present.map(\.name) + change.columns.map(\.name))
        let targets = Dictionary(bases.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let wanted = Set(change.columns.filter { bases[$0.name] != $0.name }.map { $0.name.uppercased() })
        func rename(_ from: String, _ to: String) -> String {
            "ALTER TABLE \(dialect.qualified(source)) RENAME COLUMN \(dialect.quoted(from)) TO "
                + dialect.quoted(to)
        }
        // Free the names that other columns take first, so that two columns can exchange their names.
        for column in change.present.map(\.name) where wanted.contains(column.uppercased()) {
            let free = names.free()
            renames.append(rename(column, free))
            current[column] = free
            touched.insert(column)
        }
        for column in change.present.map(\.name) {
            guard let target = targets[column], target != (current[column] ?? column) else { continue }
            renames.append(rename(current[column] ?? column, target))
            current[column] = target
            touched.formUnion([column, target])
        }
        touched.formUnion(added.map(\.name))
        touched.formUnion(dropped)
    }

    // MARK: The one update

    private struct Term {
        let column: String
        let number: Int64
        let value: RowExpression
        let concerned: RowExpression?
    }

    private func terms(of column: ColumnPlan) -> [Term] {
        let base = bases[column.name]
        return change.entities.compactMap { entity in
            let origin = column.origins[entity.oldNumber]
            guard let origin else {
                // The rows have values only if the entity had the property in the source.
                guard let base, owns(entity, base) else { return nil }
                return Term(
                    column: column.name, number: entity.oldNumber, value: .null,
                    concerned: RowExpression(.column(base), .sql(" IS NOT NULL")))
            }
            if let base, origin.value.plainColumn == base { return nil }
            if origin.value.isNull, base.map({ !owns(entity, $0) }) ?? true { return nil }
            return Term(
                column: column.name, number: entity.oldNumber, value: origin.value,
                concerned: origin.base == base ? origin.concerned : nil)
        }
    }

    private func owns(_ entity: EntityTransition, _ column: String) -> Bool {
        change.owned[entity.oldNumber]?.contains(column) ?? false
    }

    /// nil if no row changes.
    private var update: String? {
        let name = { (column: String) in current[column] ?? column }
        let all = Set(change.entities.map(\.oldNumber))
        let terms = change.columns.map { ($0.name, self.terms(of: $0)) }.filter { !$0.1.isEmpty }
        let renumbered = change.oldEntityColumn == nil ? [] : change.renumbered
        guard !terms.isEmpty || !renumbered.isEmpty else { return nil }
        var sets = terms.map { column, terms in
            let values = Set(terms.map { $0.value.sql(dialect, name) })
            let quoted = dialect.quoted(column)
            if values.count == 1, Set(terms.map(\.number)) == all { return "\(quoted) = \(values.first ?? "NULL")" }
            let cases = terms.map { " WHEN \(literal($0.number)) THEN \($0.value.sql(dialect, name))" }.joined()
            return "\(quoted) = CASE \(change.oldEntity)\(cases) ELSE \(quoted) END"
        }
        if !renumbered.isEmpty, let column = change.oldEntityColumn { sets.append("\(column) = \(change.newEntity)") }
        let always = Set(renumbered.map(\.oldNumber))
        let condition = condition(terms.flatMap(\.1), always, all, name)
        return "UPDATE \(table) SET \(sets.joined(separator: ", "))" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// nil if the update applies to every row.
    private func condition(
        _ terms: [Term], _ always: Set<Int64>, _ all: Set<Int64>, _ name: (String) -> String
    ) -> String? {
        // Order keys are counted in the order of keys, so the rows must not be read through an index.
        guard !terms.contains(where: { $0.value.countsRows }) else { return nil }
        let always = always.union(terms.filter { $0.concerned == nil }.map(\.number))
        guard always != all else { return nil }
        var parts: [String] = always.isEmpty ? [] : ["\(change.oldEntity) IN \(source(always))"]
        var conditional: [String: Set<Int64>] = [:]
        for term in terms where !always.contains(term.number) {
            guard let concerned = term.concerned else { continue }
            conditional[concerned.sql(dialect, name), default: []].insert(term.number)
        }
        for (text, numbers) in conditional.sorted(by: { $0.key < $1.key }) {
            parts.append(numbers == all ? "(\(text))" : "(\(text) AND \(change.oldEntity) IN \(source(numbers)))")
        }
        return parts.joined(separator: " OR ")
    }
}
