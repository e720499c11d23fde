// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletes the rows of a batch request in waves of statements, and then ends the relationships to them.

import Foundation
import SQLiteDriver

/// # Order
/// 1. The requested rows are deleted; the statement returns their keys, and the destinations of to-ones with a rule.
/// 2. The rows to which they cascade are deleted in the same way, wave by wave, with one statement for each
/// relationship.
/// 3. Deny rules and mandatory to-ones are checked against the remaining rows: one violation rolls everything back.
/// 4. To-ones of the remaining rows are nullified; rows of join tables and one-way links are deleted.
struct BatchDeleter {
    private let transaction: BatchTransaction
    private let deletion: RowDeletion
    private var outcome = BatchOutcome()

    private var schema: Schema { transaction.schema }

    init(_ transaction: BatchTransaction, _ files: ExternalFiles?) {
        self.transaction = transaction
        deletion = RowDeletion(transaction, files)
    }

    mutating func run(_ batch: BatchDeletion, _ report: inout BatchReport) throws -> BatchResult {
        var wave = DeletedRows()
        switch batch {
        case .matching(let fetch):
            let rows = try matches(of: fetch)
            if deletion.isPlain(rows.layouts, report) {
                outcome.count = try transaction.connection.run(rows.deletion.text, rows.deletion.values.map(\.sqlite))
                return try finish(outcome.count > 0 ? [fetch.layout.rootIndex] : [])
            }
            wave = try deletion.run(rows, &report)
        case .records(let references):
            for rows in selections(of: references) { wave.add(try deletion.run(rows, &report)) }
        }
        outcome.count = wave.count
        if transaction.batch.wantsIDs {
            for (index, group) in wave.sorted {
                outcome.ids += group.keys.map { transaction.id(schema.model.layouts[index], $0) }
            }
        }
        let waves = DeletionWaves(wave, deletion, schema, report)
        try DeletePropagation(graph: waves).run()
        report = waves.report
        var ending = RelationshipEnding(transaction, waves)
        for (index, group) in waves.gone.sorted { try ending.checkDenials(schema.model.layouts[index], group) }
        for (index, group) in waves.gone.sorted { try ending.run(schema.model.layouts[index], group, &report) }
        return try finish(ending.touched.union(waves.gone.entities.map { schema.model.layouts[$0].rootIndex }))
    }

    private func finish(_ roots: Set<Int>) throws -> BatchResult {
        if roots.isEmpty { return (outcome, .nothing) }
        try transaction.updateDerived(roots)
        return (outcome, .everything)
    }

    // MARK: Selecting

    private func matches(of fetch: BoundFetch) throws -> RowSelection {
        var fetch = fetch
        fetch.result = .keys
        let builder = try SelectBuilder(
            schema: schema, fetch: fetch, excludesForeignRows: transaction.opened.plans.excludesForeignRows)
        guard builder.isComplete else {
            throw NotTranslatable(reason: "a condition that rows have to be asked for")
        }
        let target = builder.target
        let family = fetch.includesSubentities ? fetch.layout.familyIndexes : [fetch.layout.index]
        return RowSelection(
            table: target.table, condition: target.condition, layouts: family.map { schema.model.layouts[$0] })
    }

    /// The rows of some records: one selection for each root entity.
    private func selections(of references: [Reference]) -> [RowSelection] {
        let roots = Dictionary(grouping: references) { schema.model.layouts[$0.entityIndex].rootIndex }
        return roots.sorted { $0.key < $1.key }.compactMap { root, references in
            let layouts = schema.model.layouts[root].familyIndexes.map { schema.model.layouts[$0] }
            guard let table = layouts.compactMap({ schema.mapping($0)?.table }).first else { return nil }
            return RowSelection(of: table, "Z_PK", Set(references.map(\.key)).sorted(), schema)
        }
    }
}
