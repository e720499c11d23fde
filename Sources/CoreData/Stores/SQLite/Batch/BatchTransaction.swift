// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transaction of a batch request, from its begin to the commit with its files, history and derived attributes.

import Foundation
import SQLiteDriver

/// One batch request on the writing connection.
struct BatchTransaction {
    let opened: OpenDatabase
    let connection: Connection
    let batch: StoreBatch
    let identity: StoreIdentity

    var schema: Schema { opened.schema }

    /// - Throws: `NotTranslatable` for a request that must be executed row by row; nothing is written then.
    func run(_ confirm: () throws -> Bool) throws -> BatchResult {
        try opened.settleDoubts(on: connection)
        if let outcome = opened.indeterminate.outcome(of: batch) {
            guard try confirm() else { throw CoreDataError.cancelled() }
            opened.forgetIndeterminate(of: batch)
            return (outcome, .everything)
        }
        do {
            switch batch.work {
            case .insertion(let insertion):
                let statement = try InsertStatement(
                    schema: schema, plan: opened.plans.insert(insertion.layout), insertion: insertion)
                return try write(confirm) { files, report in
                    var inserter = BatchInserter(self, insertion, statement, files)
                    return try inserter.run(&report)
                }
            case .update(let update):
                let statement = try UpdateStatement(
                    schema: schema, update: update, excludesForeignRows: opened.plans.excludesForeignRows)
                return try write(confirm) { _, report in
                    try BatchUpdater(self, update, statement).run(&report)
                }
            case .deletion(let deletion):
                return try write(confirm) { files, report in
                    var deleter = BatchDeleter(self, files)
                    return try deleter.run(deletion, &report)
                }
            }
        } catch let error as SQLiteError where error.isUniqueConstraint {
            throw try uniquenessError(error)
        }
    }

    private func write(
        _ confirm: () throws -> Bool, _ body: (ExternalFiles?, inout BatchReport) throws -> BatchResult
    ) throws -> BatchResult {
        var result: BatchResult = (BatchOutcome(), .nothing)
        let end = try opened.write(on: connection, confirm) { files in
            var report = BatchReport(batch, try opened.history.updated(on: connection), connection)
            result = try body(files, &report)
            try opened.settleValues(of: nil, on: connection)
            result.outcome.transactionNumber = try report.record()
            _ = opened.recorder.take()
        }
        switch end {
        case .committed: return result
        case .rolledBack: throw CoreDataError.cancelled()
        case .unknown(let number, let error):
            opened.remember(number, .batch(ExecutedBatch(batch, result.outcome)))
            RunningOperation.current?.report.isCommitUnknown = true
            throw error
        }
    }

    /// Finds the violated rule. An update that violates it only temporarily is executed row by row.
    private func uniquenessError(_ error: SQLiteError) throws -> any Error {
        let layout: EntityLayout
        switch batch.work {
        case .insertion(let insertion): layout = insertion.layout
        case .update(let update):
            layout = update.fetch.layout
            // SQLite checks row by row: `number + 1` may collide with a number that the same request changes.
            if !update.expressions.isEmpty { throw NotTranslatable(reason: "unique values that move") }
        case .deletion: return error
        }
        let rules = layout.familyIndexes.flatMap { schema.model.layouts[$0].uniquenessRules(schema.model) }
        let violated = rules.first { rule in
            schema.mapping(schema.model.layouts[rule.layoutIndex]).map { mapping in
                InsertStatement.columns(of: rule, mapping).allSatisfy { error.message.contains($0) }
            } ?? false
        }
        return CoreDataError.uniquenessConflicts(
            [], entity: layout.name, constraint: (violated ?? rules.first)?.names ?? [])
    }

    /// Recomputes derived attributes that depend on rows of some root entities.
    func updateDerived(_ roots: Set<Int>) throws {
        try opened.derived.update(touching: roots, on: connection, recorder: opened.recorder)
    }

    /// Whether any entity has derived values, which may depend on other rows.
    var hasDerivedAttributes: Bool { schema.model.layouts.contains(where: \.hasDerivedAttributes) }

    func id(_ layout: EntityLayout, _ key: Int64) -> NSManagedObjectID {
        NSManagedObjectID(layout: layout, key: key, home: identity)
    }
}
